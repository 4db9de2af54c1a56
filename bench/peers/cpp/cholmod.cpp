// CHOLMOD on the Schur complement S = J inv(M) J', which is positive definite where no row is redundant. Refactoring
// forms S from the blocks of M and J; that time is in factor_ns and given in the note. --variant super, super-metis or simplicial;
// CHOLMOD chooses the order (AMD, and METIS if AMD is poor), or takes METIS.
#include "peer.hpp"

#include <cholmod.h>

struct Cholmod : Peer {
    cholmod_common c;
    cholmod_factor *L = nullptr;
    cholmod_sparse S{};
    cholmod_dense rhs{}, *sol = nullptr, *work1 = nullptr, *work2 = nullptr;
    Blocks blocks;
    std::vector<int> off;    // joints+1: first row of S
    std::vector<int> colPtr; // columns of S, diagonal blocks in full, below them the lower triangle
    std::vector<int> colInd;
    std::vector<double> colVal, inverse, y, diagonal;
    std::vector<int> slot; // for each pair of arms of a body: position in colVal of their block
    double schurNs = 0;

    Cholmod() { cholmod_start(&c); }

    ~Cholmod() override {
        cholmod_free_dense(&sol, &c);
        cholmod_free_dense(&work1, &c);
        cholmod_free_dense(&work2, &c);
        cholmod_free_factor(&L, &c);
        cholmod_finish(&c);
    }

    std::string version() override {
        int v[3];
        cholmod_version(v);
        return "CHOLMOD " + std::to_string(v[0]) + "." + std::to_string(v[1]) + "." + std::to_string(v[2]);
    }

    void check() const {
        if (c.status == CHOLMOD_OUT_OF_MEMORY) throw std::bad_alloc();
        if (c.status < 0) throw std::runtime_error("CHOLMOD status " + std::to_string(c.status));
    }

    int rows(int joint) const { return off[joint + 1] - off[joint]; }

    // pattern lays out S: column joint j holds its own block and those of later joints that share a body.
    void pattern() {
        const int nj = blocks.joints();
        off.assign(nj + 1, 0);
        for (int j = 0; j < nj; j++) off[j + 1] = off[j] + k->size(blocks.jointNode[j]);
        std::vector<std::vector<int>> below(nj);
        for (int j = 0; j < nj; j++) below[j].push_back(j);
        pairs([&](const Blocks::Arm &a, const Blocks::Arm &b, size_t) { below[std::min(a.joint, b.joint)].push_back(std::max(a.joint, b.joint)); });
        colPtr.assign(1, 0);
        colInd.clear();
        std::vector<int> first(nj); // position of a joint's first column
        for (int j = 0; j < nj; j++) {
            auto &list = below[j];
            std::sort(list.begin(), list.end());
            list.erase(std::unique(list.begin(), list.end()), list.end());
            first[j] = static_cast<int>(colInd.size());
            for (int m = 0; m < rows(j); m++) {
                for (int i : list)
                    for (int r = off[i]; r < off[i + 1]; r++) colInd.push_back(r);
                if (colInd.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
                    throw std::runtime_error("S too large for 32-bit indices");
                colPtr.push_back(static_cast<int>(colInd.size()));
            }
        }
        colVal.resize(colInd.size());
        slot.clear();
        pairs([&](const Blocks::Arm &a, const Blocks::Arm &b, size_t) {
            const int j = std::min(a.joint, b.joint), i = std::max(a.joint, b.joint);
            int p = first[j];
            for (int other : below[j]) {
                if (other == i) break;
                p += rows(other);
            }
            slot.push_back(p);
        });
    }

    // pairs visits the pairs of arms at each body, a pair once.
    template <class F> void pairs(F visit) {
        size_t q = 0;
        for (int body = 0; body < blocks.bodies(); body++)
            for (int a = blocks.armPtr[body]; a < blocks.armPtr[body + 1]; a++)
                for (int b = blocks.armPtr[body]; b <= a; b++) visit(blocks.arms[a], blocks.arms[b], q++);
    }

    void analyze() override {
        cholmod_free_factor(&L, &c);
        blocks = kkt::blocks(*k);
        inverse.resize(blocks.inertia.size());
        pattern();
        y.resize(off.back());
        diagonal.assign(off.back(), 0.0);
        if (!shift.empty())
            for (int j = 0; j < blocks.joints(); j++)
                for (int m = 0; m < rows(j); m++) diagonal[off[j] + m] = -shift[k->off[blocks.jointNode[j]] + m];
        S.nrow = S.ncol = off.back();
        S.nzmax = colInd.size();
        S.p = colPtr.data();
        S.i = colInd.data();
        S.x = colVal.data();
        S.stype = -1;
        S.itype = CHOLMOD_INT;
        S.xtype = CHOLMOD_REAL;
        S.dtype = CHOLMOD_DOUBLE;
        S.sorted = S.packed = 1;
        c.supernodal = variant == "simplicial" ? CHOLMOD_SIMPLICIAL : CHOLMOD_SUPERNODAL;
        c.final_ll = 0;
        c.print = 0;
        if (variant == "super-metis") {
            c.nmethods = 1;
            c.method[0].ordering = CHOLMOD_METIS;
        }
        L = cholmod_analyze(&S, &c);
        check();
        flops = c.fl;
        nonzeros = static_cast<int64_t>(c.lnz);
    }

    // form computes S and adds the proximal terms.
    void form() {
        std::fill(colVal.begin(), colVal.end(), 0.0);
        const int nb = blocks.bodies();
        size_t q = 0;
        double W[36];
        for (int body = 0; body < nb; body++) {
            double *w = &inverse[10 * static_cast<size_t>(body)];
            kkt::invert(w, &blocks.inertia[10 * static_cast<size_t>(body)]);
            for (int ia = blocks.armPtr[body]; ia < blocks.armPtr[body + 1]; ia++) {
                const auto &a = blocks.arms[ia];
                const int ca = rows(a.joint);
                for (int i = 0; i < ca; i++) kkt::solveBody(W + 6 * i, w, a.J + 6 * i);
                for (int ib = blocks.armPtr[body]; ib <= ia; ib++, q++) {
                    const auto &b = blocks.arms[ib];
                    const int cb = rows(b.joint);
                    // The earlier joint is the column.
                    const bool swap = a.joint < b.joint;
                    const int cols = swap ? ca : cb, rws = swap ? cb : ca;
                    const double *R = swap ? b.J : W, *C = swap ? W : b.J;
                    const int j = off[swap ? a.joint : b.joint], stride = colPtr[j + 1] - colPtr[j];
                    double *out = &colVal[slot[q]];
                    for (int m = 0; m < cols; m++)
                        for (int i = 0; i < rws; i++) {
                            double sum = 0;
                            for (int t = 0; t < 6; t++) sum += R[6 * i + t] * C[6 * m + t];
                            out[m * stride + i] += sum;
                        }
                }
            }
        }
        if (!shift.empty())
            for (int j = 0; j < blocks.joints(); j++)
                for (int m = 0; m < rows(j); m++) colVal[colPtr[off[j] + m] + m] += diagonal[off[j] + m];
    }

    bool factor() override {
        const auto t = peer::Clock::now();
        form();
        schurNs = peer::since(t);
        cholmod_factorize(&S, L, &c);
        check();
        const char *names[] = {"natural", "given", "AMD", "METIS", "NESDIS", "COLAMD"};
        note = std::string(L->is_super ? "supernodal" : "simplicial") + ", order " + names[L->ordering] + ", S formed in " +
               std::to_string(static_cast<long long>(schurNs)) + " ns";
        return c.status == CHOLMOD_OK && L->minor == L->n;
    }

    // solve: S y = J inv(M) f - g, then a = inv(M) (f - J' y).
    void solve(std::vector<double> &x, const std::vector<double> &b) override {
        for (int j = 0; j < blocks.joints(); j++)
            for (int m = 0; m < rows(j); m++) y[off[j] + m] = -b[k->off[blocks.jointNode[j]] + m];
        double f[6];
        for (int body = 0; body < blocks.bodies(); body++) {
            const int at = k->off[blocks.node[body]];
            kkt::solveBody(f, &inverse[10 * static_cast<size_t>(body)], &b[at]);
            for (int i = blocks.armPtr[body]; i < blocks.armPtr[body + 1]; i++) {
                const auto &a = blocks.arms[i];
                for (int m = 0; m < rows(a.joint); m++)
                    for (int t = 0; t < 6; t++) y[off[a.joint] + m] += a.J[6 * m + t] * f[t];
            }
        }
        rhs.nrow = rhs.d = rhs.nzmax = y.size();
        rhs.ncol = 1;
        rhs.x = y.data();
        rhs.xtype = CHOLMOD_REAL;
        rhs.dtype = CHOLMOD_DOUBLE;
        cholmod_solve2(CHOLMOD_A, L, &rhs, nullptr, &sol, nullptr, &work1, &work2, &c);
        check();
        const double *z = static_cast<const double *>(sol->x);
        for (int j = 0; j < blocks.joints(); j++)
            for (int m = 0; m < rows(j); m++) x[k->off[blocks.jointNode[j]] + m] = z[off[j] + m];
        for (int body = 0; body < blocks.bodies(); body++) {
            const int at = k->off[blocks.node[body]];
            std::copy_n(&b[at], 6, f);
            for (int i = blocks.armPtr[body]; i < blocks.armPtr[body + 1]; i++) {
                const auto &a = blocks.arms[i];
                for (int m = 0; m < rows(a.joint); m++)
                    for (int t = 0; t < 6; t++) f[t] -= a.J[6 * m + t] * z[off[a.joint] + m];
            }
            kkt::solveBody(&x[at], &inverse[10 * static_cast<size_t>(body)], f);
        }
    }
};

int main(int argc, char **argv) {
    Cholmod p;
    return peer::run(p, argc, argv);
}
