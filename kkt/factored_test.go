package kkt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
)

// lever is a body of six coordinates and a joint of as many rows as there are values, each on a coordinate of its own.
func lever(values ...float64) (f *factor.Factor, m *sparse.Matrix, right, scale []float64) {
	n := len(values)
	p := sparse.NewPattern([]int8{6, int8(n)}, []int8{1, -1}, []int32{0, 0, 1}, []int32{0})
	m, scale = sparse.NewUnitMatrix(p), make([]float64, 6+n)
	for i, v := range values {
		m.Val[7*i], scale[6+i] = v, 1
	}
	return factor.Analyze(p, []int32{0, 1}).NewFactor(), m, make([]float64, 6+n), scale
}

// TestWays: the way decides whether a row with a given pivot counts as redundant.
func TestWays(t *testing.T) {
	const small = 1e-5 // its square is between ε and 1e3·ε
	f, m, right, scale := lever(1, small)
	y := kkt.NewFactored(f, m, right, scale, 1e-12, kkt.KeepAll, nil)
	for w, weak := range map[kkt.Way]int{kkt.DropWeak: 1, kkt.DropWeakest: 0, kkt.KeepAll: 2} {
		require.NoError(t, y.Factorize(w), w)
		require.Equal(t, w, y.Way())
		require.Equal(t, weak, y.Weak, w)
	}
	require.ErrorIs(t, y.FactorizeFrom(kkt.KeepAllFirmly, kkt.ErrInaccurate), kkt.ErrInaccurate, "beyond the last way")
	names := map[string]bool{}
	for w := kkt.DropWeak; w <= kkt.TwiceTheDigits; w++ {
		names[w.String()] = true
	}
	require.Len(t, names, 6)
}

// TestFactorizeFrom goes on where a way fails, and names the node where the last one does.
func TestFactorizeFrom(t *testing.T) {
	f, m, right, scale := lever(1)
	at := func(node, _ int, err error) *mechanism.Error {
		return &mechanism.Error{Joint: [...]string{"the body", "the joint"}[node], JointIndex: node, Row: -1, Err: err}
	}
	y := kkt.NewFactored(f, m, right, scale, 1e-12, kkt.KeepAll, at)
	m.Val[0], scale[6] = 0, 0 // no pivot and no term in its place
	err := y.FactorizeFrom(kkt.DropWeak, nil)
	require.ErrorAs(t, err, new(*factor.PivotError))
	place := new(mechanism.Error)
	require.ErrorAs(t, err, &place)
	require.Equal(t, "the joint", place.Joint)
	require.Equal(t, kkt.KeepAll, y.Way())
	require.False(t, y.Current())
	m.Val[0] = 1
	require.NoError(t, y.FactorizeFrom(kkt.DropWeak, nil))
	require.Equal(t, kkt.DropWeak, y.Way())
	require.True(t, y.Current())
}

// TestFactoredIsTaken: who shares a factor knows when another has used it.
func TestFactoredIsTaken(t *testing.T) {
	f, m, right, scale := lever(1)
	a := kkt.NewFactored(f, m, right, scale, 1e-12, kkt.KeepAll, nil)
	b := kkt.NewFactored(f, m, right, scale, 1e-12, kkt.KeepAll, nil)
	require.False(t, a.Current())
	require.NoError(t, a.Factorize(kkt.DropWeak))
	require.True(t, a.Current())
	require.NoError(t, b.FactorizeDamped(scale, 1e-3))
	require.False(t, a.Current())
	require.True(t, b.Current())
	b.Changed()
	require.False(t, b.Current())
}

// TestFloorScales compares the rows of a joint in their units.
func TestFloorScales(t *testing.T) {
	for _, c := range []struct{ scale, unit, want []float64 }{
		{[]float64{4, 0, 1e-9}, nil, []float64{4, 4e-8, 4e-8}},
		{[]float64{1, 0}, []float64{1, 100}, []float64{1, 1e-4}},
		{[]float64{0, 0}, []float64{1, 2}, []float64{1, 4}},
	} {
		kkt.FloorScales(c.scale, c.unit)
		require.InDeltaSlice(t, c.want, c.scale, 1e-15)
	}
}

// TestSolveOnce has the accelerations of Solve to rounding, and leaves no result.
func TestSolveOnce(t *testing.T) {
	for _, name := range []string{"four-bar", "n-four-bar-3", "driven-crank"} {
		p := newPlan(t, golden(t, name), order.Auto)
		s := p.NewSolver()
		require.NoError(t, s.Solve(p.Initial()))
		want, got := make([]float64, 6*p.Mechanism().NumBodies()), make([]float64, 6*p.Mechanism().NumBodies())
		s.AccelerationsTo(want)
		require.NoError(t, s.Stages().Factorize())
		require.Zero(t, testing.AllocsPerRun(5, func() { s.Stages().SolveOnceTo(got) }))
		require.InDeltaSlice(t, want, got, 1e-9, name)
		require.PanicsWithValue(t, "kkt: no solution", func() { s.AccelerationsTo(got) })
		require.PanicsWithValue(t, "kkt: length mismatch", func() { s.Stages().SolveOnceTo(got[1:]) })
		require.NoError(t, s.Stages().Refine(), "the factor is still there")
	}
}

// TestRankAt is the rank of a Report, with its redundant rows.
func TestRankAt(t *testing.T) {
	for _, name := range []string{"four-bar", "n-four-bar-3", "ball-ladder-5"} {
		p := newPlan(t, golden(t, name), order.Auto)
		s, st := p.NewSolver(), p.Initial()
		require.NoError(t, s.Solve(st))
		want := report(t, s)
		got, err := s.RankAt(st)
		require.NoError(t, err)
		require.Equal(t, want.Rank, got.Rank, name)
		require.Equal(t, want.RedundantRows, got.RedundantRows, name)
		require.PanicsWithValue(t, "kkt: no solution", func() { s.Refinement() })
		require.PanicsWithValue(t, "kkt: not assembled", func() { _ = s.Stages().Factorize() })
		require.NoError(t, s.Solve(st))
	}
}
