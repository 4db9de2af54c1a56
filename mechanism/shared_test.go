package mechanism_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// TestSharedLawsAndSpecs: valves with one law share it, and wheels of one size their type with its parameters, so that memory
// is read once. What differs is not shared.
func TestSharedLawsAndSpecs(t *testing.T) {
	m, err := bench.Generate("valve-train", 6, 1)
	require.NoError(t, err)
	laws := 0
	for i := range m.Couplings {
		if l := m.Couplings[i].Law; l != nil {
			if laws++; laws == 1 {
				l.Expression += "+0"
			}
		}
	}
	require.Greater(t, laws, 6)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	for i := range mech.Couplings {
		for k := range i {
			if m.Couplings[i].Law == nil || m.Couplings[k].Law == nil {
				continue
			}
			same := m.Couplings[i].Law.Expression == m.Couplings[k].Law.Expression
			require.Equal(t, same, mech.Couplings[i].Law == mech.Couplings[k].Law, "%d %d", i, k)
		}
	}
	m, err = bench.Generate("rolling-disc", 3, 1)
	require.NoError(t, err)
	m.Joints[0].TyreRadius = m.Joints[0].Radius / 3
	mech, err = mechanism.New(m)
	require.NoError(t, err)
	require.Same(t, mech.Joints[1].JointSpec, mech.Joints[2].JointSpec)
	require.NotSame(t, mech.Joints[0].JointSpec, mech.Joints[1].JointSpec)
}

// TestOwnParametersTakeNoRoom: joints whose parameters no other has, here armature, do not keep others from sharing theirs, however many
// there are.
func TestOwnParametersTakeNoRoom(t *testing.T) {
	m, err := bench.Generate("chain", 1002, 1)
	require.NoError(t, err)
	n := len(m.Joints)
	for i := range m.Joints[:n-2] {
		m.Joints[i].Armature = []float64{1}
	}
	for i := n - 2; i < n; i++ {
		m.Joints[i].Type, m.Joints[i].Pitch = model.Helical, 0.1
	}
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	require.Same(t, mech.Joints[n-2].JointSpec, mech.Joints[n-1].JointSpec)
}
