// Simbody: a mechanism of hinges and slides in motion, for bench/precision, which writes its text.
//
//   simbody_motion version
//   simbody_motion run MODEL.txt INTEGRATOR ACCURACY END SAMPLES LIMIT ENOUGH BODY x y z
//
// It prints the least processor time of a run, its steps, and where a point of the body is at equally spaced times, as JSON. Runs are
// repeated until they have taken ENOUGH seconds; one that takes more than LIMIT ends it. MODEL.txt is that of tree.hpp and ends with the number of
// the body that carries the point.
#include "simbody_tree.hpp"

#include <memory>

using simbody::version;

namespace {

struct Motion : simbody::Tree {
    int watched = 0;

    explicit Motion(const std::string &path) : Motion(std::ifstream(path), path) {}

  private:
    Motion(std::ifstream f, const std::string &path) : Tree(tree::load(f, path)) {
        if (!(f >> watched)) throw std::runtime_error("cannot read " + path);
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
