// A mechanism of tree.hpp in Simbody. Trees are mobilized bodies. Loops are constraints: in a plane two rows (PointInPlane), else a Ball, of a hinge with
// two ConstantAngles. The outboard frame of each mobilizer is such that the model's state has all coordinates zero, but for a universal joint.
#pragma once

#include "simbody.hpp"
#include "tree.hpp"

namespace simbody {

struct Tree {
    st::MultibodySystem system;
    st::SimbodyMatterSubsystem matter{system};
    st::GeneralForceSubsystem forces{system};
    tree::Mechanism m;
    std::vector<st::MobilizedBodyIndex> index;
    st::State start;

    st::MobilizedBody &body(int i) { return i < 0 ? matter.updGround() : matter.updMobilizedBody(index.at(i)); }

    explicit Tree(tree::Mechanism mechanism) : m(std::move(mechanism)) {
        st::Force::UniformGravity(forces, matter, vec(m.gravity));
        for (size_t i = 0; i < m.bodies.size(); i++) hang(i);
        for (const tree::Joint &j : m.loops) close(j);
        for (const tree::Force &e : m.forces) push(e);
        start = system.realizeTopology();
        system.realizeModel(start);
        for (size_t i = 0; i < m.bodies.size(); i++) set(i);
    }

  private:
    Pose above(const tree::Joint &j) const { return j.pred < 0 ? Pose{} : m.bodies.at(j.pred).pose; }

    void hang(size_t i) {
        const Body &b = m.bodies[i];
        const tree::Joint &j = m.joints[i];
        const st::Body::Rigid own = rigid(b);
        const Pose in = above(j).inv() * b.pose * j.S; // the frame S in the body that it hangs on
        auto &pred = body(j.pred);
        if (j.kind == "revolute") index.push_back(st::MobilizedBody::Pin(pred, transform(in), own, transform(j.S)));
        else if (j.kind == "spherical") index.push_back(st::MobilizedBody::Ball(pred, transform(in), own, transform(j.S)));
        else if (j.kind == "universal") index.push_back(st::MobilizedBody::Universal(pred, transform(j.P), own, transform(j.S)));
        else if (j.kind == "prismatic") index.push_back(st::MobilizedBody::Slider(pred, transform(in * along()), own, transform(j.S * along())));
        else throw std::runtime_error("joint type " + j.kind + " is not built here");
    }

    // along takes x to z: Simbody slides along x.
    static Pose along() {
        const double h = std::sqrt(0.5);
        return {{0, 0, 0}, {h, {0, -h, 0}}};
    }

    // set gives the mobilizer of a body the rates of the state, and angles where they are not zero.
    void set(size_t i) {
        const Body &b = m.bodies[i];
        const tree::Joint &j = m.joints[i];
        const Pose up = above(j), S = b.pose * j.S;
        const Vec turn = j.pred < 0 ? b.rate : b.rate - m.bodies[j.pred].rate;
        auto &mob = body(static_cast<int>(i));
        if (j.kind == "revolute") mob.setOneU(start, 0, dot(S.q * Vec{0, 0, 1}, turn));
        if (j.kind == "spherical") mob.setUFromVector(start, st::Vector(vec(S.q.inv() * turn)));
        if (j.kind == "universal") {
            const Pose P = up * j.P, R = P.inv() * S;
            const Vec x = R.q * Vec{1, 0, 0}, y = R.q * Vec{0, 1, 0}, z = R.q * Vec{0, 0, 1};
            mob.setOneQ(start, 0, std::atan2(y[2], y[1]));
            mob.setOneQ(start, 1, std::atan2(z[0], x[0]));
            mob.setOneU(start, 0, dot(P.q * Vec{1, 0, 0}, turn));
            mob.setOneU(start, 1, dot(S.q * Vec{0, 1, 0}, turn));
        }
        if (j.kind == "prismatic") {
            const Vec mine = b.velocity + cross(b.rate, S.p - b.pose.p);
            const Vec its = j.pred < 0 ? Vec{0, 0, 0} : m.bodies[j.pred].velocity + cross(m.bodies[j.pred].rate, S.p - up.p);
            mob.setOneU(start, 0, dot(S.q * Vec{0, 0, 1}, mine - its));
        }
    }

    void close(const tree::Joint &j) {
        const st::Rotation RP = transform(j.P).R(), RS = transform(j.S).R();
        auto &a = body(j.pred), &b = body(j.succ);
        if (j.kind == "planar") {
            for (const auto &n : {RP.x(), RP.y()}) st::Constraint::PointInPlane(a, n, st::dot(n, vec(j.P.p)), b, vec(j.S.p));
            return;
        }
        if (j.kind != "revolute" && j.kind != "spherical") throw std::runtime_error("loop of type " + j.kind + " is not built here");
        st::Constraint::Ball(a, vec(j.P.p), b, vec(j.S.p));
        if (j.kind == "revolute") {
            st::Constraint::ConstantAngle(a, RP.x(), b, RS.z());
            st::Constraint::ConstantAngle(a, RP.y(), b, RS.z());
        }
    }

    void push(const tree::Force &e) {
        if (e.kind == "torque") {
            st::Force::ConstantTorque(forces, body(e.a), vec(e.p));
            return;
        }
        st::Force::TwoPointLinearSpring(forces, body(e.a), vec(e.p), body(e.b), vec(e.q), e.k, e.length);
        if (e.c != 0) st::Force::TwoPointLinearDamper(forces, body(e.a), vec(e.p), body(e.b), vec(e.q), e.c);
    }
};

} // namespace simbody
