//go:build mpi && cgo

package mpi_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/dist/disttest"
	"github.com/rung-mbd/rung/dist/mpi"
	"github.com/rung-mbd/rung/dist/mumps"
)

// TestMain is the test: MPI wants the main thread, which tests do not have. It is run by make test-mpi with several numbers of processes.
func TestMain(*testing.M) {
	flag.Parse()
	err := mpi.Run(func(c dist.Comm) error {
		roots := []dist.RootMaker{dist.NewSparseRoot}
		if mumps.Available() == nil {
			roots = append(roots, mumps.NewRoot)
		}
		for i, root := range roots {
			name := [...]string{"sparse", "mumps"}[i]
			for _, k := range disttest.Cases(os.Getenv("RUNG_LARGE") != "") {
				if name == "mumps" {
					k.Tol *= 10 // sums in another order, and no refinement of its own
				}
				off, err := disttest.Check(c, k, dist.Options{Root: root}, name == "sparse")
				if err != nil {
					return fmt.Errorf("root %s: %w", name, err)
				}
				all := make([]float64, c.Size())
				all[c.Rank()] = off
				for r := range all {
					all[r] = disttest.Sum(c, all[r])
				}
				if c.Rank() == 0 {
					fmt.Printf("ok   %d ranks, root %-6s %-12s %6d  off by %.1e\n", c.Size(), name, k.Family, k.Size, slices.Max(all))
				}
			}
		}
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
