package kkt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// plates are plates in a row, each tied to the one before, the first one to the world. A leg leaves a plate all its freedoms, a rod takes
// one, a beam with a hinge at either end takes four or more. Extra legs are between any two plates.
type plates struct{ hubs, legs, rods, beams, extra int }

func (c plates) mechanism(t testing.TB, seed uint64) *mechanism.Mechanism {
	return c.begin(t, seed).done()
}

func (c plates) begin(t testing.TB, seed uint64) *plateBuilder {
	b := &plateBuilder{t, build.New("plates"), rand.New(rand.NewPCG(11, seed)), []build.Body{build.World}, 0}
	for i := range c.hubs {
		b.hubs = append(b.hubs, b.body(fmt.Sprint("plate", i), 20, spatial.Vec3{0, 0, 3 * float64(i+1)}))
	}
	for i := range c.hubs {
		for range c.legs {
			b.leg(i, i+1)
		}
		for range c.rods {
			b.rod(i, i+1)
		}
		for range c.beams {
			b.beam(i, i+1)
		}
	}
	for range c.extra {
		if i, k := b.rng.IntN(c.hubs), 1+b.rng.IntN(c.hubs); i != k {
			b.leg(i, k)
		}
	}
	return b
}

type plateBuilder struct {
	t    testing.TB
	to   *build.Builder
	rng  *rand.Rand
	hubs []build.Body // the world first
	n    int          // of names
}

func (b *plateBuilder) done() *mechanism.Mechanism {
	m, err := b.to.Model()
	require.NoError(b.t, err)
	return compiled(b.t, m)
}

func (b *plateBuilder) vec() (v spatial.Vec3) {
	for i := range v {
		v[i] = 2*b.rng.Float64() - 1
	}
	return v
}

func (b *plateBuilder) body(name string, mass float64, at spatial.Vec3) build.Body {
	d, err := bodies.New(mass, spatial.Vec3{}, spatial.Sym3{mass, 1.5 * mass, 2 * mass})
	require.NoError(b.t, err)
	return b.to.Body(name, d, build.At(at[0], at[1], at[2]))
}

// ends returns two random points at two plates, and a function for those between them.
func (b *plateBuilder) ends(i, k int) (p, q spatial.Vec3, at func(part float64) spatial.Vec3) {
	b.n++
	p, q = b.vec(), b.vec()
	p[2], q[2] = 3*float64(i), 3*float64(k)
	return p, q, func(part float64) (m spatial.Vec3) {
		for e := range m {
			m[e] = p[e] + part*(q[e]-p[e])
		}
		return m
	}
}

func (b *plateBuilder) name(part string) string { return fmt.Sprint(part, b.n) }

func (b *plateBuilder) leg(i, k int) {
	p, q, at := b.ends(i, k)
	lower, upper := b.body(b.name("lower"), 1, at(0.3)), b.body(b.name("upper"), 1, at(0.7))
	along := at(1)
	for e := range along {
		along[e] -= p[e]
	}
	b.to.Universal(b.name("foot"), b.hubs[i], lower, p, spatial.Vec3{1, 0, 0}, spatial.Vec3{0, 1, 0})
	b.to.Prismatic(b.name("slide"), lower, upper, at(0.5), along).Stiffness = []float64{2000 * b.rng.Float64()}
	b.to.Spherical(b.name("head"), upper, b.hubs[k], q)
}

func (b *plateBuilder) rod(i, k int) {
	p, q, at := b.ends(i, k)
	rod := b.body(b.name("rod"), 1, at(0.5))
	b.to.Universal(b.name("foot"), b.hubs[i], rod, p, spatial.Vec3{1, 0, 0}, spatial.Vec3{0, 1, 0})
	b.to.Spherical(b.name("head"), rod, b.hubs[k], q)
}

func (b *plateBuilder) beam(i, k int) {
	p, q, at := b.ends(i, k)
	beam := b.body(b.name("beam"), 1, at(0.5))
	b.to.Revolute(b.name("foot"), b.hubs[i], beam, p, b.vec())
	b.to.Revolute(b.name("head"), beam, b.hubs[k], q, b.vec())
}

// hubCases are mechanisms with hubs, in a short run every 15th of them.
func hubCases(t testing.TB) (names []string, list []func() *mechanism.Mechanism) {
	add := func(name string, of func() *mechanism.Mechanism) { names, list = append(names, name), append(list, of) }
	for _, c := range []struct {
		family string
		n      int
	}{{"delta", 25}, {"delta", 60}, {"jansen", 14}} {
		add(fmt.Sprint(c.family, c.n), func() *mechanism.Mechanism { return leanModel(t, c.family, c.n) })
	}
	for _, c := range []plates{
		{1, 45, 0, 0, 0}, {1, 45, 3, 0, 0}, {1, 45, 9, 0, 0}, {1, 45, 1, 1, 0}, {1, 60, 0, 5, 0}, {1, 0, 40, 40, 0},
		{2, 40, 3, 0, 0}, {3, 30, 0, 4, 0}, {3, 30, 0, 40, 0}, {3, 0, 40, 0, 0}, {4, 40, 3, 0, 20}, {5, 30, 5, 1, 30},
	} {
		for seed := range uint64(3) {
			add(fmt.Sprint(c, seed), func() *mechanism.Mechanism { return c.mechanism(t, seed) })
		}
	}
	return check.Some(names, 15), check.Some(list, 15)
}

// hubTol is the error of accelerations relative to the largest one, or to that of free fall.
const hubTol = 1e-11

// TestHubs: in an order around hubs accelerations are those in an order by the tile rule, all rows hold, and as many depend on others.
func TestHubs(t *testing.T) {
	names, list := hubCases(t)
	for i, of := range list {
		mech := of()
		p := NewPlan(mech, Options{})
		require.True(t, p.lean != nil && p.lean.hubs, names[i])
		s, whole := p.NewSolver(), p.NewSolver()
		whole.keepSpare()
		st, n := p.Initial(), 6*mech.NumBodies()
		require.NoError(t, s.Solve(st), names[i])
		require.NoError(t, whole.Solve(st), names[i])
		require.True(t, s.whole.isLean(), names[i])
		require.Equal(t, whyHubs, s.Route().WhyWhole)
		got, want := make([]float64, n), make([]float64, n)
		s.AccelerationsTo(got)
		whole.AccelerationsTo(want)
		check.CloseVec(t, got, want, hubTol, max(9.81, check.MaxAbs(want)), "accelerations of %s", names[i])
		require.LessOrEqual(t, s.Inconsistency(), exactTol)
		a, err := s.Report()
		require.NoError(t, err)
		b, err := whole.Report()
		require.NoError(t, err)
		require.LessOrEqual(t, a.BackwardError, 1e-13)
		require.Equal(t, b.Rank, a.Rank, names[i])
		require.Equal(t, b.RedundantRows, a.RedundantRows, names[i])
		require.Equal(t, b.NearSingular, a.NearSingular, names[i])
		require.Equal(t, a.Redundant, p.lean.spare(), names[i])
	}
}

// TestHubsGrow: work and memory grow like the number of arms. By the tile rule they grow like its third power and its square.
func TestHubsGrow(t *testing.T) {
	check.Long(t)
	for _, c := range []func(n int) *mechanism.Mechanism{
		func(n int) *mechanism.Mechanism { return leanModel(t, "delta", 30*n) },
		func(n int) *mechanism.Mechanism { return leanModel(t, "jansen", 10*n) },
		func(n int) *mechanism.Mechanism { return plates{1, 45 * n, 3 * n, 0, 0}.mechanism(t, 1) },
		func(n int) *mechanism.Mechanism { return plates{2, 30 * n, 0, 4 * n, 0}.mechanism(t, 1) },
	} {
		var per [2]float64
		for k, n := range [...]int{1, 5} {
			mech := c(n)
			p := NewPlan(mech, Options{})
			require.NotNil(t, p.lean)
			per[k] = float64(p.lean.symbolic.Counts.Flops) / float64(mech.NumBodies())
			require.Less(t, p.lean.symbolic.Counts.MaxFront, 60)
		}
		require.Less(t, per[1], 1.1*per[0])
	}
}

// TestHubsOfManyHubs: rows that have to wait for many hubs in turn are found in few rounds.
func TestHubsOfManyHubs(t *testing.T) {
	if testing.Short() {
		t.Skip("plans of thousands of bodies")
	}
	p := NewPlan(plates{60, 40, 5, 0, 200}.mechanism(t, 0), Options{})
	require.True(t, p.lean != nil && p.lean.hubs)
	require.NoError(t, p.NewSolver().Solve(p.Initial()))
}

// TestHubsHaveNoHistory: the bits of a solution depend neither on the states before nor on the number of threads, and where the system
// around hubs does not do, they are those of the whole system.
//
//rung:race
func TestHubsHaveNoHistory(t *testing.T) {
	type hubbed struct {
		mech *mechanism.Mechanism
		lean bool // at a state that violates the joints
	}
	for _, c := range check.Some([]hubbed{
		{leanModel(t, "delta", check.Few(60, 40)), false}, {leanModel(t, "jansen", 14), false},
		{plates{4, 40, 3, 0, 20}.mechanism(t, 0), true}, {plates{3, 30, 0, 4, 0}.mechanism(t, 0), true}, // nothing is redundant, nothing moves
	}, 2) {
		mech := c.mech
		p, q := NewPlan(mech, Options{}), NewPlan(mech, Options{Threads: 3})
		require.Equal(t, p.lean.symbolic.Order(), q.lean.symbolic.Order())
		st, off, n := p.Initial(), torn(p.Initial()), 6*mech.NumBodies()
		want, got := make([]float64, n), make([]float64, n)
		s, other, whole := p.NewSolver(), q.NewSolver(), p.NewSolver()
		whole.keepSpare()
		require.NoError(t, s.Solve(st))
		s.AccelerationsTo(want)
		require.NoError(t, other.Solve(st))
		other.AccelerationsTo(got)
		require.Equal(t, want, got)
		err := whole.Solve(off)
		require.Equal(t, err, s.Solve(off))
		require.Equal(t, c.lean, s.whole.isLean())
		if err == nil && !c.lean {
			a, b := make([]float64, n), make([]float64, n)
			s.AccelerationsTo(a)
			whole.AccelerationsTo(b)
			require.Equal(t, b, a)
		}
		require.NoError(t, s.Solve(st))
		s.AccelerationsTo(got)
		require.Equal(t, want, got)
	}
}

// hanging is a plate that hangs on chains of two rods between balls, so far beside the middle. The first chain is
// shorter than the others, and straight where the plate is 0.5 m beside the middle.
func hanging(t testing.TB, beside float64) *mechanism.Mechanism {
	b := build.New("hanging")
	d, err := bodies.New(10, spatial.Vec3{}, spatial.Sym3{1, 1, 2})
	require.NoError(t, err)
	plate := b.Body("plate", d, build.At(beside, 0, 0))
	const n = 40
	for k := range n {
		s, c := math.Sincos(2 * math.Pi * float64(k) / n)
		p, q := spatial.Vec3{-2 * c, -2 * s, 1}, spatial.Vec3{beside - 0.5*c, -0.5 * s, 0}
		length := 1.5
		if k == 0 {
			length = math.Sqrt(2*2+1*1) / 2
		}
		// the elbow is above the middle of the line from p to q, by what is left of the length
		line := spatial.Vec3{q[0] - p[0], q[1] - p[1], q[2] - p[2]}
		far := math.Sqrt(line[0]*line[0] + line[1]*line[1] + line[2]*line[2])
		flat := math.Hypot(line[0], line[1])
		up := spatial.Vec3{-line[2] * line[0] / (far * flat), -line[2] * line[1] / (far * flat), flat / far}
		rise := math.Sqrt(max(0, length*length-far*far/4))
		var elbow spatial.Vec3
		for e := range elbow {
			elbow[e] = (p[e]+q[e])/2 + rise*up[e]
		}
		upper, lower := b.Rod(fmt.Sprint("u", k), 1, 0.05, p, elbow), b.Rod(fmt.Sprint("l", k), 1, 0.05, elbow, q)
		b.Spherical(fmt.Sprint("p", k), build.World, upper, p)
		b.Spherical(fmt.Sprint("e", k), upper, lower, elbow)
		b.Spherical(fmt.Sprint("q", k), lower, plate, q)
	}
	m, err := b.Model()
	require.NoError(t, err)
	return compiled(t, m)
}

// TestHubsAtRest: where the rows of an arm depend on each other while its hub is at rest, although they do not while it moves, the whole
// system is solved, and no row is redundant.
func TestHubsAtRest(t *testing.T) {
	p := NewPlan(hanging(t, 0), Options{})
	require.True(t, p.lean != nil && p.lean.hubs)
	require.Zero(t, p.lean.spare())
	s, whole := p.NewSolver(), p.NewSolver()
	whole.keepSpare()
	for _, c := range []struct {
		beside float64
		lean   bool
	}{{0, true}, {0.3, true}, {0.5, false}, {0.2, true}} {
		st := hanging(t, c.beside).Initial()
		require.NoError(t, s.Solve(st))
		require.NoError(t, whole.Solve(st))
		require.Equal(t, c.lean, s.whole.isLean(), "%v", c.beside)
		n := 6 * p.mech.NumBodies()
		got, want := make([]float64, n), make([]float64, n)
		s.AccelerationsTo(got)
		whole.AccelerationsTo(want)
		check.CloseVec(t, got, want, hubTol, max(9.81, check.MaxAbs(want)), "beside %v", c.beside)
		r, err := s.Report()
		require.NoError(t, err)
		require.Zero(t, r.Redundant)
	}
}

// TestHubsOfASingularPose: where rows depend on others at the pose of the model alone, there is no system around hubs.
func TestHubsOfASingularPose(t *testing.T) {
	for _, angle := range []float64{0.3, 0} {
		b := plates{1, 45, 3, 0, 0}.begin(t, 1)
		s, c := math.Sincos(angle)
		joint := [4]spatial.Vec3{{0, 5, 0}, {c, 5, s}, {2 + c, 5, s}, {2, 5, 0}} // of a parallelogram
		last, y := build.World, spatial.Vec3{0, 1, 0}
		for i := range 3 {
			bar := b.to.Rod(fmt.Sprint("bar", i), 1, 0.05, joint[i], joint[i+1])
			b.to.Revolute(fmt.Sprint("pin", i), last, bar, joint[i], y)
			last = bar
		}
		b.to.Revolute("pin3", last, build.World, joint[3], y)
		p := NewPlan(b.done(), Options{})
		require.Equal(t, angle > 0, p.lean != nil && p.lean.hubs, "%v", angle)
		if angle > 0 {
			require.Equal(t, 3, p.lean.spare())
		}
	}
}

// TestHubsNowhereElse: without bodies that many loops go through, and with an order of one's own, orders obey the tile rule.
func TestHubsNowhereElse(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
	}{{"ladder", 30}, {"grid", 12}, {"stewart", 20}, {"random", 500}, {"tracked", 60}, {"miura", 8}, {"delta", 8}, {"jansen", 3}} {
		p := NewPlan(leanModel(t, c.name, c.n), Options{})
		require.False(t, p.lean != nil && p.lean.hubs, c.name)
	}
	mech := leanModel(t, "delta", 30)
	own := order.OfBodies(NewPlan(mech, Options{}).Layout().Pattern, nil)
	p, err := NewPlanContext(t.Context(), mech, Options{Order: own})
	require.NoError(t, err)
	require.False(t, p.lean != nil && p.lean.hubs)
}

// TestHubsThatPayLittle: where other parts of the mechanism take more work than the hub, so that an order around it does not leave
// half of the work, there is none.
func TestHubsThatPayLittle(t *testing.T) {
	for size, taken := range map[int]bool{4: true, 12: false} {
		m, err := bench.Generate("delta", 13, 1)
		require.NoError(t, err)
		beside, err := bench.Generate("grid", size, 1)
		require.NoError(t, err)
		for _, b := range beside.Bodies {
			b.Name = "beside " + b.Name
			m.Bodies = append(m.Bodies, b)
		}
		for _, j := range beside.Joints {
			j.Name = "beside " + j.Name
			for _, end := range []*string{&j.Predecessor, &j.Successor} {
				if *end != "" && *end != model.World {
					*end = "beside " + *end
				}
			}
			m.Joints = append(m.Joints, j)
		}
		p := NewPlan(compiled(t, m), Options{})
		a := newAround(p)
		require.NotNil(t, a.hubs)
		l, err := a.analyse(t.Context())
		require.NoError(t, err)
		part := float64(l.symbolic.Counts.Flops) / float64(p.symbolic.Counts.Flops)
		require.Equal(t, taken, part <= 0.5, "%g", part)
		require.Less(t, part, 1.0)
		require.Equal(t, taken, p.lean != nil && p.lean.hubs, size)
	}
}

// TestHubsOfAMethod: arms are in the order by the method that was asked for, and Replan keeps hubs.
func TestHubsOfAMethod(t *testing.T) {
	mech := leanModel(t, "delta", 30)
	for _, o := range order.All() {
		p := NewPlan(mech, Options{Ordering: o})
		require.True(t, p.lean != nil && p.lean.hubs, o)
		require.NoError(t, p.NewSolver().Solve(p.Initial()))
		q := p.Replan(mech)
		require.Equal(t, p.lean.symbolic.Order(), q.lean.symbolic.Order(), o)
	}
}
