package many_test

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/derive/many"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// stretch is a rollout of some states with a force that is constant over each step, and a loss for each: the sum over all its states, plus
// the squares of the forces.
type stretch struct {
	b      *batch.Batch
	starts []*mechanism.State
	u      [][]float64 // forces by state and step
	freeds []mechanism.Freedom
	push   spatial.Vec3 // on the last body of each state, at all times
	how    batch.Rollout
	flat   bool
}

// newStretch makes n closed states of a model, with forces along its first freedoms.
func newStretch(t testing.TB, m *model.Model, n int, h float64, steps, threads int) *stretch {
	p := planOf(t, m)
	s := &stretch{how: batch.Rollout{Step: h, Steps: steps}, flat: flat(m), push: spatial.Vec3{1, -2, 0.5}}
	for i := range n {
		st := p.Initial()
		if s.flat && len(p.Mechanism().Joints[0].Motion) == 0 {
			for k := range st.Bodies {
				b := &st.Bodies[k]
				b.Omega, b.Velocity = b.Omega.Scale(1+float64(i)), b.Velocity.Scale(1+float64(i))
			}
		} else {
			st = states(t, p, 1, uint64(i), 0.2)[0]
		}
		s.starts = append(s.starts, st)
	}
	for j := range p.Mechanism().Joints {
		if jt := &p.Mechanism().Joints[j]; jt.Kind.Freedoms() > 0 && !jt.Prescribed(0) && len(s.freeds) < 2 {
			s.freeds = append(s.freeds, mechanism.Freedom{Joint: j})
		}
	}
	b, err := many.New(p, m, batch.Options{Forces: s.freeds, Wrenches: true, Threads: threads})
	require.NoError(t, err)
	s.b = b
	rng := check.Rand(11)
	for range n {
		var u []float64
		for range steps * len(s.freeds) {
			u = append(u, rng.NormFloat64())
		}
		s.u = append(s.u, u)
	}
	return s
}

// flat reports whether all bodies of a model move in a plane across the world's z, and redundant rows keep them in it.
func flat(m *model.Model) bool {
	for i := range m.Joints {
		jt := &m.Joints[i]
		if q := jt.PredecessorFrame.Orientation; jt.Type != model.Revolute || q[1] != 0 || q[2] != 0 {
			return false
		}
	}
	return len(m.Joints) > len(m.Bodies)
}

// run does the rollouts and returns the losses.
func (s *stretch) run(t testing.TB, record *batch.Record) []float64 {
	n := len(s.starts)
	states, out := s.b.NewStates(n), s.b.NewOutcome(n)
	loss := make([]float64, n)
	last := s.b.Plan().Mechanism().NumBodies() - 1
	for i, st := range s.starts {
		states.Set(i, st)
		states.SetWrench(i, last, s.push, s.push.Scale(2))
	}
	how := s.how
	how.Record = record
	at := make([]*mechanism.State, n)
	see := func(first, n int) {
		for i := first; i < first+n; i++ {
			if at[i] == nil {
				at[i] = s.starts[0].Clone()
			}
			states.To(at[i], i)
			loss[i] += lossOf(s.b.Plan().Mechanism(), at[i], nil)
		}
	}
	how.Control = func(step, first, n int) {
		see(first, n)
		for i := first; i < first+n; i++ {
			for k := range s.freeds {
				u := s.u[i][step*len(s.freeds)+k]
				states.SetForce(i, k, u)
				loss[i] += u * u / 2
			}
		}
	}
	require.NoError(t, s.b.Rollout(states, &how, out))
	see(0, n)
	return loss
}

// lossOf returns a function of a state, and adds its derivatives to x.
func lossOf(m *mechanism.Mechanism, st *mechanism.State, x []float64) (loss float64) {
	for i := range st.Bodies {
		b := &st.Bodies[i]
		com := b.Rotation.Rotate(m.Bodies[i].Com)
		c, v := b.Position.Add(com), b.Velocity.Add(b.Omega.Cross(com))
		e := b.Rotation.Rotate(spatial.Vec3{1, 2, 3})
		a := spatial.Vec3{0.3, -0.2, 0.1 * float64(i+1)}
		loss += c.Dot(c)/2 + e.Dot(a) + v.Dot(v)/8 + b.Omega.Dot(b.Omega)/4 + v.Dot(a)
		if x != nil {
			for k := range 3 {
				x[12*i+k] += e.Cross(a)[k]
				x[12*i+3+k] += c[k]
				x[12*i+6+k] += b.Omega[k] / 2
				x[12*i+9+k] += v[k]/4 + a[k]
			}
		}
	}
	return loss
}

// slopes are derivatives: by the starts, by the forces of all steps, and by the push.
type slopes struct {
	*batch.Gradients
	forces [][]float64
	push   []spatial.Vec3
}

// back does the rollouts, goes back, and returns the derivatives.
func (s *stretch) back(t testing.TB) *slopes {
	n, mech := len(s.starts), s.b.Plan().Mechanism()
	record := s.b.NewRecord(n, s.how.Steps)
	s.run(t, record)
	g := &slopes{Gradients: s.b.NewGradients(n), push: make([]spatial.Vec3, n)}
	for i := range n {
		g.forces = append(g.forces, make([]float64, len(s.u[i])))
	}
	require.NoError(t, s.b.BackTo(g.Gradients, record, func(step, first, n int) {
		st, x := s.starts[0].Clone(), make([]float64, 12*mech.NumBodies())
		for i := first; i < first+n; i++ {
			record.States(step).To(st, i)
			clear(x)
			lossOf(mech, st, x)
			g.AddMotion(i, x)
			for k := range s.freeds {
				if j := step*len(s.freeds) + k; step < s.how.Steps {
					g.forces[i][j] = g.Force(i, k) + s.u[i][j]
				}
			}
			force, moment := g.Load(i, mech.NumBodies()-1)
			g.push[i] = g.push[i].Add(force).Add(moment.Scale(2))
		}
	}))
	return g
}

// TestRollouts: gradients by forces and by starts equal differences of losses, for models of all kinds. Models without a way back are
// refused with the reason.
func TestRollouts(t *testing.T) {
	const tol = 1e-8 // of the largest: h⁴ times fifth derivatives, and rounding and what closing leaves over h
	models := map[string]*model.Model{}
	for family, n := range map[string]int{"nfourbar": 1, "chain": 3, "stewart": 1, "ladder": 3} {
		m, err := bench.Generate(family, n, 1)
		require.NoError(t, err)
		models[family] = m
	}
	files, err := filepath.Glob(filepath.Join(check.Reference(t, "golden"), "*.model.json"))
	require.NoError(t, err)
	for _, file := range files {
		m, err := model.ReadFile(file)
		require.NoError(t, err)
		if len(m.Bodies) < 13 {
			models[strings.TrimSuffix(filepath.Base(file), ".model.json")] = m
		}
	}
	moved, err := bench.Generate("chain", 3, 1)
	require.NoError(t, err)
	moved.Joints[1].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, 1, 2}}}
	moved.Joints[2].Armature = []float64{0.4}
	moved.Bodies[2].Com = [3]float64{0.1, -0.2, 0.3}
	models["moved"] = moved
	for name, m := range models {
		t.Run(name, func(t *testing.T) {
			s := newStretch(t, m, 3, 2e-3, 6, 1)
			if why := s.refused(t); why != "" {
				t.Log(why)
				return
			}
			g := s.back(t)
			for i := range s.starts {
				if name == "bricard-6r" { // only geometry makes its rows redundant
					require.ErrorContains(t, g.Error(i), `joint "r`)
					continue
				}
				require.NoError(t, g.Error(i))
			}
			if name != "bricard-6r" {
				s.agree(t, g, tol)
			}
		})
	}
}

// agree compares the derivatives of one state with differences.
func (s *stretch) agree(t *testing.T, g *slopes, tol float64) {
	const i = 1
	most := 1.0
	for _, x := range g.forces[i] {
		most = math.Max(most, math.Abs(x))
	}
	by := func(x *float64) float64 {
		was := *x
		defer func() { *x = was }()
		return difference(func(h float64) float64 { *x = was + h; return s.run(t, nil)[i] }, 1e-2)
	}
	for j, x := range g.forces[i] {
		require.InDelta(t, by(&s.u[i][j]), x, tol*most, "force %d", j)
	}
	for j, x := range g.push[i] {
		require.InDelta(t, by(&s.push[j]), x, tol*math.Max(1, g.push[i].Norm()), "push %d", j)
	}
	p, start := s.b.Plan(), s.starts[i]
	x := make([]float64, 12*p.Mechanism().NumBodies())
	g.MotionTo(x, i)
	for seed := range uint64(3) {
		path, got := closedPath(t, p, start, seed, s.flat), 0.0
		want := difference(func(h float64) float64 {
			s.starts[i] = path(h)
			return s.run(t, nil)[i]
		}, 1e-3)
		s.starts[i] = start
		for k := range x {
			got += x[k] * difference(func(h float64) float64 { return motionFrom(p.Mechanism(), start, path(h))[k] }, 1e-3)
		}
		require.InDelta(t, want, got, tol*math.Max(1, math.Abs(want)), "start %d", seed)
	}
}

// refused returns the reason why there is no way back.
func (s *stretch) refused(t *testing.T) string {
	if s.b.SteppedOneByOne() == "" && s.b.AdjointOneByOne() == "" {
		return ""
	}
	n := len(s.starts)
	how := s.how
	how.Record = s.b.NewRecord(n, how.Steps)
	err := s.b.Rollout(s.b.NewStates(n), &how, s.b.NewOutcome(n))
	require.ErrorIs(t, err, batch.ErrRollout)
	require.ErrorContains(t, err, s.b.SteppedOneByOne())
	return err.Error()
}

// difference returns the derivative of f at 0, by differences with an error of the order of h⁴.
func difference(f func(x float64) float64, h float64) float64 {
	return (4*(f(h/2)-f(-h/2))/h - (f(h)-f(-h))/(2*h)) / 3
}

// motionFrom returns the difference of two states: rotations, positions of centres of mass, and both velocities.
func motionFrom(m *mechanism.Mechanism, from, to *mechanism.State) (x []float64) {
	for i := range to.Bodies {
		a, b := &from.Bodies[i], &to.Bodies[i]
		comA, comB := a.Rotation.Rotate(m.Bodies[i].Com), b.Rotation.Rotate(m.Bodies[i].Com)
		turn := b.Rotation.Mul(a.Rotation.Conj()).Log()
		place := b.Position.Add(comB).Sub(a.Position).Sub(comA)
		spin := b.Omega.Sub(a.Omega)
		speed := b.Velocity.Add(b.Omega.Cross(comB)).Sub(a.Velocity).Sub(a.Omega.Cross(comA))
		for _, v := range []spatial.Vec3{turn, place, spin, speed} {
			x = append(x, v[:]...)
		}
	}
	return x
}

// closedPath returns closed states next to start, along a random direction.
func closedPath(t *testing.T, p *kkt.Plan, start *mechanism.State, seed uint64, flat bool) func(h float64) *mechanism.State {
	m := p.Mechanism()
	rng := check.Rand(seed + 40)
	x, v := make([]float64, 6*m.NumBodies()), make([]float64, 6*m.NumBodies())
	for i := range x {
		if x[i], v[i] = rng.NormFloat64(), rng.NormFloat64(); flat && (i%6 < 2 || i%6 == 5) {
			x[i], v[i] = 0, 0
		}
	}
	c := closing.NewCloser(p, closing.Options{Nearest: true})
	return func(h float64) *mechanism.State {
		st := start.Clone()
		m.DisplaceTo(st, start, h, x)
		for i := range st.Bodies {
			b := &st.Bodies[i]
			b.Omega = b.Omega.Add(spatial.Vec3(v[6*i:]).Scale(h))
			b.Velocity = b.Velocity.Add(spatial.Vec3(v[6*i+3:]).Scale(h))
		}
		require.NoError(t, c.ClosePositions(st))
		require.NoError(t, c.ProjectVelocities(st))
		return st
	}
}

// TestRolloutGap: over long steps derivatives have about the error by which closing moves a state (Gradients.Gap). Without the way back
// over the closing the error is twenty times as large.
func TestRolloutGap(t *testing.T) {
	m, err := bench.Generate("stewart", 1, 1)
	require.NoError(t, err)
	s := newStretch(t, m, 2, 2e-2, 20, 1)
	g := s.back(t)
	require.Greater(t, g.Gap(1), 1e-6)
	s.agree(t, g, 8*g.Gap(1))
}

// TestRolloutSemiImplicit: gradients over steps of SemiImplicit leave out a part of the closing. The error falls almost with the square of
// the step, far below the error of the method.
func TestRolloutSemiImplicit(t *testing.T) {
	for family, n := range map[string]int{"nfourbar": 1, "chain": 3, "stewart": 1, "ladder": 3} {
		t.Run(family, func(t *testing.T) {
			m, err := bench.Generate(family, n, 1)
			require.NoError(t, err)
			for _, c := range []struct{ h, tol float64 }{{1e-3, 2e-4}, {1e-4, 4e-6}} {
				s := newStretch(t, m, 2, c.h, 12, 1)
				s.how.Integrator = batch.SemiImplicit
				g := s.back(t)
				require.NoError(t, g.Error(1))
				s.agree(t, g, c.tol)
			}
		})
	}
}

// TestRolloutTurns: springs of angles count the turns that states carry, also on the way back.
func TestRolloutTurns(t *testing.T) {
	m, err := bench.Generate("chain", 3, 1)
	require.NoError(t, err)
	jt := &m.Joints[0]
	jt.Type, jt.Stiffness, jt.Damping, jt.Rest = model.Revolute, []float64{2}, []float64{0.3}, []float64{0.1}
	s := newStretch(t, m, 2, 2e-3, 5, 1)
	for _, st := range s.starts {
		require.Len(t, st.Angles, 1)
		st.Angles[0] += 6 * math.Pi
	}
	g := s.back(t)
	require.NoError(t, g.Error(1))
	require.Less(t, g.Gap(1), 1e-9)
	s.agree(t, g, 1e-8)
}

// TestRolloutMethods: a batch goes back over steps of one method after those of the other.
func TestRolloutMethods(t *testing.T) {
	m := referenceOf(t, "four-bar")
	x, y := make([]float64, 12*len(m.Bodies)), make([]float64, 12*len(m.Bodies))
	both, euler := newStretch(t, m, 3, 1e-3, 3, 1), newStretch(t, m, 3, 1e-3, 3, 1)
	both.back(t)
	both.how.Integrator, euler.how.Integrator = batch.SemiImplicit, batch.SemiImplicit
	euler.back(t).MotionTo(x, 2)
	both.back(t).MotionTo(y, 2)
	require.Equal(t, x, y)
}

// TestRolloutNearSingular: a state so close to a singular pose that package derive would compute its derivatives twice is refused with the
// joint, although its steps stay in lanes.
func TestRolloutNearSingular(t *testing.T) {
	m, err := bench.NFourBar(1, 1, 1)
	require.NoError(t, err)
	s := newStretch(t, m, 2, 1e-6, 2, 1)
	for i, distance := range []float64{5e-3, 2e-3} { // rad; the square is beside kkt.NearTol
		s.starts[i] = besideFolded(t, s.b.Plan(), distance, func(*model.Model) {})
	}
	g := s.back(t)
	require.NoError(t, g.Error(0))
	require.ErrorIs(t, g.Error(1), batch.ErrStep)
	require.ErrorContains(t, g.Error(1), "step 2 of state 1: joint \"")
	require.ErrorContains(t, g.Error(1), "no way back over it in lanes")
}

// TestRolloutBits: a state has the same derivatives on any number of threads and beside any others.
//
//rung:race
func TestRolloutBits(t *testing.T) {
	const n = 19
	m := referenceOf(t, "four-bar")
	s := newStretch(t, m, n, 2e-3, 5, 1)
	want := s.back(t)
	x, y := make([]float64, 12*len(m.Bodies)), make([]float64, 12*len(m.Bodies))
	same := func(g *slopes, i, k int) {
		require.NoError(t, want.Error(i))
		want.MotionTo(x, i)
		g.MotionTo(y, k)
		require.Equal(t, x, y)
		require.Equal(t, want.forces[i], g.forces[k])
		require.Equal(t, want.push[i], g.push[k])
		require.Equal(t, want.Gap(i), g.Gap(k))
	}
	for _, threads := range []int{2, 3} {
		g := newStretch(t, m, n, 2e-3, 5, threads).back(t)
		for i := range n {
			same(g, i, i)
		}
	}
	few := newStretch(t, m, n, 2e-3, 5, 1)
	few.starts, few.u = few.starts[13:16], few.u[13:16]
	g := few.back(t)
	for i := range 3 {
		same(g, 13+i, i)
	}
}

// TestRolloutAllocates: going back allocates nothing.
func TestRolloutAllocates(t *testing.T) {
	s := newStretch(t, referenceOf(t, "four-bar"), 11, 2e-3, 4, 1)
	record, g := s.b.NewRecord(11, 4), s.b.NewGradients(11)
	s.run(t, record)
	x := make([]float64, 36)
	x[3] = 1
	at := func(_, first, n int) {
		for i := first; i < first+n; i++ {
			g.AddMotion(i, x)
		}
	}
	require.Zero(t, testing.AllocsPerRun(3, func() { _ = s.b.BackTo(g, record, at) }))
	require.Empty(t, g.Failed())
}

// TestRolloutLoses: a state without a way back has a reason and zeros, and does not affect its neighbours: a state off the joints, a state
// that takes a step alone, a state that a step moves too far, and a state with derivatives that are NaN.
func TestRolloutLoses(t *testing.T) {
	m := referenceOf(t, "four-bar")
	s := newStretch(t, m, 6, 2e-3, 4, 1)
	want := s.back(t)
	faster := func(st *mechanism.State, by float64) {
		for k := range st.Bodies {
			b := &st.Bodies[k]
			b.Omega, b.Velocity = b.Omega.Scale(by), b.Velocity.Scale(by)
		}
	}
	s.starts[1].Bodies[0].Position[0] += 1
	faster(s.starts[2], 1000)
	faster(s.starts[4], 60)
	record, g := s.b.NewRecord(6, 4), s.b.NewGradients(6)
	s.run(t, record)
	x := make([]float64, 12*len(m.Bodies))
	at := func(step, first, n int) {
		for i := first; i < first+n; i++ {
			st := s.starts[0].Clone()
			record.States(step).To(st, i)
			clear(x)
			lossOf(s.b.Plan().Mechanism(), st, x)
			if i == 5 && step == 2 {
				x[7] = math.Inf(1)
			}
			g.AddMotion(i, x)
		}
	}
	require.NoError(t, s.b.BackTo(g, record, at))
	require.Equal(t, []int{1, 2, 4, 5}, g.Failed())
	var violation *mechanism.ViolationError
	require.ErrorAs(t, g.Error(1), &violation)
	for i, says := range map[int]string{
		2: "step 0 of state 2: ", 4: "step 0 of state 4, computed again, is off by ",
		5: "step 2 of state 5: derivatives that are not finite",
	} {
		require.ErrorIs(t, g.Error(i), batch.ErrStep)
		require.ErrorContains(t, g.Error(i), says)
	}
	y := make([]float64, len(x))
	for i := range 6 {
		g.MotionTo(y, i)
		if g.Error(i) == nil {
			want.MotionTo(x, i)
			require.Equal(t, x, y, "state %d", i)
			continue
		}
		require.Equal(t, make([]float64, len(x)), y)
		require.Zero(t, g.Force(i, 0))
	}
	faster(s.starts[2], 1e-3)
	g.AddMotion(0, x)
	require.PanicsWithValue(t, "batch: length mismatch", func() { g.AddMotion(0, nil) })
	require.PanicsWithValue(t, "batch: state out of range", func() { g.Gap(6) })
}

// TestRolloutPanics: a way back that ends in a panic leaves no errors to the next one over other states.
func TestRolloutPanics(t *testing.T) {
	s := newStretch(t, referenceOf(t, "four-bar"), 3, 2e-3, 2, 1)
	record, g, out := s.b.NewRecord(3, 2), s.b.NewGradients(3), s.b.NewOutcome(3)
	start := s.starts[1].Clone()
	s.starts[1].Bodies[0].Position[0] += 1
	s.run(t, record)
	require.PanicsWithValue(t, "stop", func() { _ = s.b.BackTo(g, record, func(_, _, _ int) { panic("stop") }) })
	s.starts[1] = start
	s.run(t, record)
	require.NoError(t, s.b.BackTo(g, record, func(_, _, _ int) {}))
	require.NoError(t, g.Error(1))
	require.Empty(t, g.Failed())

	// A record that a rollout has not filled to its end has no states.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	end := s.b.Watch(ctx)
	require.ErrorIs(t, s.b.Rollout(s.b.NewStates(3), &batch.Rollout{Step: 1e-3, Steps: 2, Record: record}, out), context.Canceled)
	end()
	require.PanicsWithValue(t, "batch: step out of range", func() { record.States(0) })
}

// TestRolloutMisuse: calls without a way back are refused with the reason.
func TestRolloutMisuse(t *testing.T) {
	s := newStretch(t, referenceOf(t, "four-bar"), 2, 2e-3, 4, 1)
	record, g, states, out := s.b.NewRecord(2, 4), s.b.NewGradients(2), s.b.NewStates(2), s.b.NewOutcome(2)
	at := func(_, _, _ int) {}
	const nothing = "batch: a record without a rollout, or nothing that it is differentiated by"
	require.PanicsWithValue(t, nothing, func() { _ = s.b.BackTo(g, record, at) })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	end := s.b.Watch(ctx)
	require.ErrorIs(t, s.b.Rollout(states, &batch.Rollout{Step: 1e-3, Steps: 4, Record: record}, out), context.Canceled)
	require.PanicsWithValue(t, nothing, func() { _ = s.b.BackTo(g, record, at) })
	end()
	require.NoError(t, s.b.Rollout(states, &batch.Rollout{Step: 1e-3, Steps: 2, Record: record}, out))
	require.Equal(t, 2, record.States(2).Len())
	require.PanicsWithValue(t, "batch: step out of range", func() { record.States(3) })
	require.PanicsWithValue(t, nothing, func() { _ = s.b.BackTo(g, record, nil) })
	require.PanicsWithValue(t, "batch: foreign gradients or record", func() { _ = s.b.BackTo(s.b.NewGradients(3), record, at) })
	end = s.b.Watch(ctx)
	require.ErrorIs(t, s.b.BackTo(g, record, at), context.Canceled)
	require.Equal(t, []int{0, 1}, g.Failed())
	end()
	require.NoError(t, s.b.BackTo(g, record, at))
	require.Empty(t, g.Failed())
	const short = "batch: foreign or short record"
	require.PanicsWithValue(t, short, func() { _ = s.b.Rollout(states, &batch.Rollout{Step: 1e-3, Steps: 5, Record: record}, out) })
	require.PanicsWithValue(t, short, func() {
		_ = s.b.Rollout(states, &batch.Rollout{Step: 1e-3, Steps: 1, Record: s.b.NewRecord(3, 4)}, out)
	})
	require.PanicsWithValue(t, "batch: negative number of steps", func() { s.b.NewRecord(1, -1) })
	plain, err := batch.New(s.b.Plan(), batch.Options{})
	require.NoError(t, err)
	require.PanicsWithValue(t, "batch: no Options.Adjoint", func() { plain.NewRecord(1, 1) })
	require.PanicsWithValue(t, "batch: no Options.Adjoint", func() { _ = plain.BackTo(g, record, at) })
	require.PanicsWithValue(t, "batch: no Options.Adjoint", func() {
		_ = plain.Rollout(plain.NewStates(2), &batch.Rollout{Step: 1e-3, Steps: 1, Record: record}, plain.NewOutcome(2))
	})
}
