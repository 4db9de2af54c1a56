// Package dist solves one mechanism in pieces, on the ranks of a run: processes on one or many machines, or
// goroutines of one process.
//
//	err := dist.Run(4, func(c dist.Comm) error { // on each rank, in this order:
//		plan, err := dist.NewPlan(c, m, dist.Options{}) // the same model on all
//		if err != nil {
//			return err
//		}
//		solver, err := plan.NewSolver()
//		if err != nil {
//			return err
//		}
//		defer solver.Close()
//		return solver.Solve(plan.Mechanism().Initial())
//	})
//
// All ranks make the same calls, and an error of one rank is an error of all ([RankError]).
//
// A piece has bodies of its own and a halo: the bodies of other pieces that share a joint or a force element with
// them. Joints between pieces are held (factor.AnalyzeHeld). Each rank factors its own piece without the rows of held joints. The rest is
// its share Sᵢ of the matrix S = Σ Sᵢ of these rows. A [Root] solves the system of S. Pieces and Root find redundant
// rows by the same rule, so their number is the same as in the whole system. Refinement, and the
// ways that are tried one after the other until a solution holds, are as in package kkt; rank 0 decides for
// all.
//
// Ranks talk through a [Comm]. [Run] has goroutines as ranks; package dist/mpi, built with the tag mpi, has the processes
// of an MPI run as ranks. The Root of this package is sparse, in pure Go, on rank 0; package dist/mumps, built with the tags
// mpi and mumps, has a distributed one. [docs/cluster.md] says how to build and run both, and at what cost.
//
// Friction that grows with reactions, bodies without inertia in some direction, ruts and
// rows of velocities alone are refused with their names. The
// joints of a coupling, and joints with armature, are never cut: they stay within one piece.
//
// Results have the same bits each time with the same number of ranks and the Root of this package.
//
// [docs/cluster.md]: https://github.com/rung-mbd/rung/blob/main/docs/cluster.md
package dist
