// MuJoCo: steps of a model that rung export has written, from its keyframe "state", by threads with an mjData each. Prints the least time of short runs, and positions and
// violations at a time, as JSON.
//
//   rollouts MODEL.xml INTEGRATOR STEP TIME THREADS [NAME=VALUE...]
//
// Names: solver (Newton, CG, PGS), jacobian (dense, sparse), iterations, tolerance, solref (time constant over step; not below 2, which MuJoCo takes for its least), planar (1: of two
// points that hold an axis the second is left out), BODY.moment (about z, N m), profile (1: shares of the time).
#include <mujoco/mujoco.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
mjtNum clockOf() { return now(); }

int named(const std::string &value, std::initializer_list<std::pair<const char *, int>> list) {
    for (auto &[name, code] : list)
        if (value == name) return code;
    throw std::runtime_error("unknown value " + value);
}

std::atomic<int> warnings{0};
void warned(const char *) { warnings++; } // MuJoCo goes on from its initial state

struct Case {
    mjModel *m = nullptr;
    std::vector<std::pair<int, double>> moments; // of bodies about z

    void start(mjData *d) const {
        mj_resetDataKeyframe(m, d, 0);
        for (int a = 0; a < m->nu; a++) // constant forces, without the work of actuators
            d->qfrc_applied[m->jnt_dofadr[m->actuator_trnid[2 * a]]] += m->actuator_gear[6 * a] * d->ctrl[a];
        for (auto &[body, moment] : moments) d->xfrc_applied[6 * body + 5] = moment;
    }
};

// least returns the least time of a step when that many threads step at once, over runs of some steps from the start on and through the whole time.
double least(const Case &c, int steps, int threads) {
    const int run = std::max(20, 2000 / std::max(1, c.m->nbody)); // some hundred microseconds
    std::vector<mjData *> data(threads);
    for (auto &d : data) {
        d = mj_makeData(c.m);
        c.start(d);
    }
    std::atomic<int> round{0}, done{0};
    std::atomic<bool> stop{false};
    int at = 0;
    auto work = [&](int k) {
        if (at == 0) c.start(data[k]);
        for (int i = 0; i < run; i++) mj_step(c.m, data[k]);
    };
    std::vector<std::thread> pool;
    for (int k = 1; k < threads; k++)
        pool.emplace_back([&, k] {
            for (int seen = 0; !stop;)
                if (round != seen) {
                    seen++;
                    work(k);
                    done++;
                }
        });
    double best = 1e9;
    const double end = now() + 0.6;
    for (int i = 0; now() < end || i < 3; i++) {
        done = 0;
        const double t = now();
        round++;
        work(0);
        while (done < threads - 1) {
        }
        best = std::min(best, (now() - t) / run / threads);
        at += run;
        if (at + run > steps) at = 0;
    }
    stop = true;
    for (auto &t : pool) t.join();
    for (auto d : data) mj_deleteData(d);
    return best;
}

void run(int argc, char **argv) {
    if (argc < 6) throw std::runtime_error("use: rollouts MODEL.xml INTEGRATOR STEP TIME THREADS [NAME=VALUE...]");
    std::map<std::string, std::string> set{{"solver", "Newton"}, {"jacobian", "dense"}, {"iterations", "100"}, {"tolerance", "1e-8"}, {"solref", "2"}, {"planar", "0"}, {"profile", "0"}};
    for (int i = 6; i < argc; i++) {
        const std::string a = argv[i];
        const size_t at = a.find('=');
        if (at == std::string::npos) throw std::runtime_error(a + " is not NAME=VALUE");
        set[a.substr(0, at)] = a.substr(at + 1);
    }
    char error[1000] = "";
    Case c;
    c.m = mj_loadXML(argv[1], nullptr, error, sizeof error);
    if (c.m == nullptr) throw std::runtime_error(error);
    mjModel *m = c.m;
    const double h = std::atof(argv[3]);
    const int steps = static_cast<int>(std::lround(std::atof(argv[4]) / h)), threads = std::atoi(argv[5]);
    m->opt.timestep = h;
    m->opt.integrator = named(argv[2], {{"Euler", mjINT_EULER}, {"RK4", mjINT_RK4}});
    m->opt.solver = named(set["solver"], {{"Newton", mjSOL_NEWTON}, {"CG", mjSOL_CG}, {"PGS", mjSOL_PGS}});
    m->opt.jacobian = named(set["jacobian"], {{"dense", mjJAC_DENSE}, {"sparse", mjJAC_SPARSE}});
    m->opt.iterations = std::atoi(set["iterations"].c_str());
    m->opt.tolerance = std::atof(set["tolerance"].c_str());
    m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_ACTUATION | mjDSBL_FRICTIONLOSS | mjDSBL_SENSOR;
    for (int i = 0; i < m->neq; i++) {
        m->eq_solref[mjNREF * i] = std::atof(set["solref"].c_str()) * h;
        m->eq_solref[mjNREF * i + 1] = 1;
        const std::string name = mj_id2name(m, mjOBJ_EQUALITY, i) ? mj_id2name(m, mjOBJ_EQUALITY, i) : "";
        if (set["planar"] == "1" && name.size() > 2 && name.substr(name.size() - 2) == " 2") m->eq_active[i] = 0;
    }
    for (auto &[key, value] : set) {
        const size_t at = key.find(".moment");
        if (at == std::string::npos) continue;
        const int body = mj_name2id(m, mjOBJ_BODY, key.substr(0, at).c_str());
        if (body < 0) throw std::runtime_error("no body " + key);
        c.moments.push_back({body, std::atof(value.c_str())});
    }
    mjData *d = mj_makeData(m);
    mju_user_warning = warned;
    if (set["profile"] == "1") mjcb_time = clockOf;
    c.start(d);
    double iterations = 0;
    for (int i = 0; i < steps; i++) {
        mj_step(m, d);
        iterations += d->solver_iter;
    }
    if (warnings > 0) throw std::runtime_error("unstable");
    std::printf("{");
    if (set["profile"] == "1") {
        const double whole = d->timer[mjTIMER_STEP].duration;
        std::printf("\"shares\": {\"position\": %.3f, \"velocity\": %.3f, \"constraint\": %.3f, \"forward\": %.3f}, ", d->timer[mjTIMER_POSITION].duration / whole,
                    d->timer[mjTIMER_VELOCITY].duration / whole, d->timer[mjTIMER_CONSTRAINT].duration / whole, d->timer[mjTIMER_FORWARD].duration / whole);
        mjcb_time = nullptr;
    }
    mj_forward(m, d);
    double off = 0;
    for (int i = 0; i < d->nefc; i++)
        if (d->efc_type[i] == mjCNSTR_EQUALITY) off = std::max(off, std::fabs(d->efc_pos[i]));
    std::printf("\"version\": \"%s\", \"rows\": %d, \"freedoms\": %d, \"iterations\": %.2f, \"violation\": %.3e, \"positions\": {", mj_versionString(), d->nefc, static_cast<int>(m->nv),
                iterations / std::max(steps, 1), std::isfinite(off) ? off : 1e300);
    for (int b = 1; b < m->nbody; b++) {
        const double *x = d->xpos + 3 * b;
        std::printf("%s\"%s\": [%.12g, %.12g, %.12g]", b > 1 ? ", " : "", mj_id2name(m, mjOBJ_BODY, b), std::isfinite(x[0]) ? x[0] : 1e300, std::isfinite(x[1]) ? x[1] : 1e300, std::isfinite(x[2]) ? x[2] : 1e300);
    }
    mj_deleteData(d);
    std::printf("}, \"step_ns\": %.1f}\n", least(c, steps, threads) * 1e9);
    mj_deleteModel(m);
}

} // namespace

int main(int argc, char **argv) {
    try {
        run(argc, argv);
    } catch (const std::exception &e) {
        std::printf("{\"error\": \"%s\"}\n", e.what());
        return 1;
    }
}
