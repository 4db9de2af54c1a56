package linear_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// carriedSteps is the largest number of steps of a search that a constant force would drive on for ever.
const carriedSteps = 40

// requireCarried asserts that a search from the model's state ends soon, with a body that nothing holds.
func requireCarried(t *testing.T, m *model.Model) {
	t.Helper()
	p := planned(t, m)
	_, err := linear.Equilibrate(p, p.Initial(), linear.EquilibriumOptions{})
	require.ErrorIs(t, err, linear.ErrNoEquilibrium)
	var e *linear.UnbalancedError
	require.True(t, errors.As(err, &e))
	require.LessOrEqual(t, e.Steps, carriedSteps)
	require.Positive(t, e.Away)
	require.NotEmpty(t, e.Gone)
}

// sled is a body on a level rail that a force of 3 N pulls; set changes its joint.
func sled(t *testing.T, set func(j *rung.Joint)) *model.Model {
	b := rung.NewBuilder("sled").Gravity(0, 0, -9.81)
	body := b.Rod("sled", 2, 0.02, spatial.Vec3{}, spatial.Vec3{0.4, 0, 0})
	j := b.Prismatic("rail", rung.World, body, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
	j.Force = []float64{3}
	set(j)
	m, err := b.Model()
	require.NoError(t, err)
	return m
}

// TestCarriedOn: trailers that a torque drives, and a sled that is pulled, have no equilibrium, and the search ends after a few steps.
func TestCarriedOn(t *testing.T) {
	check.Long(t)
	for _, n := range []int{1, 10} {
		m, err := bench.Generate("trailers", n, 1)
		require.NoError(t, err)
		requireCarried(t, m)
	}
	requireCarried(t, sled(t, func(*rung.Joint) {}))
}

// TestCarriedToAStop: the search goes on to forces that begin to act later: a stop far away, and a weak spring.
func TestCarriedToAStop(t *testing.T) {
	limit := model.NoLimit()
	limit.Upper = 30
	limit.Stop = model.Stop{Normal: contact.Normal{Stiffness: 100, Exponent: 1}}
	for name, m := range map[string]*model.Model{
		"stop": sled(t, func(j *rung.Joint) { j.Limits = []*model.Limit{&limit} }),
		"weak": sled(t, func(j *rung.Joint) { j.Stiffness = []float64{0.1} }),
	} {
		p := planned(t, m)
		st := p.Initial()
		_, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
		require.NoError(t, err, name)
		require.InDelta(t, 30.03, st.Bodies[0].Position[0]-p.Initial().Bodies[0].Position[0], 0.031, name)
	}
}
