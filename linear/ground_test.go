package linear_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestRoverAtRest: the rover of reference/ground comes to rest on level
// ground; the ground carries its weight, and it may stand anywhere.
func TestRoverAtRest(t *testing.T) {
	check.Long(t)
	m, err := model.ReadFile(check.Reference(t, "ground", "rover-drop.model.json"))
	require.NoError(t, err)
	m.Terrains[0].Normal = [3]float64{0, 0, 1}
	p := planned(t, m)
	st := p.Initial()
	e, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
	require.NoError(t, err)
	assert.Equal(t, linear.Neutral, e.Stability)
	mech := p.Mechanism()
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, st))
	weight, load := 0.0, 0.0
	for i := range mech.Bodies {
		weight += mech.Bodies[i].Mass * 9.81
	}
	for i := range mech.NumContacts() {
		r, err := mech.ContactAt(i, k, st)
		require.NoError(t, err)
		require.Len(t, r.Touches, 1)
		load += r.Touches[0].Force.N
	}
	assert.InEpsilon(t, weight, load, 1e-9)

	m.Terrains[0].Normal = [3]float64{0.2, 0, 1} // a slope: its friction has no force at rest
	p = planned(t, m)
	_, err = linear.Equilibrate(p, p.Initial(), linear.EquilibriumOptions{})
	assert.ErrorIs(t, err, linear.ErrNoEquilibrium)
}

// TestBallOnGround: the modes of a ball that rests on the ground: it bounces with √(k/m), with bristles it swings on
// them and does not roll freely, and friction without them is a damper at the point.
func TestBallOnGround(t *testing.T) {
	const mass, r, k, g, mu, travel = 2.0, 0.1, 1e4, 9.81, 0.5, 1e-3
	load := mass * g
	for _, bristles := range []bool{false, true} {
		f := contact.Friction{Type: contact.Coulomb, Coefficient: [2]float64{mu, mu}, SlipSpeed: 0.5}
		if bristles {
			f.Hold = contact.Hold{Travel: travel}
		}
		I := 0.4 * mass * r * r
		m := model.New("ball")
		m.Terrains = []model.Terrain{{Name: "ground", Type: model.PlaneTerrain}}
		m.Bodies = []model.Body{{Name: "ball", Mass: mass, Inertia: model.Inertia{XX: I, YY: I, ZZ: I}, Pose: model.Pose{Position: [3]float64{0, 0, r - load/k}}}}
		m.Forces = []model.ForceElement{{Name: "c", Type: model.ContactForce, A: model.Attachment{Body: "ball"}, Contact: &model.Contact{
			Terrain: "ground", Shape: contact.Shape{Type: contact.Sphere, Radius: r, Axis: spatial.Vec3{0, 1, 0}},
			Law: contact.Law{Normal: contact.Normal{Stiffness: k, Exponent: 1}, Friction: f},
		}}}
		p := planned(t, m)
		s := linear.NewSystem(p)
		require.NoError(t, s.Linearize(p.Initial()))
		modes, err := s.Modes(linear.ModeOptions{})
		require.NoError(t, err)
		arm := r // the point of the undeformed ball
		light := 1 / (1/mass + arm*arm/I)
		wanted := map[string]complex128{"bounce": complex(0, math.Sqrt(k/mass))}
		if bristles {
			wanted["swing"] = complex(0, math.Sqrt(mu*load/travel/light))
		} else {
			wanted["slip"] = complex(-mu*load/0.5/light, 0)
		}
		for name, want := range wanted {
			near := math.Inf(1)
			for i := range modes.List {
				d := modes.List[i].Lambda - want
				near = min(near, math.Hypot(real(d), imag(d)))
			}
			assert.Less(t, near, 2e-2*math.Hypot(real(want), imag(want)), "%s: %v", name, want)
		}
	}
}

// TestActuatorsAreSprings: an actuator that holds a position is the spring and damper of its joint.
func TestActuatorsAreSprings(t *testing.T) {
	const gain, damping = 40.0, 0.3
	pendulum := func() *model.Model {
		m := model.New("pendulum")
		m.Bodies = []model.Body{{Name: "bob", Mass: 2, Com: [3]float64{0, -1, 0}, Inertia: model.Inertia{XX: 0.1, YY: 0.1, ZZ: 0.1}, Pose: model.Pose{Orientation: [4]float64{math.Cos(0.2), math.Sin(0.2), 0, 0}}}}
		m.Joints = []model.Joint{{Name: "pin", Type: model.Universal, Predecessor: model.World, Successor: "bob"}}
		return m
	}
	sprung, driven := pendulum(), pendulum()
	sprung.Joints[0].Stiffness, sprung.Joints[0].Damping, sprung.Joints[0].Rest = []float64{gain, gain}, []float64{damping, damping}, []float64{0.1, 0}
	for i, rest := range []float64{0.1, 0} {
		driven.Forces = append(driven.Forces, model.ForceElement{Name: string(rune('a' + i)), Type: model.ActuatorForce, Actuator: &model.Actuator{
			Joint: "pin", Freedom: i, Law: model.ActuatorPosition, Value: &model.Motion{Kind: model.Polynomial, Coefficients: []float64{rest}}, Gain: gain, Damping: damping,
		}})
	}
	var got [2][]linear.Mode
	for i, m := range []*model.Model{sprung, driven} {
		p := planned(t, m)
		st := p.Initial()
		_, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
		require.NoError(t, err)
		s := linear.NewSystem(p)
		require.NoError(t, s.Linearize(st))
		modes, err := s.Modes(linear.ModeOptions{})
		require.NoError(t, err)
		got[i] = modes.List
	}
	require.Len(t, got[1], len(got[0]))
	for i := range got[0] {
		a, b := got[0][i].Lambda, got[1][i].Lambda
		assert.InDelta(t, real(a), real(b), 1e-8)
		assert.InDelta(t, imag(a), imag(b), 1e-8)
	}
}

// blockOn returns a block of 0.4 m with a ball of 0.05 m for a foot at each corner, on a plane with a slope along x.
func blockOn(slope, mu float64, hold contact.Hold) *model.Model {
	const mass, side, r, k = 10.0, 0.4, 0.05, 1e5
	m := model.New("block")
	c, s := math.Cos(slope), math.Sin(slope)
	m.Terrains = []model.Terrain{{Name: "ground", Type: model.PlaneTerrain, Normal: [3]float64{s, 0, c}}}
	I := mass * side * side / 6
	up := side/2 + r - mass*9.81*c/4/k
	m.Bodies = []model.Body{{Name: "block", Mass: mass, Inertia: model.Inertia{XX: I, YY: I, ZZ: I}, Pose: model.Pose{
		Position: [3]float64{s * up, 0, c * up}, Orientation: [4]float64{math.Cos(slope / 2), 0, math.Sin(slope / 2), 0},
	}}}
	for i := range 4 {
		m.Forces = append(m.Forces, model.ForceElement{Name: string(rune('a' + i)), Type: model.ContactForce, A: model.Attachment{Body: "block"}, Contact: &model.Contact{
			Terrain: "ground", Shape: contact.Shape{Type: contact.Sphere, Radius: r, Center: spatial.Vec3{side / 2 * float64(1-i&2), side / 2 * float64(1-i&1*2), -side / 2}},
			Law: contact.Law{Normal: contact.Normal{Stiffness: k, Exponent: 1}, Friction: contact.Friction{Type: contact.Coulomb, Coefficient: [2]float64{mu, mu}, SlipSpeed: 1e-3, Hold: hold}},
		}})
	}
	return m
}

// TestBlockHeldOnSlope: bristles bend until they carry the weight, and the feet have the loads of statics. Above the angle of
// friction the error says that the block slides, and without bristles that friction at rest holds nothing.
func TestBlockHeldOnSlope(t *testing.T) {
	check.Long(t)
	const mu, travel = 0.5, 1e-3
	limit := math.Atan(mu)
	for _, slope := range []float64{0, 0.1, 0.3, 0.99 * limit} {
		p := planned(t, blockOn(slope, mu, contact.Hold{Travel: travel}))
		st := p.Initial()
		e, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
		require.NoError(t, err, "slope %v", slope)
		mech := p.Mechanism()
		k := mech.NewKinematics()
		require.NoError(t, mech.KinematicsTo(k, st))
		down, load := 0.0, 0.0
		for i := range 4 {
			r, err := mech.ContactAt(i, k, st)
			require.NoError(t, err)
			load += r.Touches[0].Force.N
			down += math.Hypot(r.Touches[0].Force.X, r.Touches[0].Force.Y)
		}
		t.Logf("slope %.4f: %d steps, loads %.6g N and %.6g N, %v", slope, e.Steps, load, down, e.Stability)
		check.Close(t, load, 98.1*math.Cos(slope), 1e-9, 98.1, "load")
		check.Close(t, down, 98.1*math.Sin(slope), 1e-9, 98.1, "friction")
		if slope > 0 {
			assert.Equal(t, linear.Stable, e.Stability)
		}
		assert.Less(t, e.Travel, 2*travel)
	}
	for _, c := range []struct {
		hold contact.Hold
		text string
	}{
		{contact.Hold{Travel: travel}, `contact "a" slides: its friction carries all it can; `},
		{contact.Hold{}, `friction at rest holds nothing: simulate, or give the friction of contact "[ab]" hold; `}, // rounding says which one touches at the end
	} {
		p := planned(t, blockOn(1.02*limit, mu, c.hold))
		_, err := linear.Equilibrate(p, p.Initial(), linear.EquilibriumOptions{})
		require.ErrorIs(t, err, linear.ErrNoEquilibrium)
		assert.Regexp(t, c.text, err.Error())
	}
}

// TestRoverHeldOnSlope: the rover of reference/ground, whose wheels are braked by springs, is held by bristles.
func TestRoverHeldOnSlope(t *testing.T) {
	check.Long(t)
	m, err := model.ReadFile(check.Reference(t, "ground", "rover-drop.model.json"))
	require.NoError(t, err)
	for i := range m.Forces {
		if c := m.Forces[i].Contact; c != nil {
			c.Law.Friction.Hold = contact.Hold{Travel: 1e-3}
		}
	}
	p := planned(t, m)
	st := p.Initial()
	e, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
	require.NoError(t, err)
	t.Logf("%d steps, %v, least stiffness %.3g", e.Steps, e.Stability, e.Lowest)
	assert.Equal(t, linear.Stable, e.Stability)
	// A simulation from the equilibrium stays at rest.
	s := linear.NewSystem(p)
	require.NoError(t, s.Linearize(st))
	_, relative := s.Unbalanced()
	assert.Less(t, relative, 1e-9)

	// Without brakes it rolls, and the error says so, however slowly the search follows.
	for i := range m.Joints {
		m.Joints[i].Stiffness = nil
	}
	p = planned(t, m)
	_, err = linear.Equilibrate(p, p.Initial(), linear.EquilibriumOptions{})
	require.ErrorIs(t, err, linear.ErrNoEquilibrium)
	assert.ErrorContains(t, err, "nothing holds body ")
}
