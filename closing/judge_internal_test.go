package closing

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
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

// undamped has no factor without damping.
type undamped struct {
	Factors
	t      *testing.T
	tried  int
	exists bool
}

func (u *undamped) Factorize(kkt.Way) error {
	u.tried++
	u.exists = false
	return errors.New("no factor")
}

func (u *undamped) FactorizeDamped(scale []float64, mu float64) error {
	u.exists = true
	return u.Factors.FactorizeDamped(scale, mu)
}

func (u *undamped) SolveTo(x, b []float64) {
	require.True(u.t, u.exists, "a solve without a factor")
	u.Factors.SolveTo(x, b)
}

// Steps are damped where there is no factor without damping, however small the errors are.
func TestCloseWithoutFactor(t *testing.T) {
	m, err := bench.Generate("ladder", 5, 1)
	require.NoError(t, err)
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	c, st := NewCloser(p, Options{}), p.Initial()
	u := &undamped{Factors: c.fac, t: t}
	c.fac = u
	st.Bodies[2].Rotation = spatial.FromAxisAngle(spatial.Vec3{0.6, 0, 0.8}, 1e-7).Mul(st.Bodies[2].Rotation)
	require.NoError(t, c.ClosePositions(st))
	require.Positive(t, u.tried)
}
