package closing

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/spatial"
)

// Closing goes on while twelve steps take a fifth of the merit away, and for 200 steps at most.
func TestStalls(t *testing.T) {
	for _, c := range []struct {
		steps       int
		merit, mark float64
		want        bool
	}{
		{steps: 0, merit: 1},
		{steps: 11, merit: 1, mark: 1},
		{steps: 12, merit: 0.79, mark: 1},
		{steps: 12, merit: 0.81, mark: 1, want: true},
		{steps: 12, merit: math.NaN(), mark: 1, want: true},
		{steps: 13, merit: 0.81, mark: 1},
		{steps: 24, merit: 1e-3, mark: 1},
		{steps: 199, merit: 1e-9, mark: 1},
		{steps: 200, merit: 1e-9, mark: 1, want: true},
	} {
		require.Equal(t, c.want, stalls(c.steps, c.merit, c.mark), "%+v", c)
	}
}

// The damping is the square of the error, but no less than what rounding asks for and no more than the inertias.
func TestDampingAt(t *testing.T) {
	require.Equal(t, 1e-6, dampingAt(1e-3))
	require.Equal(t, 1e-14, dampingAt(1e-8))
	require.Equal(t, 1., dampingAt(3))
	require.InEpsilon(t, 3e-5, raised(1e-6), 1e-15)
	require.Equal(t, 1., raised(0.1))
}

// A damped step has to help a little, one without damping as it does near the end.
func TestDrops(t *testing.T) {
	for _, c := range []struct {
		left, h float64
		damped  bool
		want    bool
	}{
		{left: 0.09, h: 1, want: true},
		{left: 0.11, h: 1},
		{left: 0.56, h: 0.5},
		{left: 0.54, h: 0.5, want: true},
		{left: 0.9998, h: 1, damped: true, want: true},
		{left: 0.99995, h: 1, damped: true},
		{left: 0.99995, h: 0.25, damped: true, want: true},
		{left: math.NaN(), h: 1, damped: true},
		{left: math.NaN(), h: 1},
	} {
		require.Equal(t, c.want, drops(misfit{merit: 3}, misfit{merit: 3 * c.left}, c.h, c.damped), "%+v", c)
	}
}

// Twice the step is tried after a full one that helped little.
func TestSlow(t *testing.T) {
	for _, c := range []struct {
		left, excess, h float64
		want            bool
	}{
		{left: 0.25, excess: 2, h: 1, want: true},
		{left: 0.011, excess: 2, h: 1, want: true},
		{left: 0.009, excess: 2, h: 1},
		{left: 0.25, excess: 0.9, h: 1},
		{left: 0.25, excess: 2, h: 0.5},
	} {
		require.Equal(t, c.want, slow(misfit{merit: 3}, misfit{merit: 3 * c.left, excess: c.excess}, c.h), "%+v", c)
	}
}

// Velocities take the factor of a step that was tiny and the last one.
func TestSmallSteps(t *testing.T) {
	require.True(t, small(misfit{relative: 0.9e-8}, misfit{excess: 1}))
	require.False(t, small(misfit{relative: 1.1e-8}, misfit{excess: 1}))
	require.False(t, small(misfit{relative: 0.9e-8}, misfit{excess: 1.1}))
}

// A projection takes no other factor where that does not help, and its errors are a result up to 1e-6 of all velocities,
// or of the errors before.
func TestRateErrors(t *testing.T) {
	c := &Closer{before: 2}
	for _, k := range []struct {
		excess, loose, relative float64
		good, accepted          bool
	}{
		{excess: 0.9, loose: 2e6, relative: 1, good: true}, // it holds
		{excess: 2, loose: 0.9, relative: 1, good: true, accepted: true},
		{excess: 2, loose: 1.1, relative: 1, accepted: true},
		{excess: 2, loose: 2e6, relative: 1.9e-14, good: true, accepted: true},
		{excess: 2, loose: 2e6, relative: 2.1e-14, accepted: true},
		{excess: 2, loose: 0.9e6, relative: 1, accepted: true},
		{excess: 2, loose: 1.1e6, relative: 1.9e-6, accepted: true},
		{excess: 2, loose: 1.1e6, relative: 2.1e-6},
		{excess: math.NaN(), loose: math.NaN(), relative: math.NaN()},
	} {
		fit := misfit{excess: k.excess, loose: k.loose, relative: k.relative}
		require.Equal(t, k.good, c.good(fit), "%+v", k)
		require.Equal(t, k.accepted, c.accepts(fit), "%+v", k)
	}
}

// watched are the factors of a closer, of which those without damping may fail.
type watched struct {
	Factors
	t             *testing.T
	fails         bool // without damping
	exists        bool
	plain, damped int
}

func (w *watched) Factorize(way kkt.Way) error {
	w.plain++
	if w.exists = !w.fails; w.fails {
		return errors.New("no factor")
	}
	return w.Factors.Factorize(way)
}

func (w *watched) FactorizeDamped(scale []float64, mu float64) error {
	w.damped++
	w.exists = true
	return w.Factors.FactorizeDamped(scale, mu)
}

func (w *watched) SolveTo(x, b []float64) {
	require.True(w.t, w.exists, "a solve without a factor")
	w.Factors.SolveTo(x, b)
}

// Steps are damped where errors are large, and where there is no factor without damping, however small they are.
func TestDamped(t *testing.T) {
	m, err := bench.Generate("ladder", 5, 1)
	require.NoError(t, err)
	p, err := newPlan(m, kkt.Options{})
	require.NoError(t, err)
	for _, k := range []struct {
		turn  float64
		fails bool
	}{{1e-7, false}, {1e-7, true}, {1e-3, false}} {
		c, st := NewCloser(p, Options{}), p.Initial()
		w := &watched{Factors: c.fac, t: t, fails: k.fails}
		c.fac = w
		st.Bodies[2].Rotation = spatial.FromAxisAngle(spatial.Vec3{0.6, 0, 0.8}, k.turn).Mul(st.Bodies[2].Rotation)
		require.NoError(t, c.ClosePositions(st))
		require.Positive(t, w.plain, "%+v", k)
		require.Equal(t, k.fails || k.turn > 1e-5, w.damped > 0, "%+v", k)
	}
}

// Velocities take the factor of the last step if that has moved next to nothing: not after a step that was far, nor after
// one that turned a body where the joints hardly notice.
func TestFactorServes(t *testing.T) {
	slider := func(b *build.Builder, rod build.Body) {
		b.Prismatic("slide", build.World, rod, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
	}
	// Between two balls as near as this, a turn is a thousandth of it beside the length of the rod.
	balls := func(b *build.Builder, rod build.Body) {
		b.Spherical("one", build.World, rod, spatial.Vec3{})
		b.Spherical("two", build.World, rod, spatial.Vec3{1e-3, 0, 0})
	}
	for _, k := range []struct {
		hold       func(*build.Builder, build.Body)
		move, turn float64
		want       bool
	}{
		{hold: slider, move: 1e-9, want: true}, {hold: slider, move: 1e-7}, {hold: slider, turn: 1e-9, want: true}, {hold: slider, turn: 1e-7},
		{hold: balls, turn: 1e-9, want: true}, {hold: balls, turn: 1e-7},
	} {
		b := build.New("rod").Gravity(0, 0, 0)
		k.hold(b, b.Rod("rod", 1, 0.02, spatial.Vec3{}, spatial.Vec3{1, 0, 0}))
		m, err := b.Model()
		require.NoError(t, err)
		p, err := newPlan(m, kkt.Options{})
		require.NoError(t, err)
		c, st := NewCloser(p, Options{}), p.Initial()
		st.Bodies[0].Position[1] += k.move
		st.Bodies[0].Rotation = spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, k.turn).Mul(st.Bodies[0].Rotation)
		require.NoError(t, c.ClosePositions(st))
		require.Equal(t, k.want, c.chord, "%+v", k)
	}
}

// An approach ends where the part along allowed motions is small, or rounding; far from there each step has to save something.
func TestProgress(t *testing.T) {
	p := progress{least: math.Inf(1)}
	require.True(t, p.ends(1.9e-9, 2))
	require.False(t, p.ends(2.1e-9, 2))
	p = progress{least: math.Inf(1), blur: 2e-3}
	for _, c := range []struct {
		part float64
		ends bool
	}{{1, false}, {1.9e-3, false}, {2.1e-3, false}, {2.1e-3, false}, {1.9e-3, false}, {1.9e-3, false}, {1.8e-3, false}, {1.9e-3, false}, {1.9e-3, true}} {
		require.Equal(t, c.ends, p.ends(c.part, 2), "%+v", c)
	}
	require.Equal(t, 2+1.9e-3, mostAfter(1.9e-3, 2))
	require.InEpsilon(t, 2e-14, 2-mostAfter(2.1e-3, 2), 0.05)
}

// Along allowed motions a row with a small pivot is not taken for a redundant one: of bodies that turn nearly for free a
// smaller limit tells them, and of others none is asked for.
func TestSolveTangent(t *testing.T) {
	for _, c := range []struct {
		inertias float64 // relative to those of the model
		way      kkt.Way
	}{{1, kkt.DropWeak}, {1e-8, kkt.DropWeakest}} {
		for seed := range uint64(5) {
			m, err := bench.Generate("random", 15, seed)
			require.NoError(t, err)
			for i := range m.Bodies {
				I := &m.Bodies[i].Inertia
				for _, x := range []*float64{&I.XX, &I.YY, &I.ZZ, &I.XY, &I.XZ, &I.YZ} {
					*x *= c.inertias
				}
			}
			p, err := newPlan(m, kkt.Options{})
			require.NoError(t, err)
			k, rng := NewCloser(p, Options{Nearest: true}), check.Rand(seed)
			require.NoError(t, k.linearize(k.at))
			clear(k.sys.Right)
			for i := range 6 * len(m.Bodies) {
				k.sys.Right[i] = rng.NormFloat64()
			}
			require.True(t, k.solveTangent())
			require.Equal(t, c.way, k.whole.Way(), "inertias %g, seed %d", c.inertias, seed)
		}
	}
}

// A step along allowed motions is as long as the last one says, within a factor of four.
func TestStretch(t *testing.T) {
	for _, c := range []struct{ x, length, want float64 }{
		{0, 1, 1}, {0.5, 1, 2}, {0.5, 0.4, 0.8}, {-1, 1, 0.5}, {0.9, 1, 4}, {-9, 1, 0.25}, {2, 1, 1}, {1, 1, 1},
	} {
		k := &Closer{approached: approached{tangent: []float64{0, 2}}}
		require.InEpsilon(t, c.want, k.stepFactor([]float64{7, 2 * c.x}, c.length), 1e-15, "%+v", c)
	}
}

// A state whose joints have turned by less than a radian keeps the angles that it had.
func TestWound(t *testing.T) {
	for by, want := range map[float64]bool{0: false, 0.9: false, -0.9: false, 1.1: true, -1.1: true} {
		require.Equal(t, want, anglesDiffer([]float64{3, 5}, []float64{3, 5 + by}), "%g", by)
	}
}

// counted are the factors of a closer that count the factorizations of projections. If lame is set, solves with a second factorization
// give zero.
type counted struct {
	Factors
	made int
	lame bool
}

func (c *counted) Factorize(w kkt.Way) error {
	c.made++
	return c.Factors.Factorize(w)
}

func (c *counted) SolveTo(x, b []float64) {
	if c.Factors.SolveTo(x, b); c.lame && c.made == 0 {
		clear(x)
	}
}

// A projection takes no factor where velocities hold, or where that of the last step is good enough, and one elsewhere, also for
// errors next to rounding.
func TestFactorsOfProjections(t *testing.T) {
	m, err := bench.Generate("ladder", 5, 1)
	require.NoError(t, err)
	p, err := newPlan(m, kkt.Options{})
	require.NoError(t, err)
	holds := p.Initial()
	first := NewCloser(p, Options{})
	require.NoError(t, first.ClosePositions(holds))
	require.NoError(t, first.ProjectVelocities(holds))
	_, turn := speeds(holds)
	for _, k := range []struct {
		off   float64 // of the velocities
		moved float64 // rad, by which poses were closed just before
		lame  bool
		want  int
	}{
		{want: 0}, {off: 1, want: 1}, {off: 5e-13, want: 1},
		{off: 1, moved: 1e-9, want: 0}, {off: 1, moved: 1e-9, lame: true, want: 1},
	} {
		c, st := NewCloser(p, Options{}), holds.Clone()
		w := &counted{Factors: c.fac, lame: k.lame}
		c.fac = w
		if k.moved != 0 {
			st.Bodies[2].Rotation = spatial.FromAxisAngle(spatial.Vec3{0.6, 0, 0.8}, k.moved).Mul(st.Bodies[2].Rotation)
			lame := w.lame
			w.lame = false
			require.NoError(t, c.ClosePositions(st))
			require.True(t, c.chord)
			w.lame, w.made = lame, 0 // closing has factors of its own
		}
		st.Bodies[2].Omega = st.Bodies[2].Omega.Add(spatial.Vec3{k.off * turn, 0, 0})
		require.NoError(t, c.ProjectVelocities(st))
		require.Equal(t, k.want, w.made, "%+v", k)
		if k.want > 0 {
			fit, err := c.ratesAt(st, false)
			require.NoError(t, err)
			require.LessOrEqual(t, fit.excess, 1., "%+v", k)
		}
	}
}

// What is taken for rounding is some hundred times what coordinates are rounded to, and no more: a part of that size that does not fall ends
// the approach, one a hundred times larger is gone on with.
func TestApproachEndsInRounding(t *testing.T) {
	m, err := bench.Generate("random", 15, 1)
	require.NoError(t, err)
	plan, err := newPlan(m, kkt.Options{})
	require.NoError(t, err)
	c := NewCloser(plan, Options{Nearest: true})
	for part, want := range map[float64]bool{1e-15: true, 1e-11: false} {
		p := c.newProgress()
		for range approachIdle {
			require.False(t, p.ends(part*c.span(), 0))
		}
		require.Equal(t, want, p.ends(part*c.span(), 0), "%g", part)
	}
}
