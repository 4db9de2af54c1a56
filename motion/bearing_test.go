package motion_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

const (
	bearingMu, bearingRadius = 0.3, 0.05
	swingMass, swingArm      = 2.0, 0.7
)

// swing is a pendulum about the world's y, with the centre of mass
// below, on a revolute or a ball joint with the friction of a bearing.
func swing(kind model.JointType, omega float64) *model.Model {
	m := model.New("swing")
	m.Bodies = []model.Body{{
		Name: "bob", Mass: swingMass, Com: [3]float64{0, 0, -swingArm}, Inertia: model.Inertia{XX: 0.1, YY: 0.1, ZZ: 0.1},
		Velocity: model.Velocity{Angular: [3]float64{0, omega, 0}},
		Pose:     model.Pose{Orientation: [4]float64{math.Cos(0.4), 0, math.Sin(0.4), 0}},
	}}
	across := model.Pose{Orientation: [4]float64{math.Sqrt2 / 2, -math.Sqrt2 / 2, 0, 0}} // its z is y
	f := model.Friction{Coefficient: bearingMu, Radius: bearingRadius, Speed: 1e-3}
	m.Joints = []model.Joint{{
		Name: "pivot", Type: kind, Predecessor: model.World, Successor: "bob", PredecessorFrame: across, SuccessorFrame: across,
		Friction: make([]model.Friction, kind.Freedoms()),
	}}
	for i := range m.Joints[0].Friction {
		m.Joints[0].Friction[i] = f
	}
	return m
}

// swung is the pendulum's acceleration by hand: I·α = −m·g·l·sin θ −
// μ·r·|F|·ω/√(ω² + v²) with the reaction F(α), by iteration.
func swung(theta, omega float64) (alpha, F float64) {
	const g = 9.81
	I := 0.1 + swingMass*swingArm*swingArm
	for range 200 {
		along := swingMass * (swingArm*omega*omega + g*math.Cos(theta))
		across := swingMass * (swingArm*alpha + g*math.Sin(theta))
		F = math.Hypot(along, across)
		alpha = (-swingMass*g*swingArm*math.Sin(theta) - bearingMu*bearingRadius*F*omega/math.Hypot(omega, 1e-3)) / I
	}
	return alpha, F
}

// TestBearingPendulum: accelerations by all methods are those by hand; the
// friction of a ball is that of a hinge where it turns about one axis.
func TestBearingPendulum(t *testing.T) {
	for _, kind := range []model.JointType{model.Revolute, model.Spherical} {
		for _, omega := range []float64{0, 1e-3, 2, -3} {
			plan := planOf(t, swing(kind, omega))
			alpha, F := swung(0.8, omega)
			for _, method := range motion.Methods() {
				d, err := motion.New(plan, method)
				require.NoError(t, err)
				a := make([]float64, 6)
				require.NoError(t, d.Accelerations(a, plan.Initial()))
				assert.InDelta(t, alpha, a[1], 1e-11, "%v %v %v", kind, omega, method)
				load := make([]float64, 1)
				require.NoError(t, d.(sim.Bearer).BearingsTo(load, plan.Initial()))
				assert.InDelta(t, F, load[0], 1e-10)
			}
		}
	}
}

// TestBearingSpinsDown: a wheel that is balanced and spins about its axis loses its rate at μ·r·m·g/I.
func TestBearingSpinsDown(t *testing.T) {
	m := swing(model.Revolute, 20)
	m.Bodies[0].Com = [3]float64{}
	s := runImplicit(planOf(t, m), 1e-7, 0, sim.Options{Projector: sim.NoProjector})
	require.NoError(t, s.Run(2))
	want := 20 - 2*bearingMu*bearingRadius*swingMass*9.81/0.1
	assert.InDelta(t, want, s.State().Bodies[0].Omega[1], 1e-6)
	assert.InDelta(t, 0.1*(400-want*want)/2, s.DissipatedByJoints(), 1e-5)
}

// TestBearingOrder: with friction that grows with the reaction,
// generalized-α stays of order 2, and dopri5 is no worse than its tolerance.
func TestBearingOrder(t *testing.T) {
	for _, kind := range []model.JointType{model.Revolute, model.Spherical} {
		m := swing(kind, 4) // does not turn around in the time
		if kind == model.Spherical {
			m.Bodies[0].Velocity.Angular = [3]float64{1.5, 4, -1}
			m.Bodies[0].Inertia.XX = 0.15
		}
		final := func(s *sim.Simulation) spatial.Vec3 {
			require.NoError(t, s.Run(0.2))
			return s.State().Bodies[0].Omega
		}
		exact := final(runExplicit(planOf(t, m), 1e-12, sim.Options{Projector: sim.NoProjector}))
		assert.Less(t, final(runExplicit(planOf(t, m), 1e-7, sim.Options{Projector: sim.NoProjector})).Sub(exact).Norm(), 1e-6)
		var errs []float64
		for _, h := range []float64{0.01, 0.005, 0.0025} {
			errs = append(errs, final(runImplicit(planOf(t, m), 0, h, sim.Options{Projector: sim.NoProjector})).Sub(exact).Norm())
		}
		for i := range 2 {
			assert.InDelta(t, 2, math.Log2(errs[i]/errs[i+1]), 0.15, "%v %v", kind, errs)
		}
	}
}

// TestBearingRefused: friction of a reaction that redundant joints leave undetermined is refused with the name of the
// joint. That of a planar linkage is determined: its hinges carry no more across their axes than the plane says.
func TestBearingRefused(t *testing.T) {
	door := swing(model.Revolute, 1)
	low := door.Joints[0]
	low.Name, low.Friction = "lower", nil
	low.PredecessorFrame.Position, low.SuccessorFrame.Position = [3]float64{0, 1, 0}, [3]float64{0, 1, 0}
	door.Joints = append(door.Joints, low)
	plan := planOf(t, door)
	for _, method := range motion.Methods() {
		d, err := motion.New(plan, method)
		require.NoError(t, err)
		err = d.Accelerations(make([]float64, 6), plan.Initial())
		require.ErrorIs(t, err, kkt.ErrReaction)
		require.ErrorContains(t, err, `joint "pivot"`)
	}
	v, err := plan.NewInverse([]mechanism.Freedom{{Joint: 1}})
	require.NoError(t, err)
	require.ErrorIs(t, v.Solve(plan.Initial(), nil), kkt.ErrReaction)
}

// TestBearingInverse: the actuator's force for the accelerations of a motion under another force is that force, with
// the friction of the reaction counted.
func TestBearingInverse(t *testing.T) {
	m := swing(model.Revolute, 2)
	m.Joints[0].Force = []float64{3}
	plan := planOf(t, m)
	d := motion.NewDynamics(plan)
	a := make([]float64, 6)
	require.NoError(t, d.Accelerations(a, plan.Initial()))
	m.Joints[0].Force = nil
	plan = planOf(t, m)
	v, err := plan.NewInverse([]mechanism.Freedom{{}})
	require.NoError(t, err)
	require.NoError(t, v.Solve(plan.Initial(), a))
	assert.InDelta(t, 3, v.Forces()[0], 1e-11)
	k, qdd := plan.Mechanism().NewKinematics(), [6]float64{}
	require.NoError(t, plan.Mechanism().KinematicsTo(k, plan.Initial()))
	require.NoError(t, plan.Mechanism().SecondRatesTo(&qdd, 0, a, k, plan.Initial()))
	require.NoError(t, v.SolveFreedoms(plan.Initial(), qdd[:1]))
	assert.InDelta(t, 3, v.Forces()[0], 1e-11)
	p, err := tree.NewPlan(plan.Mechanism(), tree.Options{})
	require.NoError(t, err)
	w := p.NewInverse(tree.Projection, []mechanism.Freedom{{}}, nil)
	require.ErrorIs(t, w.Solve(plan.Initial(), []float64{0}), tree.ErrReaction)
}

// TestBearingJams: friction so large that it makes its own reaction has no balance.
func TestBearingJams(t *testing.T) {
	m := swing(model.Revolute, 2)
	for i := range m.Joints[0].Friction {
		m.Joints[0].Friction[i].Coefficient = 100
	}
	plan := planOf(t, m)
	require.ErrorIs(t, motion.NewDynamics(plan).Accelerations(make([]float64, 6), plan.Initial()), kkt.ErrJammed)
}
