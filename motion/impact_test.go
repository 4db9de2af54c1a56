package motion_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// impactTol is the rounding of impacts of bodies of 1 kg and 1 m/s.
const impactTol = 1e-12

// hardStop is a limit whose upper end is at x, with the restitution e.
func hardStop(x, e float64) []*model.Limit {
	return []*model.Limit{{Lower: -9, Upper: x, Stop: model.Stop{Normal: contact.Normal{Stiffness: 1e4}, Restitution: e, ImpactSpeed: 1e-3}}}
}

// impact makes the first stop of m strike at the state of the model. It returns the rates of the first freedoms of all
// joints after it, the energy that is taken, and the kinetic energy that is missing. Joints and couplings hold.
func impact(t *testing.T, m *model.Model) (rates []float64, taken, missing float64) {
	t.Helper()
	plan := planOf(t, m)
	mech, st := plan.Mechanism(), plan.Initial()
	stops := sim.NewStops(mech, motion.NewDynamics(plan), nil)
	st.Internal = make([]float64, mech.NumInternal())
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, st))
	before := mech.EnergyAt(k, st).Kinetic
	_, err := stops.Events()[0].Action(st)
	require.NoError(t, err)
	after := mech.EnergyAt(k, st).Kinetic
	taken, n := stops.Taken()
	require.EqualValues(t, 1, n)
	for j := range mech.Joints {
		_, off := mech.Residuals(j, k, st)
		assert.Less(t, off, impactTol)
		var jk mechanism.JointKinematics
		var qd [6]float64
		mech.JointTo(&jk, j, k, st)
		mech.Joints[j].RatesTo(&qd, &jk.Frames)
		rates = append(rates, qd[0])
	}
	for i := range mech.Couplings {
		_, off := mech.CouplingErrors(i, k, st)
		assert.InDelta(t, 0, off, impactTol)
	}
	return rates, taken, before - after
}

// sliders is a mass M on a slide along z of the world at 0.4 m/s, and on it a mass of 1 kg on a slide along z at v
// relative to it, whose stop is struck.
func sliders(M, v, e float64, change func(first, second *model.Joint)) *model.Model {
	m := slider(func(j *model.Joint, b *model.Body) { b.Mass, b.Velocity.Linear[2] = M, 0.4 })
	m.Bodies = append(m.Bodies, model.Body{Name: "second", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}, Velocity: model.Velocity{Linear: [3]float64{0, 0, 0.4 + v}}})
	m.Joints = append(m.Joints, model.Joint{Name: "on", Type: model.Prismatic, Predecessor: "mass", Successor: "second", Limits: hardStop(0, e)})
	change(&m.Joints[0], &m.Joints[1])
	return m
}

// TestImpactsWithArmature: rotors of both slides take part in an impulse between two masses: the momentum along the
// first slide, (M + I₁ + m)ẋ + m·q̇, stays, and the energy (1 − e²)·q̇²/2 of the inertia m + I₂ − m²/(M + I₁ + m) is
// taken. Where the first slide is driven it goes on as it is.
func TestImpactsWithArmature(t *testing.T) {
	const M, I1, I2, v, e = 3.0, 0.7, 2.5, 0.8, 0.3
	rates, taken, missing := impact(t, sliders(M, v, e, func(a, b *model.Joint) { a.Armature, b.Armature = []float64{I1}, []float64{I2} }))
	assert.InDelta(t, -e*v, rates[1], impactTol)
	assert.InDelta(t, 0.4+(1+e)*v/(M+I1+1), rates[0], impactTol)
	assert.InDelta(t, (1-e*e)*v*v/2*(1+I2-1/(M+I1+1)), taken, impactTol)
	assert.InDelta(t, taken, missing, impactTol)

	rates, taken, missing = impact(t, sliders(M, v, e, func(a, b *model.Joint) {
		a.Armature, b.Armature = []float64{I1}, []float64{I2}
		a.Motion = []*joints.Motion{{Kind: joints.Polynomial, Coefficients: []float64{0, 0.4}}}
	}))
	assert.InDelta(t, -e*v, rates[1], impactTol)
	assert.InDelta(t, 0.4, rates[0], impactTol)
	assert.InDelta(t, (1-e*e)*v*v/2*(1+I2), taken, impactTol)
	assert.InDelta(t, taken+0.4*(1+e)*v, missing, impactTol) // the drive holds against the impulse (1 + e)·v of the second mass
}

// TestImpactOfGears: a stop at one wheel of a pair turns both around.
func TestImpactOfGears(t *testing.T) {
	const J1, J2, n, w, e = 0.5, 2.0, 3.0, 1.2, 0.6
	m := model.New("gears")
	m.Gravity = [3]float64{}
	for i, J := range []float64{J1, J2} {
		name, rate := []string{"one", "two"}[i], []float64{w, -w / n}[i]
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: J}, Velocity: model.Velocity{Angular: [3]float64{0, 0, rate}}})
		m.Joints = append(m.Joints, model.Joint{Name: name, Type: model.Revolute, Predecessor: model.World, Successor: name})
	}
	m.Joints[0].Limits = hardStop(0, e)
	terms := []model.CouplingTerm{{Coupled: model.Coupled{Joint: "one"}, Factor: 1}, {Coupled: model.Coupled{Joint: "two"}, Factor: n}}
	m.Couplings = []model.Coupling{{Name: "gear", Terms: terms}, {Name: "again", Terms: terms}} // redundant
	rates, taken, missing := impact(t, m)
	assert.InDelta(t, -e*w, rates[0], impactTol)
	assert.InDelta(t, e*w/n, rates[1], impactTol)
	assert.InDelta(t, (1-e*e)*w*w/2*(J1+J2/(n*n)), taken, impactTol)
	assert.InDelta(t, taken, missing, impactTol)
}

// TestImpactOfPoint: a point mass on a massless arm of length l hangs from a cart and strikes: the momentum along the
// rail, (M + m)ẋ + m·l·θ̇, stays.
func TestImpactOfPoint(t *testing.T) {
	const M, m1, l, w, e = 2.0, 0.5, 0.7, 1.5, 0.4
	m := model.New("cart")
	m.Gravity = [3]float64{}
	along := [4]float64{0.5, 0.5, 0.5, 0.5} // z of the joint along x
	m.Bodies = []model.Body{
		{Name: "cart", Mass: M, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}},
		{Name: "bob", Mass: m1, Pose: model.Pose{Position: [3]float64{0, -l}}, Velocity: model.Velocity{Linear: [3]float64{w * l}, Angular: [3]float64{0, 0, w}}},
	}
	m.Joints = []model.Joint{
		{Name: "rail", Type: model.Prismatic, Predecessor: model.World, Successor: "cart", PredecessorFrame: model.Pose{Orientation: along}, SuccessorFrame: model.Pose{Orientation: along}},
		{Name: "arm", Type: model.Revolute, Predecessor: "cart", Successor: "bob", SuccessorFrame: model.Pose{Position: [3]float64{0, l}}, Limits: hardStop(0, e)},
	}
	rates, taken, missing := impact(t, m)
	assert.InDelta(t, -e*w, rates[1], impactTol)
	assert.InDelta(t, (1+e)*w*m1*l/(M+m1), rates[0], impactTol)
	assert.InDelta(t, (1-e*e)*w*w/2*m1*l*l*M/(M+m1), taken, impactTol)
	assert.InDelta(t, taken, missing, impactTol)
}

// TestStuckFreedoms: a freedom that couplings hold has no response except rounding.
func TestStuckFreedoms(t *testing.T) {
	m := sliders(3, 0, 0, func(a, b *model.Joint) { b.Armature = []float64{1e-3} })
	m.Couplings = []model.Coupling{{Name: "fast", Terms: []model.CouplingTerm{{Coupled: model.Coupled{Joint: "on"}, Factor: 1}}}}
	plan := planOf(t, m)
	st := plan.Initial()
	st.Internal = make([]float64, plan.Mechanism().NumInternal())
	st.Bodies[1].Velocity[2]++ // which it does not allow
	stops := sim.NewStops(plan.Mechanism(), motion.NewDynamics(plan), nil)
	_, err := stops.Events()[0].Action(st)
	require.ErrorIs(t, err, sim.ErrStuck)
	var at *mechanism.Error
	require.ErrorAs(t, err, &at)
	require.Equal(t, "on", at.Joint)
}

// mixed is a random mechanism of composite and other joints with couplings, armature, rods, point masses, springs by
// laws, bushings and cables. Nothing has motions.
func mixed(t testing.TB, seed uint64) *model.Model {
	rng := rand.New(rand.NewPCG(seed, 17))
	n := 3 + rng.IntN(6)
	var m *model.Model
	if seed%2 == 0 {
		m = modeltest.Composites(seed, n, rng.IntN(2))
	} else {
		m = generate(t, "random", n, seed)
		if seed%4 == 1 {
			m, _ = modeltest.AsComposites(m)
		}
	}
	m = modeltest.Gear(m, rng)
	modeltest.AddSprings(m, rng)
	if slices.ContainsFunc(m.Joints, func(j model.Joint) bool { return j.Motion == nil && j.Kind().Freedoms() > 0 && j.Kind().Scalar(0) }) {
		m = modeltest.Couple(t, m, rng, 1+rng.IntN(3))
	}
	if seed%3 == 0 {
		m = modeltest.Thin(m, rng, 4)
	}
	return modeltest.Shuffle(m, rng)
}

// projected returns the plan of m and a state whose velocities satisfy its joints and couplings; nil if there are none,
// next to a singular pose, or if the accelerations there are not determined.
func projected(t *testing.T, m *model.Model) (*rung.Plan, *mechanism.State) {
	t.Helper()
	plan := planOf(t, m)
	d, st := motion.NewDynamics(plan), plan.Initial()
	plan.Mechanism().FollowAngles(plan.Mechanism().NewKinematics(), st)
	if d.ProjectVelocities(st) != nil || d.Accelerations(make([]float64, 6*plan.Mechanism().NumBodies()), st) != nil {
		return nil, nil
	}
	return plan, st
}

// TestRespond: what a unit impulse adds to the velocities is what a
// unit force adds to the accelerations of a method on a tree.
func TestRespond(t *testing.T) {
	seeds, compared := check.Random[uint64](25, 16), 0
	for seed := range seeds {
		m := mixed(t, seed)
		plan, st := projected(t, m)
		if plan == nil {
			continue
		}
		mech, d := plan.Mechanism(), motion.NewDynamics(plan)
		n := 6 * mech.NumBodies()
		v, a, b := make([]float64, n), make([]float64, n), make([]float64, n)
		rng := rand.New(rand.NewPCG(seed, 3))
		j := rng.IntN(len(m.Joints))
		jt := &m.Joints[j]
		if jt.Kind().Freedoms() == 0 {
			continue
		}
		f := rng.IntN(jt.Kind().Freedoms())
		if !jt.Kind().Scalar(f) {
			continue
		}
		free, err := d.RespondTo(v, st, mechanism.Freedom{Joint: j, Freedom: f})
		require.NoError(t, err, "seed %d", seed)
		require.Positive(t, free)
		accelerations := func(a []float64) {
			d, err := motion.New(planOf(t, m), motion.TreeDirect)
			require.NoError(t, err)
			require.NoError(t, d.Accelerations(a, st), "seed %d", seed)
		}
		accelerations(a)
		if jt.Force == nil {
			jt.Force = make([]float64, jt.Kind().Freedoms())
		}
		jt.Force[f]++
		accelerations(b)
		for i := range b {
			b[i] -= a[i]
		}
		check.CloseVec(t, v, b, 1e-9, 1e-3+check.MaxAbs(a)+check.MaxAbs(b), "seed %d", seed)
		compared++
	}
	assert.Greater(t, compared, int(seeds)*6/10)
}
