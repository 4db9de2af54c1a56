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

// spinning is a wheel on a hinge with an actuator.
func spinning(t testing.TB, a model.Actuator) *mechanism.Mechanism {
	t.Helper()
	m := model.New("spinning")
	m.Time = 0.5
	m.Bodies = []model.Body{{Name: "wheel", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	m.Joints = []model.Joint{{Name: "hinge", Type: model.Revolute, Predecessor: model.World, Successor: "wheel"}}
	a.Joint = "hinge"
	m.Forces = []model.ForceElement{{Name: "motor", Type: model.ActuatorForce, Actuator: &a}}
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return mech
}

// pushAt returns what the actuator does at an angle, of any number of
// turns, with a rate at a time, and the moment on the wheel.
func pushAt(t testing.TB, m *mechanism.Mechanism, q, qd, at float64) (mechanism.Push, float64) {
	t.Helper()
	s := m.Initial()
	s.Time = at
	s.Bodies[0].Rotation = spatial.Exp(spatial.Vec3{0, 0, q})
	s.Bodies[0].Omega = spatial.Vec3{0, 0, qd}
	if m.NumSprung() > 0 {
		s.Angles = []float64{q}
	}
	k := m.NewKinematics()
	require.NoError(t, m.KinematicsTo(k, s))
	var jk mechanism.JointKinematics
	m.JointTo(&jk, 0, k, s)
	f := make([]spatial.Force, 1)
	require.NoError(t, m.AddAppliedTo(f, k, s))
	require.Equal(t, f[0][2], m.ActuatorForce(0, k, s))
	return m.ActuatorAt(0, &jk, s), f[0][2]
}

func TestActuatorLaws(t *testing.T) {
	const q, qd, at, tol = 7.5, 1.3, 0.9, 1e-12
	harmonic := &model.Motion{Kind: model.Harmonic, Offset: 2, Amplitude: 3, Frequency: 0.7, Phase: 0.2}
	spline := &model.Motion{Kind: model.Spline, Times: []float64{0, 0.6, 1, 2}, Values: []float64{0, 2, 1, 5}}
	table := &model.Motion{Kind: model.Table, Times: []float64{0, 0.7, 2}, Accelerations: []float64{1, -3, 2}, Value: 1, Rate: 0.5}
	polynomial := &model.Motion{Kind: model.Polynomial, Coefficients: []float64{1, -2, 0.5}}
	for _, u := range []*model.Motion{harmonic, spline, table, polynomial} {
		value, _, _ := u.Prepared().At(at)
		integral, n := 0.0, 20000 // of the value from the time of the model, where the wheel is at 0: the midpoint rule
		for i := range n {
			x, _, _ := u.Prepared().At(0.5 + (at-0.5)*(float64(i)+0.5)/float64(n))
			integral += x * (at - 0.5) / float64(n)
		}
		for _, c := range []struct {
			a    model.Actuator
			want float64
			near float64
		}{
			{model.Actuator{Law: model.ActuatorTorque, Value: u}, value, tol},
			{model.Actuator{Law: model.ActuatorSpeed, Value: u, Gain: 5}, 5 * (value - qd), tol},
			{model.Actuator{Law: model.ActuatorSpeed, Value: u, Gain: 5, Integral: 3}, 5*(value-qd) + 3*(integral-q), 1e-7},
			{model.Actuator{Law: model.ActuatorPosition, Value: u, Gain: 5, Damping: 2}, 5*(value-q) - 2*qd, tol},
			{model.Actuator{Law: model.ActuatorPosition, Value: u, Gain: 5, Damping: 2, Limit: 20}, 20 * math.Tanh((5*(value-q)-2*qd)/20), tol},
		} {
			m := spinning(t, c.a)
			p, moment := pushAt(t, m, q, qd, at)
			assert.InDelta(t, c.want, p.Force, c.near, "%v %v", u.Kind, c.a.Law)
			assert.Equal(t, p.Force, moment)
			const h = 1e-5
			forward, _ := pushAt(t, m, q+h, qd, at)
			back, _ := pushAt(t, m, q-h, qd, at)
			assert.InDelta(t, -(forward.Force-back.Force)/(2*h), p.Stiffness, 1e-6)
			forward, _ = pushAt(t, m, q, qd+h, at)
			back, _ = pushAt(t, m, q, qd-h, at)
			assert.InDelta(t, -(forward.Force-back.Force)/(2*h), p.Damping, 1e-6)
		}
	}
}

// TestActuatorTime: a value that does not hold at a time is an error with the name of the actuator.
func TestActuatorTime(t *testing.T) {
	m := spinning(t, model.Actuator{Law: model.ActuatorTorque, Value: &model.Motion{Kind: model.Spline, Times: []float64{0, 1}, Values: []float64{0, 2}}})
	s := m.Initial()
	require.Equal(t, 1.0, m.NextKnot(0.5))
	s.Time = 1.5
	err := m.KinematicsTo(m.NewKinematics(), s)
	require.ErrorIs(t, err, mechanism.ErrMotionTime)
	require.ErrorContains(t, err, `force "motor"`)
}

// TestInputsSetActuator: the value of an actuator under inputs is the value that is set; the model's is unchanged, and Reset
// brings it back. The integral is the integral of the new value.
func TestInputsSetActuator(t *testing.T) {
	a := model.Actuator{Law: model.ActuatorSpeed, Gain: 2, Integral: 3, Value: &model.Motion{Kind: model.Polynomial, Coefficients: []float64{1}}}
	m := spinning(t, a)
	in := m.NewInputs()
	v := in.Mechanism()
	push := func(m *mechanism.Mechanism) float64 { p, _ := pushAt(t, m, 0.4, 1.5, 2.5); return p.Force }
	first := push(m)
	require.Equal(t, first, push(v))
	require.NoError(t, in.SetActuator(0, &joints.Motion{Kind: joints.Polynomial, Coefficients: []float64{4}}))
	require.Equal(t, first, push(m))
	require.InDelta(t, 2*(4-1.5)+3*(4*(2.5-0.5)-0.4), push(v), 1e-12)
	require.ErrorIs(t, in.SetActuator(0, &joints.Motion{Kind: joints.Polynomial, Coefficients: []float64{math.NaN()}}), mechanism.ErrInput)
	require.NoError(t, in.SetActuator(0, &joints.Motion{Kind: joints.Spline, Times: []float64{0, 1, 2, 3}, Values: []float64{0, 1, 2, 3}}))
	s := v.Initial()
	s.Time = 4
	require.ErrorIs(t, v.CheckTime(s), mechanism.ErrMotionTime)
	require.NoError(t, m.CheckTime(s))
	in.Reset()
	require.Equal(t, first, push(v))
	require.Zero(t, testing.AllocsPerRun(10, func() { _ = in.SetActuator(0, a.Value) }))
}
