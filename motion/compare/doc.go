// Package compare solves one state by any method, the sparse one of package kkt or one of package tree, and returns the same kind of
// result for each: the results of the method, results that only the sparse method has, and where the two methods differ.
//
//	for _, method := range motion.Methods() {
//		r, err := compare.Accelerate(plan, method, st) // plan from rung.NewPlan
//		fmt.Println(method, r.RankDiffers, err)
//	}
//
// The result is that of rung.Accelerate. Cost: kkt.Solver.Solve and kkt.Solver.Report, and a solve
// by the tree method, with a matrix that has a row for each freedom of the tree and each constraint of the loops.
//
// Frame: world axes. Units: SI.
package compare
