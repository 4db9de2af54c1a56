// UMFPACK: unsymmetric multifrontal LU of the whole of K, with its own order and pivoting. Its own iterative refinement
// is off; the common refinement step is measured instead.
#include "peer.hpp"

#include <umfpack.h>

struct Umfpack : Peer {
    kkt::Compressed a;
    void *symbolic = nullptr, *numeric = nullptr;
    double control[UMFPACK_CONTROL], info[UMFPACK_INFO];

    ~Umfpack() override { release(); }

    void release() {
        if (numeric != nullptr) umfpack_di_free_numeric(&numeric);
        if (symbolic != nullptr) umfpack_di_free_symbolic(&symbolic);
    }

    std::string version() override { return UMFPACK_VERSION; }

    static void check(int status) {
        if (status == UMFPACK_ERROR_out_of_memory) throw std::bad_alloc();
        if (status < 0) throw std::runtime_error("UMFPACK status " + std::to_string(status));
    }

    void analyze() override {
        release();
        umfpack_di_defaults(control);
        control[UMFPACK_IRSTEP] = 0;
        a = kkt::permuted(*k, order, shift, kkt::Part::full); // UMFPACK orders by itself: order is the identity
        check(umfpack_di_symbolic(k->n, k->n, a.ptr.data(), a.ind.data(), a.val.data(), &symbolic, control, info));
    }

    bool factor() override {
        if (numeric != nullptr) umfpack_di_free_numeric(&numeric);
        const int status = umfpack_di_numeric(a.ptr.data(), a.ind.data(), a.val.data(), symbolic, &numeric, control, info);
        if (status == UMFPACK_WARNING_singular_matrix) return false;
        check(status);
        nonzeros = static_cast<int64_t>(info[UMFPACK_LNZ] + info[UMFPACK_UNZ]);
        flops = info[UMFPACK_FLOPS];
        return true;
    }

    void solve(std::vector<double> &x, const std::vector<double> &b) override {
        check(umfpack_di_solve(UMFPACK_A, a.ptr.data(), a.ind.data(), a.val.data(), x.data(), b.data(), numeric, control, info));
    }
};

int main(int argc, char **argv) {
    Umfpack p;
    return peer::run(p, argc, argv);
}
