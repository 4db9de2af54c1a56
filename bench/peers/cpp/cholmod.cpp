// CHOLMOD on the Schur complement S = J inv(M) J', which is positive definite where no row is redundant. Refactoring
// forms S from the blocks of M and J; that time is in factor_ns and given in the note.
//
// --variant KIND or KIND-ORDER: KIND is super, merged (supernodal, with more columns of like pattern merged than by default, which
// suits small blocks) or simplicial, ORDER is amd, metis, nesdis, colamd, given (that of --order FILE, of the
// scalars of K), or CHOLMOD's own choice (AMD, and METIS if AMD is poor). S is then laid out in the order of its factor, which
// costs its forming nothing and spares CHOLMOD two transpositions in each factorization.
#include "peer.hpp"

#include <cholmod.h>

struct Cholmod : Peer {
    cholmod_common c;
    cholmod_factor *L = nullptr;
    cholmod_sparse S{};
    cholmod_dense rhs{}, *sol = nullptr, *work1 = nullptr, *work2 = nullptr;
    Blocks blocks;
    std::vector<int> off;    // joints+1: first row of S
    std::vector<int> colPtr; // columns of S, diagonal blocks in full, one triangle of the rest
    std::vector<int> colInd;
    std::vector<double> colVal, inverse, y, diagonal;
    std::vector<int> slot; // for each pair of arms of a body: position in colVal of their block
    bool upper = false;    // the triangle of S that CHOLMOD reads without transposing it
    double schurNs = 0;
    std::string ordered; // how

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

    // relabel numbers the joints anew: position p is that of joint order[p].
    void relabel(const std::vector<int> &order) {
        std::vector<int> nodes, position(order.size());
        for (size_t p = 0; p < order.size(); p++) {
            position[order[p]] = static_cast<int>(p);
            nodes.push_back(blocks.jointNode[order[p]]);
        }
        blocks.jointNode = nodes;
        for (auto &a : blocks.arms) a.joint = position[a.joint];
    }

    // byFirst lists joints in the order in which the first of their scalars comes in a list of scalars. The scalars of a joint
    // have the same neighbours in S: once the first is eliminated, the others add no fill by following it.
    static std::vector<int> byFirst(const std::vector<int> &jointOf, const int *scalars, size_t count, int joints) {
        std::vector<int> list;
        std::vector<char> seen(joints, 0);
        for (size_t i = 0; i < count; i++) {
            const int j = jointOf[scalars[i]];
            if (j < 0 || seen[j]) continue;
            seen[j] = 1;
            list.push_back(j);
        }
        return list;
    }

    // given lists the joints in the order given for the scalars of K.
    std::vector<int> given() const {
        std::vector<int> jointOf(k->n, -1);
        for (int j = 0; j < blocks.joints(); j++)
            for (int i = k->off[blocks.jointNode[j]]; i < k->off[blocks.jointNode[j] + 1]; i++) jointOf[i] = j;
        return byFirst(jointOf, order.data(), order.size(), blocks.joints());
    }

    // factored lists the joints in the order of the factor.
    std::vector<int> factored() const {
        std::vector<int> jointOf(off.back());
        for (int j = 0; j < blocks.joints(); j++) std::fill(&jointOf[off[j]], &jointOf[off[j]] + rows(j), j);
        return byFirst(jointOf, static_cast<const int *>(L->Perm), jointOf.size(), blocks.joints());
    }

    // pattern lays out S: column joint j holds its own block and those of later joints (upper: earlier ones) that share a body.
    void pattern() {
        const int nj = blocks.joints();
        off.assign(nj + 1, 0);
        for (int j = 0; j < nj; j++) off[j + 1] = off[j] + k->size(blocks.jointNode[j]);
        std::vector<std::vector<int>> below(nj);
        for (int j = 0; j < nj; j++) below[j].push_back(j);
        pairs([&](const Blocks::Arm &a, const Blocks::Arm &b, size_t) { below[column(a, b)].push_back(a.joint + b.joint - column(a, b)); });
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
            const int j = column(a, b), i = a.joint + b.joint - j;
            int p = first[j];
            for (int other : below[j]) {
                if (other == i) break;
                p += rows(other);
            }
            slot.push_back(p);
        });
    }

    // column is the joint of the column in which the block of a pair of arms stands.
    int column(const Blocks::Arm &a, const Blocks::Arm &b) const { return upper ? std::max(a.joint, b.joint) : std::min(a.joint, b.joint); }

    // pairs visits the pairs of arms at each body, a pair once.
    template <class F> void pairs(F visit) {
        size_t q = 0;
        for (int body = 0; body < blocks.bodies(); body++)
            for (int a = blocks.armPtr[body]; a < blocks.armPtr[body + 1]; a++)
                for (int b = blocks.armPtr[body]; b <= a; b++) visit(blocks.arms[a], blocks.arms[b], q++);
    }

    void analyze() override {
        const bool simplicial = variant.rfind("simplicial", 0) == 0;
        const std::string method = variant.find('-') == std::string::npos ? "" : variant.substr(variant.find('-') + 1);
        blocks = kkt::blocks(*k);
        inverse.resize(blocks.inertia.size());
        upper = simplicial; // rows of S are read one by one there
        c.supernodal = simplicial ? CHOLMOD_SIMPLICIAL : CHOLMOD_SUPERNODAL;
        c.final_ll = 0;
        c.print = 0;
        if (variant.rfind("merged", 0) == 0) {
            // Up to so many columns are merged if so much of them is zero then.
            const size_t columns[] = {16, 32, 64};
            const double zeros[] = {0.8, 0.3, 0.1};
            std::copy_n(columns, 3, c.nrelax);
            std::copy_n(zeros, 3, c.zrelax);
        }
        choose(method);
        relabel(factored());
        analyzeAs(CHOLMOD_NATURAL, true); // the elimination tree in postorder
        relabel(factored());
        analyzeAs(CHOLMOD_NATURAL, false);
        flops = c.fl;
        nonzeros = static_cast<int64_t>(c.lnz);
        y.resize(off.back());
        diagonal.assign(off.back(), 0.0);
        if (!shift.empty())
            for (int j = 0; j < blocks.joints(); j++)
                for (int m = 0; m < rows(j); m++) diagonal[off[j] + m] = -shift[k->off[blocks.jointNode[j]] + m];
    }

    // choose analyses S in an order.
    void choose(const std::string &method) {
        const char *names[] = {"natural", "given", "AMD", "METIS", "NESDIS", "COLAMD"};
        if (method == "given" || method == "colamd") {
            relabel(method == "given" ? given() : colamd());
            analyzeAs(CHOLMOD_NATURAL, true);
            ordered = names[method == "given" ? CHOLMOD_GIVEN : CHOLMOD_COLAMD];
            return;
        }
        if (method.empty()) {
            pattern();
            view();
            c.nmethods = 0;
            c.postorder = 1;
            L = cholmod_analyze(&S, &c);
            check();
        } else if (method == "amd") {
            analyzeAs(CHOLMOD_AMD, true);
        } else if (method == "metis") {
            analyzeAs(CHOLMOD_METIS, true);
        } else if (method == "nesdis") {
            analyzeAs(CHOLMOD_NESDIS, true);
        } else {
            throw std::runtime_error("unknown order " + method);
        }
        ordered = names[L->ordering];
    }

    // colamd orders the joints by COLAMD on J, of whose product with its transpose S has the pattern.
    std::vector<int> colamd() {
        pattern();
        std::vector<int> ptr(1, 0), ind, jointOf(off.back());
        for (int body = 0; body < blocks.bodies(); body++) {
            for (int a = blocks.armPtr[body]; a < blocks.armPtr[body + 1]; a++)
                for (int i = off[blocks.arms[a].joint]; i < off[blocks.arms[a].joint + 1]; i++) ind.push_back(i);
            std::sort(ind.begin() + ptr.back(), ind.end());
            ptr.push_back(static_cast<int>(ind.size()));
        }
        for (int j = 0; j < blocks.joints(); j++) std::fill(&jointOf[off[j]], &jointOf[off[j]] + rows(j), j);
        cholmod_sparse J{};
        J.nrow = off.back();
        J.ncol = blocks.bodies();
        J.nzmax = ind.size();
        J.p = ptr.data();
        J.i = ind.data();
        J.itype = CHOLMOD_INT;
        J.xtype = CHOLMOD_PATTERN;
        J.dtype = CHOLMOD_DOUBLE;
        J.sorted = J.packed = 1;
        std::vector<int> perm(J.nrow);
        if (!cholmod_colamd(&J, nullptr, 0, 0, perm.data(), &c)) throw std::runtime_error("COLAMD failed");
        return byFirst(jointOf, perm.data(), perm.size(), blocks.joints());
    }

    // analyzeAs lays S out and analyses it in an order, postordered or not.
    void analyzeAs(int ordering, bool postorder) {
        pattern();
        view();
        c.nmethods = 1;
        c.method[0].ordering = ordering;
        c.postorder = postorder;
        L = cholmod_analyze(&S, &c);
        check();
    }

    // view makes S the matrix laid out last, and frees the factor of the one before.
    void view() {
        cholmod_free_factor(&L, &c);
        S.nrow = S.ncol = off.back();
        S.nzmax = colInd.size();
        S.p = colPtr.data();
        S.i = colInd.data();
        S.x = colVal.data();
        S.stype = upper ? 1 : -1;
        S.itype = CHOLMOD_INT;
        S.xtype = CHOLMOD_REAL;
        S.dtype = CHOLMOD_DOUBLE;
        S.sorted = S.packed = 1;
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
                    const bool swap = column(a, b) != b.joint; // the column is that of arm a
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
                for (int m = 0; m < rows(j); m++) {
                    const int q = off[j] + m, block = upper ? colPtr[q + 1] - rows(j) : colPtr[q];
                    colVal[block + m] += diagonal[q];
                }
    }

    bool factor() override {
        const auto t = peer::Clock::now();
        form();
        schurNs = peer::since(t);
        cholmod_factorize(&S, L, &c);
        check();
        note = std::string(L->is_super ? "supernodal" : "simplicial") + (variant.rfind("merged", 0) == 0 ? ", merged" : "") + ", order " + ordered + ", S formed in " +
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
