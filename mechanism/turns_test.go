package mechanism_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestCoordinate: coordinates and rates equal the joint's at the kinematics of the state, bit for bit.
func TestCoordinate(t *testing.T) {
	m := cubes(8)
	join(t, m, "revolute w 0", "prismatic 0 1", "helical 1 2", "cylindrical 2 3", "universal 3 4", "spherical 4 5", "planar 5 6", "revolute 7 6")
	m.Joints[2].Pitch = 0.3
	m.Joints[3].Stiffness = []float64{2, 1}
	r := check.Rand(1)
	for i := range m.Bodies {
		b := &m.Bodies[i]
		for _, v := range [][]float64{b.Pose.Orientation[:], b.Velocity.Linear[:], b.Velocity.Angular[:]} {
			for c := range v {
				v[c] = r.NormFloat64()
			}
		}
		b.Pose.Orientation = spatial.Quat(b.Pose.Orientation).Normalize()
	}
	mech := compiled(t, m)
	s, k := mech.Initial(), mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, s))
	for j := range mech.Joints {
		var jk mechanism.JointKinematics
		var want, rates [6]float64
		mech.JointTo(&jk, j, k, s)
		mech.Joints[j].CoordinatesTo(&want, &rates, &jk)
		for i := range mech.Joints[j].Kind.Freedoms() {
			f := mechanism.Freedom{Joint: j, Freedom: i}
			q, rate := mech.Coordinate(f, s)
			require.Equal(t, rates[i], rate, "joint %d, freedom %d", j, i)
			if !mech.Joints[j].Kind.Scalar(i) {
				require.True(t, math.IsNaN(q))
				continue
			}
			require.Equal(t, want[i], q, "joint %d, freedom %d", j, i)
		}
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { mech.Coordinate(mechanism.Freedom{Joint: 3}, s) }))
	for text, f := range map[string]mechanism.Freedom{
		"mechanism: joint out of range":   {Joint: 8},
		"mechanism: freedom out of range": {Joint: 1, Freedom: 1},
	} {
		require.PanicsWithValue(t, text, func() { mech.Coordinate(f, s) })
	}
	require.PanicsWithValue(t, "mechanism: freedom out of range", func() { mech.Coordinate(mechanism.Freedom{Freedom: -1}, s) })
	require.PanicsWithValue(t, "mechanism: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { mech.Coordinate(mechanism.Freedom{}, new(mechanism.State)) })
}

// turned returns s with body b turned by an angle about the z axis through its origin.
func turned(s *mechanism.State, b int, angle float64) *mechanism.State {
	out := s.Clone()
	out.Bodies[b].Rotation = spatial.Exp(spatial.Vec3{0, 0, angle}).Mul(out.Bodies[b].Rotation).Normalize()
	return out
}

// TestFollowTurns: angles without springs are counted by their rates, over several turns at once, behind those with springs.
func TestFollowTurns(t *testing.T) {
	m := cubes(4)
	join(t, m, "revolute w 0", "revolute w 1", "universal w 2", "revolute w 3")
	m.Joints[0].Stiffness = []float64{1}
	m.Joints[0].Turns, m.Joints[1].Turns, m.Joints[2].Turns = []int64{2}, []int64{-3}, []int64{1, 5}
	m.Joints[3].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{8 * math.Pi, 1}}}
	for i := range m.Joints {
		m.Joints[i].PredecessorFrame.Position = m.Bodies[i].Pose.Position
	}
	mech := compiled(t, m)
	require.Equal(t, 1, mech.NumSprung())
	require.Equal(t, 5, mech.NumAngles())
	for at, f := range []mechanism.Freedom{{}, {Joint: 1}, {Joint: 2}, {Joint: 2, Freedom: 1}, {Joint: 3}} {
		require.Equal(t, at, mech.AnglePlace(f))
	}
	s := mech.Initial()
	require.Equal(t, []float64{4 * math.Pi}, s.Angles)
	require.PanicsWithValue(t, "mechanism: state without all angles", func() { mech.FollowTurns(s, s) })
	mech.CarryAngles(s)
	require.Equal(t, []float64{4 * math.Pi, -6 * math.Pi, 2 * math.Pi, 10 * math.Pi, 8 * math.Pi}, s.Angles)
	require.True(t, mech.Owns(s))

	const by, span = 50.0, 2.0
	next := turned(s, 1, by)
	next.Time += span
	next.Bodies[1].Omega[2] = 30
	s.Bodies[1].Omega[2] = 20
	next.Angles = s.Angles // shared
	mech.FollowTurns(next, s)
	require.InDelta(t, by-6*math.Pi, next.Angles[1], 1e-12)
	require.Equal(t, []float64{4 * math.Pi, 2 * math.Pi, 10 * math.Pi, 8 * math.Pi}, []float64{next.Angles[0], next.Angles[2], next.Angles[3], next.Angles[4]})
	require.Zero(t, testing.AllocsPerRun(10, func() { mech.FollowTurns(next, next) }))
	q, _ := mech.Coordinate(mechanism.Freedom{Joint: 1}, next)
	require.Equal(t, next.Angles[1], q)
	half, _ := mech.Coordinate(mechanism.Freedom{Joint: 1}, turned(next, 1, 3)) // not counted yet
	require.InDelta(t, q+3, half, 1e-12)
	next.Time = 12 // the body has not moved, its motion has
	driven, _ := mech.Coordinate(mechanism.Freedom{Joint: 3}, next)
	require.InDelta(t, 12*math.Pi, driven, 1e-12)

	// The model is wound as the state is.
	out := *m
	out.Joints = append(out.Joints[:0:0], m.Joints...)
	k := mech.NewKinematics()
	mech.TurnsTo(&out, k, next)
	require.Equal(t, []int64{int64(math.Round((by - 6*math.Pi) / (2 * math.Pi)))}, out.Joints[1].Turns)
	require.Equal(t, []int64{1, 5}, out.Joints[2].Turns)

	// Another mechanism takes the angles of joints of the same name.
	other := *m
	other.Joints = append(other.Joints[:0:0], m.Joints[2], m.Joints[1])
	to := compiled(t, &other)
	kept := next.Angles[1]
	to.Adopt(next, mech)
	require.Equal(t, []float64{2 * math.Pi, 10 * math.Pi, kept}, next.Angles)
}

// TestAdoptDropsReactions: reactions of another number of joints are not kept. They would be read past their end.
func TestAdoptDropsReactions(t *testing.T) {
	m := model.New("pair")
	for _, name := range []string{"a", "b"} {
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}})
		m.Joints = append(m.Joints, model.Joint{
			Name: "to " + name, Type: model.Revolute, Predecessor: model.World, Successor: name,
			Friction: []model.Friction{{Coefficient: 0.1, Radius: 0.02}},
		})
	}
	both := compiled(t, m)
	fewer := *m
	fewer.Joints = m.Joints[:1]
	one := compiled(t, &fewer)
	f := make([]spatial.Force, 2)
	for _, c := range []struct{ from, to *mechanism.Mechanism }{{one, both}, {both, one}} {
		s, k := c.from.Initial(), c.to.NewKinematics()
		s.Bodies[0].Omega[2], s.Bodies[1].Omega[2] = 1, 1
		s.Bearings = make([]float64, c.from.NumBearings())
		c.to.Adopt(s, c.from)
		require.Empty(t, s.Bearings)
		require.NoError(t, c.to.KinematicsTo(k, s))
		require.NoError(t, c.to.ForcesTo(f, k, s))
	}
	s := both.Initial()
	s.Bearings = []float64{1, 2}
	both.Adopt(s, compiled(t, m))
	require.Equal(t, []float64{1, 2}, s.Bearings)
}
