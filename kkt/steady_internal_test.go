package kkt

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// TestCorrections: how many corrections a solution without spare rows needs. Each takes two passes through the factor, so more of them are
// a loss of time that no other test sees.
func TestCorrections(t *testing.T) {
	for i, c := range []struct {
		family string
		n      int
		most   int
	}{
		{"scissor", 40, 1}, {"scissor", 160, 2}, {"hoberman", 158, 1}, {"miura", 8, 1}, {"excavator", 20, 1},
		{"scissor", 640, 1}, {"scissor", 1200, 2}, {"hoberman", 638, 2}, {"miura", 35, 1},
	} {
		if i >= 5 && testing.Short() {
			return
		}
		p := NewPlan(leanModel(t, c.family, c.n), Options{})
		s := p.NewSolver()
		require.NoError(t, s.Solve(p.Initial()))
		require.True(t, s.whole.isLean(), "%s %d", c.family, c.n)
		require.LessOrEqual(t, s.Refinement().Steps, c.most, "%s %d", c.family, c.n)
	}
}

// TestSteady: in a steady order each body comes behind its joints to bodies before, and the mast has the accelerations that it has in
// other orders, with fewer corrections where it is long. Others keep the order that they had.
func TestSteady(t *testing.T) {
	p := NewPlan(leanModel(t, "scissor", 60), Options{})
	l, first := p.lean, p.Lean()
	require.Nil(t, l.plain)
	y, st, n := p.layout.NewWeighted(), p.Initial(), 6*p.mech.NumBodies()
	want, got := make([]float64, n), make([]float64, n)
	s := p.NewSolver()
	require.NoError(t, s.Solve(st))
	s.AccelerationsTo(want)
	same, err := l.steady(t.Context(), p, y, st, steadyFrom-1)
	require.NoError(t, err)
	require.Same(t, l, same, "few corrections")
	same, err = l.steady(t.Context(), p, y, st, steadyFrom)
	require.NoError(t, err)
	require.Same(t, l, same, "it does not pay")
	p.lean, err = l.steady(t.Context(), p, y, st, 100)
	require.NoError(t, err)
	require.Same(t, l, p.lean.plain)
	require.Equal(t, first, p.Lean())

	q, place := p.lean.rows.Pattern, make(map[int32]int)
	for k, v := range p.lean.symbolic.Order() {
		place[v] = k
	}
	for j := q.Positive(); j < q.Len(); j++ {
		of := q.Ind[q.Ptr[j]:q.Ptr[j+1]]
		last := 0
		for _, b := range of {
			last = max(last, place[b])
		}
		require.Equal(t, len(of) > 1, place[int32(j)] < last, "node %d", j)
	}
	s = p.NewSolver()
	require.NoError(t, s.Solve(st))
	require.True(t, s.whole.isLean())
	s.AccelerationsTo(got)
	check.CloseVec(t, got, want, 1e-12, check.MaxAbs(want), "accelerations")

	for _, fallen := range []float64{0.5, 2} {
		for i := range p.lean.floor {
			p.lean.floor[i] *= fallen / leanPart
		}
		require.NoError(t, s.Solve(st))
		require.Equal(t, fallen < 1, s.whole.isLean(), "rows below %v of the least pivot beside them", fallen)
		for i := range p.lean.floor {
			p.lean.floor[i] /= fallen / leanPart
		}
	}

	ring := NewPlan(leanModel(t, "hoberman", 30), Options{})
	same, err = ring.lean.steady(t.Context(), ring, ring.layout.NewWeighted(), ring.Initial(), 100)
	require.NoError(t, err)
	require.Same(t, ring.lean, same, "rows depend on each other while bodies behind them are at rest")
}
