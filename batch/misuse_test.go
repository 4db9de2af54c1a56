package batch_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// TestTooManyStates: numbers of states that no memory holds are named panics, not those of the runtime.
func TestTooManyStates(t *testing.T) {
	m, err := bench.Generate("ladder", 10, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	b, err := batch.New(kkt.NewPlan(mech, kkt.Options{}), batch.Options{})
	require.NoError(t, err)
	for _, n := range []int{math.MaxInt, math.MaxInt / 8} {
		require.PanicsWithValue(t, "batch: too many states", func() { b.NewStates(n) })
		require.PanicsWithValue(t, "batch: too many states", func() { b.NewResults(n) })
		require.PanicsWithValue(t, "batch: too many states", func() { b.NewOutcome(n) })
	}
}
