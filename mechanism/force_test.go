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

const (
	// powerTol is for sums over all bodies, relative to the sum of magnitudes.
	powerTol = 1e-12
	// step is the time, s, of central differences of the energy.
	step = 1e-5
	// differenceTol is their error: h² of truncation and ε/h of rounding, with
	// room for stiff springs.
	differenceTol = 1e-7
)

// TestEnergies compares all parts of the energy with the reference.
func TestEnergies(t *testing.T) {
	for _, name := range check.Some(check.GoldenModels(t), 2) {
		t.Run(name, func(t *testing.T) {
			m, e := golden(t, name), check.ReadExpected(t, name)
			s := m.Initial()
			got := m.EnergyAt(kinematics(t, m, s), s)
			allowed := e.Allowed().Energy
			check.Close(t, got.Kinetic, e.Energy.Kinetic, 1, allowed, "kinetic")
			check.Close(t, got.Gravity, e.Energy.Gravity, 1, allowed, "gravity")
			check.Close(t, got.Springs, e.Energy.Springs, 1, allowed, "springs")
			check.Close(t, got.Joints, e.Energy.Joints, 1, allowed, "joints")
			check.Close(t, got.Potential(), e.Energy.Potential, 1, allowed, "potential")
		})
	}
}

// load selects what acts on the bodies.
type load struct {
	gravity, springs, dampers, wrenches, drives, jointSprings, jointDampers bool
}

// loaded reads a reference model and keeps only the loads of l.
func loaded(t *testing.T, name string, l load) *mechanism.Mechanism {
	t.Helper()
	m := golden(t, name)
	if !l.gravity {
		m.Gravity = spatial.Vec3{}
	}
	for i := range m.Forces {
		f := &m.Forces[i]
		if !l.wrenches {
			f.Force, f.Torque = spatial.Vec3{}, spatial.Vec3{}
		}
		if !l.springs {
			f.Stiffness = 0
		}
		if !l.dampers {
			f.Damping = 0
		}
	}
	for j := range m.Joints {
		d := m.Drive(j)
		if d == nil {
			continue
		}
		if !l.drives {
			d.Force = [6]float64{}
		}
		if !l.jointSprings {
			d.Stiffness = [6]float64{}
		}
		if !l.jointDampers {
			d.Damping = [6]float64{}
		}
	}
	return m
}

// power returns the power of ForcesTo at the initial state, and the sum of the
// magnitudes of its terms.
func power(t *testing.T, m *mechanism.Mechanism) (sum, size float64) {
	t.Helper()
	s := m.Initial()
	k := kinematics(t, m, s)
	f := make([]spatial.Force, m.NumBodies())
	require.NoError(t, m.ForcesTo(f, k, s))
	for i := range f {
		b := &s.Bodies[i]
		v := spatial.NewMotion(b.Omega, b.Velocity.Add(b.Omega.Cross(k.Bodies[i].Com)))
		for c := range 6 {
			sum += v[c] * f[i][c]
			size += math.Abs(v[c] * f[i][c])
		}
	}
	return sum, size
}

// TestPowers compares the power of each kind of load alone with the reference.
// The gyroscopic moments, always there, have none.
func TestPowers(t *testing.T) {
	for _, name := range check.Some(check.GoldenModels(t), 2) {
		t.Run(name, func(t *testing.T) {
			e := check.ReadExpected(t, name)
			allowed := e.Allowed().Power
			for _, c := range []struct {
				what string
				l    load
				want float64
			}{
				{"nothing", load{}, 0},
				{"gravity", load{gravity: true}, e.Power.Gravity},
				{"springs", load{springs: true}, e.Power.SpringsElastic},
				{"dampers", load{dampers: true}, e.Power.SpringsDamping},
				{"wrenches", load{wrenches: true}, e.Power.Wrenches},
				{"joint forces", load{drives: true}, e.Power.JointForces},
				{"joint springs", load{jointSprings: true}, e.Power.JointsElastic},
				{"joint dampers", load{jointDampers: true}, e.Power.JointsDamping},
			} {
				got, size := power(t, loaded(t, name, c.l))
				check.Close(t, got, c.want, 1, math.Max(allowed, powerTol*size), "%s", c.what)
			}
		})
	}
}

// TestForcesAreEnergyGradients compares the power of gravity and springs with
// the rate of the potential energy along a motion of the bodies that need not
// satisfy the joints.
func TestForcesAreEnergyGradients(t *testing.T) {
	for _, name := range check.Some(check.GoldenModels(t), 2) {
		if name == "random-10-far" {
			continue // the potential of gravity has no digits left there
		}
		t.Run(name, func(t *testing.T) {
			m := loaded(t, name, load{gravity: true, springs: true, jointSprings: true})
			s := m.Initial()
			energy := func(h float64) float64 {
				d := drifted(m, s, h)
				return m.EnergyAt(kinematics(t, m, d), d).Potential()
			}
			got, size := power(t, m)
			want := -(energy(step) - energy(-step)) / (2 * step)
			check.Close(t, got, want, differenceTol, 1+size+math.Abs(energy(0)), "power")
		})
	}
}

// drifted returns the state after the time h with all velocities kept.
func drifted(m *mechanism.Mechanism, s *mechanism.State, h float64) *mechanism.State {
	out := s.Clone()
	for i := range out.Bodies {
		b, com := &out.Bodies[i], m.Bodies[i].Com
		arm := b.Rotation.Rotate(com)
		vc := b.Velocity.Add(b.Omega.Cross(arm))
		b.Rotation = b.Rotation.Integrate(b.Omega, h)
		turned := b.Rotation.Rotate(com)
		b.Position = b.Position.Add(vc.Scale(h).Add(arm.Sub(turned)))
		b.Velocity = vc.Sub(b.Omega.Cross(turned))
	}
	return out
}

// TestWrenchAtAPoint checks moment arms by hand: a force at a point of a turned
// body, off its centre of mass.
func TestWrenchAtAPoint(t *testing.T) {
	m := cubes(1)
	m.Gravity = [3]float64{}
	b := &m.Bodies[0]
	b.Com = [3]float64{0, 1, 0}
	// A quarter turn about z: body x is world y, body y is world −x.
	b.Pose.Orientation = [4]float64{math.Sqrt2 / 2, 0, 0, math.Sqrt2 / 2}
	m.Forces = []model.ForceElement{{
		Name: "push", Type: model.Wrench, A: model.Attachment{Body: "b0", Point: [3]float64{3, 0, 0}},
		Force: [3]float64{0, 0, 2}, Torque: [3]float64{5, 0, 0},
	}}
	mech := compiled(t, m)
	s := mech.Initial()
	f := make([]spatial.Force, 1)
	require.NoError(t, mech.ForcesTo(f, kinematics(t, mech, s), s))
	// Arm in the world: (0, 3, 0) − (−1, 0, 0); times (0, 0, 2): (6, −2, 0).
	want := spatial.Force{11, -2, 0, 0, 0, 2}
	check.CloseVec(t, f[0][:], want[:], powerTol, 10, "wrench")
}

// TestSpringDamperByHand checks sign and size on both ends.
func TestSpringDamperByHand(t *testing.T) {
	m := cubes(2) // 1 m apart along x
	m.Gravity = [3]float64{}
	m.Bodies[1].Velocity.Linear = [3]float64{0.5, 9, 0}
	m.Forces = []model.ForceElement{{
		Name: "spring", Type: model.SpringDamper,
		A: model.Attachment{Body: "b0", Point: [3]float64{0, 2, 0}}, B: model.Attachment{Body: "b1", Point: [3]float64{0, 2, 0}},
		Stiffness: 10, Damping: 4, RestLength: 0.7,
	}}
	mech := compiled(t, m)
	s := mech.Initial()
	k := kinematics(t, mech, s)
	f := make([]spatial.Force, 2)
	require.NoError(t, mech.ForcesTo(f, k, s))
	// Tension 10·(1 − 0.7) + 4·0.5 = 5 pulls b0 along x, with the arm 2 along y.
	check.CloseVec(t, f[0][:], []float64{0, 0, -10, 5, 0, 0}, powerTol, 10, "first end")
	check.CloseVec(t, f[1][:], []float64{0, 0, 10, -5, 0, 0}, powerTol, 10, "second end")
	check.Close(t, mech.EnergyAt(k, s).Springs, 0.5*10*0.3*0.3, powerTol, 1, "energy")
}

// TestWoundSpring checks that turns load a joint spring.
func TestWoundSpring(t *testing.T) {
	m := cubes(1)
	m.Gravity = [3]float64{}
	join(t, m, "revolute w 0")
	j := &m.Joints[0]
	j.Stiffness, j.Rest, j.Turns, j.Force = []float64{2}, []float64{0.25}, []int64{-3}, []float64{1}
	mech := compiled(t, m)
	s := mech.Initial()
	k := kinematics(t, mech, s)
	var jk mechanism.JointKinematics
	var w spatial.Force
	mech.JointTo(&jk, 0, k, s)
	mech.DriveWrenchTo(&w, 0, &jk)
	q := -6*math.Pi - 0.25
	check.CloseVec(t, w[:], []float64{0, 0, 1 - 2*q, 0, 0, 0}, powerTol, 40, "torque")
	check.Close(t, mech.EnergyAt(k, s).Joints, q*q, powerTol, q*q, "energy")
}

// TestSpringEndsCoincide checks which loads need a direction.
func TestSpringEndsCoincide(t *testing.T) {
	cases := []struct {
		name                     string
		stiffness, damping, rest float64
		speed                    float64
		fails                    bool
	}{
		{"no force", 0, 0, 1, 1, false},
		{"no rest length", 10, 0, 0, 1, false},
		{"damper at rest", 0, 3, 0, 0, false},
		{"pushed apart", 10, 0, 1, 0, true},
		{"damper moving", 0, 3, 0, 1, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := cubes(1)
			m.Gravity = [3]float64{}
			m.Bodies[0].Velocity.Linear[1] = c.speed
			m.Forces = []model.ForceElement{{
				Name: "spring", Type: model.SpringDamper, A: model.Attachment{Body: model.World}, B: model.Attachment{Body: "b0"},
				Stiffness: c.stiffness, Damping: c.damping, RestLength: c.rest,
			}}
			mech := compiled(t, m)
			s := mech.Initial()
			f := make([]spatial.Force, 1)
			err := mech.ForcesTo(f, kinematics(t, mech, s), s)
			if c.fails {
				require.ErrorIs(t, err, mechanism.ErrNoDirection)
				require.ErrorContains(t, err, `"spring"`)
				return
			}
			require.NoError(t, err)
			require.Zero(t, f[0])
		})
	}
}

// TestSpringEndsCoincideUpToRounding puts the ends of springs on one point of turned bodies
// that turn about it: rounding is no direction, and no relative velocity. Ends that are apart
// by more are.
func TestSpringEndsCoincideUpToRounding(t *testing.T) {
	const apart = 1e-12 // of the size
	rng := check.Rand(5)
	random := func() spatial.Vec3 { return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
	rounded := 0
	for k := range 200 {
		size := []float64{1e-3, 1, 1e6}[k%3]
		m := cubes(2)
		m.Gravity = [3]float64{}
		m.Forces = []model.ForceElement{{
			Name: "spring", Type: model.SpringDamper, A: model.Attachment{Body: "b0"}, B: model.Attachment{Body: "b1"}, RestLength: 1,
		}}
		if k%2 == 0 {
			m.Forces[0].A.Body = model.World
		}
		mech := compiled(t, m)
		s, at, e := mech.Initial(), random().Scale(size), &mech.Forces[0]
		for _, a := range [2]*mechanism.Attachment{&e.A, &e.B} {
			a.Point = at
			if a.Body < 0 {
				continue
			}
			b := &s.Bodies[a.Body]
			b.Rotation, b.Omega = spatial.Exp(random()), random()
			a.Point = random().Scale(size)
			arm := b.Rotation.Rotate(a.Point)
			b.Position = at.Sub(arm)
			b.Velocity = arm.Cross(b.Omega)
		}
		f := make([]spatial.Force, 2)
		forces := func(stiffness, damping float64) error {
			e.Stiffness, e.Damping = stiffness, damping
			return mech.ForcesTo(f, kinematics(t, mech, s), s)
		}
		line, length := mech.SpringLine(e, kinematics(t, mech, s), s)
		require.Zero(t, length, "no load yet")
		if line != (spatial.Vec3{}) {
			rounded++
		}
		require.ErrorIs(t, forces(100, 0), mechanism.ErrNoDirection)
		require.NoError(t, forces(0, 3), "at rest but for rounding")
		s.Bodies[1].Velocity[0] += size
		require.ErrorIs(t, forces(0, 3), mechanism.ErrNoDirection)
		if line != (spatial.Vec3{}) {
			e.RestLength = 0
			require.NoError(t, forces(100, 3), "where the spring pulls the ends")
			e.RestLength = 1
		}
		n := random()
		n = n.Scale(1 / n.Norm())
		s.Bodies[1].Position = s.Bodies[1].Position.Add(n.Scale(apart * size * 10))
		require.NoError(t, forces(100, 0))
		require.InDelta(t, 100, f[1].Linear().Dot(n), 1, "pushed apart")
	}
	require.Greater(t, rounded, 100, "cases with rounding")
}

func TestForcesToPanics(t *testing.T) {
	m := golden(t, "springs")
	s := m.Initial()
	k := kinematics(t, m, s)
	f := make([]spatial.Force, m.NumBodies())
	const text = "mechanism: length mismatch"
	require.PanicsWithValue(t, text, func() { _ = m.ForcesTo(f[1:], k, s) })
	require.PanicsWithValue(t, text, func() { _ = m.ForcesTo(f, &mechanism.Kinematics{}, s) })
	require.PanicsWithValue(t, text, func() { _ = m.ForcesTo(f, k, &mechanism.State{}) })
	require.PanicsWithValue(t, text, func() { _ = m.AddAppliedTo(f[1:], k, s) })
}

// TestAppliedAreAdded takes gravity and gyroscopic moments from all forces, and
// fills a Kinematics without inertias.
func TestAppliedAreAdded(t *testing.T) {
	for _, name := range []string{"springs", "four-bar", "islands"} {
		m := golden(t, name)
		s := m.Initial()
		k := &mechanism.Kinematics{Bodies: make([]mechanism.BodyKinematics, m.NumBodies())}
		require.NoError(t, m.KinematicsTo(k, s))
		require.Equal(t, kinematics(t, m, s).Bodies, k.Bodies)
		all, applied := make([]spatial.Force, m.NumBodies()), make([]spatial.Force, m.NumBodies())
		require.NoError(t, m.ForcesTo(all, k, s))
		require.NoError(t, m.AddAppliedTo(applied, k, s))
		some := false
		for i := range all {
			b, E, w := &m.Bodies[i], k.Bodies[i].E, s.Bodies[i].Omega
			I := E.Mul(b.Inertia.Mat()).MulT(E)
			own := spatial.NewForce(w.Cross(I.MulVec(w)).Neg(), m.Gravity.Scale(b.Mass))
			want := own.Add(applied[i])
			check.CloseVec(t, all[i][:], want[:], powerTol, 1+check.MaxAbs(want[:]), "%s, body %d", name, i)
			some = some || applied[i] != spatial.Force{}
		}
		require.Equal(t, m.HasApplied(), some, name)
	}
}

func TestForcesDoNotAllocate(t *testing.T) {
	m := golden(t, "springs")
	s := m.Initial()
	k := kinematics(t, m, s)
	f := make([]spatial.Force, m.NumBodies())
	require.Zero(t, testing.AllocsPerRun(10, func() {
		if m.KinematicsTo(k, s) != nil || m.ForcesTo(f, k, s) != nil {
			t.Error("no forces")
		}
		m.EnergyAt(k, s)
		m.Residuals(0, k, s)
	}))
}
