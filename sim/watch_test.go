package sim_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// cancels is a Dynamics that ends the context of its caller in one of its calls, and returns early
// as long as that has ended.
type cancels struct {
	sim.Dynamics
	left   int // calls until then
	cancel context.CancelCauseFunc
	ctx    context.Context
}

func (c *cancels) Watch(ctx context.Context) (end func()) {
	c.ctx = ctx
	return func() { c.ctx = nil }
}

func (c *cancels) Accelerations(a []float64, st *mechanism.State) error {
	if c.left--; c.left == 0 {
		c.cancel(assert.AnError)
	}
	if c.ctx != nil && c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	return c.Dynamics.Accelerations(a, st)
}

// TestRunContext: a run ends with its context at any point of a step, stands at a good state then, and continues with the
// bits and counts of a run that nobody has stopped.
func TestRunContext(t *testing.T) {
	for _, step := range []float64{0, 0.01} {
		run := func(left int) (*sim.Simulation, *memory) {
			rows := &memory{}
			r := golden(t, "four-bar")
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			dyn := &cancels{Dynamics: r.dyn, left: left, cancel: cancel}
			tab := sim.DormandPrince()
			if step > 0 {
				tab = sim.RungeKutta4()
			}
			s := sim.New(r.mech, sim.NewRungeKutta(r.mech, dyn, tab, sim.Tolerance{Relative: 1e-7}), r.mech.Initial(),
				sim.Options{Step: step, Projector: r.proj, Every: 0.003, Recorder: rows, Events: []sim.Event{{
					Name: "turn", Function: func(st *mechanism.State) float64 { return st.Bodies[0].Omega[2] - 1 },
				}}})
			err := s.RunContext(ctx, 0.5)
			if left > 0 {
				require.ErrorIs(t, err, assert.AnError)
				require.Contains(t, err.Error(), "sim: at t = ")
				require.Less(t, s.State().Time, 0.5)
				require.ErrorIs(t, s.RunContext(ctx, 0.5), assert.AnError)
				err = s.Run(0.5)
			}
			require.NoError(t, err)
			return s, rows
		}
		want, wantRows := run(0)
		for _, left := range []int{1, 2, 3, 7, 20, 23, 61, 62, 63, 64} {
			got, gotRows := run(left)
			require.Equal(t, want.State(), got.State(), "step %v, call %d", step, left)
			require.Equal(t, wantRows.states, gotRows.states, "step %v, call %d", step, left)
			require.Equal(t, want.Stats(), got.Stats(), "step %v, call %d", step, left)
		}
	}
}

// fails is a Dynamics with one call that fails.
type fails struct {
	sim.Dynamics
	left int // calls until then
}

func (f *fails) Accelerations(a []float64, st *mechanism.State) error {
	if f.left--; f.left == 0 {
		return assert.AnError
	}
	return f.Dynamics.Accelerations(a, st)
}

// TestProjectionsCountOnce: a step that is done again after an error counts its projection once.
func TestProjectionsCountOnce(t *testing.T) {
	run := func(left int) *sim.Simulation {
		r := golden(t, "four-bar")
		dyn := &fails{Dynamics: r.dyn, left: left}
		s := sim.New(r.mech, sim.NewRungeKutta(r.mech, dyn, sim.RungeKutta4(), sim.Tolerance{}), r.mech.Initial(),
			sim.Options{Step: 0.01, Projector: r.proj, Drift: sim.Drift{Position: 1e-15, Velocity: 1e-15}})
		err := s.Run(0.05)
		if left > 0 {
			require.ErrorIs(t, err, assert.AnError)
			err = s.Run(0.05)
		}
		require.NoError(t, err)
		return s
	}
	want := run(0)
	require.GreaterOrEqual(t, want.Stats().Projections, int64(4))
	for left := 1; left <= 12; left++ {
		got := run(left)
		require.Equal(t, want.Stats(), got.Stats(), "call %d", left)
		require.Equal(t, want.State(), got.State(), "call %d", left)
	}
}
