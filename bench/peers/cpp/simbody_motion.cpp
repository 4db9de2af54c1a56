// Simbody: a mechanism of hinges and slides in motion, for bench/precision, which writes its text.
//
//   simbody_motion version
//   simbody_motion run MODEL.txt INTEGRATOR ACCURACY END SAMPLES LIMIT ENOUGH BODY x y z
//
// It prints the least processor time of a run, its steps, and where a point of the body is at equally spaced times, as JSON. Runs are
// repeated until they have taken ENOUGH seconds; one that takes more than LIMIT ends it. MODEL.txt:
//
//   gravity; number of bodies; a line each: mass, centre of mass, inertia about it (xx yy zz xy xz yz), pose, velocity of the frame's origin,
//   angular velocity, kind of its joint, number of the predecessor, frames P and S;
//   number of loops; a line each: kind (planar, revolute, spherical), predecessor, successor, P, S;
//   number of forces; a line each: "spring" a point b point stiffness damping length, or "torque" body vector;
//   number of the body that carries the point.
//
// Trees are mobilized bodies. Loops are constraints: in a plane two rows (PointInPlane), else a Ball, of a hinge with two ConstantAngles. The outboard frame of
// each mobilizer is such that the model's state has all coordinates zero.
#include "simbody.hpp"

#include <memory>

using engine::operator>>;
using simbody::transform;
using simbody::vec;
using simbody::version;

namespace {

struct Motion {
    st::MultibodySystem system;
    st::SimbodyMatterSubsystem matter{system};
    st::GeneralForceSubsystem forces{system};
    std::vector<Body> bodies;
    std::vector<st::MobilizedBodyIndex> index;
    std::vector<double> rates; // of the joints, at the start
    int watched = 0;
    st::State start;

    st::MobilizedBody &body(int i) { return i < 0 ? matter.updGround() : matter.updMobilizedBody(index.at(i)); }

    explicit Motion(const std::string &path) {
        std::ifstream f(path);
        Vec gravity;
        size_t n = 0;
        f >> gravity >> n;
        st::Force::UniformGravity(forces, matter, vec(gravity));
        for (size_t i = 0; i < n && f; i++) hang(f);
        f >> n;
        for (size_t i = 0; i < n && f; i++) close(f);
        f >> n;
        for (size_t i = 0; i < n && f; i++) push(f);
        f >> watched;
        if (!f) throw std::runtime_error("cannot read " + path);
        start = system.realizeTopology();
        system.realizeModel(start);
        for (size_t i = 0; i < index.size(); i++) body(static_cast<int>(i)).setOneU(start, 0, rates[i]);
    }

    void hang(std::istream &f) {
        Body b;
        Pose P, S;
        int pred = 0;
        std::string kind;
        f >> b.mass >> b.com;
        for (double &x : b.inertia) f >> x;
        f >> b.pose >> b.velocity >> b.rate >> kind >> pred >> P >> S;
        const Pose above = pred < 0 ? Pose{} : bodies.at(pred).pose;
        const Vec turn = pred < 0 ? b.rate : b.rate - bodies.at(pred).rate;
        const st::Body::Rigid rigid = simbody::rigid(b);
        if (kind == "revolute") {
            index.push_back(st::MobilizedBody::Pin(body(pred), transform(above.inv() * b.pose * S), rigid, transform(S)));
            rates.push_back(dot((b.pose * S).q * Vec{0, 0, 1}, turn));
        } else if (kind == "prismatic") { // Simbody slides along x
            const double h = std::sqrt(0.5);
            const Pose along{{0, 0, 0}, {h, {0, -h, 0}}}; // takes x to z
            index.push_back(st::MobilizedBody::Slider(body(pred), transform(above.inv() * b.pose * S * along), rigid, transform(S * along)));
            const Vec at = (b.pose * S).p;
            const Vec mine = b.velocity + cross(b.rate, at - b.pose.p);
            const Vec its = pred < 0 ? Vec{0, 0, 0} : bodies[pred].velocity + cross(bodies[pred].rate, at - above.p);
            rates.push_back(dot((b.pose * S).q * Vec{0, 0, 1}, mine - its));
        } else {
            throw std::runtime_error("joint type " + kind + " is not built here");
        }
        bodies.push_back(b);
    }

    void close(std::istream &f) {
        std::string kind;
        int a = 0, b = 0;
        Pose P, S;
        f >> kind >> a >> b >> P >> S;
        const st::Rotation RP = transform(P).R(), RS = transform(S).R();
        if (kind == "planar") {
            for (const auto &n : {RP.x(), RP.y()}) st::Constraint::PointInPlane(body(a), n, st::dot(n, vec(P.p)), body(b), vec(S.p));
            return;
        }
        if (kind != "revolute" && kind != "spherical") throw std::runtime_error("loop of type " + kind + " is not built here");
        st::Constraint::Ball(body(a), vec(P.p), body(b), vec(S.p));
        if (kind == "revolute") {
            st::Constraint::ConstantAngle(body(a), RP.x(), body(b), RS.z());
            st::Constraint::ConstantAngle(body(a), RP.y(), body(b), RS.z());
        }
    }

    void push(std::istream &f) {
        std::string kind;
        int a = 0, b = 0;
        Vec p, q;
        f >> kind >> a >> p;
        if (kind == "torque") {
            st::Force::ConstantTorque(forces, body(a), vec(p));
            return;
        }
        double k = 0, c = 0, length = 0;
        f >> b >> q >> k >> c >> length;
        st::Force::TwoPointLinearSpring(forces, body(a), vec(p), body(b), vec(q), k, length);
        if (c != 0) st::Force::TwoPointLinearDamper(forces, body(a), vec(p), body(b), vec(q), c);
    }
};

std::unique_ptr<st::Integrator> integrator(const std::string &name, const st::System &system) {
    if (name == "RungeKuttaMerson") return std::make_unique<st::RungeKuttaMersonIntegrator>(system);
    if (name == "CPodes") return std::make_unique<st::CPodesIntegrator>(system, st::CPodes::BDF, st::CPodes::Newton);
    throw std::runtime_error("no integrator " + name);
}

void run(int argc, char **argv) {
    if (argc != 13) throw std::runtime_error("use: simbody_motion run MODEL.txt INTEGRATOR ACCURACY END SAMPLES LIMIT ENOUGH BODY x y z");
    Motion m(argv[2]);
    const double accuracy = std::atof(argv[4]), end = std::atof(argv[5]), limit = std::atof(argv[7]), enough = std::atof(argv[8]);
    const int samples = std::atoi(argv[6]);
    const st::Vec3 point(std::atof(argv[10]), std::atof(argv[11]), std::atof(argv[12]));
    double best = 1e300, spent = 0;
    int steps = 0;
    std::vector<st::Vec3> points;
    for (int n = 0; n == 0 || (spent < enough && n < 200); n++) {
        auto go = integrator(argv[3], m.system);
        go->setAccuracy(accuracy);
        const bool own = std::string(argv[3]) == "CPodes"; // interpolates with the order of its formula
        go->setAllowInterpolation(own);                    // else samples are ends of steps
        go->setFinalTime(end);
        go->initialize(m.start);
        points.clear();
        const double begun = peer::processorNs();
        for (int k = 1; k <= samples; k++) {
            const double t = k == samples ? end : end * k / samples;
            while (go->getTime() < t)
                if (go->stepTo(t, own ? st::Infinity : t) == st::Integrator::EndOfSimulation) break;
            m.system.realize(go->getState(), st::Stage::Position);
            points.push_back(m.body(m.watched).findStationLocationInGround(go->getState(), point));
            if (1e-9 * (peer::processorNs() - begun) > limit) throw std::runtime_error("over");
        }
        const double took = 1e-9 * (peer::processorNs() - begun);
        spent += took;
        best = std::min(best, took);
        steps = go->getNumStepsTaken();
    }
    std::printf("{\"version\": \"%s\", \"seconds\": %.9g, \"steps\": %d, \"points\": [", version().c_str(), best, steps);
    for (size_t i = 0; i < points.size(); i++) std::printf("%s[%.17g, %.17g, %.17g]", i ? ", " : "", points[i][0], points[i][1], points[i][2]);
    std::printf("]}\n");
}

} // namespace

int main(int argc, char **argv) {
    return engine::guarded([&] {
        if (argc == 2 && std::string(argv[1]) == "version") std::printf("{\"version\": \"%s\"}\n", version().c_str());
        else run(argc, argv);
    });
}
