package motion

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/spatial"
)

// Forces are in balance up to a hundredth of the weight, or to the tolerance where that is more.
func TestBalances(t *testing.T) {
	for _, c := range []struct {
		rest, tolerance float64
		want            bool
	}{{0.9e-2, 1e-4, true}, {1.1e-2, 1e-4, false}, {1.1e-2, 0.1, true}, {0.2, 0.1, false}, {math.NaN(), 0.1, false}} {
		require.Equal(t, c.want, balances(c.rest, c.tolerance), "%+v", c)
	}
}

// A line search ends at a point with less and flatter φ, looks twice as far where φ falls on, and between two points where it
// has risen again. φ begins at 1 with the derivative −1.
func TestLine(t *testing.T) {
	type point struct{ p, d float64 }
	for name, c := range map[string]struct {
		points []point
		meets  bool
		next   float64
	}{
		"a minimum":               {[]point{{0.5, 0}}, true, 0},
		"flat enough":             {[]point{{0.5, 0.89}}, true, 0},
		"flat enough, falling":    {[]point{{0.5, -0.89}}, true, 0},
		"too steep":               {[]point{{0.5, 0.91}}, false, 0.677}, // 1 − 0.91/2.82
		"less by enough":          {[]point{{1 - 1.1e-4, 0}}, true, 0},
		"less, not by enough":     {[]point{{1 - 0.9e-4, 0}}, false, 0.5},
		"falls on":                {[]point{{0.1, -0.95}}, false, 2},
		"falls on twice":          {[]point{{0.1, -0.95}, {-0.8, -0.95}}, false, 4},
		"rises behind the second": {[]point{{0.1, -0.95}, {0.5, 0}}, false, 1.35},
		"not a number":            {[]point{{math.NaN(), 0}}, false, 0.5},
	} {
		l := line{phi0: 1, slope0: -1, philo: 1, dlo: -1, alpha: 1}
		meets := false
		for _, p := range c.points {
			require.False(t, meets, name)
			meets = l.meets(p.p, p.d)
		}
		require.Equal(t, c.meets, meets, name)
		if !c.meets {
			require.InDelta(t, c.next, l.alpha, 0.01, name)
		}
	}
}

// The point between two is where a parabola is least, unless that is next to an end.
func TestBetween(t *testing.T) {
	for _, c := range []struct{ phihi, want float64 }{
		{1, 0.5}, {1.25, 0.4}, {4.9, 0.102}, {5.1, 0.5}, {0.56, 0.893}, {0.55, 0.5}, {0, 0.5}, {-1, 0.5},
	} {
		require.InDelta(t, c.want, between(0, 1, 1, -1, c.phihi), 1e-3, "%+v", c)
		require.InDelta(t, 1-c.want, between(1, 0, 1, 1, c.phihi), 1e-3, "the other way, %+v", c)
	}
}

// descentOf returns the step of two rows with residuals r.
func descentOf(t *testing.T, J [2][2]float64, r [2]float64) []float64 {
	t.Helper()
	b := &Balance{m: 2, z: make([]float64, 2)}
	b.work.allocate(2)
	for i := range J {
		copy(b.work.J[2*i:], J[i][:])
	}
	copy(b.work.res, r[:])
	require.True(t, b.descent())
	return b.work.p[:2]
}

// Forces that do nearly the same still are told apart, and of those that do the same the step takes about as little as it can.
func TestDescent(t *testing.T) {
	const near = 1e-6
	p := descentOf(t, [2][2]float64{{1, 1}, {1, 1 + near}}, [2]float64{1, 0})
	require.InEpsilon(t, 1/near, p[1], 1e-2)
	rng := check.Rand(1)
	for range 100 {
		a, b := 0.5+rng.Float64(), 0.5+rng.Float64()
		p := descentOf(t, [2][2]float64{{a, b}, {a, b}}, [2]float64{1, rng.Float64()})
		require.Less(t, math.Hypot(p[0], p[1]), 3., "%g, %g", a, b)
	}
}

// A correction is followed by another one while each leaves a hundredth, three times at most.
func TestGivesUp(t *testing.T) {
	for _, c := range []struct {
		after float64
		k     int
		want  bool
	}{{0.9e-2, 1, false}, {1.1e-2, 1, true}, {0.9e-2, 2, false}, {0.9e-2, 3, true}, {0.9e-8, 3, false}, {0.9e-8, 1, false}} {
		require.Equal(t, c.want, givesUp(c.after, 1, 1e-8, c.k), "%+v", c)
	}
	require.True(t, givesUp(2e-8, 1e-7, 1e-8, 1), "more than a hundredth of little")
	require.False(t, givesUp(0.9e-8, 1e-8, 1e-8, 1), "enough, by however little")
	require.InEpsilon(t, 1e-8, mayLeave(1e-6, 1e-9), 1e-15)
	require.Equal(t, 1e-7, mayLeave(1e-6, 1e-7))
}

// Steps of a follower end at the time that is asked for if they come next to it, and too short ones are none.
func TestFollowSteps(t *testing.T) {
	require.Equal(t, 10., upTo(11, 10, 5))
	require.Equal(t, 10., upTo(10-0.9*5e-7, 10, 5))
	require.Equal(t, 10-1.1*5e-7, upTo(10-1.1*5e-7, 10, 5))

	require.True(t, tooShort(0.9e-7, 0, 1))
	require.False(t, tooShort(1.1e-7, 0, 1))
	require.True(t, tooShort(1.1e-7, 1e10, 1), "time does not go on")

	require.True(t, justBehind(1+0.9e-3, 1, 1))
	require.False(t, justBehind(1+1.1e-3, 1, 1))
	require.False(t, justBehind(1, 1, 1), "a time that has been reached since")
	require.False(t, justBehind(math.Inf(1), 1, 1))
}

// Bodies may miss their way by a fiftieth of it, and by a billionth of a radian or size where they rest.
func TestAstray(t *testing.T) {
	for _, c := range []struct {
		most, way float64
		want      bool
	}{{0.9e-9, 0, false}, {1.1e-9, 0, true}, {0.019, 1, false}, {0.021, 1, true}, {math.NaN(), 1, true}, {0, math.NaN(), true}} {
		require.Equal(t, c.want, astray(c.most, c.way), "%+v", c)
	}
}

// A projection of velocities ends where the rows hold, or where a solve does not halve what is left.
func TestRatesEnd(t *testing.T) {
	for _, c := range []struct {
		left, last float64
		want       bool
	}{{0.9e-13, 1, true}, {1.1e-13, 1, false}, {0.49, 1, false}, {0.51, 1, true}, {1, math.Inf(1), false}, {math.NaN(), 1, true}} {
		require.Equal(t, c.want, ratesEnd(c.left, c.last), "%+v", c)
	}
}

// Corrections that leave more than half of an error do not see it, nor do those that have not ended after three.
func TestBlind(t *testing.T) {
	require.False(t, stalls(0.49, 1, 1))
	require.True(t, stalls(0.51, 1, 1))
	require.True(t, stalls(0.1, 1, 3))
	require.False(t, stalls(1, math.Inf(1), 0))
}

// Next to a singular pose a correction leaves three times the angle of the step; errors of a hundred tolerances are searched.
func TestSearches(t *testing.T) {
	require.True(t, searches(0.9e-4, 1e-6))
	require.False(t, searches(1.1e-4, 1e-6))
	require.False(t, leavesMuch(0.29, 0.1))
	require.True(t, leavesMuch(0.31, 0.1))
}

// Of a matrix the root has the rows whose pivots are more than rounding.
func TestRoot(t *testing.T) {
	for pivot, rows := range map[float64]int{0.9e-13: 1, 1.1e-13: 2, 0: 1, -1: 1} {
		G := make([]float64, 4)
		rootTo(G, []float64{1, 0, 0, pivot}, 2)
		require.Equal(t, rows == 2, G[2] != 0 || G[3] != 0, "%g", pivot)
	}
}

// ball is a plan of a free ball of mass and inertia 1 without gravity.
func ball(t *testing.T) *kkt.Plan {
	t.Helper()
	d, err := bodies.New(1, spatial.Vec3{}, spatial.Sym3{1, 1, 1})
	require.NoError(t, err)
	b := build.New("ball").Gravity(0, 0, 0)
	b.Body("ball", d, build.At(0, 0, 0))
	m, err := b.Model()
	require.NoError(t, err)
	p, err := newPlan(m, kkt.Options{})
	require.NoError(t, err)
	return p
}

// A step of RATTLE may miss a tenth of the kinetic energy, and is uneven from 1e-4 of it on where there are loops and no springs.
func TestRattleBalance(t *testing.T) {
	r, err := NewRattle(ball(t), RattleOptions{})
	require.NoError(t, err)
	for _, c := range []struct {
		off            float64 // of the energy
		loops, springs bool
		uneven, fails  bool
	}{
		{off: 0.9e-4, loops: true}, {off: 1.1e-4, loops: true, uneven: true}, {off: 1.1e-4}, {off: 1.1e-4, loops: true, springs: true},
		{off: 0.099}, {off: 0.101, fails: true}, {off: math.NaN(), fails: true},
	} {
		r.loops, r.springs = c.loops, c.springs
		r.end.Bodies[0].Rotation = spatial.Quat{1}
		r.end.Bodies[0].Velocity = spatial.Vec3{2, 0, 0} // 2 J
		was := r.tail(r.kept)
		was[rattleKinetic], was[rattlePower] = 2*(1-c.off), 0
		err := r.balance(1)
		require.Equal(t, c.uneven, r.uneven, "%+v", c)
		if c.fails {
			require.ErrorIs(t, err, errRattleEnergy, "%+v", c)
		} else {
			require.NoError(t, err, "%+v", c)
		}
	}
}

// Zeros of options stand for what is documented.
func TestDefaults(t *testing.T) {
	r, err := NewRattle(ball(t), RattleOptions{})
	require.NoError(t, err)
	require.Equal(t, "rattle, tolerance 1e-07, turn 0.6, damp false", r.Settings())
	require.Equal(t, 2.8, r.most)
	for _, o := range []RattleOptions{{Tolerance: math.Inf(1)}, {Tolerance: math.NaN()}, {Tolerance: -1}} {
		require.PanicsWithValue(t, "motion: option out of range", func() { _, _ = NewRattle(ball(t), o) })
	}
	m, err := bench.Generate("rover", 1, 1)
	require.NoError(t, err)
	m.Gravity = [3]float64{}
	p, err := newPlan(m, kkt.Options{})
	require.NoError(t, err)
	b, err := NewBalance(p, BalanceOptions{})
	require.NoError(t, err)
	require.Equal(t, "force-balance, tolerance 0.0001, 20 iterations", b.Settings())
	mass := 0.0
	for _, body := range m.Bodies {
		mass += body.Mass
	}
	require.InEpsilon(t, mass, b.weight, 1e-15, "without gravity, forces are beside those of 1 m/s²")
}
