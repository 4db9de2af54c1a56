// What the programs with derivatives share: times, and the JSON that bench/gradients reads.
//
//   PROGRAM version
//   PROGRAM run MODEL ENOUGH ...
//
// prints the least processor time of an evaluation, of all derivatives along the directions, and of a gradient, each repeated until it has taken
// ENOUGH seconds; and the derivatives, for each step of differences that is given.
#pragma once

#include "process.hpp"

#include <cstdlib>
#include <stdexcept>

namespace derivatives {

// least returns the least processor time of f, s, of batches that the clock resolves. What f does for the first time does not count.
template <class F> double least(double enough, F f) {
    f();
    double best = 1e300, spent = 0;
    for (long n = 1; spent < enough;) {
        const double begun = peer::processorNs();
        for (long i = 0; i < n; i++) f();
        const double took = 1e-9 * (peer::processorNs() - begun);
        spent += took;
        if (took < 2e-4) { // a clock takes some 0.3 us to read
            n *= 2;
            continue;
        }
        best = std::min(best, took / n);
    }
    return best;
}

inline void list(const char *name, const double *x, size_t n) {
    std::printf(", \"%s\": [", name);
    for (size_t i = 0; i < n; i++) std::printf("%s%.17g", i ? ", " : "", x[i]);
    std::printf("]");
}

// Columns are derivatives along directions, by a step of differences; 0 where they are no differences.
struct Columns {
    double step;
    std::vector<std::vector<double>> columns;
};

inline void tables(const std::vector<Columns> &all) {
    std::printf(", \"matrices\": [");
    for (size_t i = 0; i < all.size(); i++) {
        std::printf("%s{\"step\": %.17g, \"columns\": [", i ? ", " : "", all[i].step);
        for (size_t k = 0; k < all[i].columns.size(); k++) {
            std::printf("%s[", k ? ", " : "");
            const auto &c = all[i].columns[k];
            for (size_t r = 0; r < c.size(); r++) std::printf("%s%.17g", r ? ", " : "", c[r]);
            std::printf("]");
        }
        std::printf("]}");
    }
    std::printf("]");
}

// steps are the arguments from a place on.
inline std::vector<double> steps(int argc, char **argv, int from) {
    std::vector<double> list;
    for (int i = from; i < argc; i++) list.push_back(std::atof(argv[i]));
    if (list.empty()) throw std::runtime_error("no step of differences");
    return list;
}

template <class F> int guarded(int argc, char **argv, const std::string &version, F run) {
    try {
        if (argc == 2 && std::string(argv[1]) == "version") {
            std::printf("{\"version\": \"%s\"}\n", version.c_str());
            return 0;
        }
        if (argc < 4 || std::string(argv[1]) != "run") throw std::runtime_error("use: PROGRAM run MODEL ENOUGH ...");
        run();
        return 0;
    } catch (const std::exception &e) {
        std::printf("{\"error\": \"%s\"}\n", peer::escape(e.what()).c_str());
        return 1;
    }
}

} // namespace derivatives
