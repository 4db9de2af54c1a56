package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
)

// TestPace: a run whose end is out of reach says so, with the body to blame, where it would continue for years; one
// that has far to go but gets there does not.
func TestPace(t *testing.T) {
	m := freeTop()
	m.Bodies[0].Velocity.Angular = [3]float64{1e12, 1e12, 1e11}
	r := newRig(t, m)
	s := r.simulate(sim.DormandPrince(), 0, sim.Options{Projector: sim.NoProjector})
	err := s.Run(1)
	require.ErrorIs(t, err, sim.ErrStepTooSmall)
	var at *mechanism.Error
	require.ErrorAs(t, err, &at)
	require.Equal(t, m.Bodies[0].Name, at.Body)
	require.ErrorContains(t, err, "steps away: the estimated error is that of this body, which turns at")
	require.Greater(t, s.State().Time, 0.0)
	// The same steps to a near end.
	steps := s.Stats().Steps
	near := s.State().Time
	again := r.simulate(sim.DormandPrince(), 0, sim.Options{Projector: sim.NoProjector})
	require.NoError(t, again.Run(near))
	require.GreaterOrEqual(t, again.Stats().Steps, steps-1)
}

// TestPaceOfTurns: where steps have no error and are short for the turns of a body, that body is named.
func TestPaceOfTurns(t *testing.T) {
	m := freeTop()
	m.Bodies[0].Inertia = model.Inertia{XX: 1, YY: 1, ZZ: 1}
	m.Bodies[0].Velocity.Angular = [3]float64{0, 0, 1e12}
	s := newRig(t, m).simulate(sim.DormandPrince(), 0, sim.Options{Projector: sim.NoProjector})
	err := s.Run(1)
	require.ErrorIs(t, err, sim.ErrStepTooSmall)
	var at *mechanism.Error
	require.ErrorAs(t, err, &at)
	require.Equal(t, m.Bodies[0].Name, at.Body)
	require.ErrorContains(t, err, "steps away; this body turns fastest, at 1e+12 rad/s")
}

// TestZeroValues: what has not been made says how it is made.
func TestZeroValues(t *testing.T) {
	r := newRig(t, freeTop())
	k := r.rungeKutta(sim.DormandPrince(), 0)
	st := r.mech.Initial()
	require.PanicsWithValue(t, "sim: zero Simulation; use New", func() { _ = new(sim.Simulation).Run(1) })
	require.PanicsWithValue(t, "sim: zero Simulation; use New", func() { _ = (*sim.Simulation)(nil).Run(1) })
	require.PanicsWithValue(t, "sim: no mechanism", func() { sim.New(nil, k, st, sim.Options{Projector: sim.NoProjector}) })
	require.PanicsWithValue(t, "sim: no stepper", func() { sim.New(r.mech, nil, st, sim.Options{Projector: sim.NoProjector}) })
	require.PanicsWithValue(t, "sim: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { sim.New(r.mech, k, nil, sim.Options{Projector: sim.NoProjector}) })
}

// TestNestedRun: a run within a run of the same simulation panics.
func TestNestedRun(t *testing.T) {
	r := newRig(t, freeTop())
	s := r.simulate(sim.DormandPrince(), 0, sim.Options{Projector: sim.NoProjector, OnStep: func(s *sim.Simulation) error { return s.Run(1) }})
	require.PanicsWithValue(t, "sim: Simulation used by two goroutines", func() { _ = s.Run(1) })
}
