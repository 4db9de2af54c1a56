package kkt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
)

// Any number of threads gives the same bits, solve after solve and in reports, on
// mechanisms that are divided into several tasks and ranges.
//
//rung:race
func TestThreadsGiveTheSameBits(t *testing.T) {
	type sized struct {
		family string
		n      int
	}
	for _, c := range check.Some([]sized{{"ladder", 3000}, {"nfourbar", 800}, {"random", 2000}, {"chain", 3000}, {"tree", 3000}, {"grid", 25}}, 3) {
		m := generate(t, c.family, c.n, 1)
		var want, wantLambda []float64
		for _, threads := range check.Few([]int{1, 2, 3}, []int{1, 2}) {
			p, err := rung.NewPlan(m, kkt.Options{Threads: threads})
			require.NoError(t, err)
			s, st := p.NewSolver(), p.Initial()
			for range check.Few(3, 2) {
				require.NoError(t, s.Solve(st))
				a := make([]float64, 6*p.Mechanism().NumBodies())
				s.AccelerationsTo(a)
				var lambda []float64
				for j := range p.Mechanism().NumJoints() {
					var v [6]float64
					lambda = append(lambda, v[:s.Reactions().MultipliersTo(&v, j)]...)
				}
				if want == nil {
					want, wantLambda = a, lambda
				}
				require.Equal(t, want, a, "%s on %d threads", c.family, threads)
				require.Equal(t, wantLambda, lambda, "%s on %d threads", c.family, threads)
			}
			if threads == 2 {
				require.Zero(t, testing.AllocsPerRun(10, func() { require.NoError(t, s.Solve(st)) }), c.family)
			}
		}
	}
}

//rung:race
func TestThreadsPanic(t *testing.T) {
	m := generate(t, "chain", 2, 1)
	require.PanicsWithValue(t, "kkt: number of threads out of range", func() {
		_, _ = rung.NewPlan(m, kkt.Options{Threads: -1})
	})
}
