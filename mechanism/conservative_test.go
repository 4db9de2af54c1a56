package mechanism_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// TestConservative: gravity and springs keep the energy; forces, dampers and prescribed motions do not.
func TestConservative(t *testing.T) {
	for _, c := range []struct {
		model  string
		change func(m *model.Model)
		want   bool
	}{
		{"n-four-bar-3", nil, true},
		{"n-four-bar-3", func(m *model.Model) { m.Joints[0].Stiffness = []float64{2} }, true},
		{"n-four-bar-3", func(m *model.Model) { m.Joints[0].Damping = []float64{2} }, false},
		{"n-four-bar-3", func(m *model.Model) { m.Joints[0].Force = []float64{2} }, false},
		{"driven-crank", nil, false},
	} {
		m, err := model.ReadFile(check.ModelPath(t, c.model))
		require.NoError(t, err)
		if c.change != nil {
			c.change(m)
		}
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		assert.Equal(t, c.want, mech.Conservative(), c.model)
	}
}

// TestWorstJoint finds the joint that is opened.
func TestWorstJoint(t *testing.T) {
	m, err := model.ReadFile(check.ModelPath(t, "four-bar"))
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	k, st := mech.NewKinematics(), mech.Initial()
	require.NoError(t, mech.KinematicsTo(k, st))
	_, position, velocity := mech.WorstJoint(k, st)
	assert.Less(t, max(position, velocity), 1e-12)
	st.Bodies[0].Velocity[2] += 0.5 // of the crank, out of the plane
	st.Bodies[1].Velocity[2] += 0.5
	require.NoError(t, mech.KinematicsTo(k, st))
	j, position, velocity := mech.WorstJoint(k, st)
	assert.Contains(t, []string{"p1", "p3"}, mech.JointName(j))
	assert.Less(t, position, 1e-12)
	assert.InDelta(t, 0.5, velocity, 1e-12)
}
