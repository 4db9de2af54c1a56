//go:build !mumps

package mumps_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/dist/mumps"
)

// The rows between pieces go to MUMPS where the program has it, compressed to 1e-10, and to the root in Go elsewhere.
func Example() {
	m, err := bench.NFourBar(10, 0.4, 1)
	if err != nil {
		log.Fatal(err)
	}
	o := dist.Options{Root: mumps.Options{LowRank: 1e-10}.NewRoot}
	if err := mumps.Available(); err != nil {
		fmt.Println(err)
		o.Root = nil
	}
	err = dist.Run(2, func(c dist.Comm) error { // mpi.Run with MUMPS
		plan, err := dist.NewPlan(c, m, o)
		if err != nil {
			return err
		}
		solver, err := plan.NewSolver()
		if err != nil {
			return err
		}
		defer solver.Close()
		if err := solver.Solve(plan.Mechanism().Initial()); err != nil {
			return err
		}
		if c.Rank() == 0 {
			fmt.Println(solver.Redundant(), "redundant rows")
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// dist/mumps: built without MUMPS; build with -tags mpi,mumps, see docs/cluster.md
	// 30 redundant rows
}
