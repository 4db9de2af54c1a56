package mechanism_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// TestAngles follows the angles with springs, and no others, over several turns, by states
// that share nothing but the angles.
func TestAngles(t *testing.T) {
	m := cubes(3)
	join(t, m, "revolute w 0", "cylindrical 0 1", "helical 0 2", "revolute 1 2")
	m.Joints[0].Stiffness = []float64{2}
	m.Joints[1].Stiffness = []float64{3, 4} // an angle and a length
	m.Joints[1].Turns = []int64{3}
	m.Joints[2].Stiffness, m.Joints[2].Pitch = []float64{5}, 1
	m.Joints[3].Damping = []float64{6}
	mech := compiled(t, m)
	require.Equal(t, 2, mech.NumSprung())
	s, k := mech.Initial(), mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, s))
	var q, qd [6]float64
	var jk mechanism.JointKinematics
	read := func(j int) float64 {
		mech.JointTo(&jk, j, k, s)
		mech.Joints[j].CoordinatesTo(&q, &qd, &jk)
		return q[0]
	}
	start := read(0)
	require.Equal(t, start, math.Remainder(start, 2*math.Pi))
	require.Equal(t, []float64{start, 6 * math.Pi}, s.Angles)
	s.Angles = nil // which the poses tell, and the model
	require.Equal(t, start, read(0))
	mech.FollowAngles(k, s)
	require.Equal(t, mech.Initial().Angles, s.Angles)

	// All bodies turn together about the first axis.
	jt := &mech.Joints[0]
	axis := jt.P.E.Col(2)
	const step, steps = 2.9, 7
	kept := s.Clone()
	for range steps {
		turn := spatial.FromAxisAngle(axis, step)
		for i := range s.Bodies {
			b := &s.Bodies[i]
			b.Rotation = turn.Mul(b.Rotation).Normalize()
			b.Position = jt.P.Origin.Add(turn.Rotate(b.Position.Sub(jt.P.Origin)))
		}
		mech.FollowAngles(k, s)
	}
	require.NoError(t, mech.KinematicsTo(k, s))
	require.InDelta(t, start+steps*step, s.Angles[0], 1e-12)
	require.InDelta(t, start+steps*step, read(0), 1e-12)
	require.Equal(t, s.Angles[1], read(1))
	x, twist := read(0), read(2)
	read(1)
	energy := x*x + (1.5*q[0]*q[0] + 2*q[1]*q[1]) + 2.5*twist*twist
	require.InEpsilon(t, energy, mech.EnergyAt(k, s).Joints, 1e-12)
	require.NotEqual(t, kept.Angles, s.Angles)

	out := *m
	out.Joints = append(out.Joints[:0:0], m.Joints...)
	mech.TurnsTo(&out, k, s)
	require.Equal(t, []int64{int64(math.Round((x - math.Remainder(x, 2*math.Pi)) / (2 * math.Pi)))}, out.Joints[0].Turns)
	require.Equal(t, []int64{3}, out.Joints[1].Turns)
	require.Nil(t, m.Joints[0].Turns)

	s.Angles = nil
	require.InDelta(t, math.Remainder(x, 2*math.Pi), read(0), 1e-12)
	m.Joints[1].Turns = []int64{1 << 40} // more than 32 bits
	mech = compiled(t, m)
	require.Equal(t, 2*math.Pi*(1<<40), read(1))
	s.Angles = make([]float64, 4)
	require.PanicsWithValue(t, "mechanism: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { mech.FollowAngles(k, s) })
}

// TestAdopt takes a state to a mechanism with other joints: angles go with their names.
func TestAdopt(t *testing.T) {
	m := cubes(3)
	join(t, m, "revolute w 0", "revolute 0 1", "revolute 1 2")
	for j := range m.Joints {
		m.Joints[j].Stiffness = []float64{1}
		m.Joints[j].Turns = []int64{int64(j + 1)}
	}
	from := compiled(t, m)
	s, k := from.Initial(), from.NewKinematics()
	from.FollowAngles(k, s)
	was := s.Clone()
	for i := range s.Angles {
		s.Angles[i] += 20 * math.Pi // wound further
	}
	other := *m
	other.Joints = append(other.Joints[:0:0], m.Joints[2], m.Joints[0])
	other.Joints[1].Name = "new"
	to := compiled(t, &other)
	require.False(t, to.Owns(s))
	require.PanicsWithValue(t, "mechanism: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { _ = to.KinematicsTo(k, s) })
	to.Adopt(s, from)
	require.Equal(t, []float64{was.Angles[2] + 20*math.Pi, was.Angles[0]}, s.Angles)
	require.NoError(t, to.KinematicsTo(k, s))
	require.PanicsWithValue(t, "mechanism: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { from.Adopt(s, from) })
}
