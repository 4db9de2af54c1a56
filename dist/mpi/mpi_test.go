//go:build mpi && cgo

package mpi_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/dist/mpi"
	"github.com/rung-mbd/rung/dist/mumps"
	"github.com/rung-mbd/rung/internal/test/disttest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// TestMain is the test: MPI wants the main thread, which tests do not have. It is run by make test-mpi with several
// numbers of processes.
func TestMain(*testing.M) {
	flag.Parse()
	err := mpi.Run(func(c dist.Comm) error {
		if n, _ := strconv.Atoi(os.Getenv("RUNG_RANGE")); n > 0 {
			return ranges(c, n)
		}
		if what := os.Getenv("RUNG_TIME"); what != "" {
			return timings(c, what)
		}
		if how := os.Getenv("RUNG_ENDS"); how != "" {
			return early(c, how)
		}
		if base := os.Getenv("RUNG_RUN"); base != "" {
			return course(c, base)
		}
		roots := []dist.RootMaker{dist.NewSparseRoot}
		if mumps.Available() == nil {
			roots = append(roots, mumps.NewRoot, mumps.Options{LowRank: 1e-10}.NewRoot)
		}
		var failed error
		for i, root := range roots {
			name := [...]string{"sparse", "mumps", "mumps, low rank"}[i]
			for _, k := range disttest.Cases(os.Getenv("RUNG_LARGE") != "") {
				off, err := disttest.Check(c, k, dist.Options{Root: root}, name == "sparse")
				if err != nil {
					if c.Rank() == 0 {
						fmt.Printf("FAIL %d ranks, root %-6s %v\n", c.Size(), name, err)
					}
					failed = err // of all ranks; the others have their turn
				}
				all := make([]float64, c.Size())
				all[c.Rank()] = off
				for r := range all {
					all[r] = disttest.Sum(c, all[r])
				}
				if c.Rank() == 0 && err == nil {
					fmt.Printf("ok   %d ranks, root %-6s %-12s %6d  off by %.1e\n", c.Size(), name, k.Family, k.Size, slices.Max(all))
				}
			}
		}
		return failed
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// ranges solves a ladder of n bodies of which no rank ever has more than its part. RUNG_RANGE=5000000 mpirun -n 4
// takes five million bodies. With one rank it is solved in one process, without package dist. It prints the
// accelerations of some bodies, to be compared, and the memory of each rank.
func ranges(c dist.Comm, n int) error {
	chosen := []int64{0, 1, int64(n / 4), int64(n/4) - 1, int64(n / 3), int64(n / 2), int64(n/2) - 1, int64(n - 2), int64(n - 1)}
	print := func(body int64, a []float64) { fmt.Printf("body %d %x\n", body, a) }
	if c.Size() == 1 {
		m, err := bench.Generate("ladder", n, 1)
		if err != nil {
			return err
		}
		mech, err := mechanism.New(m)
		if err != nil {
			return err
		}
		m = nil
		s := kkt.NewPlan(mech, kkt.Options{}).NewSolver()
		if err := s.Solve(mech.Initial()); err != nil {
			return err
		}
		a := make([]float64, 6*n)
		s.AccelerationsTo(a)
		for _, b := range chosen {
			print(b, a[6*b:6*b+6])
		}
		return nil
	}
	part, err := bench.LadderPart(n, 1, c.Rank(), c.Size())
	if err = dist.Agree(c, err); err != nil {
		return err
	}
	piece := dist.Piece(*part)
	part = nil
	p, err := dist.NewPlanOf(c, &piece, dist.Options{})
	if err != nil {
		return err
	}
	piece.Model = nil
	s, err := p.NewSolver()
	if err != nil {
		return err
	}
	if err := s.Solve(p.Mechanism().Initial()); err != nil {
		return err
	}
	own := p.Piece().Own
	a := make([]float64, 6*own)
	s.AccelerationsTo(a)
	for _, b := range chosen {
		if i := slices.Index(p.Piece().Body[:own], b); i >= 0 {
			print(b, a[6*i:6*i+6])
		}
	}
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if kB, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			x, _ := strconv.ParseFloat(strings.Fields(kB)[0], 64)
			fmt.Printf("rank %d: %d bodies of its own, %d of others; %.2f GB, %.0f bytes a body; %d bytes sent in an evaluation\n",
				c.Rank(), own, len(p.Piece().Rank), x*1024/1e9, x*1024/float64(own), s.Sent())
		}
	}
	return nil
}

// course moves a ladder of 2000 bodies for 2000 steps with a checkpoint after each ten, from the latest that there
// is, and prints where it began and the bits of some bodies at the end. Whoever kills a rank of RUNG_RUN=FILE mpirun
// -n 4, and starts it again, sees the same bits.
func course(c dist.Comm, base string) error {
	m, err := bench.Generate("ladder", 2000, 1)
	if err != nil {
		return err
	}
	began := false
	end, at, err := disttest.Run(c, m, disttest.Course{Step: 1e-3, End: 2, Every: 10, Base: base}, func(done int) error {
		if !began && c.Rank() == 0 {
			fmt.Fprintf(os.Stderr, "step %d, process %d\n", done, os.Getpid())
		}
		began = true
		return nil
	})
	if err != nil {
		return err
	}
	if c.Rank() == 0 {
		fmt.Fprintf(os.Stderr, "began at %g s\n", at)
	}
	for b := int64(c.Rank()); b < 2000; b += 97 {
		if x, ok := end[b]; ok {
			fmt.Printf("rank %d, body %d %x\n", c.Rank(), b, x)
		}
	}
	return nil
}
