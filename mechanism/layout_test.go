package mechanism_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// TestTypesAreShared: joints without parameters share the type of their kind, all
// others have their own, and a copy with prescribed freedoms changes no type of
// the original.
func TestTypesAreShared(t *testing.T) {
	m := cubes(3)
	join(t, m, "revolute w 0", "revolute 0 1", "revolute 1 2", "spherical 0 2")
	m.Joints[2].Turns = []int64{1}
	mech := compiled(t, m)
	j := mech.Joints
	require.Same(t, j[0].JointSpec, j[1].JointSpec)
	require.NotSame(t, j[0].JointSpec, j[2].JointSpec)
	require.NotSame(t, j[0].JointSpec, j[3].JointSpec)
	require.Equal(t, []int32{5, 5, 5, 3}, []int32{j[0].Rows, j[1].Rows, j[2].Rows, j[3].Rows})

	driven, err := mech.Prescribe([]mechanism.Freedom{{Joint: 1}, {Joint: 2}})
	require.NoError(t, err)
	require.Equal(t, int32(6), driven.Joints[1].Rows)
	require.Equal(t, &[6]int64{1}, driven.Joints[2].Turns)
	require.NotNil(t, driven.Joints[2].Motion)
	for i := range j {
		require.Nil(t, mech.Joints[i].Motion)
	}
	require.Equal(t, int32(5), mech.Joints[0].Rows)
	require.Same(t, j[0].JointSpec, driven.Joints[0].JointSpec)
}

// TestNames: names come back as they were, whatever their text, without
// allocating and without the model.
func TestNames(t *testing.T) {
	m := cubes(4)
	want := []string{"ä long name with \x00 in it", "b", "b0", "日本"}
	for i := range want {
		m.Bodies[i].Name = want[i]
	}
	m.Joints = []model.Joint{{Name: "only", Type: model.Fixed, Predecessor: "b0", Successor: "日本"}}
	mech := compiled(t, m)
	for i := range m.Bodies {
		m.Bodies[i].Name = "gone"
	}
	for i, name := range want {
		require.Equal(t, name, mech.BodyName(i))
		k, err := mech.BodyIndex(name)
		require.NoError(t, err)
		require.Equal(t, i, k)
	}
	require.Equal(t, "only", mech.JointName(0))
	require.Equal(t, [2]int32{2, 3}, [2]int32{mech.Joints[0].Pred, mech.Joints[0].Succ})
	require.Zero(t, testing.AllocsPerRun(10, func() { _ = mech.BodyName(3) }))
	require.Panics(t, func() { mech.BodyName(4) })
	require.Panics(t, func() { mech.JointName(1) })
}
