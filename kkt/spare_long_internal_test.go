package kkt

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
)

// spareOfMast returns the number of redundant rows of a mast of n stages: rows 30n−8, mobility 1 (bench.Scissor).
func spareOfMast(n int) int { return 18*n - 7 }

// TestRowsFromEnds: from the free end of a mast, with inertias that fall with the distance, as many rows are spare as a count of freedoms
// says, however long it is.
func TestRowsFromEnds(t *testing.T) {
	for _, n := range []int{10, 80, check.Few(5000, 640)} {
		p, err := newPlan(t.Context(), leanModel(t, "scissor", n), DefaultEpsilon, 1)
		require.NoError(t, err)
		y, q := p.layout.NewWeighted(), p.layout.Pattern
		y.Unloaded = true
		require.NoError(t, y.FillTo(p.Initial()))
		bodies, distance := farthest(q)
		lighten(y, q, distance)
		l, err := p.chooseRows(t.Context(), factor.Analyze(q, order.OfBodies(q, bodies)).NewFactor(), y, 1)
		require.NoError(t, err)
		require.Equal(t, spareOfMast(n), l.spare(), "%d stages", n)
	}
}

// mastTol is the error of the turns of the rods of a mast beside their closed form: rounding times the square of the length.
const mastTol = 1e-7

// TestLongMasts: a mast of 5000 bodies and more has the spare rows that a count of freedoms says, few corrections, and the accelerations of
// its closed form. A proximal term tells none of these rows, so that an evaluation took a thousand times as long.
func TestLongMasts(t *testing.T) {
	check.Long(t)
	for _, c := range []struct{ n, most int }{{2500, 3}, {5000, 6}, {10000, 8}} {
		if c.n > 2500 && check.More() == 1 {
			continue // every night
		}
		p := NewPlan(leanModel(t, "scissor", c.n), Options{})
		require.NotNil(t, p.lean, "%d stages", c.n)
		require.Equal(t, spareOfMast(c.n), p.lean.spare())
		require.Nil(t, p.Lean(), "no order for others")
		s, st, a := p.NewSolver(), p.Initial(), make([]float64, 6*p.mech.NumBodies())
		require.NoError(t, s.Solve(st))
		require.True(t, s.whole.isLean(), "%d stages", c.n)
		require.LessOrEqual(t, s.Refinement().Steps, c.most, "%d stages", c.n)
		s.AccelerationsTo(a)
		want := bench.ScissorAcceleration(c.n, st.Bodies[0].Omega[2])
		for i := 2; i < len(a); i += 12 {
			require.InEpsilon(t, want, a[i], mastTol, "rod %d of %d stages", i/6, c.n)
			require.InEpsilon(t, -want, a[i+6], mastTol, "rod %d of %d stages", i/6+1, c.n)
		}
	}
}
