// A mechanism as bench/internal/beside writes it (TreeText), for programs that compute with trees:
//
//   gravity; number of bodies; a line each: mass, centre of mass, inertia about it (xx yy zz xy xz yz), pose, velocity of the frame's origin,
//   angular velocity, kind of its joint, number of the predecessor, frames P and S;
//   number of loops; a line each: kind (planar, revolute, spherical), predecessor, successor, P, S;
//   number of forces; a line each: "spring" a point b point stiffness damping length, or "torque" body vector.
//
// Bodies come after those that they hang on. A planar loop is a revolute joint of a mechanism in a plane, which two rows close.
#pragma once

#include "model.hpp"

namespace tree {

using engine::operator>>;

struct Joint {
    std::string kind;
    int pred = 0, succ = 0; // -1 is the world
    Pose P, S;
};

struct Force {
    std::string kind;
    int a = 0, b = 0;
    Vec p{}, q{}; // points of a spring; p is the vector of a torque
    double k = 0, c = 0, length = 0;
};

struct Mechanism {
    Vec gravity{};
    std::vector<Body> bodies;
    std::vector<Joint> joints; // by which each body hangs
    std::vector<Joint> loops;
    std::vector<Force> forces;
};

inline Mechanism load(std::istream &f, const std::string &path) {
    Mechanism m;
    size_t n = 0;
    f >> m.gravity >> n;
    for (size_t i = 0; i < n && f; i++) {
        Body b;
        Joint j;
        f >> b.mass >> b.com;
        for (double &x : b.inertia) f >> x;
        f >> b.pose >> b.velocity >> b.rate >> j.kind >> j.pred >> j.P >> j.S;
        j.succ = static_cast<int>(i);
        if (j.pred >= j.succ) throw std::runtime_error("a body does not hang from those before it");
        m.bodies.push_back(b);
        m.joints.push_back(j);
    }
    f >> n;
    for (size_t i = 0; i < n && f; i++) {
        Joint j;
        f >> j.kind >> j.pred >> j.succ >> j.P >> j.S;
        m.loops.push_back(j);
    }
    f >> n;
    for (size_t i = 0; i < n && f; i++) {
        Force e;
        f >> e.kind >> e.a >> e.p;
        if (e.kind == "spring") f >> e.b >> e.q >> e.k >> e.c >> e.length;
        else if (e.kind != "torque") throw std::runtime_error("force " + e.kind + " is not built here");
        m.forces.push_back(e);
    }
    if (!f) throw std::runtime_error("cannot read " + path);
    return m;
}

} // namespace tree
