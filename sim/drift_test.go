package sim_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// counted is a sim.DriftProjector that counts, and fails at the given call.
type counted struct {
	*motion.Dynamics
	calls, fail int
}

var errProjector = errors.New("no")

func (c *counted) ProjectDrift(st *mechanism.State, boundP, boundV float64) (mechanism.Violation, error) {
	if c.calls++; c.calls == c.fail {
		return mechanism.Violation{}, errProjector
	}
	return c.Dynamics.ProjectDrift(st, boundP, boundV)
}

// plain is a Projector and nothing more.
type plain struct{ sim.Projector }

// TestDriftProjector: the ends of steps are measured and projected in one, once each; drifts and the number of
// projections are those of a plain Projector, and states but for what drift is left alone.
func TestDriftProjector(t *testing.T) {
	p, err := rung.NewPlan(open(t, "golden", "four-bar.model.json"), kkt.Options{})
	require.NoError(t, err)
	m := p.Mechanism()
	run := func(d *motion.Dynamics, proj sim.Projector) *sim.Simulation {
		return sim.New(m, sim.NewRungeKutta(m, d, sim.RungeKutta4(), sim.Tolerance{}), p.Initial(), sim.Options{Step: 0.01, OpenStages: true, Projector: proj})
	}
	d, e := motion.NewDynamics(p), motion.NewDynamics(p)
	c := &counted{Dynamics: d}
	got, want := run(d, c), run(e, plain{e})
	require.NoError(t, got.Run(0.5))
	require.NoError(t, want.Run(0.5))
	require.Equal(t, 50, c.calls)
	require.Equal(t, want.Stats().Projections, got.Stats().Projections)
	require.Greater(t, got.Stats().Projections, int64(10))
	require.InEpsilon(t, want.Stats().Worst.Position, got.Stats().Worst.Position, 1e-3)
	require.InEpsilon(t, want.Stats().Worst.Velocity, got.Stats().Worst.Velocity, 1e-3)
	require.Less(t, distance(got.State(), want.State()), 1e-8) // a hundred bounds of drift

	c = &counted{Dynamics: d, fail: 4}
	got = run(d, c)
	require.ErrorIs(t, got.Run(0.5), errProjector)
	require.InDelta(t, 0.03, got.State().Time, 1e-12, "the last good state")
	require.NoError(t, got.Run(0.05))
}
