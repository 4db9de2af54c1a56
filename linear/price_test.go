package linear_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/linear"
)

// TestModesTooDear: modes that would take hours are refused with their price before they begin, and the caller may set another limit.
func TestModesTooDear(t *testing.T) {
	check.Long(t)
	s := ladderSystem(t, 1000)
	_, err := s.Modes(linear.ModeOptions{Method: linear.Dense})
	require.ErrorIs(t, err, linear.ErrTooDear)
	require.EqualError(t, err, "linear: too dear: of 1000 bodies and 10 modes the dense method takes 6.48 Tflops, more than 2 Tflops: take the sparse method")
	_, err = s.Modes(linear.ModeOptions{Count: math.MaxInt})
	require.ErrorIs(t, err, linear.ErrTooDear)
	require.ErrorContains(t, err, "of 1000 bodies and 12000 modes the sparse method takes")
	require.ErrorContains(t, err, "ask for fewer modes")

	s = ladderSystem(t, 100)
	few := linear.ModeOptions{Count: 3}
	few.MaxFlops = s.Price(few) / 2
	_, err = s.Modes(few)
	require.ErrorIs(t, err, linear.ErrTooDear)
	few.MaxFlops *= 2
	modes, err := s.Modes(few)
	require.NoError(t, err)
	require.Len(t, modes.List, 3)
	require.PanicsWithValue(t, "linear: a limit of work below 0", func() { _, _ = s.Modes(linear.ModeOptions{MaxFlops: math.NaN()}) })
}

// ladderSystem returns a ladder of n bodies, linearized where it begins.
func ladderSystem(t *testing.T, n int) *linear.System {
	t.Helper()
	m, err := bench.Ladder(n, 1)
	require.NoError(t, err)
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	s := linear.NewSystem(plan)
	require.NoError(t, s.Linearize(plan.Initial()))
	return s
}

// TestModesOfManyBodiesAreAffordable: the limit leaves room for models of a million bodies.
func TestModesOfManyBodiesAreAffordable(t *testing.T) {
	m, err := bench.Ladder(1000, 1)
	require.NoError(t, err)
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	s := linear.NewSystem(plan)
	require.Less(t, 1000*s.Price(linear.ModeOptions{Count: 50}), float64(linear.DefaultMaxFlops))
}
