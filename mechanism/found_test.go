package mechanism_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

// TestFoundByKinematics: the kinematics of a state keep where curves touch, for the joints at that state; rows have the bits that they
// have without. Another state finds its own places in the same storage.
func TestFoundByKinematics(t *testing.T) {
	doc, err := bench.Generate("cam-train", 2, 1)
	require.NoError(t, err)
	m, err := mechanism.New(doc)
	require.NoError(t, err)
	k, s := m.NewKinematics(), m.Initial()
	var jk mechanism.JointKinematics
	for range 3 {
		require.NoError(t, m.KinematicsTo(k, s))
		found := 0
		for j := range m.Joints {
			m.JointTo(&jk, j, k, s)
			if m.Joints[j].Curve == nil {
				require.Nil(t, jk.Found)
				continue
			}
			found++
			require.NotNil(t, jk.Found)
			var with, plain joints.Rows
			require.NoError(t, m.Joints[j].EvalTo(&with, &jk.Frames, 0))
			jk.Found = nil
			require.NoError(t, m.Joints[j].EvalTo(&plain, &jk.Frames, 0))
			require.Equal(t, plain, with)
		}
		require.Equal(t, 4, found)
		for i := range s.Bodies { // the whole a bit farther on
			s.Bodies[i].Position[1] += 1e-6 * float64(i)
		}
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { _ = m.KinematicsTo(k, s) }))
}
