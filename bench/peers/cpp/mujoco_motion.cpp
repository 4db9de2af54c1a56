// MuJoCo: a mechanism in motion, for bench/precision, from the model as rung export writes it and its keyframe "state".
//
//   mujoco_motion version
//   mujoco_motion run MODEL.xml INTEGRATOR STEP END SAMPLES LIMIT ENOUGH BODY x y z [planar=1] [BODY.moment=VALUE...]
//
// It prints the least processor time of a run, its steps, and where a point of the body is at equally spaced times, as JSON. Runs are
// repeated until they have taken ENOUGH seconds; one that takes more than LIMIT ends it. Settings are those of rollouts.cpp: what is not in the model is off, the
// stiffest constraints that MuJoCo takes, in a plane one connect a loop (planar).
#include "process.hpp"

#include <mujoco/mujoco.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace {

int warnings = 0;
void warned(const char *) { warnings++; } // MuJoCo goes on from its initial state

struct Case {
    mjModel *m = nullptr;
    std::vector<std::pair<int, double>> moments; // of bodies about z

    void start(mjData *d) const {
        mj_resetDataKeyframe(m, d, 0);
        for (auto &[body, moment] : moments) d->xfrc_applied[6 * body + 5] = moment;
    }
};

int integrator(const std::string &name) {
    if (name == "Euler") return mjINT_EULER;
    if (name == "RK4") return mjINT_RK4;
    if (name == "implicit") return mjINT_IMPLICIT;
    throw std::runtime_error("no integrator " + name);
}

Case load(int argc, char **argv, double h) {
    char error[1000] = "";
    Case c;
    c.m = mj_loadXML(argv[2], nullptr, error, sizeof error);
    if (c.m == nullptr) throw std::runtime_error(error);
    bool planar = false;
    for (int i = 13; i < argc; i++) {
        const std::string a = argv[i];
        const size_t at = a.find('='), dot = a.find(".moment=");
        if (a == "planar=1") {
            planar = true;
        } else if (at != std::string::npos && dot != std::string::npos) {
            const int body = mj_name2id(c.m, mjOBJ_BODY, a.substr(0, dot).c_str());
            if (body < 0) throw std::runtime_error("no body " + a);
            c.moments.push_back({body, std::atof(a.substr(at + 1).c_str())});
        } else {
            throw std::runtime_error(a + " is no setting");
        }
    }
    mjModel *m = c.m;
    m->opt.timestep = h;
    m->opt.integrator = integrator(argv[3]);
    m->opt.solver = mjSOL_NEWTON;
    m->opt.iterations = 100;
    m->opt.tolerance = 1e-8;
    m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_ACTUATION | mjDSBL_FRICTIONLOSS | mjDSBL_SENSOR;
    for (int i = 0; i < m->neq; i++) {
        m->eq_solref[mjNREF * i] = 2 * h;
        m->eq_solref[mjNREF * i + 1] = 1;
        const char *name = mj_id2name(m, mjOBJ_EQUALITY, i);
        const std::string text = name == nullptr ? "" : name;
        if (planar && text.size() > 2 && text.substr(text.size() - 2) == " 2") m->eq_active[i] = 0;
    }
    return c;
}

void run(int argc, char **argv) {
    if (argc < 13) throw std::runtime_error("use: mujoco_motion run MODEL.xml INTEGRATOR STEP END SAMPLES LIMIT ENOUGH BODY x y z [NAME=VALUE...]");
    const double end = std::atof(argv[5]), limit = std::atof(argv[7]), enough = std::atof(argv[8]);
    const int samples = std::atoi(argv[6]);
    const int parts = static_cast<int>(std::lround(end / samples / std::atof(argv[4]))); // steps between two samples
    const Case c = load(argc, argv, end / samples / parts);
    const int body = mj_name2id(c.m, mjOBJ_BODY, argv[9]);
    if (body < 0) throw std::runtime_error(std::string("no body ") + argv[9]);
    const mjtNum point[3] = {std::atof(argv[10]), std::atof(argv[11]), std::atof(argv[12])};
    mjData *d = mj_makeData(c.m);
    mju_user_warning = warned;
    std::vector<double> points;
    double best = 1e300, spent = 0;
    for (int n = 0; n == 0 || (spent < enough && n < 200); n++) {
        c.start(d);
        points.clear();
        const double begun = peer::processorNs();
        for (int k = 1; k <= samples; k++) {
            for (int i = 0; i < parts; i++) mj_step(c.m, d);
            if (warnings > 0) throw std::runtime_error("unstable");
            mj_kinematics(c.m, d);
            mjtNum at[3];
            mju_rotVecMat(at, point, d->xmat + 9 * body);
            for (int i = 0; i < 3; i++) points.push_back(d->xpos[3 * body + i] + at[i]);
            if (1e-9 * (peer::processorNs() - begun) > limit) throw std::runtime_error("over");
        }
        const double took = 1e-9 * (peer::processorNs() - begun);
        spent += took;
        best = std::min(best, took);
    }
    std::printf("{\"version\": \"%s\", \"seconds\": %.9g, \"steps\": %d, \"points\": [", mj_versionString(), best, parts * samples);
    for (size_t i = 0; i < points.size(); i += 3) std::printf("%s[%.17g, %.17g, %.17g]", i ? ", " : "", points[i], points[i + 1], points[i + 2]);
    std::printf("]}\n");
    mj_deleteData(d);
    mj_deleteModel(c.m);
}

} // namespace

int main(int argc, char **argv) {
    try {
        if (argc == 2 && std::string(argv[1]) == "version") std::printf("{\"version\": \"%s\"}\n", mj_versionString());
        else run(argc, argv);
        return 0;
    } catch (const std::exception &e) {
        std::printf("{\"error\": \"%s\"}\n", peer::escape(e.what()).c_str());
        return 1;
    }
}
