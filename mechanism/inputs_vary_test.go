package mechanism_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestInputsVary: bodies and joints of inputs are their own, bad numbers
// are refused with the place, and Reset restores the values of the model.
func TestInputsVary(t *testing.T) {
	unit := model.Inertia{XX: 1, YY: 1, ZZ: 1}
	m, err := mechanism.New(&model.Model{
		Bodies: []model.Body{{Name: "a", Mass: 1, Inertia: unit}, {Name: "b", Mass: 2, Inertia: unit}, {Name: "rod", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1}}},
		Joints: []model.Joint{
			{Name: "pin", Type: model.Revolute, Predecessor: "world", Successor: "a", Armature: []float64{3}},
			{Name: "bar", Type: model.Distance, Predecessor: "a", Successor: "b", Length: 2},
			{Name: "screw", Type: model.Helical, Predecessor: "world", Successor: "rod", Pitch: 0.1},
		},
	})
	require.NoError(t, err)
	in := m.NewInputs()
	require.PanicsWithValue(t, "mechanism: inputs without bodies of their own; use Inputs.Vary", func() { _ = in.SetLength(1, 1) })
	require.False(t, in.Varies())
	in.Vary()
	in.Vary()
	require.True(t, in.Varies())
	v := in.Mechanism()
	require.Zero(t, m.Edition())
	heavy, err := bodies.New(5, spatial.Vec3{1}, spatial.Diag3(1, 2, 2))
	require.NoError(t, err)
	frame := mechanism.Frame{E: spatial.Identity3(), Origin: spatial.Vec3{1, 2, 3}}
	for range 2 { // the second time nothing changes
		require.NoError(t, in.SetBody(1, &heavy))
		require.NoError(t, in.SetFrames(0, &frame, &m.Joints[0].S))
		require.NoError(t, in.SetLength(1, 4))
		require.NoError(t, in.SetPitch(2, -0.2))
		require.NoError(t, in.SetArmature(0, 0, 7))
		require.Equal(t, uint64(6), v.Edition())
	}
	require.Equal(t, heavy, v.Bodies[1])
	require.Equal(t, frame, v.Joints[0].P)
	require.Equal(t, 4.0, v.Joints[1].Length)
	require.Equal(t, -0.2, v.Joints[2].Pitch)
	require.Equal(t, 7.0, v.Joints[0].Armature[0])
	require.Equal(t, 2.0, m.Bodies[1].Mass)
	require.Equal(t, 3.0, m.Joints[0].Armature[0])

	left := frame
	left.E[8] = -1
	skew := frame
	skew.E[1] = 1e-6
	far := frame
	far.Origin[1] = math.Inf(1)
	rod, err := bodies.New(1, spatial.Vec3{}, spatial.Diag3(1, 1, 0))
	require.NoError(t, err)
	for text, err := range map[string]error{
		`mechanism: body "b": input refused: inertia [1 1 0 0 0 0] has none in some direction, which inputs cannot change`:     in.SetBody(1, &rod),
		`mechanism: body "rod": input refused: inertia [1 1 0 0 0 0] has none in some direction, which inputs cannot change`:   in.SetBody(2, &heavy),
		`mechanism: joint "pin": input refused: predecessor frame: axes [1 0 0 0 1 0 0 0 -1] are left-handed`:                  in.SetFrames(0, &left, &frame),
		`mechanism: joint "pin": input refused: successor frame: axes [1 1e-06 0 0 1 0 0 0 1] are not orthogonal unit vectors`: in.SetFrames(0, &frame, &skew),
		`mechanism: joint "pin": input refused: predecessor frame: origin [1 +Inf 3] is not finite`:                            in.SetFrames(0, &far, &frame),
		`mechanism: joint "bar": input refused: length -1 is not positive and finite`:                                          in.SetLength(1, -1),
		`mechanism: joint "pin": input refused: length 1 of a revolute joint`:                                                  in.SetLength(0, 1),
		`mechanism: joint "screw": input refused: pitch 0 is zero or not finite`:                                               in.SetPitch(2, 0),
		`mechanism: joint "bar": input refused: pitch 1 of a distance joint`:                                                   in.SetPitch(1, 1),
		`mechanism: joint "pin": input refused: armature 0 of freedom 0 is not positive, or too small`:                         in.SetArmature(0, 0, 0),
		`mechanism: joint "screw": input refused: armature 1 of freedom 0, which has none in the model or is prescribed`:       in.SetArmature(2, 0, 1),
	} {
		require.EqualError(t, err, text)
		require.ErrorIs(t, err, mechanism.ErrInput)
	}
	again := v.NewInputs() // the current numbers, in separate memory
	require.NoError(t, in.SetLength(1, 9))
	require.Equal(t, 4.0, again.Mechanism().Joints[1].Length)
	in.Reset()
	require.Equal(t, m.Bodies, v.Bodies)
	require.Equal(t, 2.0, v.Joints[1].Length)
	require.Equal(t, 3.0, v.Joints[0].Armature[0])
	require.Equal(t, heavy, again.Mechanism().Bodies[1])
}
