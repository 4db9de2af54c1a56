package mechanism_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// sprungModel returns a random model with nothing but bushings, cables and laws; with dampers on request.
func sprungModel(t testing.TB, seed uint64, damped bool) *model.Model {
	t.Helper()
	m, err := bench.Generate("random", 5, seed)
	require.NoError(t, err)
	m.Forces, m.Gravity = nil, [3]float64{}
	for j := range m.Joints {
		jt := &m.Joints[j]
		jt.Force, jt.Stiffness, jt.Damping, jt.Motion = nil, nil, nil, nil
	}
	modeltest.AddSprings(m, rand.New(rand.NewPCG(7, seed)))
	for i := range m.Forces {
		if f := &m.Forces[i]; !damped {
			f.Damping, f.Damper = 0, nil
			if f.Bushing != nil {
				f.Bushing.Damping = [6][6]float64{}
			}
		}
	}
	if !damped {
		for j := range m.Joints {
			m.Joints[j].Dampers = nil
		}
	}
	return m
}

// displaced is st with bodies moved by h·x, six numbers each about their centres of mass.
func displaced(m *mechanism.Mechanism, st *mechanism.State, x []float64, h float64) *mechanism.State {
	out := st.Clone()
	for i := range out.Bodies {
		b := &out.Bodies[i]
		arm := b.Rotation.Rotate(m.Bodies[i].Com)
		b.Rotation = spatial.Exp(spatial.Vec3(x[6*i : 6*i+3]).Scale(h)).Mul(b.Rotation)
		b.Position = b.Position.Add(spatial.Vec3(x[6*i+3 : 6*i+6]).Scale(h)).Add(arm).Sub(b.Rotation.Rotate(m.Bodies[i].Com))
	}
	return out
}

// along returns the work of the applied forces at st along x.
func along(t testing.TB, m *mechanism.Mechanism, st *mechanism.State, x []float64) (work float64) {
	t.Helper()
	f := make([]spatial.Force, m.NumBodies())
	require.NoError(t, m.AddAppliedTo(f, kinematics(t, m, st), st))
	for i := range f {
		for k, v := range f[i] {
			work += v * x[6*i+k]
		}
	}
	return work
}

// randomMove returns six numbers a body.
func randomMove(rng *rand.Rand, n int) []float64 {
	x := make([]float64, 6*n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// TestSpringGradient: forces of bushings, cables and laws are the negative gradient of their energy at random poses.
func TestSpringGradient(t *testing.T) {
	const tol = 1e-8
	for seed := range uint64(30) {
		m := compiled(t, sprungModel(t, seed, false))
		require.True(t, m.Conservative())
		st, rng := m.Initial(), rand.New(rand.NewPCG(8, seed))
		st.Rest()
		m.FollowAngles(m.NewKinematics(), st)
		x := randomMove(rng, m.NumBodies())
		energy := func(h float64) float64 {
			s := displaced(m, st, x, h)
			e := m.EnergyAt(kinematics(t, m, s), s)
			return e.Springs + e.Joints
		}
		slope := 0.0
		const h = 2e-3
		for i, c := range [...]float64{45.0 / 60, -9.0 / 60, 1.0 / 60} {
			slope += c * (energy(h*float64(i+1)) - energy(-h*float64(i+1))) / h
		}
		require.InDelta(t, -slope, along(t, m, st, x), tol*(1+math.Abs(slope)), "seed %d", seed)
	}
}

// TestSpringsLose: what bushings, cables and dampers of cables take from the motion is never negative.
func TestSpringsLose(t *testing.T) {
	for seed := range uint64(30) {
		from := sprungModel(t, seed, true)
		for i := range from.Forces {
			from.Forces[i].Damper = nil // of which the formula decides
		}
		for j := range from.Joints {
			from.Joints[j].Dampers = nil
		}
		m := compiled(t, from)
		require.False(t, m.Conservative())
		st, rng := m.Initial(), rand.New(rand.NewPCG(9, seed))
		x := randomMove(rng, m.NumBodies())
		for i := range st.Bodies {
			b := &st.Bodies[i]
			b.Omega = spatial.Vec3(x[6*i : 6*i+3])
			b.Velocity = spatial.Vec3(x[6*i+3 : 6*i+6]).Sub(b.Omega.Cross(b.Rotation.Rotate(m.Bodies[i].Com)))
		}
		moving := along(t, m, st, x)
		st.Rest()
		require.Less(t, moving, along(t, m, st, x), "seed %d", seed) // the work of the potential alone
	}
}

// TestSpringBalance: bushings and cables without the world leave the sum of forces and moments on all bodies alone.
func TestSpringBalance(t *testing.T) {
	from := cubes(3)
	from.Bodies[1].Velocity.Angular = [3]float64{1, 2, 3}
	full := model.Diagonal([6]float64{1, 2, 3, 40, 50, 60})
	full[0][3], full[3][0] = 2, 2
	from.Forces = []model.ForceElement{
		{Name: "b", Type: model.BushingForce, A: model.Attachment{Body: "b0", Point: [3]float64{1, 0, 0}}, B: model.Attachment{Body: "b1"}, Bushing: &model.Bushing{Stiffness: full, Damping: full, Rest: model.Pose{Position: [3]float64{0, 1, 0}}}},
		{Name: "c", Type: model.CableForce, Stiffness: 50, Damping: 1, Cable: &model.Cable{Tension: 2, Points: []model.Attachment{
			{Body: "b0", Point: [3]float64{0, 1, 0}}, {Body: "b1", Point: [3]float64{0, 0, 1}}, {Body: "b2"}, {Body: "b1", Point: [3]float64{0, 2, 1}}, {Body: "b0", Point: [3]float64{0, 3, 0}},
		}}},
	}
	m := compiled(t, from)
	st := m.Initial()
	k := kinematics(t, m, st)
	f := make([]spatial.Force, 3)
	require.NoError(t, m.AddAppliedTo(f, k, st))
	var sum spatial.Force
	for i := range f {
		sum = sum.Add(f[i].Shift(st.Bodies[i].Position.Add(k.Bodies[i].Com).Neg()))
	}
	for i := range sum {
		require.InDelta(t, 0, sum[i], 1e-12)
	}
	require.Greater(t, f[0].Linear().Norm(), 1.0)
}

// TestElements: what elements tell of themselves agrees with the forces and the energy.
func TestElements(t *testing.T) {
	from := sprungModel(t, 3, true)
	m := compiled(t, from)
	st := m.Initial()
	k := kinematics(t, m, st)
	sum := 0.0
	for i := range m.Forces {
		e, ok, err := m.ElementAt(i, k, st)
		require.NoError(t, err)
		require.True(t, ok)
		require.Positive(t, e.Length)
		sum += e.Energy
	}
	require.InDelta(t, m.EnergyAt(k, st).Springs, sum, 1e-12*math.Abs(sum))
	from = cubes(1)
	from.Forces = []model.ForceElement{{Name: "w", Type: model.Wrench, A: model.Attachment{Body: "b0"}}}
	m = compiled(t, from)
	st = m.Initial()
	_, ok, err := m.ElementAt(0, kinematics(t, m, st), st)
	require.NoError(t, err)
	require.False(t, ok)
}

// TestBushingElementFrames: what a bushing with a rest tells of itself is about the frames of the model. Moves of its
// bodies take the work of its wrench on B, and the length is that between the origins.
func TestBushingElementFrames(t *testing.T) {
	for seed := range uint64(30) {
		from := sprungModel(t, seed, false)
		at := slices.IndexFunc(from.Forces, func(f model.ForceElement) bool { return f.Name == "spring-bushing" })
		from.Forces = from.Forces[at : at+1]
		for j := range from.Joints {
			from.Joints[j].Springs = nil
		}
		m := compiled(t, from)
		st, f := m.Initial(), &from.Forces[0]
		k := kinematics(t, m, st)
		e, ok, err := m.ElementAt(0, k, st)
		require.NoError(t, err)
		require.True(t, ok)
		place := func(a *model.Attachment) (int, spatial.Vec3, spatial.Vec3) {
			i, err := m.BodyIndex(a.Body)
			require.NoError(t, err)
			b := &st.Bodies[i]
			arm := b.Rotation.Rotate(spatial.Vec3(a.Point))
			return i, b.Position.Add(arm), b.Velocity.Add(b.Omega.Cross(arm))
		}
		_, pA, vA := place(&f.A)
		i, pB, vB := place(&f.B)
		line := pB.Sub(pA)
		require.InDelta(t, line.Norm(), e.Length, 1e-12, "seed %d", seed)
		require.InDelta(t, line.Dot(vB.Sub(vA))/line.Norm(), e.Rate, 1e-11, "seed %d", seed)
		applied := make([]spatial.Force, m.NumBodies())
		require.NoError(t, m.AddAppliedTo(applied, k, st))
		arm := pB.Sub(st.Bodies[i].Position).Sub(k.Bodies[i].Com)
		want := applied[i].Moment().Sub(arm.Cross(applied[i].Linear()))
		for c := range 3 {
			require.InDelta(t, want[c], e.Torque[c], 1e-11*(1+want.Norm()), "seed %d", seed)
			require.InDelta(t, applied[i].Linear()[c], e.Force[c], 1e-12*(1+e.Tension), "seed %d", seed)
		}
	}
}

// TestCoincidingPoints: a cable through points at one place, a law
// between them, and a bushing of half a turn are refused by name.
func TestCoincidingPoints(t *testing.T) {
	from := cubes(1)
	here := from.Bodies[0].Pose.Position
	line := &model.SpringLaw{At: []float64{0, 1}, Forces: []float64{0, 1}}
	for want, e := range map[string]model.ForceElement{
		"ends coincide": {Type: model.CableForce, Cable: &model.Cable{Points: []model.Attachment{{Body: "b0"}, {Body: model.World, Point: here}}}},
		"no direction":  {Type: model.SpringDamper, A: model.Attachment{Body: model.World, Point: here}, B: model.Attachment{Body: "b0"}, Spring: line},
		"half a turn": {
			Type: model.BushingForce, A: model.Attachment{Body: model.World, Orientation: [4]float64{0, 0, 1, 0}}, B: model.Attachment{Body: "b0"}, Bushing: &model.Bushing{},
		},
	} {
		e.Name = "odd"
		from.Forces = []model.ForceElement{e}
		if e.Bushing != nil {
			from.Forces[0].A.Orientation = spatial.Quat(from.Bodies[0].Pose.Orientation).Mul(spatial.Quat{0, 0, 1, 0})
			if from.Bodies[0].Pose.Orientation == [4]float64{} {
				from.Forces[0].A.Orientation = [4]float64{0, 0, 1, 0}
			}
		}
		m := compiled(t, from)
		st := m.Initial()
		err := m.ForcesTo(make([]spatial.Force, 1), kinematics(t, m, st), st)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, `force "odd"`)
		if e.Type != model.SpringDamper {
			require.True(t, math.IsNaN(m.EnergyAt(kinematics(t, m, st), st).Springs))
		}
	}
}

// TestSpringInputs sets parameters of bushings and cables; values go from one inputs to another, laws stay.
func TestSpringInputs(t *testing.T) {
	m := compiled(t, sprungModel(t, 1, true))
	st := m.Initial()
	forces := func(m *mechanism.Mechanism) []spatial.Force {
		f := make([]spatial.Force, m.NumBodies())
		require.NoError(t, m.ForcesTo(f, kinematics(t, m, st), st))
		return f
	}
	before := forces(m)
	in := m.NewInputs()
	require.Equal(t, before, forces(in.Mechanism()))
	_, _, _, bushing := m.Bushing(0)
	_, cable := m.Cable(0)
	K, D := model.Diagonal([6]float64{1, 2, 3, 4, 5, 6}), model.Diagonal([6]float64{6, 5, 4, 3, 2, 1})
	require.NoError(t, in.SetBushing(bushing, &K, &D, spatial.Vec3{1}, spatial.Vec3{0, 1}))
	require.NoError(t, in.SetCable(cable, 5, 1, 2, 3))
	require.NotEqual(t, before, forces(in.Mechanism()))
	require.Equal(t, before, forces(m))
	require.Equal(t, 3.0, in.Mechanism().CableTension(0))
	require.Zero(t, m.CableTension(0)-1)

	other := m.NewInputs()
	other.SetValues(in.Values())
	require.Equal(t, in.Values(), other.Values())
	require.Equal(t, forces(in.Mechanism()), forces(other.Mechanism()))

	bad := K
	bad[0][1] = 3
	for _, err := range []error{
		in.SetBushing(bushing, &bad, &D, spatial.Vec3{}, spatial.Vec3{}), in.SetBushing(bushing, &K, &bad, spatial.Vec3{}, spatial.Vec3{}),
		in.SetBushing(bushing, &K, &D, spatial.Vec3{math.NaN()}, spatial.Vec3{}), in.SetBushing(cable, &K, &D, spatial.Vec3{}, spatial.Vec3{}),
		in.SetCable(bushing, 1, 1, 1, 1), in.SetCable(cable, -1, 0, 0, 0), in.SetCable(cable, 0, 0, 0, math.Inf(1)),
	} {
		require.ErrorIs(t, err, mechanism.ErrInput)
	}
	values := in.Values()
	for _, at := range []int{3 + 9*cable, 3 + 9*len(m.Forces), 3 + 9*len(m.Forces) + 1, 3 + 9*len(m.Forces) + 72*m.NumBushings()} {
		was := values[at]
		values[at] = -7
		require.ErrorIs(t, other.CheckValues(values), mechanism.ErrInput, at)
		values[at] = was
	}
	require.NoError(t, other.CheckValues(values))
	in.Reset()
	require.Equal(t, before, forces(in.Mechanism()))
}

// TestLawInputs sets laws of a spring and of a freedom.
func TestLawInputs(t *testing.T) {
	m := compiled(t, sprungModel(t, 1, true))
	st := m.Initial()
	energy := func(m *mechanism.Mechanism) mechanism.Energy { return m.EnergyAt(kinematics(t, m, st), st) }
	in := m.NewInputs()
	element, joint, freedom := -1, -1, -1
	for i := range m.Forces {
		if m.SpringLaw(i) != nil {
			element = i
		}
	}
	for j := range m.Joints {
		for i := range m.Joints[j].Kind.Freedoms() {
			if d := m.Drive(j); d != nil && d.Law(i) != nil {
				joint, freedom = j, i
			}
		}
	}
	stiff := &springs.Law{Kind: springs.Function, Expression: "1000*x"}
	require.NoError(t, in.SetSpringLaw(element, stiff, nil))
	require.Greater(t, energy(in.Mechanism()).Springs, energy(m).Springs)
	require.NoError(t, in.SetLaw(joint, freedom, stiff, stiff))
	require.NotEqual(t, energy(in.Mechanism()).Joints, energy(m).Joints)
	bad := &springs.Law{At: []float64{1}}
	for _, err := range []error{
		in.SetSpringLaw(0, stiff, nil), in.SetSpringLaw(element, bad, nil), in.SetLaw(joint, freedom, nil, bad), in.SetLaw(joint, 7, stiff, nil),
		in.SetLaw((joint+1)%m.NumJoints(), 0, stiff, nil),
	} {
		require.ErrorIs(t, err, mechanism.ErrInput)
	}
	require.NoError(t, in.SetSpringLaw(element, nil, nil))
	require.Less(t, energy(in.Mechanism()).Springs, energy(m).Springs)
	in.Reset()
	require.Equal(t, energy(m), energy(in.Mechanism()))
}

// TestLawOfAngle: a tabled torsion spring counts turns, as a stiffness does.
func TestLawOfAngle(t *testing.T) {
	from := cubes(1)
	join(t, from, "revolute w 0")
	from.Joints[0].Springs = []*model.SpringLaw{{Kind: springs.Function, Expression: "2*x"}}
	from.Joints[0].Turns = []int64{3}
	m := compiled(t, from)
	require.Equal(t, 1, m.NumSprung())
	st := m.Initial()
	m.FollowAngles(m.NewKinematics(), st)
	e := m.EnergyAt(kinematics(t, m, st), st)
	require.InDelta(t, st.Angles[0]*st.Angles[0], e.Joints, 1e-9)
	require.Greater(t, st.Angles[0], 15.0)
}
