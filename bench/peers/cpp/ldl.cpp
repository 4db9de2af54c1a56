// SuiteSparse LDL: up-looking scalar LDL' without pivoting. The matrix is handed over in elimination order; bringing it
// there is not counted, which favours LDL.
#include "peer.hpp"

extern "C" {
#include <ldl.h>
}

struct Ldl : Peer {
    kkt::Compressed a;
    std::vector<int> lp, parent, lnz, flag, li, pattern;
    std::vector<double> lx, d, y, w;

    std::string version() override {
        return "LDL " + std::to_string(LDL_MAIN_VERSION) + "." + std::to_string(LDL_SUB_VERSION) + "." +
               std::to_string(LDL_SUBSUB_VERSION);
    }

    void analyze() override {
        const int n = k->n;
        a = kkt::permuted(*k, order, shift, kkt::Part::upper);
        lp.assign(n + 1, 0);
        parent.resize(n);
        lnz.resize(n);
        flag.resize(n);
        pattern.resize(n);
        d.resize(n);
        y.assign(n, 0.0);
        w.resize(n);
        ldl_symbolic(n, a.ptr.data(), a.ind.data(), lp.data(), parent.data(), lnz.data(), flag.data(), nullptr, nullptr);
        int64_t nz = 0;
        flops = 0;
        for (int c : lnz) {
            nz += c;
            flops += static_cast<double>(c) * (c + 2.0);
        }
        if (nz > std::numeric_limits<int>::max()) throw std::runtime_error("factor too large for 32-bit indices");
        nonzeros = nz + n;
        li.resize(nz);
        lx.resize(nz);
    }

    bool factor() override {
        return ldl_numeric(k->n, a.ptr.data(), a.ind.data(), a.val.data(), lp.data(), parent.data(), lnz.data(), li.data(),
                           lx.data(), d.data(), y.data(), pattern.data(), flag.data(), nullptr, nullptr) == k->n;
    }

    void solve(std::vector<double> &x, const std::vector<double> &b) override {
        const int n = k->n;
        for (int i = 0; i < n; i++) w[i] = b[order[i]];
        ldl_lsolve(n, w.data(), lp.data(), li.data(), lx.data());
        ldl_dsolve(n, w.data(), d.data());
        ldl_ltsolve(n, w.data(), lp.data(), li.data(), lx.data());
        for (int i = 0; i < n; i++) x[order[i]] = w[i];
    }
};

int main(int argc, char **argv) {
    Ldl p;
    return peer::run(p, argc, argv);
}
