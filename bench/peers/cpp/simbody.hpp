// What the programs with Simbody share: vectors, frames and bodies of model.hpp as its own, and its version.
#pragma once

#include "model.hpp"

#include <Simbody.h>

namespace st = SimTK;

namespace simbody {

inline st::Vec3 vec(const Vec &v) { return {v[0], v[1], v[2]}; }

inline st::Transform transform(const Pose &x) {
    return {st::Rotation(st::Quaternion(x.q.w, x.q.v[0], x.q.v[1], x.q.v[2])), vec(x.p)};
}

inline st::Body::Rigid rigid(const Body &b) {
    const st::Inertia central(st::Vec3(b.inertia[0], b.inertia[1], b.inertia[2]), st::Vec3(b.inertia[3], b.inertia[4], b.inertia[5]));
    return st::Body::Rigid(st::MassProperties(b.mass, vec(b.com), central.shiftFromMassCenter(vec(-1.0 * b.com), b.mass)));
}

inline std::string version() {
    int major, minor, build;
    SimTK_version_simbody(&major, &minor, &build);
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
}

} // namespace simbody
