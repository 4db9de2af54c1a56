// Simbody: the tree as mobilized bodies, loops as Constraint::Ball. One evaluation realizes from positions to
// accelerations. The outboard frame of each mobilizer is such that the model's state has all coordinates zero.
#include "simbody.hpp"

namespace {

using simbody::transform;
using simbody::vec;

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
        const st::Body::Rigid rigid = simbody::rigid(b);
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
    engine::report(w, "Simbody " + simbody::version(), build, "", [&] {
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
