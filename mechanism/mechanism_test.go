package mechanism_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

func TestIndex(t *testing.T) {
	m := golden(t, "four-bar")
	for i := range m.NumBodies() {
		k, err := m.BodyIndex(m.BodyName(i))
		require.NoError(t, err)
		require.Equal(t, i, k)
	}
	for j := range m.NumJoints() {
		k, err := m.JointIndex(m.JointName(j))
		require.NoError(t, err)
		require.Equal(t, j, k)
	}
	require.Equal(t, model.World, m.BodyName(mechanism.World))
	k, err := m.BodyIndex(model.World)
	require.NoError(t, err)
	require.Equal(t, mechanism.World, k)
	_, err = m.BodyIndex("p1")
	require.EqualError(t, err, `mechanism: no body "p1"`)
	_, err = m.JointIndex("crank")
	require.EqualError(t, err, `mechanism: no joint "crank"`)
	_, err = m.JointIndex("world")
	require.Error(t, err)
}

// TestNewCompiles checks defaults and what is copied from a model.
func TestNewCompiles(t *testing.T) {
	m := cubes(2)
	m.Name, m.Time = "two", 0.5
	join(t, m, "revolute w 0", "planar 1 0")
	m.Joints[0].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{1, 2}}}
	m.Joints[1].Force = []float64{0, 3, 0}
	m.Joints[1].SuccessorFrame = model.Pose{Position: [3]float64{0, 0, 1}, Orientation: [4]float64{0, 0, 0, 1}}
	mech := compiled(t, m)
	require.Equal(t, "two", mech.Name)
	require.Equal(t, spatial.Vec3{0, 0, -9.81}, mech.Gravity)
	s := mech.Initial()
	require.Equal(t, 0.5, s.Time)
	require.Equal(t, spatial.IdentityQuat(), s.Bodies[1].Rotation, "zero orientation is the identity")
	require.Equal(t, spatial.Vec3{1}, s.Bodies[1].Position)
	a, b := &mech.Joints[0], &mech.Joints[1]
	require.Equal(t, joints.Revolute, a.Kind)
	require.Equal(t, int32(6), a.Rows, "five and the motion")
	require.Equal(t, int32(mechanism.World), a.Pred)
	require.Equal(t, int32(0), a.Succ)
	require.Nil(t, mech.Drive(0))
	require.Equal(t, int32(1), b.Pred)
	require.Equal(t, [6]float64{0, 3}, mech.Drive(1).Force)
	require.Equal(t, spatial.Identity3(), b.P.E)
	require.Equal(t, spatial.Mat3{-1, 0, 0, 0, -1, 0, 0, 0, 1}, b.S.E)
	require.Equal(t, spatial.Vec3{0, 0, 1}, b.S.Origin)

	// Nothing is shared with the model, or between states.
	m.Joints[0].Motion[0].Coefficients[0] = 99
	m.Joints[1].Force[1] = 99
	m.Bodies[1].Pose.Position[0] = 99
	q, _, _ := a.Motion[0].At(0)
	require.Equal(t, 1.0, q)
	require.Equal(t, 3.0, mech.Drive(1).Force[1])
	s.Bodies[1].Position[0] = 98
	require.Equal(t, spatial.Vec3{1}, mech.Initial().Bodies[1].Position)
	c := s.Clone()
	c.Bodies[0].Omega[0], c.Time = 7, 8
	require.Zero(t, s.Bodies[0].Omega[0])
	require.Equal(t, 0.5, s.Time)
}

// TestTurnsByFreedom spreads turns over the angles of a joint, translations left
// out.
func TestTurnsByFreedom(t *testing.T) {
	m := cubes(1)
	join(t, m, "universal w 0", "planar w 0", "cylindrical 0 w")
	m.Joints[0].Turns, m.Joints[1].Turns = []int64{2, -5}, []int64{3}
	mech := compiled(t, m)
	require.Equal(t, &[6]int64{2, -5}, mech.Joints[0].Turns)
	require.Equal(t, &[6]int64{3}, mech.Joints[1].Turns)
	require.Nil(t, mech.Joints[2].Turns)
}

// TestLimits: bounds are copied from the model, which they outlive, and
// of a copy with prescribed freedoms; others do not bound.
func TestLimits(t *testing.T) {
	m := cubes(1)
	join(t, m, "universal w 0", "revolute w 0")
	bound := model.Limit{Lower: -1, Upper: math.Inf(1), Force: 3}
	m.Joints[0].Limits = []*model.Limit{nil, &bound}
	mech := compiled(t, m)
	want := bound
	bound.Lower = -9
	driven, err := mech.Prescribe([]mechanism.Freedom{{Joint: 0, Freedom: 1}})
	require.NoError(t, err)
	for _, mech := range []*mechanism.Mechanism{mech, driven} {
		require.Equal(t, want, mech.Limit(mechanism.Freedom{Joint: 0, Freedom: 1}))
		require.Equal(t, model.NoLimit(), mech.Limit(mechanism.Freedom{Joint: 0}))
		require.Equal(t, model.NoLimit(), mech.Limit(mechanism.Freedom{Joint: 1}))
	}
}

// TestNewErrors checks that a bad model built in Go is refused with all its
// problems.
func TestNewErrors(t *testing.T) {
	m := cubes(2)
	m.Bodies[0].Mass = -1
	m.Bodies[1].Inertia.XX = math.NaN()
	join(t, m, "revolute 0 5")
	mech, err := mechanism.New(m)
	require.Nil(t, mech)
	var p *model.Problems
	require.ErrorAs(t, err, &p)
	require.GreaterOrEqual(t, len(p.List), 3)
	for _, path := range []string{"$.bodies[0].mass", "$.bodies[1].inertia", "$.joints[0].successor"} {
		require.ErrorContains(t, err, path)
	}
}

func TestKinematicsRefuses(t *testing.T) {
	m := golden(t, "four-bar")
	nan, inf := math.NaN(), math.Inf(1)
	cases := []struct {
		name string
		edit func(s *mechanism.State)
		text string
	}{
		{"position", func(s *mechanism.State) { s.Bodies[0].Position[1] = nan }, `body "crank"`},
		{"velocity", func(s *mechanism.State) { s.Bodies[1].Velocity[2] = -inf }, `body "coupler"`},
		{"rate", func(s *mechanism.State) { s.Bodies[2].Omega[0] = inf }, `body "rocker"`},
		{"rotation NaN", func(s *mechanism.State) { s.Bodies[2].Rotation[3] = nan }, `body "rocker"`},
		{"rotation zero", func(s *mechanism.State) { s.Bodies[2].Rotation = spatial.Quat{} }, `body "rocker"`},
		{"rotation long", func(s *mechanism.State) { s.Bodies[2].Rotation = spatial.Quat{1, 0, 0, 2e-3} }, `body "rocker"`},
		{"time", func(s *mechanism.State) { s.Time = inf }, "time"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := m.Initial()
			c.edit(s)
			err := m.KinematicsTo(m.NewKinematics(), s)
			require.ErrorIs(t, err, mechanism.ErrNotFinite)
			require.ErrorContains(t, err, c.text)
		})
	}
	other := golden(t, "pendulum")
	const text = "mechanism: foreign state: Mechanism.Adopt takes one of another mechanism over"
	require.PanicsWithValue(t, text, func() { _ = m.KinematicsTo(m.NewKinematics(), other.Initial()) })
	require.PanicsWithValue(t, text, func() { _ = m.KinematicsTo(other.NewKinematics(), m.Initial()) })
}

// TestKinematics compares rotations, arms and inertias with their definitions.
func TestKinematics(t *testing.T) {
	m := golden(t, "random-10")
	s := m.Initial()
	k := kinematics(t, m, s)
	for i := range m.Bodies {
		b, q := &m.Bodies[i], s.Bodies[i].Rotation
		E := q.Mat()
		require.Equal(t, E, k.Bodies[i].E)
		closeVec3(t, k.Bodies[i].Com, q.Rotate(b.Com), powerTol, 1, "arm of %s", m.BodyName(i))
		I, want := k.I[i].Mat(), E.Mul(b.Inertia.Mat()).MulT(E)
		check.CloseVec(t, I[:], want[:], powerTol, b.Inertia.Trace(), "inertia of %s", m.BodyName(i))
	}
}

// TestJointMotion compares R with the poses and V with its difference along the
// motion: d(R)/dt − ω_P×R.
func TestJointMotion(t *testing.T) {
	for _, name := range []string{"random-10", "random-30", "driven-mixed", "islands"} {
		t.Run(name, func(t *testing.T) {
			m := golden(t, name)
			s := m.Initial()
			at := func(s *mechanism.State, j int) *mechanism.JointKinematics {
				var jk mechanism.JointKinematics
				m.JointTo(&jk, j, kinematics(t, m, s), s)
				return &jk
			}
			for j := range m.Joints {
				jt, jk := &m.Joints[j], at(s, j)
				r := origin(s, jt.Succ, &jt.S).Sub(origin(s, jt.Pred, &jt.P))
				closeVec3(t, jk.R, r, powerTol, 10, "%s: R", m.JointName(j))
				before, after := at(drifted(m, s, -step), j), at(drifted(m, s, step), j)
				v := after.R.Sub(before.R).Scale(1 / (2 * step)).Sub(jk.OmegaP.Cross(jk.R))
				closeVec3(t, jk.V, v, differenceTol, 10, "%s: V", m.JointName(j))
				require.Equal(t, omega(s, jt.Pred), jk.OmegaP)
				require.Equal(t, omega(s, jt.Succ), jk.OmegaS)
			}
		})
	}
}

func origin(s *mechanism.State, body int32, f *mechanism.Frame) spatial.Vec3 {
	if body < 0 {
		return f.Origin
	}
	b := &s.Bodies[body]
	return b.Position.Add(b.Rotation.Rotate(f.Origin))
}

func omega(s *mechanism.State, body int32) spatial.Vec3 {
	if body < 0 {
		return spatial.Vec3{}
	}
	return s.Bodies[body].Omega
}

// TestResiduals checks known violations at position and velocity level.
func TestResiduals(t *testing.T) {
	m := cubes(2)
	join(t, m, "distance 0 1", "spherical w 0", "free 0 1", "revolute w 0")
	m.Joints[3].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0.5, 2}}}
	mech := compiled(t, m)
	s := mech.Initial()
	s.Bodies[1].Position = spatial.Vec3{0, 3, 0}
	s.Bodies[1].Velocity = spatial.Vec3{7, -0.25, 0}
	s.Bodies[0].Position = spatial.Vec3{0, 0, -0.125}
	s.Bodies[0].Velocity = spatial.Vec3{0, 0, 0.75}
	s.Time = 1
	residuals := func(j int) [2]float64 {
		p, v := mech.Residuals(j, kinematics(t, mech, s), s)
		return [2]float64{p, v}
	}
	n := math.Hypot(3, 0.125)
	got := residuals(0)
	check.Close(t, got[0], n-1, powerTol, 1, "distance")
	check.Close(t, got[1], (0.25*3+0.75*0.125)/n, powerTol, 1, "rate of distance")
	require.Equal(t, [2]float64{0.125, 0.75}, residuals(1), "ball")
	require.Equal(t, [2]float64{}, residuals(2), "free")
	got = residuals(3)
	check.Close(t, got[0], 2.5, powerTol, 1, "motion")
	check.Close(t, got[1], 2, powerTol, 1, "rate of motion")
	s.Bodies[1].Position = s.Bodies[0].Position
	s.Bodies[1].Velocity = spatial.Vec3{0, 3, 4.75}
	require.Equal(t, [2]float64{1, 5}, residuals(0), "without direction, the speed")
}

// TestResidualsOfBallJoints compares Residuals of spherical joints, which need less
// than others, with the errors of their rows.
func TestResidualsOfBallJoints(t *testing.T) {
	m := cubes(3)
	join(t, m, "spherical w 0", "spherical 0 1", "spherical 2 w", "spherical 1 2", "revolute 0 2")
	rng := check.Rand(31)
	for range 50 {
		vec := func() [3]float64 { return [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
		pose := func() model.Pose {
			q := spatial.Quat{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			return model.Pose{Position: vec(), Orientation: q.Normalize()}
		}
		for i := range m.Bodies {
			m.Bodies[i].Pose = pose()
			m.Bodies[i].Velocity = model.Velocity{Linear: vec(), Angular: vec()}
		}
		for j := range m.Joints {
			m.Joints[j].PredecessorFrame, m.Joints[j].SuccessorFrame = pose(), pose()
		}
		mech := compiled(t, m)
		s := mech.Initial()
		k := kinematics(t, mech, s)
		for j := range mech.Joints {
			var jk mechanism.JointKinematics
			var delta, rate [6]float64
			mech.JointTo(&jk, j, k, s)
			jt := &mech.Joints[j]
			jt.PositionErrorTo(&delta, &jk.Frames, 0)
			require.NoError(t, jt.VelocityErrorTo(&rate, &jk.Frames, 0))
			position, velocity := mech.Residuals(j, k, s)
			check.Close(t, position, check.MaxAbs(delta[:]), 1e-13, 10, "joint %d", j)
			check.Close(t, velocity, check.MaxAbs(rate[:]), 1e-13, 100, "joint %d", j)
		}
	}
}

// TestErrorsToNothing: ErrorsTo with no place for its results panics for every type, and not only for those that would write there.
func TestErrorsToNothing(t *testing.T) {
	m := cubes(2)
	join(t, m, "spherical 0 1", "prismatic w 0")
	mech := compiled(t, m)
	s := mech.Initial()
	k := kinematics(t, mech, s)
	for j := range mech.Joints {
		require.PanicsWithValue(t, "mechanism: no place for errors", func() { _ = mech.ErrorsTo(nil, nil, j, k, s) })
	}
}

// TestErrorsTo compares the errors of the rows of all types, of which some need less than
// others, with the results of JointTo.
func TestErrorsTo(t *testing.T) {
	const rounding = 1e-13 // of terms up to 100
	m := cubes(3)
	join(t, m, "spherical w 0", "spherical 0 1", "spherical 2 w", "revolute w 1", "revolute 0 2", "revolute 2 1", "revolute 1 w",
		"fixed 0 1", "prismatic 0 1", "helical 1 2", "cylindrical w 2", "universal 0 2", "planar 2 1", "sphere_in_cylinder 1 w",
		"point_on_plane 0 1", "distance 0 2", "free 1 2", "revolute 0 1")
	m.Joints[len(m.Joints)-1].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0.5, 2}}}
	rng := check.Rand(17)
	for range 50 {
		vec := func() [3]float64 { return [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
		pose := func() model.Pose {
			q := spatial.Quat{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			return model.Pose{Position: vec(), Orientation: q.Normalize()}
		}
		for i := range m.Bodies {
			m.Bodies[i].Pose, m.Bodies[i].Velocity = pose(), model.Velocity{Linear: vec(), Angular: vec()}
		}
		for j := range m.Joints {
			m.Joints[j].PredecessorFrame, m.Joints[j].SuccessorFrame = pose(), pose()
		}
		mech := compiled(t, m)
		s := mech.Initial()
		s.Time = rng.Float64()
		k := kinematics(t, mech, s)
		for j := range mech.Joints {
			var jk mechanism.JointKinematics
			var delta, rate [6]float64
			mech.JointTo(&jk, j, k, s)
			jt := &mech.Joints[j]
			jt.PositionErrorTo(&delta, &jk.Frames, s.Time)
			require.NoError(t, jt.VelocityErrorTo(&rate, &jk.Frames, s.Time))
			gotDelta, gotRate := [6]float64{7, 7, 7, 7, 7, 7}, [6]float64{7, 7, 7, 7, 7, 7}
			require.NoError(t, mech.ErrorsTo(&gotDelta, &gotRate, j, k, s))
			check.CloseVec(t, gotDelta[:], delta[:], rounding, 10, "errors of %v", jt.Kind)
			check.CloseVec(t, gotRate[:], rate[:], rounding, 100, "rates of %v", jt.Kind)
			require.Zero(t, testing.AllocsPerRun(10, func() { _ = mech.ErrorsTo(&gotDelta, &gotRate, j, k, s) }))
		}
	}
}

// TestRest: velocities are zero afterwards, and all else is as it was.
func TestRest(t *testing.T) {
	s := &mechanism.State{Time: 3, Bodies: make([]mechanism.BodyState, 2), Angles: []float64{4}, Internal: []float64{5}, Bearings: []float64{6}}
	for i := range s.Bodies {
		s.Bodies[i].Position, s.Bodies[i].Rotation = spatial.Vec3{1, 2, 3}, spatial.IdentityQuat()
	}
	want := s.Clone()
	for i := range s.Bodies {
		s.Bodies[i].Velocity, s.Bodies[i].Omega = spatial.Vec3{1, 2, float64(i)}, spatial.Vec3{3, 2, 1}
	}
	s.Rest()
	require.Equal(t, want, s)
}
