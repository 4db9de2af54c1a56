// KDL: inverse kinematics of a chain at the poses of a file that `reach write` made, from the middle of the limits.
//
//   kdl POSES
//
// Prints one line of JSON: a row a solver and setting. ChainIkSolverPos_LMA knows no limits: what it reaches is brought within a turn
// of zero and then checked. Restarts are random within the limits, until a pose is solved or 5 ms have passed.
#include "process.hpp"

#include <cmath>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>
#include <stdexcept>

#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>

namespace {

constexpr double accuracy = 1e-5; // m and rad
constexpr double maxNs = 5e6;     // a pose

struct Arm {
    KDL::Chain chain;
    KDL::JntArray lower, upper, middle;
    std::vector<KDL::Frame> poses;
    unsigned n = 0;
};

KDL::Vector vector(std::istream &in) {
    double x, y, z;
    in >> x >> y >> z;
    return {x, y, z};
}

// axis is a joint about an axis of the frame: KDL is faster with these than with RotAxis.
KDL::Joint axis(const KDL::Vector &a) {
    if (a.z() != 0) return KDL::Joint(KDL::Joint::RotZ, a.z());
    if (a.y() != 0) return KDL::Joint(KDL::Joint::RotY, a.y());
    return KDL::Joint(KDL::Joint::RotX, a.x());
}

Arm load(const std::string &file) {
    std::ifstream in(file);
    Arm arm;
    if (!(in >> arm.n)) throw std::runtime_error("cannot read " + file);
    arm.lower.resize(arm.n);
    arm.upper.resize(arm.n);
    arm.middle.resize(arm.n);
    KDL::Joint joint(KDL::Joint::Fixed);
    for (unsigned i = 0; i < arm.n; i++) {
        const KDL::Vector at = vector(in), a = vector(in);
        arm.chain.addSegment(KDL::Segment(joint, KDL::Frame(at)));
        joint = axis(a);
        in >> arm.lower(i) >> arm.upper(i);
        arm.middle(i) = (arm.lower(i) + arm.upper(i)) / 2;
    }
    arm.chain.addSegment(KDL::Segment(joint, KDL::Frame(vector(in))));
    size_t poses = 0;
    in >> poses;
    for (size_t i = 0; i < poses; i++) {
        const KDL::Vector p = vector(in);
        double w, x, y, z;
        in >> w >> x >> y >> z;
        arm.poses.emplace_back(KDL::Rotation::Quaternion(x, y, z, w), p);
    }
    if (!in) throw std::runtime_error(file + " ends early");
    return arm;
}

// Row is what came of all poses by one solver and setting.
struct Row {
    std::string name, settings;
    size_t reached = 0, solved = 0; // reached at all; within the limits, too
    double mean = 0, most = 0;
};

using Solve = std::function<void(const KDL::JntArray &, const KDL::Frame &, KDL::JntArray &)>;

class Bench {
public:
    explicit Bench(const Arm &a) : arm(a), fk(a.chain), q(a.n), from(a.n) {}

    std::vector<Row> rows;

    // measure solves all poses. wanted is what ends the restarts: 0 one start, 1 the pose, 2 the pose within the limits.
    void measure(const std::string &name, const std::string &settings, const Solve &solve, int wanted) {
        Row r{name, settings};
        std::mt19937_64 random(7);
        for (const KDL::Frame &pose : arm.poses) {
            const auto begun = peer::Clock::now();
            from = arm.middle;
            bool reached = false, within = false;
            for (;;) {
                solve(from, pose, q);
                const bool now = at(pose), inside = now && limits();
                reached |= now;
                within |= inside;
                if (wanted == 0 || (wanted == 1 && now) || (wanted == 2 && inside) || peer::since(begun) > maxNs) break;
                for (unsigned i = 0; i < arm.n; i++) from(i) = std::uniform_real_distribution<double>(arm.lower(i), arm.upper(i))(random);
            }
            const double ns = peer::since(begun);
            r.mean += ns / static_cast<double>(arm.poses.size());
            r.most = std::max(r.most, ns);
            r.reached += reached;
            r.solved += within;
        }
        rows.push_back(r);
    }

private:
    const Arm &arm;
    KDL::ChainFkSolverPos_recursive fk;
    KDL::JntArray q, from;

    // at reports whether q takes the tool to the pose, whatever the solver says.
    bool at(const KDL::Frame &pose) {
        KDL::Frame f;
        fk.JntToCart(q, f);
        const KDL::Twist d = KDL::diff(f, pose);
        return d.vel.Norm() <= 1.0001 * accuracy && d.rot.Norm() <= 1.0001 * accuracy;
    }

    // limits brings the angles within half a turn of zero and reports whether they are within the limits.
    bool limits() {
        bool inside = true;
        for (unsigned i = 0; i < arm.n; i++) {
            q(i) = std::remainder(q(i), 2 * M_PI);
            inside = inside && q(i) >= arm.lower(i) && q(i) <= arm.upper(i);
        }
        return inside;
    }
};

void lma(Bench &b, const Arm &arm) {
    const Eigen::Matrix<double, 6, 1> even = Eigen::Matrix<double, 6, 1>::Ones();
    for (int steps : {500, 100, 30}) {
        KDL::ChainIkSolverPos_LMA solver(arm.chain, even, accuracy, steps);
        const Solve solve = [&](const KDL::JntArray &from, const KDL::Frame &pose, KDL::JntArray &q) { solver.CartToJnt(from, pose, q); };
        const std::string settings = "even weights, " + std::to_string(steps) + " steps";
        b.measure("KDL LMA", settings + ", one start", solve, 0);
        b.measure("KDL LMA", settings + ", restarts until reached", solve, 1);
        b.measure("KDL LMA", settings + ", restarts until within limits", solve, 2);
    }
}

void newton(Bench &b, const Arm &arm) {
    KDL::ChainFkSolverPos_recursive fk(arm.chain);
    KDL::ChainIkSolverVel_pinv pinv(arm.chain);
    for (int steps : {100, 30}) {
        // Its accuracy is of each component, that of the check of the length. With ChainIkSolverVel_pinv_givens KDL 1.5.1 does not come
        // back from the middle of the limits, which is singular: svd_eigen_Macie does not end.
        KDL::ChainIkSolverPos_NR_JL solver(arm.chain, arm.lower, arm.upper, fk, pinv, steps, accuracy / std::sqrt(3.0));
        const Solve solve = [&](const KDL::JntArray &from, const KDL::Frame &pose, KDL::JntArray &q) { solver.CartToJnt(from, pose, q); };
        const std::string settings = "pinv, " + std::to_string(steps) + " steps";
        b.measure("KDL NR_JL", settings + ", one start", solve, 0);
        b.measure("KDL NR_JL", settings + ", restarts", solve, 2);
    }
}

} // namespace

int main(int argc, char **argv) {
    try {
        if (argc != 2) throw std::runtime_error("use: kdl POSES");
        const Arm arm = load(argv[1]);
        Bench b(arm);
        lma(b, arm);
        newton(b, arm);
        std::cout << "{\"rows\": [";
        for (size_t i = 0; i < b.rows.size(); i++) {
            const Row &r = b.rows[i];
            std::cout << (i > 0 ? ", " : "") << "{\"name\": \"" << r.name << "\", \"settings\": \"" << r.settings << "\", \"poses\": " << arm.poses.size()
                      << ", \"reached\": " << r.reached << ", \"solved\": " << r.solved << ", \"mean_ns\": " << r.mean << ", \"max_ns\": " << r.most << "}";
        }
        std::cout << "]}" << std::endl;
    } catch (const std::exception &e) {
        std::cout << "{\"error\": \"" << peer::escape(e.what()) << "\"}" << std::endl;
        return 1;
    }
}
