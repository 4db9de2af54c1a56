//go:build mpi && cgo

package mpi_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/dist/mumps"
)

// timings prints the wall times of the analysis and of an evaluation, the least of some, of a mechanism in pieces, with
// both roots: RUNG_TIME=grid:300 mpirun -n 2. Beside them stands MUMPS on the whole system,
// bench/peers/cpp/mumps_mpi.cpp.
func timings(c dist.Comm, what string) error {
	family, size, _ := strings.Cut(what, ":")
	n := 0
	if _, err := fmt.Sscan(size, &n); err != nil {
		return fmt.Errorf("RUNG_TIME is family:size: %w", err)
	}
	m, err := bench.Generate(family, n, 1)
	if err != nil {
		return err
	}
	for _, root := range []struct {
		name string
		make dist.RootMaker
	}{{"mumps", mumps.NewRoot}, {"sparse", dist.NewSparseRoot}} {
		if err := dist.Agree(c, nil); err != nil {
			return err
		}
		t0 := time.Now()
		p, err := dist.NewPlan(c, m, dist.Options{Root: root.make})
		if err != nil {
			return err
		}
		s, err := p.NewSolver()
		if err != nil {
			return err
		}
		analysis := time.Since(t0)
		st := p.Mechanism().Initial()
		least := time.Hour
		const rounds = 15
		for range rounds {
			if err := dist.Agree(c, nil); err != nil {
				return err
			}
			t0 = time.Now()
			if err := s.Solve(st); err != nil {
				return err
			}
			if err := dist.Agree(c, nil); err != nil {
				return err
			}
			least = min(least, time.Since(t0))
		}
		if c.Rank() == 0 {
			_, held := p.HeldRows()
			fmt.Printf("%s, %d ranks, root %s of %d rows: analysis %.3f s, evaluation %.4f s, %d corrections, %d bytes of rank 0\n",
				what, c.Size(), root.name, held, analysis.Seconds(), least.Seconds(), s.Steps(), s.Sent())
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}
