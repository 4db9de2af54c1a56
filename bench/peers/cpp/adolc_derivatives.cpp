// ADOL-C on a dense system, for bench/gradients: the equations of motion of all bodies with the rows of all joints, written out here, differentiated by
// ADOL-C, and solved by dense Cholesky factors.
//
//   adolc_derivatives version
//   adolc_derivatives run MODEL.txt ENOUGH
//
// MODEL.txt is that of tree.hpp without forces and then: the number of directions, and a line for each with twelve numbers a body (rotation, travel of the centre of
// mass, changes of the angular velocity and of the velocity of the centre); a line with the weights of accelerations, six a body, angular first.
//
// ADOL-C records the residual r(s, x) = (M·a − f − Jᵀ·λ, φ̈) once, with all numbers of state, solution and bodies as independent variables, so that the tape serves
// at any state. Derivatives of the solution are those of r and one more solution with the factor: none of the elimination is differentiated.
#include "derivatives.hpp"
#include "tree.hpp"

#include <Eigen/Dense>
#include <adolc/adolc.h>
#include <memory>

namespace {

using ::cross; // those of model.hpp beside those of V3
using ::dot;
using ::operator+;
using ::operator-;
using ::operator*;

// How many numbers a body has among the independent variables, and where: axes by columns, centre of mass, angular velocity, velocity of the centre, load, mass, centre of
// mass in the body, inertia.
enum : int { atE = 0, atC = 9, atW = 12, atV = 15, atF = 18, atT = 21, atM = 24, atCom = 25, atI = 28, perBody = 34 };

template <class T> struct V3 {
    T x[3];
    V3() = default;
    V3(const T &a, const T &b, const T &c) : x{a, b, c} {}
    explicit V3(const T *p) : x{p[0], p[1], p[2]} {}
    const T &operator[](int i) const { return x[i]; }
};

template <class T> V3<T> operator+(const V3<T> &a, const V3<T> &b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
template <class T> V3<T> operator-(const V3<T> &a, const V3<T> &b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
template <class T, class S> V3<T> operator*(const S &s, const V3<T> &a) { return {s * a[0], s * a[1], s * a[2]}; }
template <class T> T dot(const V3<T> &a, const V3<T> &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
template <class T> V3<T> cross(const V3<T> &a, const V3<T> &b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// Row is a row of a joint, or three where points meet.
struct Row {
    enum Kind { meet, square, slide } kind;
    int a, b;
    Vec pa, pb, ua, ub; // points and axes in the bodies
    int first;          // number of the row
    int count() const { return kind == meet ? 3 : 1; }
};

Vec axis(const Pose &f, int k) {
    Vec e{0, 0, 0};
    e[k] = 1;
    return f.q * e;
}

// Side is a body at a row: its arm, its axis, and their derivatives.
template <class T> struct Side {
    bool world = true;
    V3<T> w, r, c, v, a, alpha;
    V3<T> turn(const V3<T> &n) const { return cross(w, n); }
    V3<T> turn2(const V3<T> &n) const { return cross(alpha, n) + cross(w, cross(w, n)); }
};

struct System {
    tree::Mechanism m;
    std::vector<Row> rows;
    int nb = 0, nr = 0;

    explicit System(tree::Mechanism mechanism) : m(std::move(mechanism)), nb(static_cast<int>(m.bodies.size())) {
        if (!m.forces.empty()) throw std::runtime_error("forces are not built here");
        for (const auto *list : {&m.joints, &m.loops})
            for (const tree::Joint &j : *list) join(j);
    }

    int inputs() const { return perBody * nb + 6 * nb + nr; }
    int outputs() const { return 6 * nb + nr; }

    void add(Row::Kind kind, const tree::Joint &j, const Vec &ua, const Vec &ub) {
        rows.push_back({kind, j.pred, j.succ, j.P.p, j.S.p, ua, ub, nr});
        nr += rows.back().count();
    }

    void join(const tree::Joint &j) {
        const Vec none{0, 0, 0};
        const bool slides = j.kind == "prismatic";
        if (!slides) add(Row::meet, j, none, none);
        const auto square = [&](int p, int s) { add(Row::square, j, axis(j.P, p), axis(j.S, s)); };
        if (j.kind == "revolute" || j.kind == "planar") {
            square(0, 2);
            square(1, 2);
        } else if (j.kind == "universal") {
            square(0, 1);
        } else if (slides) {
            square(0, 1);
            square(1, 2);
            square(2, 0);
            for (int k = 0; k < 2; k++) add(Row::slide, j, axis(j.P, k), none);
        } else if (j.kind != "spherical") {
            throw std::runtime_error("joint type " + j.kind + " is not built here");
        }
    }

    // side reads a body, with the arm to a point of it.
    template <class T> Side<T> side(const T *in, int i, const Vec &p) const {
        Side<T> s;
        const V3<T> zero(T(0), T(0), T(0));
        if (i < 0) {
            s.w = s.c = s.v = s.a = s.alpha = zero;
            s.r = V3<T>(T(p[0]), T(p[1]), T(p[2]));
            return s;
        }
        const T *b = in + perBody * i, *x = in + perBody * nb + 6 * i;
        s.world = false;
        s.w = V3<T>(b + atW);
        s.c = V3<T>(b + atC);
        s.v = V3<T>(b + atV);
        s.alpha = V3<T>(x);
        s.a = V3<T>(x + 3);
        s.r = (p[0] - b[atCom]) * V3<T>(b + atE) + (p[1] - b[atCom + 1]) * V3<T>(b + atE + 3) + (p[2] - b[atCom + 2]) * V3<T>(b + atE + 6);
        return s;
    }

    template <class T> V3<T> turned(const T *in, int i, const Vec &u) const {
        if (i < 0) return V3<T>(T(u[0]), T(u[1]), T(u[2]));
        const T *b = in + perBody * i;
        return u[0] * V3<T>(b + atE) + u[1] * V3<T>(b + atE + 3) + u[2] * V3<T>(b + atE + 6);
    }

    // push adds the force f at an arm, and a moment, to what a body's equation lacks.
    template <class T> void push(T *out, int i, const V3<T> &moment, const V3<T> &f) const {
        if (i < 0) return;
        for (int k = 0; k < 3; k++) {
            out[6 * i + k] = out[6 * i + k] - moment[k];
            out[6 * i + 3 + k] = out[6 * i + 3 + k] - f[k];
        }
    }

    template <class T> void body(const T *in, T *out, int i) const {
        const T *b = in + perBody * i, *x = in + perBody * nb + 6 * i;
        const V3<T> E[3] = {V3<T>(b + atE), V3<T>(b + atE + 3), V3<T>(b + atE + 6)};
        const T *I = b + atI;
        const auto moment = [&](const V3<T> &w) {
            const T y0 = dot(E[0], w), y1 = dot(E[1], w), y2 = dot(E[2], w);
            const T h0 = I[0] * y0 + I[3] * y1 + I[4] * y2, h1 = I[3] * y0 + I[1] * y1 + I[5] * y2, h2 = I[4] * y0 + I[5] * y1 + I[2] * y2;
            return h0 * E[0] + h1 * E[1] + h2 * E[2];
        };
        const V3<T> w(b + atW), t = moment(V3<T>(x)) + cross(w, moment(w)) - V3<T>(b + atT);
        for (int k = 0; k < 3; k++) {
            out[6 * i + k] = t[k];
            out[6 * i + 3 + k] = b[atM] * (x[3 + k] - m.gravity[k]) - b[atF + k];
        }
    }

    template <class T> void row(const T *in, T *out, const Row &r) const {
        const Side<T> a = side(in, r.a, r.pa), b = side(in, r.b, r.pb);
        T *phi = out + 6 * nb + r.first;
        const T *l = in + perBody * nb + 6 * nb + r.first;
        const V3<T> zero(T(0), T(0), T(0));
        if (r.kind == Row::meet) {
            const V3<T> d = b.a + b.turn2(b.r) - a.a - a.turn2(a.r), f(l);
            for (int k = 0; k < 3; k++) phi[k] = d[k];
            push(out, r.b, cross(b.r, f), f);
            push(out, r.a, cross(f, a.r), zero - f);
            return;
        }
        const V3<T> n = turned(in, r.a, r.ua);
        if (r.kind == Row::square) {
            const V3<T> o = turned(in, r.b, r.ub), c = l[0] * cross(n, o);
            phi[0] = dot(a.turn2(n), o) + 2 * dot(a.turn(n), b.turn(o)) + dot(n, b.turn2(o));
            push(out, r.a, c, zero);
            push(out, r.b, zero - c, zero);
            return;
        }
        const V3<T> d = b.c + b.r - a.c - a.r, rate = b.v + b.turn(b.r) - a.v - a.turn(a.r), second = b.a + b.turn2(b.r) - a.a - a.turn2(a.r);
        phi[0] = dot(a.turn2(n), d) + 2 * dot(a.turn(n), rate) + dot(n, second);
        const V3<T> f = l[0] * n;
        push(out, r.b, cross(b.r, f), f);
        push(out, r.a, cross(f, d) + cross(f, a.r), zero - f);
    }

    template <class T> void residual(const T *in, T *out) const {
        for (int i = 0; i < nb; i++) body(in, out, i);
        for (const Row &r : rows) row(in, out, r);
    }

    // gradient stores the row of J in its place.
    void fillRow(const double *in, Eigen::MatrixXd &J, const Row &r, const std::vector<int> &place) const {
        const auto put = [&](int k, int i, const V3<double> &moment, const V3<double> &f) {
            const int to = place[r.first + k];
            if (i < 0 || to < 0) return;
            for (int c = 0; c < 3; c++) {
                J(to, 6 * i + c) = moment[c];
                J(to, 6 * i + 3 + c) = f[c];
            }
        };
        const auto a = side(in, r.a, r.pa), b = side(in, r.b, r.pb);
        const V3<double> zero(0., 0., 0.);
        if (r.kind == Row::meet) {
            for (int k = 0; k < 3; k++) {
                V3<double> e(0., 0., 0.);
                e.x[k] = 1;
                put(k, r.b, cross(b.r, e), e);
                put(k, r.a, cross(e, a.r), zero - e);
            }
            return;
        }
        const V3<double> n = turned(in, r.a, r.ua);
        if (r.kind == Row::square) {
            const V3<double> c = cross(n, turned(in, r.b, r.ub));
            put(0, r.a, c, zero);
            put(0, r.b, zero - c, zero);
            return;
        }
        put(0, r.b, cross(b.r, n), n);
        put(0, r.a, cross(n, b.c + b.r - a.c - a.r) + cross(n, a.r), zero - n);
    }
};

// Dense solves M·a − Jᵀ·λ = f, J·a = g: B = J·C⁻ᵀ for M = C·Cᵀ, and B·Bᵀ factored. Of rows that depend on each other as many are kept as there is rank.
struct Dense {
    const System &s;
    std::vector<int> place, kept; // of rows among those kept, −1 for none
    Eigen::MatrixXd B, S;
    std::vector<Eigen::Matrix3d> C;
    Eigen::VectorXd root;
    Eigen::LLT<Eigen::MatrixXd> factor;

    Dense(const System &system, const double *in) : s(system), C(system.nb), root(system.nb) {
        for (int i = 0; i < s.nr; i++) place.push_back(i), kept.push_back(i);
        fill(in);
        Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(B.transpose());
        qr.setThreshold(1e-10);
        const auto order = qr.colsPermutation().indices();
        kept.assign(order.data(), order.data() + qr.rank());
        std::sort(kept.begin(), kept.end());
        std::fill(place.begin(), place.end(), -1);
        for (size_t k = 0; k < kept.size(); k++) place[kept[k]] = static_cast<int>(k);
        fill(in);
    }

    // back takes x by C⁻¹, in place; forth by C⁻ᵀ.
    template <class X> void back(X &x) const {
        for (int i = 0; i < s.nb; i++) {
            C[i].triangularView<Eigen::Lower>().solveInPlace(x.middleRows(6 * i, 3));
            x.middleRows(6 * i + 3, 3) /= root[i];
        }
    }
    template <class X> void forth(X &x) const {
        for (int i = 0; i < s.nb; i++) {
            C[i].transpose().triangularView<Eigen::Upper>().solveInPlace(x.middleRows(6 * i, 3));
            x.middleRows(6 * i + 3, 3) /= root[i];
        }
    }

    void fill(const double *in) {
        B.setZero(kept.size(), 6 * s.nb);
        for (const Row &r : s.rows) s.fillRow(in, B, r, place);
        for (int i = 0; i < s.nb; i++) {
            const double *b = in + perBody * i, *I = b + atI;
            Eigen::Matrix3d own, E = Eigen::Map<const Eigen::Matrix3d>(b + atE);
            own << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
            C[i] = (E * own * E.transpose()).llt().matrixL();
            root[i] = std::sqrt(b[atM]);
            // Rows of B that the body has: the others are zero.
            for (const Row &r : s.rows)
                if (r.a == i || r.b == i)
                    for (int k = 0; k < r.count(); k++)
                        if (const int to = place[r.first + k]; to >= 0) {
                            Eigen::Vector3d t = B.block<1, 3>(to, 6 * i).transpose();
                            C[i].triangularView<Eigen::Lower>().solveInPlace(t);
                            B.block<1, 3>(to, 6 * i) = t.transpose();
                            B.block<1, 3>(to, 6 * i + 3) /= root[i];
                        }
        }
        S.setZero(kept.size(), kept.size());
        S.selfadjointView<Eigen::Lower>().rankUpdate(B);
        factor.compute(S);
    }

    // solve replaces f by a and g by λ, columns at a time.
    void solve(Eigen::MatrixXd &f, Eigen::MatrixXd &g) const {
        back(f);
        g.noalias() -= B * f;
        factor.solveInPlace(g);
        f.noalias() += B.transpose() * g;
        forth(f);
    }
};

constexpr short tape = 1;

struct Problem {
    System s;
    std::vector<double> in, out;
    std::vector<std::vector<double>> directions;
    std::vector<double> weights;
    std::unique_ptr<Dense> dense;
    Eigen::MatrixXd f, g;

    explicit Problem(std::ifstream file, const std::string &path) : s(tree::load(file, path)), in(s.inputs()), out(s.outputs()) {
        size_t n = 0;
        file >> n;
        for (size_t k = 0; k < n && file; k++) {
            directions.emplace_back(12 * s.nb);
            for (double &x : directions.back()) file >> x;
        }
        weights.resize(6 * s.nb);
        for (double &x : weights) file >> x;
        if (!file) throw std::runtime_error("cannot read " + path);
        for (int i = 0; i < s.nb; i++) set(i);
        dense = std::make_unique<Dense>(s, in.data());
        evaluate();
        record();
    }

    void set(int i) {
        const Body &b = s.m.bodies[i];
        double *to = &in[perBody * i];
        for (int k = 0; k < 3; k++) {
            Vec e{0, 0, 0};
            e[k] = 1;
            const Vec column = b.pose.q * e;
            for (int c = 0; c < 3; c++) to[atE + 3 * k + c] = column[c];
        }
        const Vec r = b.pose.q * b.com, c = b.pose.p + r, v = b.velocity + cross(b.rate, r);
        for (int k = 0; k < 3; k++) {
            to[atC + k] = c[k];
            to[atW + k] = b.rate[k];
            to[atV + k] = v[k];
            to[atCom + k] = b.com[k];
        }
        to[atM] = b.mass;
        std::copy(b.inertia, b.inertia + 6, to + atI);
    }

    void take(double sign) {
        f.resize(6 * s.nb, 1);
        g.resize(dense->kept.size(), 1);
        for (int i = 0; i < 6 * s.nb; i++) f(i, 0) = sign * out[i];
        for (size_t k = 0; k < dense->kept.size(); k++) g(k, 0) = sign * out[6 * s.nb + dense->kept[k]];
    }

    // evaluate solves for accelerations and multipliers, and stores them among the inputs.
    void evaluate() {
        double *x = &in[perBody * s.nb];
        std::fill(x, x + s.outputs(), 0.0);
        s.residual(in.data(), out.data());
        dense->fill(in.data());
        take(-1);
        dense->solve(f, g);
        std::copy(f.data(), f.data() + 6 * s.nb, x);
        for (size_t k = 0; k < dense->kept.size(); k++) x[6 * s.nb + dense->kept[k]] = g(k, 0);
    }

    // record makes the tape twice: for buffers of just the size that keeps all of it in memory. Larger ones are slower in each sweep.
    void record() {
        const unsigned many = 1u << 23;
        trace(many, many, many, many);
        size_t n[STAT_SIZE];
        tapestats(tape, n);
        const auto room = [&](int k) { return static_cast<unsigned>(n[k] + n[k] / 8 + 64); };
        trace(room(NUM_OPERATIONS), room(NUM_LOCATIONS), room(NUM_VALUES), room(TAY_STACK_SIZE));
    }

    void trace(unsigned operations, unsigned locations, unsigned values, unsigned taylor) {
        std::vector<adouble> x(s.inputs()), y(s.outputs());
        trace_on(tape, 0, operations, locations, values, taylor);
        for (size_t i = 0; i < x.size(); i++) x[i] <<= in[i];
        s.residual(x.data(), y.data());
        for (size_t i = 0; i < y.size(); i++) y[i] >>= out[i];
        trace_off();
    }
};

// Table is a matrix as ADOL-C has it.
struct Table {
    std::vector<double> data;
    std::vector<double *> rows;
    Table(size_t n, size_t columns) : data(n * columns), rows(n) {
        for (size_t i = 0; i < n; i++) rows[i] = &data[i * columns];
    }
};

void seed(const Problem &p, Table &X) {
    const size_t K = p.directions.size();
    std::fill(X.data.begin(), X.data.end(), 0.0);
    for (int i = 0; i < p.s.nb; i++) {
        const double *b = &p.in[perBody * i];
        for (size_t k = 0; k < K; k++) {
            const double *u = &p.directions[k][12 * i];
            const V3<double> phi(u);
            for (int c = 0; c < 3; c++) {
                const V3<double> n = cross(phi, V3<double>(b + atE + 3 * c));
                for (int r = 0; r < 3; r++) X.rows[perBody * i + atE + 3 * c + r][k] = n[r];
                X.rows[perBody * i + atC + c][k] = u[3 + c];
                X.rows[perBody * i + atW + c][k] = u[6 + c];
                X.rows[perBody * i + atV + c][k] = u[9 + c];
            }
        }
    }
}

void matrix(Problem &p, Table &X, Table &Y, Eigen::MatrixXd &f, Eigen::MatrixXd &g) {
    const int nb = p.s.nb, K = static_cast<int>(p.directions.size());
    p.evaluate();
    seed(p, X);
    fov_forward(tape, p.s.outputs(), p.s.inputs(), K, p.in.data(), X.rows.data(), p.out.data(), Y.rows.data());
    f.resize(6 * nb, K);
    g.resize(p.dense->kept.size(), K);
    for (int i = 0; i < 6 * nb; i++)
        for (int k = 0; k < K; k++) f(i, k) = -Y.rows[i][k];
    for (size_t i = 0; i < p.dense->kept.size(); i++)
        for (int k = 0; k < K; k++) g(i, k) = -Y.rows[6 * nb + p.dense->kept[i]][k];
    p.dense->solve(f, g);
}

// gradient stores sixteen numbers a body: force, torque, mass, centre of mass, inertia.
void gradient(Problem &p, std::vector<double> &to, std::vector<double> &bar, std::vector<double> &z) {
    const int nb = p.s.nb;
    p.evaluate();
    std::fill(p.out.begin(), p.out.end(), 0.0);
    std::copy(p.weights.begin(), p.weights.end(), p.out.begin());
    p.take(1);
    p.dense->solve(p.f, p.g);
    std::fill(bar.begin(), bar.end(), 0.0);
    for (int i = 0; i < 6 * nb; i++) bar[i] = -p.f(i, 0);
    for (size_t k = 0; k < p.dense->kept.size(); k++) bar[6 * nb + p.dense->kept[k]] = p.g(k, 0);
    zos_forward(tape, p.s.outputs(), p.s.inputs(), 1, p.in.data(), p.out.data());
    fos_reverse(tape, p.s.outputs(), p.s.inputs(), bar.data(), z.data());
    for (int i = 0; i < nb; i++) {
        const double *b = &p.in[perBody * i], *d = &z[perBody * i];
        double *out = &to[16 * i];
        std::copy(d + atF, d + atF + 7, out);
        std::copy(d + atI, d + atI + 6, out + 10);
        for (int c = 0; c < 3; c++) {
            const V3<double> e(b + atE + 3 * c), v = cross(V3<double>(b + atW), e);
            out[7 + c] = d[atCom + c] + dot(V3<double>(d + atC), e) + dot(V3<double>(d + atV), v);
        }
    }
}

#ifndef ADOLC
#define ADOLC "of a version that is not known"
#endif
const std::string version = ADOLC;

void run(char **argv) {
    Problem p(std::ifstream(argv[2]), argv[2]);
    const double enough = std::atof(argv[3]);
    const double evaluation = derivatives::least(enough, [&] { p.evaluate(); });
    const std::vector<double> a(p.in.begin() + perBody * p.s.nb, p.in.begin() + (perBody + 6) * p.s.nb);
    const size_t K = p.directions.size();
    Table X(p.s.inputs(), K), Y(p.s.outputs(), K);
    Eigen::MatrixXd f, g;
    const double whole = derivatives::least(enough, [&] { matrix(p, X, Y, f, g); });
    derivatives::Columns columns{0, {}};
    for (size_t k = 0; k < K; k++) columns.columns.emplace_back(f.col(k).data(), f.col(k).data() + f.rows());
    std::vector<double> to(16 * p.s.nb), bar(p.s.outputs()), z(p.s.inputs());
    const double back = derivatives::least(enough, [&] { gradient(p, to, bar, z); });
    std::printf("{\"version\": \"%s\", \"evaluation\": %.9g, \"matrix\": %.9g, \"gradient\": %.9g", version.c_str(), evaluation, whole, back);
    derivatives::list("accelerations", a.data(), a.size());
    derivatives::tables({columns});
    derivatives::list("bodies", to.data(), to.size());
    std::printf("}\n");
}

} // namespace

int main(int argc, char **argv) {
    return derivatives::guarded(argc, argv, version, [&] { run(argv); });
}
