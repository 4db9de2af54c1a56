// MUMPS on several processes, symmetric indefinite (SYM=2), on the whole of K with its entries where they are (ICNTL(18)=3),
// dealt out by columns with as many entries to each. Beside it stands Rung in pieces with MUMPS at the root (docs/cluster.md).
//
//	mpirun -n 2 mumps_mpi K.bin ORDER ROUNDS [scaled] [relaxed] [parallel] [profile]
//
// ORDER: rung (the order of the file), amd, amf, scotch, pord, qamd or auto. scaled: MUMPS scales K and looks for pairs of pivots in
// advance; K needs neither. relaxed: no pivot is delayed (CNTL(1)=0), as Rung's order needs none. parallel: the analysis, too
// (ICNTL(28)=2), with an order of its own. profile: MUMPS says what it does. Times are wall times, least of the rounds.
#include "kkt.hpp"

#include <cstring>
#include <dmumps_c.h>
#include <mpi.h>

namespace {

DMUMPS_STRUC_C id{};

int &icntl(int i) { return id.icntl[i - 1]; } // numbers of the manual

double call(int job) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double t = MPI_Wtime();
    id.job = job;
    dmumps_c(&id);
    MPI_Barrier(MPI_COMM_WORLD);
    if (id.infog[0] < 0)
        throw std::runtime_error("MUMPS error " + std::to_string(id.infog[0]) + ", " + std::to_string(id.infog[1]) + " in job " + std::to_string(job));
    return MPI_Wtime() - t;
}

int orderOf(const std::string &name) {
    const char *names[] = {"amd", "rung", "amf", "scotch", "pord", "metis", "qamd", "auto"};
    for (int i = 0; i < 8; i++)
        if (name == names[i]) return i;
    throw std::runtime_error("no order " + name);
}

void run(int argc, char **argv) {
    if (argc < 4) throw std::runtime_error("mumps_mpi K.bin ORDER ROUNDS [scaled] [relaxed] [parallel] [profile]");
    auto has = [&](const char *word) {
        for (int i = 4; i < argc; i++)
            if (std::strcmp(argv[i], word) == 0) return true;
        return false;
    };
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int order = orderOf(argv[2]), rounds = std::atoi(argv[3]);
    const Kkt k = kkt::load(argv[1]);

    std::vector<int> row, col, position(k.n);
    std::vector<double> val, rhs;
    const double share = static_cast<double>(k.ind.size()) / size;
    for (int j = 0; j < k.n; j++)
        for (int p = k.ptr[j]; p < k.ptr[j + 1]; p++)
            if (static_cast<int>(k.ptr[j] / share) == rank) {
                row.push_back(k.ind[p] + 1);
                col.push_back(j + 1);
                val.push_back(k.val[p]);
            }
    for (int i = 0; i < k.n; i++) position[i] = i + 1;

    id.par = 1;
    id.sym = 2;
    id.comm_fortran = static_cast<int>(MPI_Comm_c2f(MPI_COMM_WORLD));
    call(-1);
    const bool profile = has("profile");
    for (int i : {1, 2, 3}) icntl(i) = profile && rank == 0 ? 6 : -1;
    icntl(4) = profile ? 2 : 0;
    icntl(7) = order;
    icntl(10) = 0; // no refinement
    icntl(14) = 60;
    icntl(16) = 1; // threads
    icntl(18) = 3;
    icntl(28) = has("parallel") ? 2 : 1;
    icntl(35) = 0; // no block low rank
    if (!has("scaled")) {
        icntl(6) = 0;
        icntl(8) = 0;
        icntl(12) = 1;
    }
    if (has("relaxed")) id.cntl[0] = 0;
    id.n = k.n;
    id.nnz_loc = static_cast<MUMPS_INT8>(row.size());
    id.irn_loc = row.data();
    id.jcn_loc = col.data();
    id.a_loc = val.data();
    if (rank == 0 && order == 1) id.perm_in = position.data();

    const double analysis = call(1);
    double factor = 1e9, solve = 1e9, both = 1e9;
    for (int i = 0; i < rounds; i++) {
        double f = 0;
        for (int tries = 0;; tries++) {
            try {
                f = call(2);
                break;
            } catch (std::runtime_error &) {
                if ((id.infog[0] != -8 && id.infog[0] != -9) || tries == 3) throw;
                icntl(14) *= 3;
            }
        }
        rhs = k.b;
        id.nrhs = 1;
        if (rank == 0) id.rhs = rhs.data();
        const double s = call(3);
        factor = std::min(factor, f);
        solve = std::min(solve, s);
        both = std::min(both, f + s);
    }
    if (rank == 0) {
        std::vector<double> r;
        const double worst = kkt::residualTo(r, k, rhs);
        std::printf("%d processes, order %s (%d)%s%s%s: analysis %.3f s, factorization %.3f s, solve %.3f s, both %.3f s; %.3g flops, %d delayed pivots, residual %.1e\n", size,
                    argv[2], id.infog[6], has("scaled") ? ", scaled" : "", has("relaxed") ? ", relaxed" : "", has("parallel") ? ", parallel analysis" : "", analysis, factor, solve,
                    both, id.rinfog[2], id.infog[12], worst / (kkt::norm1(k) * kkt::maxAbs(rhs) + kkt::maxAbs(k.b)));
    }
    call(-2);
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    try {
        run(argc, argv);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "mumps_mpi: %s\n", e.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
}
