package mechanism_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// driven is a mechanism with a torsion spring at j0, a rail j1, a prescribed freedom and a free one at j2, a ball j3,
// a wrench and a spring.
func driven(t testing.TB) *mechanism.Mechanism {
	t.Helper()
	m := cubes(4)
	join(t, m, "revolute w 0", "prismatic 0 1", "cylindrical 1 2", "spherical 2 3")
	m.Joints[0].Stiffness, m.Joints[0].Force = []float64{3}, []float64{1}
	m.Joints[2].Motion = []*model.Motion{nil, joints.NewPolynomial([]float64{0, 1})}
	m.Forces = []model.ForceElement{
		{Name: "push", Type: model.Wrench, A: model.Attachment{Body: "b1"}, Force: spatial.Vec3{1}},
		{Name: "spring", Type: model.SpringDamper, A: model.Attachment{Body: "b0"}, B: model.Attachment{Body: "b3"}, Stiffness: 5},
	}
	return compiled(t, m)
}

// TestInputs sets every value; the shared mechanism keeps its own, and Reset brings them back.
func TestInputs(t *testing.T) {
	m := driven(t)
	st := m.Initial()
	forces := func(m *mechanism.Mechanism) []spatial.Force {
		f := make([]spatial.Force, m.NumBodies())
		require.NoError(t, m.ForcesTo(f, kinematics(t, m, st), st))
		return f
	}
	before := forces(m)
	in := m.NewInputs()
	v := in.Mechanism()
	require.Equal(t, before, forces(v))
	require.True(t, in.Are(m))
	require.True(t, in.Are(v))
	require.False(t, in.Are(driven(t)))
	require.Same(t, in, v.Inputs())
	require.Nil(t, m.Inputs())

	require.NoError(t, in.SetGravity(spatial.Vec3{0, 1, 0}))
	require.NoError(t, in.SetForce(1, 0, 7))
	require.NoError(t, in.SetForce(3, 2, -2))
	require.NoError(t, in.SetStiffness(0, 0, 0))
	require.NoError(t, in.SetDamping(0, 0, 2))
	require.NoError(t, in.SetRest(0, 0, 0.5))
	require.NoError(t, in.SetWrench(0, spatial.Vec3{0, 2, 0}, spatial.Vec3{1, 0, 0}))
	require.NoError(t, in.SetSpringDamper(1, 0, 1, 0.5))
	require.NoError(t, in.SetMotion(2, 1, &joints.Motion{Kind: joints.Spline, Times: []float64{0, 1, 2}, Values: []float64{0, 1, 4}}))
	require.Equal(t, 7.0, v.Drive(1).Force[0])
	require.Equal(t, before, forces(m))
	require.NotEqual(t, before, forces(v))
	q, _, _ := v.Joints[2].Motion[1].At(1)
	require.InDelta(t, 1, q, 1e-15)
	q, _, _ = m.Joints[2].Motion[1].At(2)
	require.Equal(t, 2.0, q)

	other := m.NewInputs()
	other.SetValues(in.Values())
	require.Equal(t, in.Values(), other.Values())
	require.NoError(t, other.SetMotion(2, 1, v.Joints[2].Motion[1]))
	require.Equal(t, forces(v), forces(other.Mechanism()))
	for _, bad := range [][]float64{nil, {1}, append(in.Values(), 1), {0: math.NaN(), 20: 0}} {
		require.ErrorIs(t, other.CheckValues(bad), mechanism.ErrInput)
		require.PanicsWithValue(t, "mechanism: foreign values", func() { other.SetValues(bad) })
	}

	beyond := in.Values() // the last ones are of joint 3: its number, then six forces
	beyond[len(beyond)-24+5] = 1
	require.ErrorContains(t, other.CheckValues(beyond), "force of freedom 5")

	in.Reset()
	require.Equal(t, before, forces(v))
	require.Zero(t, testing.AllocsPerRun(10, func() {
		_ = in.SetForce(1, 0, 7)
		_ = in.SetMotion(2, 1, m.Joints[2].Motion[1])
		in.Reset()
	}))
}

// TestInputErrors names joint or force, freedom and value, and changes nothing.
func TestInputErrors(t *testing.T) {
	m := driven(t)
	in := m.NewInputs()
	before := in.Values()
	inf := math.Inf(1)
	spline := &joints.Motion{Kind: joints.Spline, Times: []float64{1, 0}, Values: []float64{0, 1}}
	for want, err := range map[string]error{
		`joint "j1": input refused: force of freedom 1, of which a prismatic joint has 1`:                     in.SetForce(1, 1, 3),
		`joint "j1": input refused: force NaN of freedom 0 is not finite`:                                     in.SetForce(1, 0, math.NaN()),
		"gravity [+Inf 0 0] is not finite":                                                                    in.SetGravity(spatial.Vec3{inf}),
		`joint "j1": input refused: stiffness 4 of freedom 0, which has no stiffness or damping in the model`: in.SetStiffness(1, 0, 4),
		`joint "j3": input refused: damping 4 of freedom 0, which has no stiffness or damping in the model`:   in.SetDamping(3, 0, 4),
		`joint "j3": input refused: rest 4 of freedom 0, which has no scalar coordinate`:                      in.SetRest(3, 0, 4),
		`joint "j2": input refused: freedom 0 is not prescribed in the model`:                                 in.SetMotion(2, 0, joints.NewPolynomial([]float64{1})),
		`joint "j2": input refused: motion of freedom 1: spline motion: times[1] 0 is not after 1`:            in.SetMotion(2, 1, spline),
		`force "push": input refused: it is a wrench and no spring_damper`:                                    in.SetSpringDamper(0, 1, 1, 1),
		`force "spring": input refused: it is a spring_damper and no wrench`:                                  in.SetWrench(1, spatial.Vec3{}, spatial.Vec3{}),
		`force "spring": input refused: stiffness +Inf, damping 0 or rest length 0 is not finite`:             in.SetSpringDamper(1, inf, 0, 0),
		`force "push": input refused: force [0 0 0] or torque [0 NaN 0] is not finite`:                        in.SetWrench(0, spatial.Vec3{}, spatial.Vec3{1: math.NaN()}),
	} {
		require.ErrorIs(t, err, mechanism.ErrInput)
		assert.Contains(t, err.Error(), want)
	}
	require.Equal(t, before, in.Values())
}

// TestMotionTime refuses times at which a motion does not hold, by name.
func TestMotionTime(t *testing.T) {
	m := driven(t)
	in := m.NewInputs()
	require.NoError(t, in.SetMotion(2, 1, &joints.Motion{Kind: joints.Table, Times: []float64{0, 2}, Accelerations: []float64{1, 1}}))
	v, st := in.Mechanism(), m.Initial()
	k := v.NewKinematics()
	st.Time = 2
	require.NoError(t, v.KinematicsTo(k, st))
	st.Time = 2.5
	err := v.KinematicsTo(k, st)
	require.ErrorIs(t, err, mechanism.ErrMotionTime)
	require.EqualError(t, err, `mechanism: joint "j2": no prescribed motion at this time: that of freedom 1 is from 0 to 2 s, the time is 2.5 s`)
	require.NoError(t, m.KinematicsTo(k, st))
	in.Reset()
	require.NoError(t, v.KinematicsTo(k, st))
}

// TestPrescribeFollowsInputs: a mechanism with more freedoms prescribed has the inputs of its origin.
func TestPrescribeFollowsInputs(t *testing.T) {
	in := driven(t).NewInputs()
	p, err := in.Mechanism().Prescribe([]mechanism.Freedom{{Joint: 2, Freedom: 0}})
	require.NoError(t, err)
	require.NoError(t, in.SetForce(1, 0, 7))
	require.NoError(t, in.SetGravity(spatial.Vec3{1}))
	require.NoError(t, in.SetMotion(2, 1, joints.NewPolynomial([]float64{4})))
	require.Equal(t, 7.0, p.Drive(1).Force[0])
	require.Equal(t, spatial.Vec3{1}, p.Gravity)
	q, _, _ := p.Joints[2].Motion[1].At(0)
	require.Equal(t, 4.0, q)
}
