package live

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
)

// TestTrainIsPlayed: a train that hangs from a closed track goes on while a page looks on, keeps its energy, and stays on the track.
func TestTrainIsPlayed(t *testing.T) {
	check.Long(t)
	doc, err := model.ReadFile(filepath.Join("..", "docs", "coaster.model.json"))
	require.NoError(t, err)
	session, clock := newTest(t, doc, Options{})
	energy := func() float64 {
		st, k := session.sim.State(), session.mech.NewKinematics()
		require.NoError(t, session.mech.KinematicsTo(k, st))
		e := session.mech.EnergyAt(k, st)
		return e.Kinetic + e.Potential()
	}
	was, start := energy(), session.sim.State().Angles[0]
	for range 240 {
		clock.at = clock.at.Add(frameTime)
		session.tick()
	}
	require.Empty(t, session.failure)
	st := session.sim.State()
	require.InDelta(t, 4, st.Time, 0.05)
	require.InEpsilon(t, was, energy(), 1e-3)
	require.Greater(t, st.Angles[0], start+0.4)
	require.NoError(t, session.mech.Holds(st))
}
