package batch_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/kkt"
)

// TestOwnOrder: a batch of a plan with an elimination order of one's own, with and without groups of bodies, has the accelerations of its solver.
func TestOwnOrder(t *testing.T) {
	for _, family := range []string{"ladder", "stewart", "nfourbar"} {
		m, err := bench.Generate(family, 4, 1)
		require.NoError(t, err)
		library, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		list := make([]int32, library.Mechanism().NumBodies())
		for i := range list {
			list[i] = int32(i)
		}
		slices.Reverse(list)
		p, err := rung.NewPlan(m, kkt.Options{Order: order.OfBodies(library.Layout().Pattern, list)})
		require.NoError(t, err)
		out := agree(t, p, someStates(t, p, 16, 3, 0.1), batch.Options{})
		require.Zero(t, out.failed, family)
	}
}
