// MuJoCo: mjd_transitionFD, for bench/gradients, of mechanisms of hinges.
//
//   mujoco_derivatives version
//   mujoco_derivatives run MODEL.xml ENOUGH DIRECTIONS.txt TIMESTEP PLANAR STEP...
//
// DIRECTIONS.txt: the number of hinges, and of each its name and rate; the number of coordinates, and the names of their hinges; the number of directions, and of
// each the changes of all hinges and those of their rates; the number of bodies, and their names. Hinges that close loops in MODEL.xml are in it too.
// Accelerations are those of the coordinates.
//
// With Euler's integrator v' = v + h·a(q, v), so the derivatives of a are those of v' over h. Without constraints h does not matter, and is 1. Constraints
// are soft, and as stiff as h lets them be. The gradient is that of the first coordinate's acceleration by all masses, by central differences.
#include "derivatives.hpp"

#include <cmath>
#include <fstream>
#include <mujoco/mujoco.h>

namespace {

struct Case {
    mjModel *m = nullptr;
    mjData *d = nullptr;
    std::vector<int> hinges, coordinates, bodies; // degrees of freedom, and bodies
    std::vector<std::vector<double>> pose, rate;  // by direction, of the hinges

    int hinge(const std::string &name) const {
        const int j = mj_name2id(m, mjOBJ_JOINT, name.c_str());
        if (j < 0) return -1; // it closes a loop
        if (m->jnt_type[j] != mjJNT_HINGE) throw std::runtime_error(name + " is no hinge");
        return m->jnt_dofadr[j];
    }

    void read(const std::string &path) {
        std::ifstream f(path);
        size_t n = 0;
        int found = 0;
        std::string name;
        f >> n;
        for (size_t i = 0; i < n && f; i++) {
            double v = 0;
            f >> name >> v;
            hinges.push_back(hinge(name));
            if (hinges.back() < 0) continue;
            found++;
            double &rate = d->qvel[hinges.back()];
            if (m->nkey > 0 && std::fabs(rate - v) > 1e-9) throw std::runtime_error("hinge " + name + " turns otherwise");
            rate = v;
        }
        f >> n;
        for (size_t i = 0; i < n && f; i++) {
            f >> name;
            coordinates.push_back(hinge(name));
            if (coordinates.back() < 0) throw std::runtime_error("no hinge " + name);
        }
        f >> n;
        for (size_t k = 0; k < n && f; k++)
            for (auto *to : {&pose, &rate}) {
                to->push_back(std::vector<double>(hinges.size()));
                for (double &x : to->back()) f >> x;
            }
        f >> n;
        for (size_t i = 0; i < n && f; i++) {
            f >> name;
            bodies.push_back(mj_name2id(m, mjOBJ_BODY, name.c_str()));
            if (bodies.back() < 0) throw std::runtime_error("no body " + name);
        }
        if (!f) throw std::runtime_error("cannot read " + path);
        if (found != m->nv) throw std::runtime_error("other joints than hinges");
    }

    // times returns the changes of the coordinates' accelerations along direction k.
    std::vector<double> times(const std::vector<double> &A, size_t k) const {
        const int n = m->nv;
        std::vector<double> out;
        for (int c : coordinates) {
            const double *row = &A[static_cast<size_t>(n + c) * 2 * n];
            double sum = 0;
            for (size_t i = 0; i < hinges.size(); i++) {
                const int j = hinges[i];
                if (j < 0) continue;
                sum += row[j] * pose[k][i] + (row[n + j] - (j == c ? 1 : 0)) * rate[k][i];
            }
            out.push_back(sum / m->opt.timestep);
        }
        return out;
    }
};

void fail(const char *text) { throw std::runtime_error(text); }

Case load(char **argv) {
    char error[1000] = "";
    Case c;
    c.m = mj_loadXML(argv[2], nullptr, error, sizeof error);
    if (c.m == nullptr) throw std::runtime_error(error);
    mjModel *m = c.m;
    m->opt.timestep = std::atof(argv[5]);
    m->opt.integrator = mjINT_EULER;
    m->opt.solver = mjSOL_NEWTON;
    m->opt.iterations = 100;
    m->opt.tolerance = 0;
    m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_ACTUATION | mjDSBL_FRICTIONLOSS | mjDSBL_SENSOR;
    for (int i = 0; i < m->neq; i++) {
        m->eq_solref[mjNREF * i] = 2 * m->opt.timestep;
        m->eq_solref[mjNREF * i + 1] = 1;
        const char *name = mj_id2name(m, mjOBJ_EQUALITY, i);
        const std::string text = name == nullptr ? "" : name;
        if (std::string(argv[6]) == "planar" && text.size() > 2 && text.substr(text.size() - 2) == " 2") m->eq_active[i] = 0;
    }
    c.d = mj_makeData(m);
    if (m->nkey > 0) mj_resetDataKeyframe(m, c.d, 0);
    c.read(argv[4]);
    return c;
}

void run(int argc, char **argv) {
    if (argc < 8) throw std::runtime_error("use: mujoco_derivatives run MODEL.xml ENOUGH DIRECTIONS.txt TIMESTEP PLANAR STEP...");
    mju_user_error = fail;
    const double enough = std::atof(argv[3]);
    const auto steps = derivatives::steps(argc, argv, 7);
    Case c = load(argv);
    mjModel *m = c.m;
    mjData *d = c.d;
    const double evaluation = derivatives::least(enough, [&] { mj_forward(m, d); });
    std::vector<double> a;
    for (int i : c.coordinates) a.push_back(d->qacc[i]);
    std::vector<double> A(4 * static_cast<size_t>(m->nv) * m->nv);
    const double matrix = derivatives::least(enough, [&] { mjd_transitionFD(m, d, steps[0], 1, A.data(), nullptr, nullptr, nullptr); });
    std::vector<derivatives::Columns> all;
    for (double step : steps) {
        mjd_transitionFD(m, d, step, 1, A.data(), nullptr, nullptr, nullptr);
        derivatives::Columns out{step, {}};
        for (size_t k = 0; k < c.pose.size(); k++) out.columns.push_back(c.times(A, k));
        all.push_back(out);
    }
    std::printf("{\"version\": \"%s\", \"evaluation\": %.9g, \"matrix\": %.9g", mj_versionString(), evaluation, matrix);
    derivatives::list("accelerations", a.data(), a.size());
    derivatives::tables(all);
    if (m->neq == 0) {
        std::vector<double> g(c.bodies.size());
        const auto differences = [&](double step) {
            for (size_t i = 0; i < c.bodies.size(); i++) {
                double &mass = m->body_mass[c.bodies[i]];
                const double old = mass;
                double z[2];
                for (int s = 0; s < 2; s++) {
                    mass = old * (1 + (s ? -step : step));
                    mj_forward(m, d);
                    z[s] = d->qacc[c.coordinates[0]];
                }
                mass = old;
                g[i] = (z[0] - z[1]) / (2 * step * old);
            }
        };
        std::printf(", \"gradient\": %.9g, \"gradients\": [", derivatives::least(enough, [&] { differences(steps[0]); }));
        for (size_t k = 0; k < steps.size(); k++) {
            differences(steps[k]);
            std::printf("%s{\"step\": %.17g", k ? ", " : "", steps[k]);
            derivatives::list("masses", g.data(), g.size());
            std::printf("}");
        }
        std::printf("]");
    }
    std::printf("}\n");
    mj_deleteData(d);
    mj_deleteModel(m);
}

} // namespace

int main(int argc, char **argv) {
    return derivatives::guarded(argc, argv, mj_versionString(), [&] { run(argc, argv); });
}
