package ik

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/spatial"
)

// TestProducts: the Jacobian of a solver is that of a planar arm, and its products are products with it; with every
// engine, at the state that Reach has stored and at any other; nothing is allocated.
func TestProducts(t *testing.T) {
	plan := planar(t, 0.5, 0.4, 0.3)
	tip := tipOf(3, 0.3, 0.5, 0.6)
	tip.Weight = []float64{2, 1, 0}
	p := testProblem(t, plan, &Task{Targets: []Target{tip}})
	for _, o := range []Options{{}, {Engine: DrivenEngine}, {Method: Sparse}} {
		s := testSolver(t, p, o)
		J := fik.NewDense(2, 3, nil)
		require.PanicsWithValue(t, "ik: no state: call Set or Reach first", func() { s.JacobianTo(J) })
		st := plan.Mechanism().Initial()
		r, err := s.Reach(st)
		require.NoError(t, err)
		if o.Method == Sparse {
			require.NoError(t, s.Set(st))
		}
		s.JacobianTo(J)
		angle, at := 0.0, spatial.Vec3{0.5, 0.6}
		for k, l := range []float64{0.5, 0.4, 0.3} { // column k: z × (tip − hinge k), the first row twice
			require.InDelta(t, -2*at[1], J.Row(0)[k], 1e-9)
			require.InDelta(t, at[0], J.Row(1)[k], 1e-9)
			angle += r.Driven[k].Value
			at = at.Sub(spatial.Vec3{l * math.Cos(angle), l * math.Sin(angle)})
		}
		dx, u, e := make([]float64, 2), make([]float64, 3), make([]float64, 2)
		wantX, wantU := make([]float64, 2), make([]float64, 3)
		s.MulTo(dx, []float64{1, -2, 0.5})
		J.MulTo(wantX, []float64{1, -2, 0.5})
		s.MulTransTo(u, []float64{3, -1})
		J.MulTransTo(wantU, []float64{3, -1})
		require.InDeltaSlice(t, wantX, dx, 1e-12)
		require.InDeltaSlice(t, wantU, u, 1e-12)
		first := plan.Mechanism().Initial() // stretched along x
		require.NoError(t, s.Set(first))
		s.ErrorsTo(e)
		require.InDeltaSlice(t, []float64{2 * (0.5 - 1.2), 0.6}, e, 1e-12)
		require.Zero(t, testing.AllocsPerRun(5, func() {
			_ = s.Set(first)
			s.JacobianTo(J)
			s.MulTo(dx, u)
			s.MulTransTo(u, dx)
			s.ErrorsTo(e)
		}))
		require.Panics(t, func() { s.MulTo(dx, dx) })
		require.Panics(t, func() { s.JacobianTo(fik.NewDense(3, 2, nil)) })
		var _ fik.Linear = s
	}
}

// TestAimValue moves a distance and a coordinate between searches.
func TestAimValue(t *testing.T) {
	plan := planar(t, 0.5, 0.4, 0.3)
	away := Target{Name: "away", Type: Distance, Body: "link2", Length: 0.9}
	first := Target{Name: "first", Type: Coordinate, Freedom: "j0", Value: 0.1}
	p := testProblem(t, plan, &Task{Targets: []Target{away, first}})
	for _, o := range []Options{{}, {Method: Sparse}} {
		s, st := testSolver(t, p, o), plan.Mechanism().Initial()
		require.NoError(t, s.AimValue("first", 0.7))
		require.NoError(t, s.AimValue("away", 0.6))
		r, err := s.Reach(st)
		require.NoError(t, err)
		require.InDelta(t, 0.7, r.Driven[0].Value, 1e-8)
		require.ErrorIs(t, s.AimValue("nobody", 1), errUnknown)
		require.ErrorIs(t, s.AimValue("away", 0), errPlace)
		require.ErrorIs(t, s.AimValue("first", 1e60), errPlace)
		require.ErrorIs(t, s.Aim("first", [3]float64{}, [4]float64{1}), errUnknown)
	}
}

// TestWatch: every place of a search is shown, the first one and the last one included, and nothing of it changes.
//
//rung:race
func TestWatch(t *testing.T) {
	plan := planar(t, 0.5, 0.4, 0.3)
	tip := tipOf(3, 0.3, -0.5, 0.6)
	p := testProblem(t, plan, &Task{Targets: []Target{tip}, FIK: &FIKOptions{Options: fik.Options{Design: fik.DesignNorm}}})
	for _, o := range []Options{{}, {Restarts: 3, All: true}, {Method: Sparse}, {Method: FIKMethod, Steps: 20000}} {
		st, again := plan.Mechanism().Initial(), plan.Mechanism().Initial()
		r, err := testSolver(t, p, o).Reach(st)
		require.NoError(t, err)
		var off []float64
		starts, last := 0, -1
		s := testSolver(t, p, o)
		s.Watch(func(r *Result) {
			if off = append(off, r.Targets[0].Linear); r.Steps <= last {
				starts++
			}
			last = r.Steps
		})
		watched, err := s.Reach(again)
		require.NoError(t, err)
		require.Equal(t, st, again)
		require.Equal(t, r.Steps, watched.Steps)
		require.InDelta(t, math.Hypot(1.2+0.5, 0.6), off[0], 1e-12)
		if o.All {
			require.Equal(t, 3, starts)
			continue
		}
		require.Zero(t, starts)
		require.Len(t, off, r.Steps+1)
		require.InDelta(t, r.Targets[0].Linear, off[len(off)-1], 1e-12)
	}
}
