// MuJoCo: steps of the four-bar linkage of the README, its loop closed by "connect". Prints the time of a step, the least of many short runs, and where the crank and the loop are
// after a second.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

static std::string rod(double x, double y) {
    const double length = std::hypot(x, y), r = 0.01, side = (3 * r * r + length * length) / 12, turn = std::atan2(y, x) / 2;
    char text[400];
    std::snprintf(text, sizeof text, "<inertial mass=\"1\" pos=\"%.17g %.17g 0\" quat=\"%.17g 0 0 %.17g\" diaginertia=\"%.17g %.17g %.17g\"/><joint type=\"hinge\" axis=\"0 0 1\"/>",
                  x / 2, y / 2, std::cos(turn), std::sin(turn), r * r / 2, side, side);
    return text;
}

int main(int argc, char **argv) {
    const bool rk4 = argc > 1 && !std::strcmp(argv[1], "RK4");
    const double h = argc > 2 ? std::atof(argv[2]) : 1e-3;
    const std::string xml =
        "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/><option gravity=\"0 -9.81 0\"/><default><equality solref=\"" + std::string(argc > 3 ? argv[3] : "0.02 1") +
        "\" solimp=\"0.9999 0.9999 0.001\"/></default><worldbody><body name=\"crank\">" + rod(0.3, 0.8) + "<body name=\"coupler\" pos=\"0.3 0.8 0\">" + rod(0.9, 0.2) +
        "</body></body><body name=\"rocker\" pos=\"1 0 0\">" + rod(0.2, 1) +
        "</body></worldbody><equality><connect body1=\"coupler\" body2=\"rocker\" anchor=\"0.9 0.2 0\"/></equality></mujoco>";
    const std::string path = std::string(argv[0]) + ".xml";
    std::ofstream(path) << xml;
    char error[1000] = "";
    mjModel *m = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
    if (m == nullptr) return std::puts(error), 1;
    m->opt.timestep = h;
    m->opt.integrator = rk4 ? mjINT_RK4 : mjINT_EULER;
    m->opt.solver = mjSOL_NEWTON;
    m->opt.disableflags |= mjDSBL_CONTACT;
    mjData *d = mj_makeData(m);
    double best = 1e9, angle = 0, off = 0;
    for (int round = 0; round < 200; round++) {
        mj_resetData(m, d);
        const int n = static_cast<int>(std::lround(1 / h));
        for (int i = 0; i < n; i += 20) {
            const auto t = std::chrono::steady_clock::now();
            for (int k = 0; k < 20; k++) mj_step(m, d);
            best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count() / 20);
        }
        mj_forward(m, d);
        angle = d->qpos[0];
        off = 0;
        for (int i = 0; i < d->nefc; i++) off = std::max(off, std::fabs(d->efc_pos[i]));
    }
    std::printf("MuJoCo %s %s h %g: %.0f ns a step; crank turned by %.9f rad, loop open by %.1e m\n", mj_versionString(), rk4 ? "RK4" : "Euler", h, best * 1e9, angle, off);
}
