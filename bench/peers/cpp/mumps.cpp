// MUMPS, sequential, symmetric indefinite (SYM=2): in its own order, or with --order in the one given. --variant unscaled: without
// scaling of K and search for pairs of pivots, which K does not need; --variant unscaled-scotch: so, in the order of SCOTCH.
#include "peer.hpp"

#include <dmumps_c.h>

struct Mumps : Peer {
    DMUMPS_STRUC_C id{};
    bool live = false;
    std::vector<int> row, col, position;
    std::vector<double> val;

    ~Mumps() override { release(); }

    int &icntl(int i) { return id.icntl[i - 1]; } // numbers of the manual

    void call(int job) {
        id.job = job;
        dmumps_c(&id);
    }

    void release() {
        if (live) call(-2);
        live = false;
    }

    std::string version() override { return std::string("MUMPS ") + MUMPS_VERSION; }

    void check() const {
        if (id.infog[0] == -13) throw std::bad_alloc();
        if (id.infog[0] < 0)
            throw std::runtime_error("MUMPS error " + std::to_string(id.infog[0]) + ", " + std::to_string(id.infog[1]));
    }

    void fill() {
        row.clear();
        col.clear();
        val.clear();
        for (int j = 0; j < k->n; j++) {
            bool diagonal = false;
            const double s = shift.empty() ? 0 : shift[j];
            for (int p = k->ptr[j]; p < k->ptr[j + 1]; p++) {
                diagonal = diagonal || k->ind[p] == j;
                add(k->ind[p], j, k->ind[p] == j ? k->val[p] + s : k->val[p]);
            }
            if (!diagonal && s != 0) add(j, j, s);
        }
    }

    void add(int i, int j, double v) {
        row.push_back(i + 1);
        col.push_back(j + 1);
        val.push_back(v);
    }

    void analyze() override {
        release();
        id.par = 1;
        id.sym = 2;
        id.comm_fortran = -987654; // MPI_COMM_WORLD of the library's own substitute
        call(-1);
        check();
        live = true;
        for (int i : {1, 2, 3, 4}) icntl(i) = i == 4 ? 0 : -1; // silent
        icntl(10) = 0;                                         // no refinement of its own
        icntl(14) = 50;                                        // per cent of memory beyond the estimate
        icntl(7) = variant == "unscaled-scotch" ? 3 : 7;       // order: of SCOTCH, or automatic
        if (variant.rfind("unscaled", 0) == 0) {
            icntl(8) = 0;
            icntl(12) = 1;
        }
        fill();
        id.n = k->n;
        id.nnz = static_cast<MUMPS_INT8>(row.size());
        id.irn = row.data();
        id.jcn = col.data();
        id.a = val.data();
        if (!std::is_sorted(order.begin(), order.end())) {
            position.resize(k->n);
            for (int i = 0; i < k->n; i++) position[order[i]] = i + 1;
            icntl(7) = 1;
            id.perm_in = position.data();
        }
        call(1);
        check();
        const char *names[] = {"AMD", "given", "AMF", "SCOTCH", "PORD", "METIS", "QAMD"};
        note = std::string("order ") + (id.infog[6] >= 0 && id.infog[6] < 7 ? names[id.infog[6]] : "?");
    }

    bool factor() override {
        for (int tries = 0;; tries++) {
            call(2);
            if (id.infog[0] != -8 && id.infog[0] != -9) break;
            if (tries == 3) break;
            icntl(14) *= 3; // delayed pivots took more memory than foreseen
        }
        if (id.infog[0] == -10) return false;
        check();
        nonzeros = id.infog[28] >= 0 ? id.infog[28] : -1000000LL * id.infog[28];
        flops = id.rinfog[2];
        return true;
    }

    void solve(std::vector<double> &x, const std::vector<double> &b) override {
        x = b;
        id.nrhs = 1;
        id.rhs = x.data();
        call(3);
        check();
    }
};

int main(int argc, char **argv) {
    Mumps p;
    return peer::run(p, argc, argv);
}
