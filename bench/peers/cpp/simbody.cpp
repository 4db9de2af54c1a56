// Simbody: the tree as mobilized bodies, loops as Constraint::Ball. One evaluation realizes from positions to
// accelerations. The outboard frame of each mobilizer is such that the model's state has all coordinates zero.
#include "model.hpp"

#include <Simbody.h>

namespace st = SimTK;

namespace {

st::Vec3 vec(const Vec &v) { return {v[0], v[1], v[2]}; }

st::Transform transform(const Pose &x) {
    return {st::Rotation(st::Quaternion(x.q.w, x.q.v[0], x.q.v[1], x.q.v[2])), vec(x.p)};
}

std::string version() {
    int major, minor, build;
    SimTK_version_simbody(&major, &minor, &build);
    return "Simbody " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
}

void run(const engine::Words &w) {
    const Mechanism m = engine::load(w.model);
    const auto begun = peer::Clock::now();
    st::MultibodySystem system;
    st::SimbodyMatterSubsystem matter(system);
    st::GeneralForceSubsystem forces(system);
    st::Force::UniformGravity(forces, matter, vec(m.gravity));
    std::vector<st::MobilizedBodyIndex> index;
    auto mobilized = [&](int body) -> st::MobilizedBody & {
        return body < 0 ? matter.updGround() : matter.updMobilizedBody(index[body]);
    };
    for (size_t i = 0; i < m.bodies.size(); i++) {
        const Body &b = m.bodies[i];
        const Joint &j = m.joints[m.tree[i]];
        const st::Inertia central(st::Vec3(b.inertia[0], b.inertia[1], b.inertia[2]), st::Vec3(b.inertia[3], b.inertia[4], b.inertia[5]));
        const st::Body::Rigid rigid(st::MassProperties(b.mass, vec(b.com), central.shiftFromMassCenter(vec(-1.0 * b.com), b.mass)));
        const st::Transform BM = transform(j.S), PF = transform(m.pose(j.pred).inv() * b.pose * j.S);
        if (j.revolute) index.push_back(st::MobilizedBody::Pin(mobilized(j.pred), PF, rigid, BM));
        else index.push_back(st::MobilizedBody::Ball(mobilized(j.pred), PF, rigid, BM));
    }
    for (int l : m.loops) {
        const Joint &j = m.joints[l];
        st::Constraint::Ball(mobilized(j.pred), vec(j.P.p), mobilized(j.succ), vec(j.S.p));
    }
    st::State state = system.realizeTopology();
    system.realizeModel(state);
    for (size_t i = 0; i < m.bodies.size(); i++) {
        const Joint &j = m.joints[m.tree[i]];
        const Vec u = (m.bodies[i].pose * j.S).q.inv() * m.relativeRate(j);
        auto &mob = mobilized(static_cast<int>(i));
        if (j.revolute) mob.setOneU(state, 0, u[2]);
        else mob.setUFromVector(state, st::Vector(vec(u)));
    }
    system.realize(state, st::Stage::Acceleration);
    const double build = peer::since(begun);
    std::vector<std::array<double, 6>> out;
    for (size_t i = 0; i < m.bodies.size(); i++) {
        const auto &mob = mobilized(static_cast<int>(i));
        const st::Vec3 a = mob.findStationAccelerationInGround(state, vec(m.bodies[i].com)), d = mob.getBodyAngularAcceleration(state);
        out.push_back({a[0], a[1], a[2], d[0], d[1], d[2]});
    }
    engine::save(out, w.out);
    engine::report(w, version(), build, "", [&] {
        state.invalidateAllCacheAtOrAbove(st::Stage::Position);
        system.realize(state, st::Stage::Acceleration);
    });
}

} // namespace

int main(int argc, char **argv) {
    return engine::guarded([&] {
        const auto w = engine::parse(argc, argv);
        peer::keepMemory();
        peer::limit(w.maxGib);
        run(w);
    });
}
