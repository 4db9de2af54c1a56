package kkt

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
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

// TestSpareCounts: as many rows are spare as the closed forms of package bench say, and a solution leaves them out. An elimination of the
// products of rows loses dependent ones among rounding in rings, spheres and nets of this size.
func TestSpareCounts(t *testing.T) {
	for _, c := range check.Some([]struct {
		family              string
		n, spare, mostSteps int
	}{
		{"hoberman-sphere", 100, 3664, 2}, {"revolute-net", 40, 4800, 0}, {"hoberman", 2498, 10004, 3},
		{"hoberman", 4998, 20004, 10}, {"hoberman-sphere", 833, 30052, 6}, {"revolute-net", 49, 7203, 0},
	}, 1) {
		p := NewPlan(leanModel(t, c.family, c.n), Options{})
		require.NotNil(t, p.lean, "%s %d", c.family, c.n)
		require.Equal(t, c.spare, p.lean.spare(), "%s %d", c.family, c.n)
		require.NotNil(t, p.Lean(), "there is an order for others")
		s := p.NewSolver()
		require.NoError(t, s.Solve(p.Initial()))
		require.True(t, s.whole.isLean(), "%s %d", c.family, c.n)
		require.LessOrEqual(t, s.Refinement().Steps, c.mostSteps, "%s %d", c.family, c.n)
		_, redundant := s.Nearness()
		require.Equal(t, c.spare, redundant, "%s %d", c.family, c.n)
	}
}

// choiceOf returns the search for the spare rows of a mechanism at a state; nil stands for that of the model.
func choiceOf(t *testing.T, mech *mechanism.Mechanism, st *mechanism.State) *choice {
	p := NewPlan(mech, Options{})
	if st == nil {
		st = p.Initial()
	}
	c := &choice{p: p, y: p.layout.NewWeighted(), st: st, enough: p.symbolic.Counts.Flops}
	require.True(t, c.fill())
	return c
}

// TestCountOfARoughPose: parts of rows that errors of the pose may have made do not count.
func TestCountOfARoughPose(t *testing.T) {
	mech := leanModel(t, "scissor", 10)
	c := choiceOf(t, mech, torn(mech.Initial()))
	l, err := c.count(t.Context())
	require.NoError(t, err)
	require.NotNil(t, l)
	require.Equal(t, spareOfMast(10), c.spare)
}

// TestCountIsClear: the number of spare rows is not taken where a row that counts is hardly firmer than one that does not.
func TestCountIsClear(t *testing.T) {
	for _, c := range []struct {
		off   float64 // of the second four-bar from its flat pose, where the first one is off by 1e-10
		clear bool
	}{{1e-8, false}, {1e-3, true}} {
		m, err := bench.NFourBar(1, math.Pi/2-1e-10, 1)
		require.NoError(t, err)
		other, err := bench.NFourBar(1, math.Pi/2-c.off, 1)
		require.NoError(t, err)
		beside(m, other)
		of := choiceOf(t, compiled(t, m), nil)
		l, err := of.count(t.Context())
		require.NoError(t, err)
		require.Equal(t, c.clear, l != nil, "%g", c.off)
	}
}

// TestFromEndsCounts: rows that are chosen from the ends are as many as orthogonal factors have counted, or they are not taken.
func TestFromEndsCounts(t *testing.T) {
	c := choiceOf(t, leanModel(t, "scissor", 10), nil)
	_, err := c.count(t.Context())
	require.NoError(t, err)
	l, err := c.fromEnds(t.Context())
	require.NoError(t, err)
	require.NotNil(t, l)
	for _, off := range []int{-1, 1} {
		c.spare = spareOfMast(10) + off
		l, err = c.fromEnds(t.Context())
		require.NoError(t, err)
		require.Nil(t, l)
	}
}

// TestBeginsWithOrthogonalFactors: where every order loses pivots of rows that count, as one does that takes pivots up to 5e-4 for lost,
// a plan begins with orthogonal factors if they solve. A Solver goes on to others where they do not.
func TestBeginsWithOrthogonalFactors(t *testing.T) {
	const n, tol = 60, 1e-9
	mech := leanModel(t, "scissor", n)
	plain := NewPlan(mech, Options{})
	require.False(t, plain.orthogonal)
	p := NewPlan(mech, Options{Epsilon: 5e-3})
	require.False(t, p.lean != nil)
	require.True(t, p.orthogonal)
	s, want := p.NewSolver(), plain.NewSolver()
	compare := func(st *mechanism.State, way Way) {
		require.NoError(t, s.Solve(st))
		require.NoError(t, want.Solve(st))
		require.Equal(t, way, s.way)
		a, b := make([]float64, 12*n), make([]float64, 12*n)
		s.AccelerationsTo(a)
		want.AccelerationsTo(b)
		require.InDeltaSlice(t, b, a, tol*algebra.MaxAbs(b))
	}
	compare(p.Initial(), Orthogonal)
	_, redundant := s.Nearness()
	require.Equal(t, spareOfMast(n), redundant)

	p = NewPlan(mech, Options{})
	p.orthogonal, p.lean = true, nil
	s = p.NewSolver()
	compare(p.Initial(), Orthogonal)
	require.NoError(t, s.Solve(torn(p.Initial())))
	require.NotEqual(t, Orthogonal, s.way, "rows contradict each other")
	ctx, end := context.WithCancel(t.Context())
	end()
	_, err := p.isOrthogonal(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// beside adds the bodies and joints of another model to m.
func beside(m, other *model.Model) {
	rename := func(name string) string {
		if name == model.World {
			return name
		}
		return "other " + name
	}
	for _, b := range other.Bodies {
		b.Name = rename(b.Name)
		m.Bodies = append(m.Bodies, b)
	}
	for _, j := range other.Joints {
		j.Name, j.Predecessor, j.Successor = rename(j.Name), rename(j.Predecessor), rename(j.Successor)
		m.Joints = append(m.Joints, j)
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
