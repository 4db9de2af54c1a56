// A mechanism of revolute and ball joints, from the plain text that the driver writes, as a tree and its loops; and what the
// engines share.
//
//   ENGINE MODEL.txt ACCELERATIONS.txt [--max-seconds T] [--max-gib G]
//
// writes six numbers a body (acceleration of the centre of mass, angular acceleration, world axes) and prints JSON.
#pragma once

#include "peer.hpp"

#include <array>
#include <fstream>

using Vec = std::array<double, 3>;

inline Vec operator+(const Vec &a, const Vec &b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vec operator-(const Vec &a, const Vec &b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vec operator*(double s, const Vec &a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vec &a, const Vec &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec cross(const Vec &a, const Vec &b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// Quat is a unit quaternion, w first.
struct Quat {
    double w = 1;
    Vec v{0, 0, 0};
    Quat operator*(const Quat &o) const { return {w * o.w - dot(v, o.v), w * o.v + o.w * v + cross(v, o.v)}; }
    Quat inv() const { return {w, -1.0 * v}; }
    Vec operator*(const Vec &x) const {
        const Vec t = 2.0 * cross(v, x);
        return x + w * t + cross(v, t);
    }
};

// Pose takes coordinates of its frame to those of the frame it is given in.
struct Pose {
    Vec p{0, 0, 0};
    Quat q;
    Pose operator*(const Pose &o) const { return {p + q * o.p, q * o.q}; }
    Pose inv() const { return {-1.0 * (q.inv() * p), q.inv()}; }
};

struct Body {
    double mass;
    Vec com;
    double inertia[6]; // xx yy zz xy xz yz about the centre of mass, body axes
    Pose pose;
    Vec velocity, rate; // of the frame's origin, and angular, world axes
};

struct Joint {
    bool revolute; // about z of its frames; else a ball
    int pred, succ; // -1 is the world
    Pose P, S;
};

struct Mechanism {
    Vec gravity;
    std::vector<Body> bodies;
    std::vector<Joint> joints;
    std::vector<int> tree;  // joint by which each body hangs
    std::vector<int> loops; // the other joints

    Pose pose(int body) const { return body < 0 ? Pose{} : bodies[body].pose; }
    Vec rate(int body) const { return body < 0 ? Vec{0, 0, 0} : bodies[body].rate; }
    Vec relativeRate(const Joint &j) const { return rate(j.succ) - rate(j.pred); }
};

namespace engine {

inline std::istream &operator>>(std::istream &f, Vec &v) { return f >> v[0] >> v[1] >> v[2]; }
inline std::istream &operator>>(std::istream &f, Pose &x) { return f >> x.p >> x.q.w >> x.q.v; }

// load reads a model and splits its joints: the first joint that reaches a body from one already reached is its tree
// joint. Bodies must be in such an order.
inline Mechanism load(const std::string &path) {
    std::ifstream f(path);
    Mechanism m;
    size_t nb = 0, nj = 0;
    f >> m.gravity >> nb >> nj;
    m.bodies.resize(nb);
    for (Body &b : m.bodies) {
        f >> b.mass >> b.com;
        for (double &x : b.inertia) f >> x;
        f >> b.pose >> b.velocity >> b.rate;
    }
    m.joints.resize(nj);
    m.tree.assign(nb, -1);
    for (size_t i = 0; i < nj; i++) {
        Joint &j = m.joints[i];
        std::string kind;
        f >> kind >> j.pred >> j.succ >> j.P >> j.S;
        if (kind != "revolute" && kind != "spherical") throw std::runtime_error("joint type " + kind + " is not built here");
        j.revolute = kind == "revolute";
        if (j.succ >= 0 && m.tree[j.succ] < 0 && j.pred < j.succ) m.tree[j.succ] = static_cast<int>(i);
        else m.loops.push_back(static_cast<int>(i));
    }
    if (!f) throw std::runtime_error("cannot read " + path);
    for (int t : m.tree)
        if (t < 0) throw std::runtime_error("a body does not hang from those before it");
    for (int l : m.loops)
        if (m.joints[l].revolute) throw std::runtime_error("loops closed by revolutes are not built here");
    return m;
}

struct Words {
    std::string model, out;
    double maxSeconds = 60, maxGib = 0;
};

inline Words parse(int argc, char **argv) {
    Words w;
    for (int i = 1; i < argc; i++) {
        const std::string a = argv[i];
        if (a == "--max-seconds" && i + 1 < argc) w.maxSeconds = std::atof(argv[++i]);
        else if (a == "--max-gib" && i + 1 < argc) w.maxGib = std::atof(argv[++i]);
        else (w.model.empty() ? w.model : w.out) = a;
    }
    if (w.out.empty()) throw std::runtime_error("use: ENGINE MODEL.txt ACCELERATIONS.txt");
    return w;
}

inline void save(const std::vector<std::array<double, 6>> &a, const std::string &path) {
    FILE *f = kkt::open(path, "w");
    for (const auto &x : a) std::fprintf(f, "%.17g %.17g %.17g %.17g %.17g %.17g\n", x[0], x[1], x[2], x[3], x[4], x[5]);
    if (std::fclose(f) != 0) throw std::runtime_error("cannot write " + path);
}

// report times step, one forward dynamics from state to accelerations, and prints.
template <class Step> void report(const Words &w, const std::string &version, double buildNs, const std::string &note, Step step) {
    std::vector<double> runs;
    const double limit = w.maxSeconds * 1e9;
    double spent = 0;
    peer::Usage use;
    std::vector<double> faults;
    for (bool warm = false; peer::more(runs.size(), spent, limit); warm = true) {
        if (runs.empty()) use = peer::Usage(); // of what counts
        const long before = peer::pageFaults();
        const auto t = peer::Clock::now();
        step();
        const double ns = peer::since(t);
        if (!warm && ns < limit) continue;
        faults.push_back(peer::pageFaults() - before);
        runs.push_back(ns);
        spent += ns;
    }
    const std::string process = use.json(peer::median(faults));
    std::printf("{\"version\": \"%s\", \"analyze_ns\": %.0f, \"total_ns\": %.0f, \"runs\": %zu, \"peak_bytes\": %.0f, %s, \"note\": \"%s\"}\n",
                peer::escape(version).c_str(), buildNs, peer::median(runs), runs.size(), peer::peakBytes(), process.c_str(),
                peer::escape(note).c_str());
}

template <class F> int guarded(F f) try {
    f();
    return 0;
} catch (const std::bad_alloc &) {
    std::printf("{\"error\": \"out of memory\"}\n");
    return 1;
} catch (const std::exception &e) {
    std::printf("{\"error\": \"%s\"}\n", peer::escape(e.what()).c_str());
    return 1;
}

} // namespace engine
