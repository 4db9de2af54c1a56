package linear_test

import (
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// lift is a mass on an upright slide, with gravity along −z.
func lift(change func(j *model.Joint)) *model.Model {
	m := model.New("lift")
	m.Bodies = []model.Body{{Name: "mass", Mass: 2, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	m.Joints = []model.Joint{{Name: "slide", Type: model.Prismatic, Predecessor: model.World, Successor: "mass"}}
	change(&m.Joints[0])
	return m
}

// TestRestOnStop: a mass falls on its stop and rests there, where it vibrates with the stiffness and the damping of the
// stop. At the edge and above the stop does nothing.
func TestRestOnStop(t *testing.T) {
	const k, e, chi = 5000.0, 1.5, 0.4
	p := planned(t, lift(func(j *model.Joint) {
		j.Stiffness, j.Rest = []float64{10}, []float64{0.3}
		j.Limits = []*model.Limit{{Lower: -0.2, Upper: 5, Stop: model.Stop{Normal: contact.Normal{Stiffness: k, Exponent: e, Dissipation: chi}}}}
	}))
	st := p.Initial()
	found, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
	require.NoError(t, err)
	assert.Equal(t, linear.Stable, found.Stability)
	depth := -0.2 - st.Bodies[0].Position[2]
	N := 2*9.81 - 10*(0.3-st.Bodies[0].Position[2])
	assert.InDelta(t, N, k*math.Pow(depth, e), 1e-8)
	assert.InDelta(t, k*math.Pow(depth, e+1)/(e+1)+5*math.Pow(0.3+0.2+depth, 2), found.After.Joints, 1e-9)
	mode := func(z float64) complex128 {
		at := p.Initial()
		at.Bodies[0].Position[2] = z
		modes, err := linearized(t, p, at).Modes(linear.ModeOptions{})
		require.NoError(t, err)
		require.Len(t, modes.List, 1)
		return modes.List[0].Lambda
	}
	K, D := 10+k*e*math.Sqrt(depth), N*chi
	want := cmplx.Sqrt(complex(D*D/16-K/2, 0)) - complex(D/4, 0)
	assert.Less(t, cmplx.Abs(mode(st.Bodies[0].Position[2])-want), 1e-8*cmplx.Abs(want))
	for _, z := range []float64{-0.2, 0} {
		assert.Less(t, cmplx.Abs(mode(z)-complex(0, math.Sqrt(5))), 1e-9)
	}
}

// TestFrictionModes: at rest, regularised friction is a damper, bristles are springs with dampers, and the friction of
// a bearing has the size of the load it carries.
func TestFrictionModes(t *testing.T) {
	const F = 3.0
	lambda := func(m *model.Model) complex128 {
		p := planned(t, m)
		modes, err := linearized(t, p, p.Initial()).Modes(linear.ModeOptions{})
		require.NoError(t, err)
		best := complex128(0)
		for i := range modes.List {
			if l := modes.List[i].Lambda; cmplx.Abs(l) > cmplx.Abs(best) {
				best = l
			}
		}
		return best
	}
	rub := func(f model.Friction) *model.Model {
		return lift(func(j *model.Joint) { j.Friction = []model.Friction{f} })
	}
	assert.InDelta(t, -1.5*F/0.2/2, real(lambda(rub(model.Friction{Force: F, Speed: 0.2, Static: 1.5, Stribeck: 0.1}))), 1e-9)
	got := lambda(rub(model.Friction{Force: F, Hold: contact.Hold{Travel: 1e-3, Damping: 2}}))
	d, k := F*2/2.0, F/1e-3/2
	assert.Less(t, cmplx.Abs(got-complex(-d/2, math.Sqrt(k-d*d/4))), 1e-9*cmplx.Abs(got))

	wheel := lift(func(j *model.Joint) {
		j.Type = model.Revolute
		across := model.Pose{Orientation: [4]float64{math.Sqrt2 / 2, math.Sqrt2 / 2, 0, 0}}
		j.PredecessorFrame, j.SuccessorFrame = across, across
		j.Friction = []model.Friction{{Coefficient: 0.3, Radius: 0.1, Speed: 0.5}}
	})
	assert.InDelta(t, -0.3*0.1*2*9.81/0.5, real(lambda(wheel)), 1e-9)
}

// TestFrictionWhileMoving: the linearized system has the exact damping of regularised friction and of stops; bristles
// and bearings are refused with the joint.
func TestFrictionWhileMoving(t *testing.T) {
	p := planned(t, lift(func(j *model.Joint) {
		j.Friction = []model.Friction{{Force: 2, Speed: 0.3, Static: 1.5, Stribeck: 0.4}}
		j.Limits = []*model.Limit{{Lower: 0.1, Upper: 5, Stop: model.Stop{Normal: contact.Normal{Stiffness: 700, Exponent: 1.5, Dissipation: 0.4}}}}
	}))
	mech, k, f := p.Mechanism(), p.Mechanism().NewKinematics(), make([]spatial.Force, 1)
	force := func(z, v float64) float64 {
		st := mech.Initial()
		st.Bodies[0].Position[2], st.Bodies[0].Velocity[2] = z, v
		require.NoError(t, mech.KinematicsTo(k, st))
		require.NoError(t, mech.ForcesTo(f, k, st))
		return f[0][5]
	}
	st := mech.Initial()
	st.Bodies[0].Velocity[2] = 0.37
	s := linearized(t, p, st)
	x, y := []float64{0, 0, 0, 0, 0, 1}, make([]float64, 6)
	const h = 1e-6
	s.StiffnessTo(y, x)
	assert.InDelta(t, -(force(h, 0.37)-force(-h, 0.37))/(2*h), y[5], 1e-5)
	s.DampingTo(y, x)
	assert.InDelta(t, -(force(0, 0.37+h)-force(0, 0.37-h))/(2*h), y[5], 1e-6)

	for _, bad := range []model.Friction{{Force: 1, Hold: contact.Hold{Travel: 1}}, {Coefficient: 1, Radius: 0.01}} {
		m := lift(func(j *model.Joint) { j.Type, j.Friction = model.Revolute, []model.Friction{bad} })
		m.Bodies[0].Velocity.Angular = [3]float64{0, 0, 1}
		p := planned(t, m)
		err := linear.NewSystem(p).Linearize(p.Initial())
		require.ErrorIs(t, err, mechanism.ErrNoDerivatives)
		require.ErrorContains(t, err, `joint "slide"`)
	}
}

// TestEquilibriumLeavesBristles: with bristles in joints or not, the equilibrium is the one without friction.
func TestEquilibriumLeavesBristles(t *testing.T) {
	for _, list := range [][]model.Friction{nil, {{Force: 100, Hold: contact.Hold{Travel: 1e-3}}}, {{Force: 100}}} {
		p := planned(t, lift(func(j *model.Joint) { j.Stiffness, j.Friction = []float64{50}, list }))
		st := p.Initial()
		e, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
		require.NoError(t, err)
		assert.InDelta(t, -2*9.81/50, st.Bodies[0].Position[2], 1e-9)
		assert.Less(t, e.Steps, 10)
	}
}
