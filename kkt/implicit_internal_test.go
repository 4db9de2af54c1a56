package kkt

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
)

// implicitSystem is the system of an implicit step of p at a state: its rows, and those of springs between neighbours, with slacks.
func implicitSystem(t *testing.T, p *Plan, st *mechanism.State, springs int) *Factored {
	t.Helper()
	y, nb := p.layout.NewWeighted(), p.mech.NumBodies()
	require.NoError(t, y.FillTo(st))
	rng := rand.New(rand.NewPCG(4, uint64(nb)))
	var list []sparse.Slack
	for i := range springs {
		ends := [2]int32{int32(rng.IntN(nb)), -1}
		if a := ends[0] + 1; i%3 > 0 && int(a) < nb {
			ends[1] = a
		}
		if i == 5 {
			ends = [2]int32{-1, -1}
		}
		list = append(list, sparse.Slack{Nodes: ends, Size: 1, Rows: 1})
	}
	pattern, symbolic := p.layout.Pattern, p.symbolic
	if springs > 0 {
		pattern = pattern.WithSlacks(list)
		symbolic, _, _ = factor.Choose(pattern, order.Auto, 1)
	}
	f := NewFactored(symbolic.NewFactor(), sparse.NewUnitMatrix(pattern), nil, make([]float64, pattern.Dim()), p.epsilon, KeepAll, nil)
	v := f.Matrix.Val[copy(f.Matrix.Val, y.Matrix.Val):]
	for _, s := range list {
		for _, end := range s.Nodes {
			for range 6 {
				if end >= 0 {
					v[0], v = rng.Float64()-0.5, v[1:]
				}
			}
		}
		v[0], v = -1, v[1:]
	}
	require.Empty(t, v)
	first := p.first()
	scale := f.Scale[first+springs:]
	for i := copy(scale, y.Scale[first:]); i < len(scale); i++ {
		scale[i] = 1
	}
	return f
}

// residualOf returns the largest residual of a solution of f for the random forces and rates b, relative to what is largest in it.
func residualOf(f *Factored, b []float64) float64 {
	x, r := make([]float64, len(b)), make([]float64, len(b))
	f.SolveTo(x, b)
	f.Matrix.ResidualTo(r, b, x)
	return algebra.MaxAbs(r) / math.Max(algebra.MaxAbs(x), 1)
}

// TestLeaveOut: the system of an implicit step is solved without spare rows and around hubs, with springs or without, and all rows hold.
// Where a state violates its joints by so much that spare rows do not depend on the others, the factor has the bits of the whole system.
func TestLeaveOut(t *testing.T) {
	const tol = 1e-8 // of one solve, without a correction: multipliers of a mast are some 1e4 times its forces
	for _, c := range []struct {
		name string
		n    int
	}{{"scissor", 10}, {"scissor", 30}, {"hoberman", 8}, {"miura", 4}, {"delta", 30}, {"jansen", 8}} {
		p := NewPlan(leanModel(t, c.name, c.n), Options{})
		for _, springs := range []int{0, 1, 12} {
			f, whole := implicitSystem(t, p, p.Initial(), springs), implicitSystem(t, p, p.Initial(), springs)
			f.LeaveOut(p, nil)
			require.NotNil(t, f.lean, "%s %d, %d springs", c.name, c.n, springs)
			require.InEpsilon(t, 1e3*p.epsilon, leanPart*f.lean.least, 1e-15)
			require.LessOrEqual(t, 2*f.lean.symbolic.Counts.Flops, f.Symbolic.Counts.Flops)
			require.NoError(t, f.Factorize(DropWeak))
			require.True(t, f.isLean(), "%s %d, %d springs", c.name, c.n, springs)

			// Rates of the rows are those of a motion, forces are any.
			x, b, zero := make([]float64, len(f.Scale)), make([]float64, len(f.Scale)), make([]float64, len(f.Scale))
			rng := rand.New(rand.NewPCG(9, 1))
			first := 6*p.mech.NumBodies() + springs
			for i := range first {
				x[i] = rng.Float64() - 0.5
			}
			f.Matrix.ResidualTo(b, zero, x)
			for i := range first {
				b[i] = rng.Float64() - 0.5
			}
			require.LessOrEqual(t, residualOf(f, b), tol, "%s %d, %d springs", c.name, c.n, springs)

			for _, part := range []float64{1e-7, 1e-2} {
				y := p.layout.NewWeighted()
				require.NoError(t, y.FillTo(tornBy(p.Initial(), part)))
				for _, f := range []*Factored{f, whole} {
					copy(f.Matrix.Val, y.Matrix.Val)
					f.Changed()
					require.NoError(t, f.Factorize(DropWeak))
				}
				require.Equal(t, part < 1e-5 || p.lean.spare() == 0, f.isLean(), "%s %d, %d springs, torn by %g", c.name, c.n, springs, part)
				if !f.isLean() {
					got, want := make([]float64, len(b)), make([]float64, len(b))
					f.SolveTo(got, b)
					whole.SolveTo(want, b)
					require.Equal(t, want, got)
				}
			}
		}
	}
	other := NewPlan(leanModel(t, "delta", 20), Options{})
	require.PanicsWithValue(t, "kkt: foreign pattern", func() {
		implicitSystem(t, NewPlan(leanModel(t, "delta", 4), Options{}), NewPlan(leanModel(t, "delta", 4), Options{}).Initial(), 0).LeaveOut(other, nil)
	})
	f := implicitSystem(t, NewPlan(leanModel(t, "ladder", 10), Options{}), NewPlan(leanModel(t, "ladder", 10), Options{}).Initial(), 3)
	f.LeaveOut(NewPlan(leanModel(t, "ladder", 10), Options{}), nil)
	require.Nil(t, f.lean)
}
