package batch

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestOffRedundantJoints: a shaft in two bearings that is a little off them, where rows that are redundant on them are not
// quite so, keeps its energy in a step, which lanes leave to the solver unless rows that are redundant are so to rounding.
func TestOffRedundantJoints(t *testing.T) {
	const (
		tol  = 5e-3 // of the energy, which the way back to the joints takes or gives
		spin = 20   // rad/s
	)
	far := model.Pose{Position: [3]float64{0, 0, 0.4}}
	m := model.New("shaft")
	m.Gravity = [3]float64{}
	m.Bodies = []model.Body{{Name: "shaft", Mass: 1, Com: [3]float64{0.1, 0, 0.2}, Inertia: model.Inertia{XX: 0.03, YY: 0.04, ZZ: 0.05}}}
	m.Joints = []model.Joint{
		{Name: "bearing", Type: model.Revolute, Predecessor: model.World, Successor: "shaft"},
		{Name: "sleeve", Type: model.Cylindrical, Predecessor: model.World, Successor: "shaft", PredecessorFrame: far, SuccessorFrame: far},
	}
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	for _, alone := range []bool{true, false} {
		for how := RungeKutta4; how <= SemiImplicit; how++ {
			for _, off := range []float64{0, 1e-6, 1e-5, 1e-4, 3e-4} { // rad
				b, err := New(p, Options{})
				require.NoError(t, err)
				if alone {
					b.workers[0].c.Steps = nil
				}
				s, out := b.NewStates(1), b.NewOutcome(1)
				st := p.Initial()
				x := &st.Bodies[0]
				x.Rotation = spatial.Exp(spatial.Vec3{off, off / 2, 0})
				x.Omega = spatial.Vec3{off, 0, spin}
				s.Set(0, st)
				energy := func() float64 {
					k := p.Mechanism().NewKinematics()
					require.NoError(t, p.Mechanism().KinematicsTo(k, st))
					return p.Mechanism().EnergyAt(k, st).Kinetic
				}
				before := energy()
				require.NoError(t, b.Rollout(s, &Rollout{Integrator: how, Step: 1e-3, Steps: 1, AsItIs: true}, out))
				require.NoError(t, out.Error(0))
				s.To(st, 0)
				require.Equal(t, alone || off >= 1e-4, out.OneByOne(0) == 1, "method %d, off by %g", how, off)
				require.InEpsilon(t, before, energy(), tol, "alone %v, method %d, off by %g", alone, how, off)
			}
		}
	}
}

// TestFastOnPin: a body that turns fast about a hinge on the ground stays in lanes, and is where its angle says.
func TestFastOnPin(t *testing.T) {
	const (
		spin, h, steps = 20.0, 0.01, 100 // rad/s, s: a fifth of a radian a step
		arm            = 5               // m
	)
	m := model.New("arm")
	m.Gravity = [3]float64{}
	m.Bodies = []model.Body{{Name: "arm", Mass: 1, Com: [3]float64{0.1, 0, 0}, Inertia: model.Inertia{XX: 0.03, YY: 0.04, ZZ: 0.05}}}
	m.Bodies[0].Pose.Position = [3]float64{arm, 0, 0}
	m.Joints = []model.Joint{{Name: "pin", Type: model.Revolute, Predecessor: model.World, Successor: "arm", SuccessorFrame: model.Pose{Position: [3]float64{-arm, 0, 0}}}}
	m.Bodies[0].Velocity.Angular = [3]float64{0, 0, spin}
	m.Bodies[0].Velocity.Linear = [3]float64{0, spin * arm, 0}
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	b, err := New(p, Options{})
	require.NoError(t, err)
	s, out, st := b.NewStates(1), b.NewOutcome(1), p.Initial()
	s.Set(0, st)
	require.NoError(t, b.Rollout(s, &Rollout{Integrator: SemiImplicit, Step: h, Steps: steps}, out))
	require.NoError(t, out.Error(0))
	require.Zero(t, out.OneByOne(0))
	s.To(st, 0)
	want := spatial.Exp(spatial.Vec3{0, 0, spin * h * steps})
	require.InDelta(t, 0, st.Bodies[0].Position.Sub(want.Rotate(spatial.Vec3{arm, 0, 0})).Norm(), 1e-11)
	require.InDelta(t, spin, st.Bodies[0].Omega[2], 1e-11)
}
