//go:build !mpi

package mpi_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/dist/mpi"
)

// A program that takes the processes of mpirun where it is built with MPI, and goroutines elsewhere.
func Example() {
	m, err := bench.NFourBar(10, 0.4, 1)
	if err != nil {
		log.Fatal(err)
	}
	run := mpi.Run // from main, on all processes
	if err := mpi.Available(); err != nil {
		fmt.Println(err)
		run = func(rank func(dist.Comm) error) error { return dist.Run(2, rank) }
	}
	err = run(func(c dist.Comm) error {
		plan, err := dist.NewPlan(c, m, dist.Options{})
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
	// dist/mpi: built without MPI; build with -tags mpi (and mumps), see docs/cluster.md
	// 30 redundant rows
}
