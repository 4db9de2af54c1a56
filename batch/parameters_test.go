package batch_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// clone returns a deep copy of what the tests change.
func clone(m *model.Model) *model.Model {
	out := *m
	out.Bodies, out.Joints, out.Forces = slices.Clone(m.Bodies), slices.Clone(m.Joints), slices.Clone(m.Forces)
	for j := range out.Joints {
		x := &out.Joints[j]
		for _, list := range []*[]float64{&x.Stiffness, &x.Damping, &x.Rest, &x.Armature} {
			*list = slices.Clone(*list)
		}
	}
	return &out
}

func quat(p *model.Pose) spatial.Quat {
	if p.Orientation == ([4]float64{}) {
		return spatial.Quat{1, 0, 0, 0}
	}
	return spatial.Quat(p.Orientation).Normalize()
}

// disturbed returns a copy of m in which all that v names has other numbers, and does the same to a state: it is as
// many times as large, its body frames are turned, and masses, centres of mass, inertias, springs and armature are
// others. So a state that satisfies the joints still does.
func disturbed(m *model.Model, mech *mechanism.Mechanism, v *batch.Vary, rng *rand.Rand, st *mechanism.State) *model.Model {
	out := clone(m)
	some := func() float64 { return 0.5 + rng.Float64() }
	size := some()
	for j := range m.Joints {
		for i := range mech.Joints[j].Kind.Freedoms() {
			if mech.Joints[j].Prescribed(i) && !mech.Joints[j].Kind.Rotational(i) {
				size = 1 // what moves by given lengths keeps its own
			}
		}
	}
	if len(m.Couplings) > 0 {
		size = 1
	}
	turn := make([]spatial.Quat, len(m.Bodies))
	for i := range turn {
		turn[i] = spatial.Exp(spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})
		b, s := &out.Bodies[i], &st.Bodies[i]
		if !slices.Contains(v.Bodies, i) {
			turn[i] = spatial.Quat{1, 0, 0, 0}
		} else {
			I := spatial.Sym3{b.Inertia.XX, b.Inertia.YY, b.Inertia.ZZ, b.Inertia.XY, b.Inertia.XZ, b.Inertia.YZ}.Rotate(turn[i].Mat()).Scale(some())
			b.Inertia = model.Inertia{XX: I[0], YY: I[1], ZZ: I[2], XY: I[3], XZ: I[4], YZ: I[5]}
			b.Mass *= some()
			for k := range b.Com {
				b.Com[k] += 0.1 * rng.NormFloat64()
			}
		}
		s.Position, s.Velocity = s.Position.Scale(size), s.Velocity.Scale(size)
		s.Rotation = s.Rotation.Mul(turn[i].Conj()).Normalize()
	}
	place := func(body int32, p *model.Pose) {
		q := spatial.Quat{1, 0, 0, 0}
		if body >= 0 {
			q = turn[body]
		}
		E := q.Mat()
		p.Position = E.MulVec(spatial.Vec3(p.Position).Scale(size))
		p.Orientation = q.Mul(quat(p)).Normalize()
	}
	for j := range out.Joints {
		x := &out.Joints[j]
		place(mech.Joints[j].Pred, &x.PredecessorFrame)
		place(mech.Joints[j].Succ, &x.SuccessorFrame)
		x.Length *= size
		x.Pitch *= size
		for i := range x.Armature {
			x.Armature[i] *= some()
		}
		for i := range x.Stiffness {
			x.Stiffness[i] *= some()
		}
		for i := range x.Damping {
			x.Damping[i] *= some()
		}
		for i := range x.Rest {
			if d := 0.1 * rng.NormFloat64(); x.Stiffness[i] != 0 {
				x.Rest[i] += d
			}
		}
	}
	for i := range out.Forces {
		if f := &out.Forces[i]; f.Type == model.SpringDamper {
			f.Stiffness, f.Damping, f.RestLength = f.Stiffness*some(), f.Damping*some(), f.RestLength*some()
		}
	}
	return out
}

// give sets the parameters of state i to those of a model.
func give(t testing.TB, s *batch.States, i int, m *model.Model, v *batch.Vary) {
	for _, k := range v.Bodies {
		b := &m.Bodies[k]
		I := spatial.Sym3{b.Inertia.XX, b.Inertia.YY, b.Inertia.ZZ, b.Inertia.XY, b.Inertia.XZ, b.Inertia.YZ}
		require.NoError(t, s.SetBody(i, k, b.Mass, b.Com, I))
		mass, com, got := s.Body(i, k)
		require.Equal(t, []any{b.Mass, spatial.Vec3(b.Com), I}, []any{mass, com, got})
	}
	at := func(list []float64, i int) float64 {
		if i < len(list) {
			return list[i]
		}
		return 0
	}
	for _, j := range v.Joints {
		x := &m.Joints[j]
		p, q := mechanism.NewFrame(x.PredecessorFrame), mechanism.NewFrame(x.SuccessorFrame)
		require.NoError(t, s.SetFrames(i, j, p, q))
		gotP, gotQ := s.Frames(i, j)
		require.Equal(t, [2]mechanism.Frame{p, q}, [2]mechanism.Frame{gotP, gotQ})
		if x.Type == model.Distance {
			require.NoError(t, s.SetLength(i, j, x.Length))
		}
		if x.Type == model.Helical {
			require.NoError(t, s.SetPitch(i, j, x.Pitch))
		}
	}
	for _, f := range v.Armature {
		require.NoError(t, s.SetArmature(i, f, m.Joints[f.Joint].Armature[f.Freedom]))
	}
	for _, f := range v.Drives {
		x := &m.Joints[f.Joint]
		require.NoError(t, s.SetDrive(i, f, at(x.Stiffness, f.Freedom), at(x.Damping, f.Freedom), at(x.Rest, f.Freedom)))
	}
	for _, k := range v.Springs {
		f := &m.Forces[k]
		require.NoError(t, s.SetSpring(i, k, f.Stiffness, f.Damping, f.RestLength))
	}
}

// damped gives all joints of a model dampers, those that slide springs too, and armature.
func damped(m *model.Model, mech *mechanism.Mechanism) *model.Model {
	out := clone(m)
	for j := range out.Joints {
		x, k := &out.Joints[j], mech.Joints[j].Kind
		if x.Type == model.Composite || k.Freedoms() == 0 || len(x.Motion) > 0 || len(x.Damping)+len(x.Stiffness) > 0 {
			continue
		}
		x.Damping, x.Stiffness, x.Rest = make([]float64, k.Freedoms()), make([]float64, k.Freedoms()), make([]float64, k.Freedoms())
		for i := range k.Freedoms() {
			x.Damping[i] = 0.3
			if k.Scalar(i) && !k.Rotational(i) {
				x.Stiffness[i], x.Rest[i] = 40, 0.05
			}
		}
	}
	return out
}

// wound gives all angles of hinges, cylindrical and planar joints springs.
func wound(m *model.Model) *model.Model {
	out := clone(m)
	for j := range out.Joints {
		x, n := &out.Joints[j], 1
		switch {
		case len(x.Motion) > 0:
			continue
		case x.Type == model.Cylindrical:
			n = 2
		case x.Type == model.Planar:
			n = 3
		case x.Type != model.Revolute:
			continue
		}
		x.Stiffness, x.Rest = make([]float64, n), make([]float64, n)
		x.Stiffness[0], x.Rest[0] = 3, 0.1
	}
	return out
}

// TestSpringsOfAngles: springs of angles are evaluated in lanes, with the turns that a state carries: of joints in groups and of
// others, with bodies on either side, and with other springs in each state.
func TestSpringsOfAngles(t *testing.T) {
	for name, m := range map[string]*model.Model{
		"four-bar": wound(modelOf(t, "four-bar")), "cylindrical": wound(modelOf(t, "type-cylindrical")), "planar": wound(modelOf(t, "type-planar")),
		"crank": wound(modelOf(t, "slider-crank-spatial")),
		"delta": generate(t, "delta", 4), "hoberman": generate(t, "hoberman", 2), "miura": generate(t, "miura", 2),
	} {
		t.Run(name, func(t *testing.T) {
			p, err := rung.NewPlan(m, kkt.Options{})
			require.NoError(t, err)
			require.Positive(t, p.Mechanism().NumSprung())
			list := someStates(t, p, 24, 5, 0.2)
			for i, st := range list {
				st.Angles = slices.Clone(st.Angles)
				for k := range st.Angles {
					st.Angles[k] += 2 * math.Pi * float64((i+k)%5-2)
				}
			}
			x := agree(t, p, list, batch.Options{})
			require.Less(t, x.single, len(list)/2)
			b, err := batch.New(p, batch.Options{Vary: batch.Everything(p.Mechanism())})
			require.NoError(t, err)
			require.Empty(t, b.Scalar())
		})
	}
}

// TestAnglesInRollouts: the angles that states carry after steps in lanes are those of their poses, with all turns: of a hinge that
// turns several times while its spring is wound.
func TestAnglesInRollouts(t *testing.T) {
	const tol = 1e-13 // some roundings of angles of a few turns
	for _, all := range []bool{false, true} {
		p, err := rung.NewPlan(wound(modelOf(t, "pendulum")), kkt.Options{})
		require.NoError(t, err)
		m := p.Mechanism()
		b, err := batch.New(p, batch.Options{Angles: all})
		require.NoError(t, err)
		carried := func(s *batch.States, i int) *mechanism.State {
			st := p.Initial()
			st.Angles = make([]float64, m.NumSprung())
			s.To(st, i)
			return st
		}
		list := someStates(t, p, 11, 5, 0.2)
		for _, st := range list {
			for i := range st.Bodies {
				st.Bodies[i].Omega, st.Bodies[i].Velocity = st.Bodies[i].Omega.Scale(60), st.Bodies[i].Velocity.Scale(60)
			}
		}
		for how := batch.RungeKutta4; how <= batch.SemiImplicit; how++ {
			s, out := b.NewStates(len(list)), b.NewOutcome(len(list))
			turns := 0.0
			for i, st := range list {
				s.Set(i, st)
			}
			for range 40 { // each far below half a turn
				last := make([]*mechanism.State, len(list))
				for i := range list {
					last[i] = carried(s, i)
				}
				require.NoError(t, b.Rollout(s, &batch.Rollout{Step: 1e-3, Steps: 5, Integrator: how}, out))
				for i := range list {
					require.NoError(t, out.Error(i))
					require.Zero(t, out.OneByOne(i))
					st := carried(s, i)
					want := st.Clone()
					copy(want.Angles, last[i].Angles)
					m.FollowAngles(m.NewKinematics(), want)
					n := m.NumSprung()
					require.InDeltaSlice(t, want.Angles[:n], st.Angles[:n], tol)
					for _, a := range st.Angles[:n] {
						turns = max(turns, math.Abs(a)/(2*math.Pi))
					}
				}
			}
			require.Greater(t, turns, 1.5)
		}
	}
}

// TestParameters: with other masses, centres of mass, inertias, frames, lengths, pitches, armature, springs and
// dampers in each state, the accelerations are those of a mechanism that is built with these numbers: of all
// reference models, of these with dampers, and of ones with armature, couplings and composite joints. States that
// go one by one have their own numbers too.
func TestParameters(t *testing.T) {
	models := map[string]*model.Model{}
	for name, p := range references(t) {
		if n := p.Mechanism().NumBodies(); n > 30 || testing.Short() && n > 8 {
			continue
		}
		m := modelOf(t, name)
		models[name+", damped"] = damped(m, p.Mechanism())
		if !testing.Short() {
			models[name] = m
		}
	}
	models["composites"] = modeltest.Composites(1, 4, 1)
	models["springs of angles"], models["springs of hinges"] = wound(modelOf(t, "type-cylindrical")), wound(modelOf(t, "slider-crank-spatial"))
	models["spare rows"], models["spare rows of pins"] = generate(t, "hoberman", 2), generate(t, "scissor", 3)
	models["armature"] = modeltest.Gear(load(t, "stewart-6ups"), check.Rand(1))
	models["couplings, geared"] = modeltest.Gear(modeltest.Couple(t, load(t, "floating-tree"), check.Rand(4), 3), check.Rand(5))
	for k, name := range check.Some(slices.Sorted(maps.Keys(models)), 2) {
		t.Run(name, func(t *testing.T) {
			m := models[name]
			p, err := rung.NewPlan(m, kkt.Options{})
			require.NoError(t, err)
			v := batch.Everything(p.Mechanism())
			b, err := batch.New(p, batch.Options{Vary: v})
			require.NoError(t, err)
			const n = 3
			list, rng := someStates(t, p, n, uint64(k), 0.4), check.Rand(uint64(k))
			s, r := b.NewStates(n), b.NewResults(n)
			var plans []*kkt.Plan
			for i, st := range list {
				other := disturbed(m, p.Mechanism(), &v, rng, st)
				q, err := rung.NewPlan(other, kkt.Options{})
				require.NoError(t, err)
				plans = append(plans, q)
				s.Set(i, st)
				give(t, s, i, other, &v)
			}
			b.Solve(s, r)
			in := p.Mechanism().NewInputs()
			in.Vary()
			alone := p.With(in).NewSolver() // as states go one by one
			for i, st := range list {
				q := plans[i]
				solver := q.NewSolver()
				require.NoError(t, solver.Solve(st))
				got := make([]float64, 6*p.Mechanism().NumBodies())
				r.To(got, i)
				require.NoError(t, r.Error(i))
				compare(t, q, solver, st, got, "state %d", i)
				require.NoError(t, s.InputsTo(in, i))
				require.NoError(t, alone.Solve(st))
				alone.AccelerationsTo(got)
				compare(t, q, solver, st, got, "state %d, alone", i)
			}
			t.Logf("one by one %v %s", r.OneByOne(), b.OneByOne())
		})
	}
}

// compare holds accelerations against those of a solver, in the measure and with the bound of agree.
func compare(t testing.TB, p *kkt.Plan, solver *kkt.Solver, st *mechanism.State, got []float64, at ...any) {
	c := newComparison(p)
	copy(c.got, got)
	require.LessOrEqual(t, c.difference(t, solver, st), agreeTol, at...)
}

// varied returns a batch of a model in which everything varies, states with numbers of their own, and the plans of
// models with these numbers.
func varied(t testing.TB, m *model.Model, n int, o batch.Options) (*batch.Batch, *batch.States, []*kkt.Plan) {
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	o.Vary = batch.Everything(p.Mechanism())
	b, err := batch.New(p, o)
	require.NoError(t, err)
	s, rng := b.NewStates(n), check.Rand(3)
	var plans []*kkt.Plan
	for i, st := range someStates(t, p, n, 5, 0.3) {
		other := disturbed(m, p.Mechanism(), &o.Vary, rng, st)
		q, err := rung.NewPlan(other, kkt.Options{})
		require.NoError(t, err)
		plans = append(plans, q)
		s.Set(i, st)
		give(t, s, i, other, &o.Vary)
	}
	return b, s, plans
}

// TestParametersSameBits: a state with numbers of its own has the bits of a batch of a mechanism with these
// numbers, for any number of threads and in any batch size; so with the numbers of the model those of a batch in
// which nothing varies.
//
//rung:race
func TestParametersSameBits(t *testing.T) {
	for _, name := range []string{"four-bar", "random-10", "slider-crank-spatial", "type-distance"} {
		m := damped(modelOf(t, name), golden(t, name).Mechanism())
		b, s, plans := varied(t, m, 19, batch.Options{})
		r := b.NewResults(19)
		b.Solve(s, r)
		st := b.Plan().Initial()
		for i, q := range plans {
			s.To(st, i)
			_, _, want := solved(t, q, []*mechanism.State{st}, batch.Options{})
			require.Equal(t, accelerations(q, want, 0), accelerations(q, r, i), "%s, state %d", name, i)
		}
		b2, s2, _ := varied(t, m, 19, batch.Options{Threads: 3})
		r2 := b2.NewResults(19)
		b2.Solve(s2, r2)
		few := b.NewStates(3)
		rFew := b.NewResults(3)
		for k := range 3 {
			s.To(st, 16+k)
			few.Set(k, st)
			few.CopyParameters(k, s, 16+k)
		}
		b.Solve(few, rFew)
		for i := range plans {
			require.Equal(t, accelerations(b.Plan(), r, i), accelerations(b.Plan(), r2, i))
			if i >= 16 {
				require.Equal(t, accelerations(b.Plan(), r, i), accelerations(b.Plan(), rFew, i-16))
			}
		}
		fresh, _, want := solved(t, b.Plan(), []*mechanism.State{b.Plan().Initial()}, batch.Options{})
		own, rOwn := b.NewStates(1), b.NewResults(1) // with the numbers of the model
		b.Solve(own, rOwn)
		require.Equal(t, accelerations(fresh.Plan(), want, 0), accelerations(b.Plan(), rOwn, 0))
	}
}

// TestParametersInRollouts: states with numbers of their own move as those of a batch of a mechanism with these
// numbers, to the bit in lanes; setters, Solve, Rollout and CloseJoints allocate
// nothing.
func TestParametersInRollouts(t *testing.T) {
	check.Long(t)
	const aloneTol = 1e-12 // after ten steps, of lengths and speeds of order one
	for _, c := range []struct {
		name       string
		integrator batch.Integrator
	}{{"four-bar", batch.RungeKutta4}, {"four-bar", batch.SemiImplicit}, {"stewart-6ups", batch.RungeKutta4}, {"stewart-6ups", batch.SemiImplicit}, {"driven-crank", batch.RungeKutta4}} {
		name := c.name
		m := modelOf(t, name)
		b, s, plans := varied(t, m, 9, batch.Options{})
		out := b.NewOutcome(9)
		starts := make([]*mechanism.State, 9)
		for i := range starts {
			starts[i] = b.Plan().Initial()
			s.To(starts[i], i)
		}
		how := &batch.Rollout{Integrator: c.integrator, Step: 1e-3, Steps: 10}
		require.NoError(t, b.Rollout(s, how, out))
		got, want := b.Plan().Initial(), b.Plan().Initial()
		for i, q := range plans {
			require.NoError(t, out.Error(i))
			o, err := batch.New(q, batch.Options{})
			require.NoError(t, err)
			one, oneOut := o.NewStates(1), o.NewOutcome(1)
			one.Set(0, starts[i])
			require.NoError(t, o.Rollout(one, &batch.Rollout{Integrator: c.integrator, Step: 1e-3, Steps: 10}, oneOut))
			require.NoError(t, oneOut.Error(0))
			s.To(got, i)
			one.To(want, 0)
			if b.SteppedOneByOne() == "" {
				require.Equal(t, want, got, "%s, state %d", name, i)
			} else { // solvers of mechanisms with own numbers do not reduce the system first
				for k := range got.Bodies {
					x, y := &got.Bodies[k], &want.Bodies[k]
					off := max(x.Position.Sub(y.Position).Norm(), x.Velocity.Sub(y.Velocity).Norm(), x.Omega.Sub(y.Omega).Norm())
					require.LessOrEqual(t, off, aloneTol, "%s, state %d", name, i)
				}
			}
		}
		r, v := b.NewResults(9), batch.Everything(b.Plan().Mechanism())
		bodies := b.Plan().Mechanism().Bodies
		f, g := s.Frames(2, 0)
		how.Steps = 1
		require.Zero(t, testing.AllocsPerRun(5, func() {
			for i := range 9 {
				_ = s.SetBody(i, v.Bodies[0], bodies[0].Mass*float64(i+1), bodies[0].Com, bodies[0].Inertia)
				_ = s.SetFrames(2, 0, f, g)
			}
			b.Solve(s, r)
			if b.SteppedOneByOne() == "" {
				_ = b.Rollout(s, how, out)
			}
			b.CloseJoints(s, out)
		}), name)
	}
}

// TestParametersApart: masses of very different size in some states send these to the solver, which takes twice the
// digits as for a mechanism with these masses; the others stay in their lanes.
func TestParametersApart(t *testing.T) {
	m := modelOf(t, "four-bar")
	p := golden(t, "four-bar")
	b, err := batch.New(p, batch.Options{Vary: batch.Vary{Bodies: []int{1}}})
	require.NoError(t, err)
	s, r := b.NewStates(10), b.NewResults(10)
	body := p.Mechanism().Bodies[1]
	heavy := body.Inertia.Scale(1e9)
	require.NoError(t, s.SetBody(3, 1, body.Mass*1e9, body.Com, heavy))
	for range 2 {
		b.Solve(s, r)
		require.Equal(t, []int{3}, r.OneByOne())
		require.NoError(t, r.Error(3))
	}
	other := clone(m)
	x := &other.Bodies[1]
	x.Mass *= 1e9
	x.Inertia = model.Inertia{XX: heavy[0], YY: heavy[1], ZZ: heavy[2], XY: heavy[3], XZ: heavy[4], YZ: heavy[5]}
	q, err := rung.NewPlan(other, kkt.Options{})
	require.NoError(t, err)
	solver := q.NewSolver()
	require.NoError(t, solver.Solve(q.Initial()))
	require.Equal(t, kkt.TwiceTheDigits, solver.Route().Way)
	compare(t, q, solver, q.Initial(), accelerations(p, r, 3))
	require.NoError(t, s.SetBody(3, 1, body.Mass, body.Com, body.Inertia))
	b.Solve(s, r)
	require.Empty(t, r.OneByOne())
	require.Equal(t, accelerations(p, r, 0), accelerations(p, r, 3))
}

// TestCloseJoints: links of other lengths are closed, and what cannot be closed says so and stays.
func TestCloseJoints(t *testing.T) {
	p := golden(t, "four-bar")
	m := p.Mechanism()
	b, err := batch.New(p, batch.Options{Vary: batch.Vary{Joints: []int{1}}})
	require.NoError(t, err)
	s, out, r := b.NewStates(2), b.NewOutcome(2), b.NewResults(2)
	for i, stretch := range []float64{1.05, 50} {
		f, g := s.Frames(i, 1)
		require.NotZero(t, f.Origin.Norm()+g.Origin.Norm())
		f.Origin, g.Origin = f.Origin.Scale(stretch), g.Origin.Scale(stretch)
		require.NoError(t, s.SetFrames(i, 1, f, g))
	}
	b.CloseJoints(s, out)
	require.NoError(t, out.Error(0))
	require.ErrorIs(t, out.Error(1), closing.ErrCannotClose)
	in, st := m.NewInputs(), m.Initial()
	in.Vary()
	require.NoError(t, s.InputsTo(in, 0))
	s.To(st, 0)
	k := m.NewKinematics()
	require.NoError(t, in.Mechanism().KinematicsTo(k, st))
	_, position, velocity := in.Mechanism().WorstJoint(k, st)
	require.LessOrEqual(t, position+velocity, 1e-12)
	require.NoError(t, m.KinematicsTo(k, st))
	_, position, _ = m.WorstJoint(k, st)
	require.Greater(t, position, 1e-3) // of the model
	s.To(st, 1)
	require.Equal(t, m.Initial(), st)
	b.Solve(s, r)
	require.Empty(t, r.Failed()[:0])
	require.NoError(t, r.Error(0))
}

// TestParametersRefused: what cannot be is refused with the place, the state and the value, and what cannot vary
// with the place.
func TestParametersRefused(t *testing.T) {
	m := damped(modelOf(t, "stewart-6ups"), golden(t, "stewart-6ups").Mechanism())
	m.Forces = append(slices.Clone(m.Forces), model.ForceElement{Name: "bow", Type: model.SpringDamper, A: model.Attachment{Body: "world"}, B: model.Attachment{Body: m.Bodies[0].Name}, Stiffness: 1},
		model.ForceElement{Name: "push", Type: model.Wrench, A: model.Attachment{Body: m.Bodies[0].Name}})
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	b, err := batch.New(p, batch.Options{Vary: batch.Everything(p.Mechanism())})
	require.NoError(t, err)
	s := b.NewStates(8)
	unit := spatial.Diag3(1, 1, 1)
	f, g := s.Frames(0, 0)
	bad := f
	bad.E[0] = 2
	body, joint := p.Mechanism().BodyName(0), p.Mechanism().JointName(0)
	require.EqualError(t, s.SetBody(7, 0, -1, spatial.Vec3{}, unit), `batch: body "`+body+`": parameter refused: state 7: mass -1: mass is not positive and finite`)
	require.EqualError(t, s.SetBody(7, 0, 1, spatial.Vec3{}, spatial.Diag3(1, 1, 3)), `batch: body "`+body+`": parameter refused: state 7: inertia [1 1 3 0 0 0]: inertia breaks the triangle inequality`)
	require.EqualError(t, s.SetBody(7, 0, 1, spatial.Vec3{}, spatial.Diag3(1, 1, 0)), `batch: body "`+body+`": parameter refused: state 7: inertia [1 1 0 0 0 0] is not positive definite: inertia is not positive semidefinite and finite`)
	for _, err := range []error{
		s.SetBody(0, 0, 1, spatial.Vec3{math.NaN()}, unit), s.SetBody(0, 0, 1, spatial.Vec3{}, spatial.Diag3(1, 1, math.Inf(1))),
		s.SetFrames(0, 0, bad, g), s.SetFrames(0, 0, f, bad), s.SetLength(0, 0, 1), s.SetPitch(0, 0, 1),
		s.SetDrive(0, mechanism.Freedom{}, 0, math.NaN(), 0), s.SetDrive(0, mechanism.Freedom{}, 1, 0, 0), s.SetSpring(0, 0, math.Inf(1), 0, 0),
	} {
		require.ErrorIs(t, err, batch.ErrParameter)
		require.Contains(t, err.Error(), "state 0")
	}
	require.Contains(t, s.SetPitch(3, 0, 1).Error(), joint)
	none, err := batch.New(p, batch.Options{})
	require.NoError(t, err)
	fixed := none.NewStates(1)
	const text = "batch: this does not vary; use Options.Vary"
	for _, do := range []func(){
		func() { _ = fixed.SetBody(0, 0, 1, spatial.Vec3{}, unit) }, func() { _ = fixed.SetFrames(0, 0, f, g) }, func() { _ = fixed.SetSpring(0, 0, 1, 1, 1) },
		func() { _ = fixed.SetDrive(0, mechanism.Freedom{}, 1, 1, 1) }, func() { _ = s.SetArmature(0, mechanism.Freedom{}, 1) }, func() { _ = s.SetDrive(0, mechanism.Freedom{Freedom: 6}, 1, 1, 1) },
	} {
		require.PanicsWithValue(t, text, do)
	}
	for text, v := range map[string]batch.Vary{
		`batch: option refused: body 99 is out of range`:                                                         {Bodies: []int{99}},
		`batch: option refused: joint -1 is out of range`:                                                        {Joints: []int{-1}},
		`batch: option refused: force element 5 is out of range`:                                                 {Springs: []int{5}},
		`batch: body "` + body + `": option refused: it is given twice`:                                          {Bodies: []int{0, 0}},
		`batch: joint "` + joint + `": option refused: freedom 0 has no armature in the model, or is prescribed`: {Armature: []mechanism.Freedom{{}}},
		`batch: joint "` + joint + `": option refused: freedom 9 is out of range, the joint has 2`:               {Drives: []mechanism.Freedom{{Freedom: 9}}},
		`batch: force "push": option refused: it is a wrench and no spring_damper`:                               {Springs: []int{1}},
	} {
		_, err := batch.New(p, batch.Options{Vary: v})
		require.EqualError(t, err, text)
		require.ErrorIs(t, err, batch.ErrOptions)
	}
	rod, err := rung.NewPlan(modelOf(t, "a04-bricard-slender"), kkt.Options{})
	require.NoError(t, err)
	if n := len(rod.Mechanism().Singular()); n > 0 {
		_, err = batch.New(rod, batch.Options{Vary: batch.Vary{Bodies: []int{int(rod.Mechanism().Singular()[0].Body)}}})
		require.ErrorContains(t, err, "it has no inertia in some direction")
	}
}
