package many_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/many"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// gradientsOf returns a batch of a model with n states, and gradients with weights on their accelerations.
func gradientsOf(t testing.TB, m *model.Model, o batch.Options, n int) (*batch.Batch, *batch.States, *batch.Gradients) {
	p := planOf(t, m)
	b, err := many.New(p, m, o)
	require.NoError(t, err)
	s, g, rng := b.NewStates(n), b.NewGradients(n), check.Rand(9)
	for i, st := range states(t, p, n, 1, 0.2) {
		s.Set(i, st)
		for k := range p.Mechanism().NumBodies() {
			g.SetWeights(i, k, random(rng), random(rng))
		}
	}
	return b, s, g
}

// referenceOf reads a model of reference/golden.
func referenceOf(t testing.TB, name string) *model.Model {
	m, err := model.ReadFile(filepath.Join(check.Reference(t, "golden"), name+".model.json"))
	require.NoError(t, err)
	return m
}

// TestNearSingular: next to the folded pose of a four-bar a state is taken alone, as package derive computes such a gradient twice, and has
// its error if it is in doubt: with loads and speeds whose reaction the redundant row bears, without, and with armature.
func TestNearSingular(t *testing.T) {
	distances := []struct {
		x     float64
		alone bool
	}{{1, false}, {1e-2, false}, {1e-3, true}, {1e-4, true}, {1e-5, true}, {1e-6, true}, {2e-7, true}, {1e-7, true}, {1e-8, true},
		{3e-9, true}, {1e-9, true}, {0.5, false}}
	const ( // distances from the folded pose, rad
		surely  = 5e-3 // no doubt from there on
		doubted = 2e-4 // up to there, where something moves or bears: zeros are not
	)
	changes := map[string]func(m *model.Model){
		"moving": func(*model.Model) {},
		"still": func(m *model.Model) {
			m.Gravity = [3]float64{}
			for i := range m.Bodies {
				m.Bodies[i].Velocity = model.Velocity{}
			}
		},
		"armature": func(m *model.Model) { m.Joints[0].Armature = []float64{0.5} },
	}
	for name, change := range changes {
		m, err := bench.NFourBar(1, 1, 1)
		require.NoError(t, err)
		change(m)
		p := planOf(t, m)
		b, err := many.New(p, m, batch.Options{})
		require.NoError(t, err)
		require.Empty(t, b.AdjointOneByOne())
		s, g := b.NewStates(len(distances)), b.NewGradients(len(distances))
		weight := spatial.Vec3{0, 0, 1}
		for i, c := range distances {
			st := besideFolded(t, p, c.x, change)
			s.Set(i, st)
			g.SetWeights(i, 0, weight, spatial.Vec3{})
		}
		b.AdjointTo(g, s)
		d, st := derive.New(p, m), p.Mechanism().Initial()
		w, want := d.NewWeights(), d.NewGradient()
		w.Body(0).AngularAcceleration = weight
		for i, c := range distances {
			assert.Equal(t, c.alone, has(g.OneByOne(), i), "%s, %v", name, c.x)
			s.To(st, i)
			require.NoError(t, d.At(st))
			err := d.AdjointTo(want, w, derive.Options{})
			switch {
			case c.x > surely || c.x < doubted && name == "still":
				require.NoError(t, err)
			case c.x < doubted:
				require.ErrorIs(t, err, derive.ErrDoubt)
			}
			if err == nil {
				assert.NoError(t, g.Error(i), "%s, %v", name, c.x)
				continue
			}
			assert.EqualError(t, g.Error(i), err.Error(), "%s, %v", name, c.x)
			assert.True(t, has(g.Failed(), i))
		}
	}
}

// besideFolded returns a state of a four-bar at a distance from the folded pose, rad. change changes the model.
func besideFolded(t *testing.T, p *kkt.Plan, distance float64, change func(m *model.Model)) *mechanism.State {
	m, err := bench.NFourBar(1, math.Pi/2-distance, 1)
	require.NoError(t, err)
	change(m)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	st := p.Mechanism().Initial()
	copy(st.Bodies, mech.Initial().Bodies)
	return st
}

func has(list []int, i int) bool {
	for _, x := range list {
		if x == i {
			return true
		}
	}
	return false
}

// TestTakenAlone: a state that violates its joints is taken alone, with the results of package derive; so is a state whose time is NaN.
func TestTakenAlone(t *testing.T) {
	m, err := bench.NFourBar(1, 1, 1)
	require.NoError(t, err)
	p := planOf(t, m)
	b, err := many.New(p, m, batch.Options{})
	require.NoError(t, err)
	changes := []func(st *mechanism.State){
		func(*mechanism.State) {},
		func(st *mechanism.State) {
			st.Bodies[1].Rotation = spatial.Exp(spatial.Vec3{1e-6, 0, 0}).Mul(st.Bodies[1].Rotation)
		},
		func(st *mechanism.State) { st.Bodies[1].Omega[0], st.Bodies[1].Omega[1] = 3, 2 },
		func(st *mechanism.State) { st.Time = math.NaN() },
	}
	s, g := b.NewStates(len(changes)), b.NewGradients(len(changes))
	d := derive.New(p, m)
	w, want := d.NewWeights(), d.NewGradient()
	w.Body(0).AngularAcceleration = spatial.Vec3{0, 0, 1}
	for i, change := range changes {
		st := p.Mechanism().Initial()
		change(st)
		s.Set(i, st)
		g.SetWeights(i, 0, w.Body(0).AngularAcceleration, spatial.Vec3{})
	}
	b.AdjointTo(g, s)
	require.Equal(t, []int{1, 2, 3}, g.OneByOne())
	require.Equal(t, []int{2, 3}, g.Failed())
	x, y := make([]float64, 12*len(m.Bodies)), make([]float64, 12*len(m.Bodies))
	for i := range 3 {
		st := p.Mechanism().Initial()
		s.To(st, i)
		err := d.At(st)
		if i == 2 {
			require.EqualError(t, g.Error(i), err.Error())
			continue
		}
		require.NoError(t, err)
		require.NoError(t, d.AdjointTo(want, w, derive.Options{}))
		clear(x)
		want.TakeMotion(x)
		g.MotionTo(y, i)
		if i == 0 {
			allowed(t, d, x)
			allowed(t, d, y)
			near(t, x, y, "state 0")
			continue
		}
		require.Equal(t, x, y)
	}
}

// TestDropped: a state is taken alone if a redundant row is off by more than rounding of poses, as where closing has left a planar loop
// bent by some 5e-7 rad.
func TestDropped(t *testing.T) {
	m, err := bench.Generate("nfourbar", 1, 1)
	require.NoError(t, err)
	p := planOf(t, m)
	b, err := many.New(p, m, batch.Options{})
	require.NoError(t, err)
	list := states(t, p, 64, 1, 0.1)
	s, g := b.NewStates(len(list)), b.NewGradients(len(list))
	for i, st := range list {
		s.Set(i, st)
	}
	b.AdjointTo(g, s)
	require.NotEmpty(t, g.OneByOne())
	require.Less(t, len(g.OneByOne()), len(list)/2)
}

// TestUnevenMasses: if the ratio of masses is 1e6 or more, all gradients are taken alone, with the reason.
func TestUnevenMasses(t *testing.T) {
	m, err := bench.Generate("chain", 3, 1)
	require.NoError(t, err)
	m.Bodies[1].Mass *= 1e6
	require.Empty(t, planOf(t, m).WhyOneByOne())
	b, s, g := gradientsOf(t, m, batch.Options{}, 2)
	require.Contains(t, b.AdjointOneByOne(), "masses of a ratio above")
	b.AdjointTo(g, s)
	require.Equal(t, []int{0, 1}, g.OneByOne())
}

// TestSameBits: a state has the same gradient on any number of threads and beside any others.
//
//rung:race
func TestSameBits(t *testing.T) {
	const n = 70
	m := referenceOf(t, "four-bar")
	nb := len(m.Bodies)
	b, s, g := gradientsOf(t, m, batch.Options{}, n)
	b.AdjointTo(g, s)
	want, got := make([]float64, 12*nb), make([]float64, 12*nb)
	for _, threads := range []int{2, 3} {
		other, states, gradients := gradientsOf(t, m, batch.Options{Threads: threads}, n)
		other.AdjointTo(gradients, states)
		for i := range n {
			g.MotionTo(want, i)
			gradients.MotionTo(got, i)
			require.Equal(t, want, got)
		}
	}
	b1, s1, g1 := gradientsOf(t, m, batch.Options{}, n)
	st := b.Plan().Mechanism().Initial()
	for i := range n { // other places: the last states come first
		s.To(st, n-1-i)
		s1.Set(i, st)
	}
	rng, turned := check.Rand(9), make([][]spatial.Vec3, n)
	for i := range n {
		for range 2 * nb {
			turned[i] = append(turned[i], random(rng))
		}
	}
	for i := range n {
		for k := range nb {
			g1.SetWeights(i, k, turned[n-1-i][2*k], turned[n-1-i][2*k+1])
		}
	}
	b1.AdjointTo(g1, s1)
	for i := range n {
		g.MotionTo(want, i)
		g1.MotionTo(got, n-1-i)
		require.Equal(t, want, got)
	}
}

// TestAllocates: gradients in lanes allocate nothing.
func TestAllocates(t *testing.T) {
	b, s, g := gradientsOf(t, referenceOf(t, "four-bar"), batch.Options{}, 16)
	require.Zero(t, testing.AllocsPerRun(5, func() { b.AdjointTo(g, s) }))
	require.Empty(t, g.OneByOne())
}

// pushing is a wrench that no motion changes.
type pushing struct{ moment, force spatial.Vec3 }

func (p *pushing) WrenchesTo(w []spatial.Force, _ []mechanism.BodyMotion, _ float64) error {
	w[0] = spatial.Force{p.moment[0], p.moment[1], p.moment[2], p.force[0], p.force[1], p.force[2]}
	return nil
}

func (p *pushing) DerivativesTo(_, _ []float64, _ []mechanism.BodyMotion, _ float64) error {
	return nil
}

// TestWrenches: wrenches of states count, in lanes and one by one.
func TestWrenches(t *testing.T) {
	push := &pushing{spatial.Vec3{1, -2, 3}, spatial.Vec3{4, 5, -6}}
	inLanes := referenceOf(t, "four-bar")
	alone, _ := modeltest.AsComposites(inLanes)
	for _, m := range []*model.Model{inLanes, alone} {
		b, s, g := gradientsOf(t, m, batch.Options{Wrenches: true}, 3)
		require.Equal(t, m == inLanes, b.AdjointOneByOne() == "")
		s.SetWrench(1, 0, push.force, push.moment)
		b.AdjointTo(g, s)
		p := planOf(t, m)
		in := p.Mechanism().NewInputs()
		_, err := in.AddForce("push", push, 0)
		require.NoError(t, err)
		d := derive.New(p.With(in), m)
		st, w, want := p.Initial(), d.NewWeights(), d.NewGradient()
		s.To(st, 1)
		require.NoError(t, d.At(st))
		rng := check.Rand(9)
		for range 2 { // the second state
			for k := range len(m.Bodies) {
				w.Body(k).AngularAcceleration, w.Body(k).ComAcceleration = random(rng), random(rng)
			}
		}
		require.NoError(t, d.AdjointTo(want, w, derive.Options{}))
		x, y := make([]float64, 12*len(m.Bodies)), make([]float64, 12*len(m.Bodies))
		want.TakeMotion(x)
		require.NoError(t, g.Error(1))
		g.MotionTo(y, 1)
		if d.Redundancy().Rows > 0 {
			allowed(t, d, x)
			allowed(t, d, y)
		}
		near(t, x, y, "%s", b.AdjointOneByOne())
	}
}

// TestVary: drives and springs may differ between states, and gradients equal those of package derive with the inputs of the state.
func TestVary(t *testing.T) {
	m, err := bench.Generate("chain", 4, 1)
	require.NoError(t, err)
	m.Joints[1].Stiffness, m.Joints[1].Damping, m.Joints[1].Rest = []float64{20}, []float64{3}, []float64{0.1}
	for i, name := range []string{model.World, m.Bodies[1].Name} {
		m.Forces = append(m.Forces, model.ForceElement{Name: fmt.Sprint("spring ", i), Type: model.SpringDamper, Stiffness: 10, Damping: 1,
			A: model.Attachment{Body: name, Point: [3]float64{0.3, 2, 0.1}}, B: model.Attachment{Body: m.Bodies[3].Name, Point: [3]float64{0, 0.1, 0.2}}})
	}
	p := planOf(t, m)
	mech := p.Mechanism()
	var vary batch.Vary
	for j := range mech.Joints {
		for i := range mech.Joints[j].Kind.Freedoms() {
			if mech.Sprung(j, i) {
				vary.Drives = append(vary.Drives, mechanism.Freedom{Joint: j, Freedom: i})
			}
		}
	}
	for i := range mech.Forces {
		if mech.Forces[i].Kind == model.SpringDamper {
			vary.Springs = append(vary.Springs, i)
		}
	}
	require.NotEmpty(t, vary.Drives)
	require.NotEmpty(t, vary.Springs)
	b, s, g := gradientsOf(t, m, batch.Options{Vary: vary}, 4)
	rng := check.Rand(2)
	for i := range s.Len() {
		for _, f := range vary.Drives {
			x := mech.Drive(f.Joint)
			stiffness, damping := x.Stiffness[f.Freedom]*(1+rng.Float64()), x.Damping[f.Freedom]*(1+rng.Float64())
			require.NoError(t, s.SetDrive(i, f, stiffness, damping, x.Rest[f.Freedom]))
		}
		for _, k := range vary.Springs {
			require.NoError(t, s.SetSpring(i, k, 10+rng.Float64(), rng.Float64(), 0.1))
		}
	}
	b.AdjointTo(g, s)
	require.Empty(t, g.OneByOne())
	p = b.Plan()
	in := p.Mechanism().NewInputs()
	d := derive.New(p.With(in), m)
	w, want, st := d.NewWeights(), d.NewGradient(), p.Initial()
	x, y := make([]float64, 12*len(m.Bodies)), make([]float64, 12*len(m.Bodies))
	rng = check.Rand(9)
	for i := range s.Len() {
		require.NoError(t, s.InputsTo(in, i))
		s.To(st, i)
		for k := range m.Bodies {
			w.Body(k).AngularAcceleration, w.Body(k).ComAcceleration = random(rng), random(rng)
		}
		require.NoError(t, d.At(st))
		require.NoError(t, d.AdjointTo(want, w, derive.Options{}))
		clear(x)
		want.TakeMotion(x)
		g.MotionTo(y, i)
		near(t, x, y, "state %d", i)
	}
}

// TestWeightsThatAreNoNumbers: weights that are not finite leave their state with an error and without a gradient, and do not affect other
// states.
func TestWeightsThatAreNoNumbers(t *testing.T) {
	m := referenceOf(t, "four-bar")
	b, s, g := gradientsOf(t, m, batch.Options{}, 8)
	b.AdjointTo(g, s)
	want, got := make([]float64, 12*len(m.Bodies)), make([]float64, 12*len(m.Bodies))
	g.MotionTo(want, 4)
	g.SetWeights(3, 1, spatial.Vec3{math.NaN()}, spatial.Vec3{})
	g.SetWeights(5, 1, spatial.Vec3{}, spatial.Vec3{0, math.Inf(1)})
	b.AdjointTo(g, s)
	require.Equal(t, []int{3, 5}, g.Failed())
	g.MotionTo(got, 4)
	require.Equal(t, want, got)
}

// TestWatch: states that a call does not reach before its context ends have the cause of the context.
func TestWatch(t *testing.T) {
	b, s, g := gradientsOf(t, referenceOf(t, "four-bar"), batch.Options{}, 9)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	end := b.Watch(ctx)
	b.AdjointTo(g, s)
	end()
	require.ErrorIs(t, g.Error(8), context.Canceled)
	require.Len(t, g.Failed(), 9)
	b.AdjointTo(g, s)
	require.NoError(t, g.Error(8))
	require.Empty(t, g.Failed())
}

// TestMisuse: misuse panics, or is an error, by name.
func TestMisuse(t *testing.T) {
	m := referenceOf(t, "four-bar")
	p := planOf(t, m)
	none, err := many.New(p, m, batch.Options{Vary: batch.Vary{Bodies: []int{0}}})
	require.ErrorIs(t, err, batch.ErrOptions)
	require.Nil(t, none)
	plain, err := batch.New(p, batch.Options{})
	require.NoError(t, err)
	b, s, g := gradientsOf(t, m, batch.Options{Forces: []mechanism.Freedom{{Joint: 0}}}, 1)
	const without = "batch: no Options.Adjoint"
	require.PanicsWithValue(t, without, func() { plain.NewGradients(1) })
	require.PanicsWithValue(t, without, func() { plain.AdjointOneByOne() })
	require.PanicsWithValue(t, without, func() { plain.AdjointTo(g, s) })
	require.PanicsWithValue(t, "batch: foreign states or gradients", func() { b.AdjointTo(b.NewGradients(2), s) })
	require.PanicsWithValue(t, "batch: foreign states or gradients", func() { b.AdjointTo(g, plain.NewStates(1)) })
	require.PanicsWithValue(t, "batch: state out of range", func() { g.Error(1) })
	require.PanicsWithValue(t, "batch: body out of range", func() { g.Load(0, 3) })
	require.PanicsWithValue(t, "batch: body out of range", func() { g.SetWeights(0, -1, spatial.Vec3{}, spatial.Vec3{}) })
	require.PanicsWithValue(t, "batch: force out of range", func() { g.Force(0, 1) })
	require.PanicsWithValue(t, "batch: length mismatch", func() { g.MotionTo(nil, 0) })
	require.PanicsWithValue(t, "many: no plan or no model", func() { _, _ = many.New(p, nil, batch.Options{}) })
}
