// Command methods solves one mechanism with many loops by the sparse system and by three methods on a spanning tree: the
// accelerations agree, but the sizes of the factors differ.
package main

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// run solves a ladder of 60 bodies by the sparse system and by each tree method, and prints the sizes of the factors, and whether the
// accelerations agree to 1e-9 of the largest one.
func run() error {
	m, err := bench.Ladder(60, 1)
	if err != nil {
		return err
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return err
	}
	mech := plan.Mechanism()
	solver := plan.NewSolver()
	if err := solver.Solve(plan.Initial()); err != nil {
		return err
	}
	fmt.Printf("%s: %d bodies, %d joints\n", mech.Name, mech.NumBodies(), mech.NumJoints())
	counts := plan.Counts()
	fmt.Printf("%-11s %7d numbers, %9d flops\n", "sparse", counts.NonZeros, counts.Flops)

	span, err := tree.NewPlan(mech, tree.Options{})
	if err != nil {
		return err
	}
	accelerations := make([]spatial.ClassicalAccel, mech.NumBodies())
	for _, method := range []tree.Method{tree.Direct, tree.Lambda, tree.Projection} {
		s := span.NewSolver(method, tree.SolverOptions{})
		if err := s.Solve(plan.Initial()); err != nil {
			return err
		}
		s.AccelerationsTo(accelerations)
		size, off := 0.0, 0.0
		for i, a := range accelerations {
			c := solver.ComAcceleration(i)
			size, off = max(size, c.Norm()), max(off, a.Linear().Sub(c).Norm())
		}
		counts := s.Counts()
		agree := "as above"
		if !(off < 1e-9*size) {
			agree = fmt.Sprintf("off by %.1g", off/size)
		}
		fmt.Printf("%-11s %7d numbers, %9d flops, accelerations %s\n", method, counts.NonZeros, counts.Flops, agree)
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
