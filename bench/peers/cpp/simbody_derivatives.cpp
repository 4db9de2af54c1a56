// Simbody: central differences of accelerations, for bench/gradients.
//
//   simbody_derivatives version
//   simbody_derivatives run MODEL.txt ENOUGH STEP...
//
// MODEL.txt is that of tree.hpp and then: the number of directions, the number of speeds, and a line for each direction with as many numbers that change
// the coordinates as speeds would, and as many changes of the speeds. A direction is one that the joints allow, so the first order of it is all that
// is needed: what the joints are off at the ends of a difference is the same at both. Accelerations are those of bodies, angular first.
#include "derivatives.hpp"
#include "simbody_tree.hpp"

namespace {

struct Differences {
    simbody::Tree tree;
    st::State at;
    std::vector<st::Vector> pose, rate; // by direction

    explicit Differences(std::ifstream f, const std::string &path) : tree(tree::load(f, path)), at(tree.start) {
        size_t n = 0;
        int speeds = 0;
        f >> n >> speeds;
        if (speeds != at.getNU()) throw std::runtime_error("another number of speeds");
        tree.system.realize(at, st::Stage::Position);
        for (size_t k = 0; k < n && f; k++) {
            st::Vector t(speeds), u(speeds), q;
            for (int i = 0; i < speeds; i++) f >> t[i];
            for (int i = 0; i < speeds; i++) f >> u[i];
            tree.matter.multiplyByN(at, false, t, q);
            pose.push_back(q);
            rate.push_back(u);
        }
        if (!f) throw std::runtime_error("cannot read " + path);
    }

    void evaluate(const st::Vector &q, const st::Vector &u) {
        at.updQ() = q;
        at.updU() = u;
        tree.system.realize(at, st::Stage::Acceleration);
    }

    std::vector<double> accelerations() {
        std::vector<double> a;
        for (size_t i = 0; i < tree.m.bodies.size(); i++) {
            const auto &b = tree.body(static_cast<int>(i));
            const st::Vec3 d = b.getBodyAngularAcceleration(at), c = b.findStationAccelerationInGround(at, simbody::vec(tree.m.bodies[i].com));
            for (int k = 0; k < 3; k++) a.push_back(d[k]);
            for (int k = 0; k < 3; k++) a.push_back(c[k]);
        }
        return a;
    }
};

void run(int argc, char **argv) {
    Differences d(std::ifstream(argv[2]), argv[2]);
    const double enough = std::atof(argv[3]);
    const auto steps = derivatives::steps(argc, argv, 4);
    const st::Vector q = d.tree.start.getQ(), u = d.tree.start.getU();
    const double evaluation = derivatives::least(enough, [&] { d.evaluate(q, u); });
    const auto a = d.accelerations();
    std::vector<st::Vector> udot(d.pose.size());
    const double h = steps[0];
    const double matrix = derivatives::least(enough, [&] {
        for (size_t k = 0; k < d.pose.size(); k++) {
            d.evaluate(q + h * d.pose[k], u + h * d.rate[k]);
            udot[k] = d.at.getUDot();
            d.evaluate(q - h * d.pose[k], u - h * d.rate[k]);
            udot[k] = (udot[k] - d.at.getUDot()) / (2 * h);
        }
    });
    std::vector<derivatives::Columns> all;
    for (double step : steps) {
        derivatives::Columns c{step, {}};
        for (size_t k = 0; k < d.pose.size(); k++) {
            d.evaluate(q + step * d.pose[k], u + step * d.rate[k]);
            auto x = d.accelerations();
            d.evaluate(q - step * d.pose[k], u - step * d.rate[k]);
            const auto y = d.accelerations();
            for (size_t i = 0; i < x.size(); i++) x[i] = (x[i] - y[i]) / (2 * step);
            c.columns.push_back(x);
        }
        all.push_back(c);
    }
    std::printf("{\"version\": \"%s\", \"evaluation\": %.9g, \"matrix\": %.9g", simbody::version().c_str(), evaluation, matrix);
    derivatives::list("accelerations", a.data(), a.size());
    derivatives::tables(all);
    std::printf("}\n");
}

} // namespace

int main(int argc, char **argv) {
    return derivatives::guarded(argc, argv, simbody::version(), [&] { run(argc, argv); });
}
