package mechanism_test

import (
	"testing"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/stretchr/testify/require"
)

// TestRelease: what Prescribe adds Release takes away, and the motions of other freedoms stay.
func TestRelease(t *testing.T) {
	m := model.New("driven")
	m.Bodies = []model.Body{{Name: "ball", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	m.Joints = []model.Joint{{Name: "post", Type: joints.Cylindrical, Predecessor: model.World, Successor: "ball", Motion: []*model.Motion{
		{Kind: joints.Polynomial, Coefficients: []float64{0, 1}}, {Kind: joints.Spline, Times: []float64{0, 1}, Values: []float64{0, 1}},
	}}}
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	turn, slide := mechanism.Freedom{}, mechanism.Freedom{Freedom: 1}
	require.Equal(t, []mechanism.Freedom{turn, slide}, mech.Prescribed())

	half, err := mech.Release([]mechanism.Freedom{slide})
	require.NoError(t, err)
	require.Equal(t, []mechanism.Freedom{turn}, half.Prescribed())
	require.Equal(t, 5, half.Joints[0].NumRows())
	again, err := half.Prescribe([]mechanism.Freedom{slide})
	require.NoError(t, err)
	require.Equal(t, mech.Prescribed(), again.Prescribed())

	none, err := mech.Release([]mechanism.Freedom{slide, turn})
	require.NoError(t, err)
	require.Empty(t, none.Prescribed())
	require.Nil(t, none.Joints[0].Motion)
	late := none.Initial()
	late.Time = 2
	require.ErrorIs(t, mech.CheckTime(late), mechanism.ErrMotionTime)
	require.NoError(t, none.CheckTime(late))
	require.Len(t, mech.Prescribed(), 2, "the first one is as it was")

	for _, twice := range [][]mechanism.Freedom{{slide, slide}, {{Freedom: 5}}} {
		_, err = mech.Release(twice)
		var at *mechanism.Error
		require.ErrorAs(t, err, &at)
		require.ErrorIs(t, at, mechanism.ErrReleased)
		require.Equal(t, "post", at.Joint)
	}
}
