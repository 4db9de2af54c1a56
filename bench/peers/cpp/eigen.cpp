// Eigen SimplicialLDLT, in the order given or, with --variant amd, in Eigen's own AMD order.
#include "peer.hpp"

#include <Eigen/Sparse>

using Sparse = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

template <class Ordering> struct Direct : Peer {
    Eigen::SimplicialLDLT<Sparse, Eigen::Lower, Ordering> ldlt;
    Sparse a;
    Eigen::VectorXd w;

    std::string version() override {
        return "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
               std::to_string(EIGEN_MINOR_VERSION);
    }

    void analyze() override {
        const auto c = kkt::permuted(*k, order, shift, kkt::Part::lower);
        a = Eigen::Map<const Sparse>(k->n, k->n, c.ind.size(), c.ptr.data(), c.ind.data(), c.val.data());
        w.resize(k->n);
        ldlt.analyzePattern(a);
    }

    bool factor() override {
        ldlt.factorize(a);
        if (ldlt.info() != Eigen::Success) return false;
        nonzeros = ldlt.matrixL().nestedExpression().nonZeros() + k->n;
        return true;
    }

    void solve(std::vector<double> &x, const std::vector<double> &b) override {
        for (int i = 0; i < k->n; i++) w[i] = b[order[i]];
        const Eigen::VectorXd y = ldlt.solve(w);
        for (int i = 0; i < k->n; i++) x[order[i]] = y[i];
    }
};

int main(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i++)
        if (std::strcmp(argv[i], "--variant") == 0 && std::strcmp(argv[i + 1], "amd") == 0) {
            Direct<Eigen::AMDOrdering<int>> p;
            return peer::run(p, argc, argv);
        }
    Direct<Eigen::NaturalOrdering<int>> p;
    return peer::run(p, argc, argv);
}
