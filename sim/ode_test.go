package sim_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/sim"
)

// swing is y″ = −y·cos t as two numbers.
func swing(dst, y []float64, t float64) error {
	dst[0], dst[1] = y[1], -y[0]*math.Cos(t)
	return nil
}

// TestODEOrders: halved steps divide the error of each method by two to its order, forth and back in time.
func TestODEOrders(t *testing.T) {
	ctx := context.Background()
	exact := []float64{1, 0.5}
	require.NoError(t, sim.NewODE(2, swing, sim.DormandPrince()).Fixed(ctx, exact, 0, 3, 1e-3))
	for _, tab := range append([]*sim.Tableau{sim.Euler()}, tableaux...) {
		ode := sim.NewODE(2, swing, tab)
		last := 0.0
		for i := range 3 {
			h := 0.01 * float64(tab.Order) / math.Pow(2, float64(i))
			y := []float64{1, 0.5}
			require.NoError(t, ode.Fixed(ctx, y, 0, 3, h))
			off := math.Hypot(y[0]-exact[0], y[1]-exact[1])
			if i > 0 {
				require.InDelta(t, float64(tab.Order)+0.6, math.Log2(last/off), 0.8, tab.Name) // an order more where errors cancel
			}
			last = off
			require.NoError(t, ode.Fixed(ctx, y, 3, 0, h))
			check.CloseVec(t, y, []float64{1, 0.5}, 10*off+1e-12, 1, "%s, back", tab.Name)
		}
	}
}

// TestODEWithin: the error follows the tolerance, and the number of steps grows as for a method of order 5.
func TestODEWithin(t *testing.T) {
	ctx := context.Background()
	exact := []float64{1, 0.5}
	require.NoError(t, sim.NewODE(2, swing, sim.DormandPrince()).Fixed(ctx, exact, 0, 3, 1e-3))
	before := 0
	for i, tol := range []float64{1e-5, 1e-8, 1e-11} {
		ode := sim.NewODE(2, swing, sim.DormandPrince())
		y := []float64{1, 0.5}
		require.NoError(t, ode.Within(ctx, y, 0, 1, tol))
		require.NoError(t, ode.Within(ctx, y, 1, 3, tol))
		check.CloseVec(t, y, exact, 20*tol, 1, "tolerance %v", tol)
		if i > 0 {
			require.Less(t, ode.Steps(), 5*before)
		}
		before = ode.Steps()
	}
}

func TestODEErrors(t *testing.T) {
	ctx := context.Background()
	y := []float64{1, 0}
	broken := errors.New("sim: broken")
	ode := sim.NewODE(2, func(_, _ []float64, at float64) error {
		if at > 0.5 {
			return broken
		}
		return nil
	}, sim.DormandPrince())
	require.ErrorIs(t, ode.Fixed(ctx, y, 0, 1, 0.1), broken)
	require.ErrorContains(t, ode.Within(ctx, y, 0, 1, 1e-6), "sim: rates at t = ")
	blowUp := sim.NewODE(1, func(dst, y []float64, _ float64) error { dst[0] = y[0] * y[0]; return nil }, sim.DormandPrince())
	require.ErrorIs(t, blowUp.Within(ctx, []float64{1}, 0, 2, 1e-6), sim.ErrStepTooSmall)
	require.ErrorIs(t, ode.Fixed(ctx, y, 0, 1, 1e-310), sim.ErrStepTooSmall)
	ended, end := context.WithCancelCause(ctx)
	end(broken)
	require.ErrorIs(t, ode.Fixed(ended, y, 0, 1, 0.1), broken)
	require.ErrorIs(t, ode.Within(ended, y, 0, 1, 1e-6), broken)
	for _, bad := range []func(){
		func() { sim.NewODE(0, swing, sim.Euler()) },
		func() { _ = ode.Fixed(ctx, y[:1], 0, 1, 1) }, func() { _ = ode.Fixed(ctx, y, 0, 1, 0) },
		func() { _ = ode.Within(ctx, y, 0, 1, 0) }, func() { _ = sim.NewODE(2, swing, sim.RungeKutta4()).Within(ctx, y, 0, 1, 1) },
	} {
		require.Panics(t, bad)
	}
}

// TestODETimes: times that no step can go along are refused. Else a call back in time would leave a step that goes back, with which the
// next call would never end, and one to no number would leave y as it is.
func TestODETimes(t *testing.T) {
	ctx := context.Background()
	ode, y := sim.NewODE(2, swing, sim.DormandPrince()), []float64{1, 0.5}
	require.PanicsWithValue(t, "sim: time runs backwards", func() { _ = ode.Within(ctx, y, 1, 0, 1e-6) })
	require.PanicsWithValue(t, "sim: time runs backwards", func() { _ = ode.Within(ctx, y, 0, math.NaN(), 1e-6) })
	require.PanicsWithValue(t, "sim: time is not a number", func() { _ = ode.Fixed(ctx, y, math.NaN(), 1, 0.1) })
	require.NoError(t, ode.Within(ctx, y, 1, 1, 1e-6))
	require.Equal(t, []float64{1, 0.5}, y)
}

func TestODEAllocatesNothing(t *testing.T) {
	ctx := context.Background()
	ode, y := sim.NewODE(2, swing, sim.DormandPrince()), []float64{1, 0.5}
	require.Zero(t, testing.AllocsPerRun(10, func() {
		if ode.Fixed(ctx, y, 0, 1, 0.1) != nil || ode.Within(ctx, y, 0, 1, 1e-6) != nil {
			panic("step")
		}
	}))
}
