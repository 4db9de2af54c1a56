package mechanism_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// eight is a body on a closed curve that crosses itself at the origin, where the body is.
func eight(parameter *float64) *model.Model {
	m := model.New("eight")
	m.Bodies = []model.Body{{Name: "b", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}, Pose: model.Pose{Orientation: [4]float64{1}}}}
	m.Joints = []model.Joint{{
		Name: "wire", Type: model.PointOnCurve, Predecessor: model.World, Successor: "b",
		PredecessorFrame: model.Pose{Orientation: [4]float64{1}}, SuccessorFrame: model.Pose{Orientation: [4]float64{1}},
		Curve: &model.PointCurve{
			Curve:     curves.Curve{Kind: curves.Function, X: "sin(u)", Y: "sin(2*u)", Range: [2]float64{0, 2 * math.Pi}, Closed: true},
			Parameter: parameter,
		},
	}}
	return m
}

// TestCurveParameter: a state carries the parameter of a point on a curve, from the model or from the pose; it counts laps as the point goes around, a
// model that is written has it, and another mechanism takes it over.
func TestCurveParameter(t *testing.T) {
	const tol = 1e-12
	second := 3.0
	for _, c := range []struct {
		parameter *float64
		want      float64
	}{{nil, 0}, {&second, math.Pi}} {
		mech := compiled(t, eight(c.parameter))
		s, k := mech.Initial(), mech.NewKinematics()
		require.True(t, mech.HasFollowed())
		require.Len(t, s.Angles, 1)
		require.InDelta(t, c.want, s.Angles[0], tol)
		require.NoError(t, mech.KinematicsTo(k, s))
		u, at := mech.CurvePlace(0, k, s)
		require.InDelta(t, c.want, u, tol)
		require.InDelta(t, 0, at.Norm(), tol)
		s.Angles = nil // a state that carries none has the nearest foot with the smallest parameter
		u, _ = mech.CurvePlace(0, k, s)
		require.InDelta(t, 0, u, tol)
	}
	m := eight(&second)
	mech := compiled(t, m)
	s, k := mech.Initial(), mech.NewKinematics()
	curve := m.Joints[0].Curve.Prepared()
	to := math.Pi + 5*math.Pi // two laps and a half, to the crossing again
	for i := range 101 {
		s.Bodies[0].Position = curve.At(math.Pi + 5*math.Pi*float64(i)/100).C
		mech.FollowAngles(k, s)
	}
	require.InDelta(t, to, s.Angles[0], tol)
	out := *m
	out.Joints = append([]model.Joint(nil), m.Joints...)
	mech.TurnsTo(&out, k, s)
	require.InDelta(t, to, *out.Joints[0].Curve.Parameter, tol)
	require.Equal(t, 3.0, *m.Joints[0].Curve.Parameter, "the model that it was made of has its own")
	require.NoError(t, model.Check(&out))
	require.InDelta(t, to, compiled(t, &out).Initial().Angles[0], tol)
	other := compiled(t, eight(nil))
	other.Adopt(s, mech)
	require.InDelta(t, to, s.Angles[0], tol)
	require.PanicsWithValue(t, "mechanism: not a point on a curve", func() {
		free := compiled(t, modeltest.Rolling(0))
		free.CurvePlace(0, free.NewKinematics(), free.Initial())
	})
}

// TestRowsToOfCurves: what is past the end of a curve is refused, by rounding it is not; nothing is allocated while all is well.
func TestRowsToOfCurves(t *testing.T) {
	m := eight(nil)
	m.Joints[0].Curve.Curve = curves.Curve{Ends: [2]spatial.Vec3{{}, {2}}}
	mech := compiled(t, m)
	s, k := mech.Initial(), mech.NewKinematics()
	for x, fine := range map[float64]bool{-1e-8: false, -1e-9: true, 1: true, 2 + 1e-9: true, 2 + 1e-8: false, 50: false} {
		s.Bodies[0].Position[0] = x
		err := mech.KinematicsTo(k, s)
		if fine {
			require.NoError(t, err)
			require.Zero(t, testing.AllocsPerRun(10, func() { _ = mech.KinematicsTo(k, s) }))
			continue
		}
		require.ErrorIs(t, err, mechanism.ErrCurve)
		require.ErrorContains(t, err, `joint "wire": `)
		require.ErrorContains(t, err, "is not from 0 to 2")
	}
}

// TestTouchParameters: a state carries both parameters and the side of curves that touch; a model that is written has the parameters, and another
// mechanism takes them over. Past the end of a curve there is an error.
func TestTouchParameters(t *testing.T) {
	m := eight(nil)
	m.Joints[0].Type = model.CurveOnCurve
	m.Joints[0].Curve.Curve = curves.Curve{Kind: curves.Circle, Radius: 2}
	m.Joints[0].SuccessorCurve = &model.PointCurve{Curve: curves.Curve{Ends: [2]spatial.Vec3{{-1}, {2}}}}
	m.Bodies[0].Pose.Position = [3]float64{0, 2, 0}
	mech := compiled(t, m)
	s, k := mech.Initial(), mech.NewKinematics()
	require.InDeltaSlice(t, []float64{math.Pi / 2, 1, 1}, s.Angles, 1e-12)
	require.NoError(t, mech.KinematicsTo(k, s))
	at := mech.Touch(0, k, s)
	require.True(t, at.Holds)
	s.Bodies[0].Position[0] = -0.5
	mech.FollowAngles(k, s)
	require.InDeltaSlice(t, []float64{math.Pi / 2, 1.5, 1}, s.Angles, 1e-12)
	out := *m
	out.Joints = append([]model.Joint(nil), m.Joints...)
	mech.TurnsTo(&out, k, s)
	require.InDelta(t, math.Pi/2, *out.Joints[0].Curve.Parameter, 1e-12)
	require.InDelta(t, 1.5, *out.Joints[0].SuccessorCurve.Parameter, 1e-12)
	require.Nil(t, m.Joints[0].SuccessorCurve.Parameter)
	require.InDeltaSlice(t, []float64{math.Pi / 2, 1.5, 1}, compiled(t, &out).Initial().Angles, 0.6)
	want := append([]float64(nil), s.Angles...)
	compiled(t, m).Adopt(s, mech)
	require.Equal(t, want, s.Angles)
	require.Zero(t, testing.AllocsPerRun(10, func() { _ = mech.KinematicsTo(k, s) }))
	s.Bodies[0].Position[0] = 1.1
	err := mech.KinematicsTo(k, s)
	require.ErrorIs(t, err, mechanism.ErrTouch)
	require.ErrorContains(t, err, `joint "wire": `)
	require.ErrorContains(t, err, "on the curve of the successor u = -0.1")
	require.PanicsWithValue(t, "mechanism: not a joint of two curves", func() {
		one := compiled(t, eight(nil))
		one.Touch(0, one.NewKinematics(), one.Initial())
	})
}
