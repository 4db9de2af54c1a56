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
					b.workers[0].t.steps = nil
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
				require.NoError(t, b.Rollout(s, &Rollout{Integrator: how, Step: 1e-3, Steps: 1}, out))
				require.NoError(t, out.Error(0))
				s.To(st, 0)
				require.Equal(t, alone || off >= 1e-4, out.OneByOne(0) == 1, "method %d, off by %g", how, off)
				require.InEpsilon(t, before, energy(), tol, "alone %v, method %d, off by %g", alone, how, off)
			}
		}
	}
}
