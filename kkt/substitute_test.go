package kkt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
)

// substituteTol is what refinement leaves of one substitution, relative to the largest acceleration.
const substituteTol = 1e-6

// TestSubstitute: one substitution is next to the solution, whole and reduced, allocates nothing, and can be repeated.
func TestSubstitute(t *testing.T) {
	for _, name := range []string{"four-bar", "n-four-bar-40", "ball-ladder-5"} {
		p, err := kkt.NewPlan(golden(t, name), kkt.Options{})
		require.NoError(t, err)
		s, n := p.NewSolver(), 6*p.Mechanism().NumBodies()
		want, got := make([]float64, n), make([]float64, n)
		require.NoError(t, s.Solve(p.Initial()))
		s.AccelerationsTo(want)
		size := 0.0
		for _, x := range want {
			size = max(size, x, -x)
		}
		require.NoError(t, s.Assemble(p.Initial()))
		require.PanicsWithValue(t, "kkt: no factor", func() { s.SubstituteTo(got) })
		for range 2 {
			require.NoError(t, s.Factorize())
			s.SubstituteTo(got)
			check.CloseVec(t, got, want, substituteTol, size, "%s", name)
		}
		require.PanicsWithValue(t, "kkt: length mismatch", func() { s.SubstituteTo(got[1:]) })
		require.PanicsWithValue(t, "kkt: no solution", func() { s.AccelerationsTo(got) })
		require.Zero(t, testing.AllocsPerRun(10, func() {
			if s.Factorize() != nil {
				t.Fail()
			}
			s.SubstituteTo(got)
		}))
	}
}
