package live

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/spatial"
)

// TestHandActs: the hand acts on all bodies in air, else on those that are pulled, each of them once however many pages pull it.
func TestHandActs(t *testing.T) {
	s, _ := newTest(t, generate(t, "ladder", 4), Options{})
	h := &s.hand
	require.Empty(t, h.ActsOn(0))
	h.hold(&h.pulls[0], 2, spatial.Vec3{}, frame)
	h.hold(&h.pulls[3], 1, spatial.Vec3{}, frame)
	require.Equal(t, []int{2, 1}, h.ActsOn(0))
	force := func() []spatial.Force {
		f, k := make([]spatial.Force, s.mech.NumBodies()), s.mech.NewKinematics()
		st := s.sim.State()
		require.NoError(t, s.mech.KinematicsTo(k, st))
		require.NoError(t, s.mech.AddAppliedTo(f, k, st))
		return f
	}
	one := force()
	require.NotZero(t, one[2])
	h.pulls[1] = h.pulls[0]
	require.Equal(t, []int{2, 1}, h.ActsOn(0))
	two := force()
	for k := range two[2] {
		require.InDelta(t, 2*one[2][k], two[2][k], 1e-12*one[2].Linear().Norm())
	}
	require.Equal(t, one[1], two[1])
	h.air = 1
	require.Len(t, h.ActsOn(0), s.mech.NumBodies())
}
