// MuJoCo: the tree as nested bodies, loops as equality constraints "connect". One evaluation is mj_forward. MuJoCo's
// constraints are soft by design: impedance is set to the largest it allows, and what is left shows as an error of the
// accelerations. Contacts are off.
//
// MuJoCo's own XML may nest a hundred elements at most; a tree of revolutes alone is given as URDF, which is flat.
#include "model.hpp"

#include <mujoco/mujoco.h>

#include <sstream>

namespace {

void fail(const char *text) { throw std::runtime_error(text); }

struct Xml {
    std::ostringstream s;
    const Mechanism &m;
    std::vector<std::vector<int>> children; // by body + 1

    explicit Xml(const Mechanism &mechanism) : m(mechanism), children(mechanism.bodies.size() + 1) {
        for (size_t i = 0; i < m.bodies.size(); i++) children[m.joints[m.tree[i]].pred + 1].push_back(static_cast<int>(i));
        s.precision(17);
    }

    Xml &list(const char *name, std::initializer_list<double> v) {
        s << ' ' << name << "=\"";
        const char *gap = "";
        for (double x : v) s << gap << x, gap = " ";
        s << '"';
        return *this;
    }

    Xml &list(const char *name, const Vec &v) { return list(name, {v[0], v[1], v[2]}); }

    void open(int i) {
        const Body &b = m.bodies[i];
        const Joint &j = m.joints[m.tree[i]];
        const Pose x = m.pose(j.pred).inv() * b.pose;
        s << "<body name=\"b" << i << '"';
        list("pos", x.p).list("quat", {x.q.w, x.q.v[0], x.q.v[1], x.q.v[2]});
        s << "><inertial";
        list("mass", {b.mass}).list("pos", b.com);
        list("fullinertia", {b.inertia[0], b.inertia[1], b.inertia[2], b.inertia[3], b.inertia[4], b.inertia[5]});
        s << "/><joint type=\"" << (j.revolute ? "hinge" : "ball") << '"';
        list("pos", j.S.p);
        if (j.revolute) list("axis", j.S.q * Vec{0, 0, 1});
        s << "/>";
    }

    // tree writes the bodies without recursion: a chain is as deep as it is long.
    void tree() {
        std::vector<std::pair<int, size_t>> path{{-1, 0}};
        while (!path.empty()) {
            auto &[body, next] = path.back();
            if (next < children[body + 1].size()) {
                const int child = children[body + 1][next++];
                open(child);
                path.push_back({child, 0});
                continue;
            }
            if (body >= 0) s << "</body>\n";
            path.pop_back();
        }
    }

    void name(const char *attribute, int body) {
        s << ' ' << attribute << "=\"";
        if (body < 0) s << "world\"";
        else s << 'b' << body << '"';
    }

    // flat reports whether URDF can say it.
    bool flat() const {
        return m.loops.empty() && std::all_of(m.joints.begin(), m.joints.end(), [](const Joint &j) { return j.revolute; });
    }

    // link is the frame of a URDF link: at its joint, with the axes of the body.
    Pose link(int body) const {
        if (body < 0) return {};
        Pose x = m.bodies[body].pose;
        x.p = x.p + x.q * m.joints[m.tree[body]].S.p;
        return x;
    }

    void urdfName(int body) {
        if (body < 0) s << "world";
        else s << 'b' << body;
    }

    std::string urdf() {
        s << "<robot name=\"tree\"><mujoco><compiler balanceinertia=\"false\"/></mujoco><link name=\"world\"/>\n";
        for (size_t i = 0; i < m.bodies.size(); i++) {
            const Body &b = m.bodies[i];
            const Joint &j = m.joints[m.tree[i]];
            s << "<link name=\"b" << i << "\"><inertial><origin";
            list("xyz", b.com - j.S.p);
            s << "/><mass";
            list("value", {b.mass});
            s << "/><inertia";
            const char *names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
            for (int k = 0; k < 6; k++) list(names[k], {b.inertia[k]});
            s << "/></inertial></link>\n<joint type=\"continuous\" name=\"j" << i << "\"><parent link=\"";
            urdfName(j.pred);
            s << "\"/><child link=\"";
            urdfName(j.succ);
            s << "\"/><origin";
            const Pose x = link(j.pred).inv() * link(j.succ);
            const Vec ex = x.q * Vec{1, 0, 0}, ey = x.q * Vec{0, 1, 0}, ez = x.q * Vec{0, 0, 1};
            list("xyz", x.p).list("rpy", {std::atan2(ey[2], ez[2]), std::atan2(-ex[2], std::hypot(ex[0], ex[1])), std::atan2(ex[1], ex[0])});
            s << "/><axis";
            list("xyz", j.S.q * Vec{0, 0, 1});
            s << "/></joint>\n";
        }
        s << "</robot>\n";
        return s.str();
    }

    std::string text() {
        s << "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/><default><equality solimp=\"0.9999 0.9999 0.001\"/></default><worldbody>\n";
        tree();
        s << "</worldbody><equality>\n";
        for (int l : m.loops) {
            const Joint &j = m.joints[l];
            const bool swap = j.pred < 0; // the anchor is given in a body
            s << "<connect";
            name("body1", swap ? j.succ : j.pred);
            name("body2", swap ? j.pred : j.succ);
            list("anchor", swap ? j.S.p : j.P.p);
            s << "/>\n";
        }
        s << "</equality></mujoco>\n";
        return s.str();
    }
};

void run(const engine::Words &w) {
    const Mechanism m = engine::load(w.model);
    mju_user_error = fail;
    const auto begun = peer::Clock::now();
    const std::string path = w.out + ".xml";
    {
        Xml xml(m);
        std::ofstream f(path);
        f << (xml.flat() ? xml.urdf() : xml.text());
    }
    char error[1000] = "";
    mjModel *model = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
    std::remove(path.c_str());
    if (model == nullptr) throw std::runtime_error(std::string("MuJoCo refuses the model: ") + error);
    std::copy(m.gravity.begin(), m.gravity.end(), model->opt.gravity);
    model->opt.solver = mjSOL_NEWTON;
    model->opt.disableflags |= mjDSBL_CONTACT;
    mjData *data = mj_makeData(model);
    if (data == nullptr) throw std::bad_alloc();
    std::vector<int> id;
    for (size_t i = 0; i < m.bodies.size(); i++) {
        id.push_back(mj_name2id(model, mjOBJ_BODY, ("b" + std::to_string(i)).c_str()));
        const Joint &j = m.joints[m.tree[i]];
        const Vec u = m.bodies[i].pose.q.inv() * m.relativeRate(j); // of the body, in its own axes
        double *v = data->qvel + model->body_dofadr[id.back()];
        if (j.revolute) v[0] = dot(u, j.S.q * Vec{0, 0, 1});
        else std::copy(u.begin(), u.end(), v);
    }
    mj_forward(model, data);
    const double build = peer::since(begun);
    mj_rnePostConstraint(model, data);
    std::vector<std::array<double, 6>> out;
    for (int b : id) {
        double a[6]; // angular, then linear and less gravity, as an accelerometer reads
        mj_objectAcceleration(model, data, mjOBJ_BODY, b, a, 0);
        out.push_back({a[3] + m.gravity[0], a[4] + m.gravity[1], a[5] + m.gravity[2], a[0], a[1], a[2]});
    }
    engine::save(out, w.out);
    const std::string note = m.loops.empty() ? "no constraints"
                                             : std::string("soft constraints, ") + (mj_isSparse(model) ? "sparse" : "dense") +
                                                   ", Newton iterations " + std::to_string(data->solver_iter);
    // Each evaluation starts from the same guess, as the first one of a simulation would.
    engine::report(w, std::string("MuJoCo ") + mj_versionString(), build, note, [&] {
        mju_zero(data->qacc_warmstart, model->nv);
        mj_forward(model, data);
    });
    mj_deleteData(data);
    mj_deleteModel(model);
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
