package mechanism_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestContactErrors: where a wheel cannot stand is an error with the names of contact and body, the time and the place.
func TestContactErrors(t *testing.T) {
	ball := func(terrain model.Terrain, at [3]float64) error {
		m := model.New("ball")
		m.Time = 2.5
		terrain.Name = "ground"
		m.Terrains = []model.Terrain{terrain}
		m.Bodies = []model.Body{{Name: "foot", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}, Pose: model.Pose{Position: at}}}
		m.Forces = []model.ForceElement{{Name: "sole", Type: model.ContactForce, A: model.Attachment{Body: "foot"}, Contact: &model.Contact{
			Terrain: "ground", Shape: contact.Shape{Type: contact.Sphere, Radius: 0.1}, Law: contact.Law{Normal: contact.Normal{Stiffness: 1e4, Exponent: 1}},
		}}}
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		k, s := mech.NewKinematics(), mech.Initial()
		require.NoError(t, mech.KinematicsTo(k, s))
		return mech.ForcesTo(make([]spatial.Force, 1), k, s)
	}
	grid := model.Terrain{Type: model.GridTerrain, Spacing: [2]float64{1, 1}, Heights: [][]float64{{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}}
	plane := model.Terrain{Type: model.PlaneTerrain}
	require.NoError(t, ball(plane, [3]float64{0, 0, 0.05}))
	for _, c := range []struct {
		terrain model.Terrain
		at      [3]float64
		err     error
		says    string
	}{
		{grid, [3]float64{5, 1, 0}, contact.ErrOffTerrain, "off the terrain"},
		{plane, [3]float64{0, 0, -0.2}, contact.ErrBuried, "below the ground by more than the radius"},
		{model.Terrain{Type: model.FunctionTerrain, Expression: "1000*x"}, [3]float64{0, 0, 0}, contact.ErrSteep, "the ground is too steep there"},
	} {
		err := ball(c.terrain, c.at)
		require.ErrorIs(t, err, c.err)
		require.ErrorContains(t, err, c.says)
		require.ErrorContains(t, err, c.says+`: body "foot" at (`)
		require.ErrorContains(t, err, "t = 2.5 s")
		require.ErrorAs(t, err, new(*mechanism.GroundError))
		require.NotNil(t, mechanism.GroundFault(err))
		var at *mechanism.Error
		require.ErrorAs(t, err, &at)
		require.Equal(t, 0, at.ForceIndex)
	}
}
