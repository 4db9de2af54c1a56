// Package compare solves one state by any method, that of package kkt or one of package tree, as the same result: what
// the method finds, what only the sparse method tells, and where the two differ.
//
//	for _, method := range motion.Methods() {
//		r, err := compare.Accelerate(plan, method, st) // plan from rung.NewPlan
//		fmt.Println(method, r.RankDiffers, err)
//	}
//
// The result is the one of rung.Accelerate. Cost: kkt.Solver.Solve and kkt.Solver.Report, and a solve
// of the tree side, which takes a matrix with as many rows as the tree has freedoms and the loops constraints.
//
// Frame: world axes. Units: SI.
package compare
