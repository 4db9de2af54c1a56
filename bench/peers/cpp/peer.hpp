// The measurement that all direct solvers share.
//
//   SOLVER K.bin [--order FILE] [--eps E] [--variant NAME] [--max-seconds T] [--max-gib G]
//
// Prints one line of JSON. Times are medians over repeated refactorizations and solutions after a first one, which is
// not counted unless it alone exceeds --max-seconds.
#pragma once

#include "joints.hpp"
#include "process.hpp"

#include <chrono>
#include <cstring>
#include <new>

// Peer is one solver. A step may throw; a breakdown (zero pivot, not positive definite) returns false from factor.
struct Peer {
    const Kkt *k = nullptr;
    std::vector<int> order;    // order[new] = old; the identity is Rung's order
    std::vector<double> shift; // added to the diagonal of K; empty without proximal terms
    std::string variant;
    int64_t nonzeros = 0; // of the factor, as the library counts
    double flops = 0;     // of the factorization, 0 if the library does not say
    std::string note;

    virtual ~Peer() = default;
    virtual std::string version() = 0;
    virtual void analyze() = 0; // may be called again
    virtual bool factor() = 0;
    virtual void solve(std::vector<double> &x, const std::vector<double> &b) = 0;
};

namespace peer {

constexpr size_t minRuns = 5;
constexpr double minTime = 100e6, enough = 3e9; // ns, as in rung bench

inline bool more(size_t runs, double ns, double limit) {
    return runs == 0 || (ns < std::min(enough, limit) && (runs < minRuns || ns < minTime));
}

struct Options {
    std::string file, order, variant;
    double eps = 0, maxSeconds = 60, maxGib = 0;
};

inline Options parse(int argc, char **argv) {
    Options o;
    for (int i = 1; i < argc; i++) {
        const std::string a = argv[i];
        if (a.rfind("--", 0) != 0) {
            o.file = a;
            continue;
        }
        if (++i == argc) throw std::runtime_error(a + " needs a value");
        if (a == "--order") o.order = argv[i];
        else if (a == "--variant") o.variant = argv[i];
        else if (a == "--eps") o.eps = std::atof(argv[i]);
        else if (a == "--max-seconds") o.maxSeconds = std::atof(argv[i]);
        else if (a == "--max-gib") o.maxGib = std::atof(argv[i]);
        else throw std::runtime_error("unknown flag " + a);
    }
    if (o.file.empty()) throw std::runtime_error("no file");
    return o;
}

struct Quality {
    double plain = 0, relative = 0; // max |b - K x|, and that over ||K||_1 max|x| + max|b|
};

inline Quality quality(const Kkt &k, const std::vector<double> &x, std::vector<double> &r, double norm) {
    Quality q;
    q.plain = kkt::residualTo(r, k, x);
    q.relative = q.plain / (norm * kkt::maxAbs(x) + kkt::maxAbs(k.b));
    if (!std::isfinite(q.plain) || !std::isfinite(q.relative)) q.plain = q.relative = HUGE_VAL;
    return q;
}

// refine does one step: x += inv(K + shift) (b - K x).
inline void refine(Peer &p, std::vector<double> &x, std::vector<double> &r, std::vector<double> &d) {
    kkt::residualTo(r, *p.k, x);
    p.solve(d, r);
    for (size_t i = 0; i < x.size(); i++) x[i] += d[i];
}

constexpr double acceptable = 1e-6; // relative residual of one solve, above which a larger proximal term is tried

// settle finds the smallest proximal term of the list with which the solver works, and analyses with it.
inline double settle(Peer &p, double first, double norm, double *analysis) {
    const Kkt &k = *p.k;
    std::vector<double> x(k.n), r(k.n);
    const std::vector<double> scale = kkt::jointScale(k);
    for (double eps : {first, 1e-12, 1e-10, 1e-8}) {
        if (eps < first) continue;
        p.shift.clear();
        if (eps > 0) {
            p.shift.resize(k.n);
            for (int i = 0; i < k.n; i++) p.shift[i] = -eps * scale[i];
        }
        const auto t = Clock::now();
        p.analyze();
        *analysis = since(t);
        if (!p.factor()) continue;
        p.solve(x, k.b);
        if (quality(k, x, r, norm).relative < acceptable) return eps;
    }
    throw std::runtime_error("breaks down for every proximal term up to 1e-8");
}

inline int measure(Peer &p, const Options &o) {
    const Kkt k = kkt::load(o.file);
    p.k = &k;
    p.variant = o.variant;
    p.order = kkt::loadOrder(o.order, k.n);
    const double norm = kkt::norm1(k), limit = o.maxSeconds * 1e9;
    double first = 0;
    const double eps = settle(p, o.eps, norm, &first);

    std::vector<double> analyze{first}, factor, solve, refined, x(k.n), r(k.n), d(k.n);
    for (double spent = 0; more(analyze.size() - 1, spent, limit / 4);) {
        if (first > limit / 4) break;
        const auto t = Clock::now();
        p.analyze();
        analyze.push_back(since(t));
        spent += analyze.back();
    }
    if (analyze.size() > 1) analyze.erase(analyze.begin());

    Quality q0, q1;
    double spent = 0;
    Usage use;
    std::vector<double> faults;
    for (bool warm = false; more(factor.size(), spent, limit); warm = true) {
        if (factor.empty()) use = Usage(); // of what counts
        const long before = pageFaults();
        const auto t0 = Clock::now();
        if (!p.factor()) throw std::runtime_error("breaks down when factored again");
        const double f = since(t0);
        faults.push_back(pageFaults() - before);
        const auto t1 = Clock::now();
        p.solve(x, k.b);
        const double s = since(t1);
        if (!warm) q0 = quality(k, x, r, norm);
        const auto t2 = Clock::now();
        refine(p, x, r, d);
        const double e = since(t2);
        if (!warm) q1 = quality(k, x, r, norm);
        if (!warm && f + s + e < limit) {
            faults.clear();
            continue;
        }
        factor.push_back(f);
        solve.push_back(s);
        refined.push_back(s + e);
        spent += f + s + e;
    }
    const std::string process = use.json(median(faults));
    std::printf("{\"version\": \"%s\", \"analyze_ns\": %.0f, \"factor_ns\": %.0f, \"solve_ns\": %.0f, \"refined_ns\": %.0f, "
                "\"runs\": %zu, \"residual\": %.3g, \"relative\": %.3g, \"residual_refined\": %.3g, \"relative_refined\": %.3g, "
                "\"eps\": %g, \"factor_nonzeros\": %lld, \"factor_flops\": %.0f, \"peak_bytes\": %.0f, %s, \"note\": \"%s\"}\n",
                escape(p.version()).c_str(), median(analyze), median(factor), median(solve), median(refined), factor.size(),
                std::min(q0.plain, 1e300), std::min(q0.relative, 1e300), std::min(q1.plain, 1e300),
                std::min(q1.relative, 1e300), eps, static_cast<long long>(p.nonzeros), p.flops, peakBytes(),
                process.c_str(), escape(p.note).c_str());
    return 0;
}

// run is the main of every solver.
inline int run(Peer &p, int argc, char **argv) try {
    const Options o = parse(argc, argv);
    keepMemory();
    limit(o.maxGib);
    return measure(p, o);
} catch (const std::bad_alloc &) {
    std::printf("{\"error\": \"out of memory\"}\n");
    return 1;
} catch (const std::exception &e) {
    std::printf("{\"error\": \"%s\"}\n", escape(e.what()).c_str());
    return 1;
}

} // namespace peer
