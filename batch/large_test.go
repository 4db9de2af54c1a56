package batch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// TestTooLarge: a mechanism beyond the workspace of lanes is refused before its instructions are made, in the time of a plan: a search for
// the blocks of its factor among all pairs of nodes would take hours.
func TestTooLarge(t *testing.T) {
	m, err := bench.Generate("chain", 46_000, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	b, err := batch.New(kkt.NewPlan(mech, kkt.Options{}), batch.Options{})
	require.ErrorIs(t, err, batch.ErrOptions)
	require.Nil(t, b)
}
