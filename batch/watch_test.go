package batch_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/rung-mbd/rung/batch"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWatchOnThreads: a context that ends stops a rollout between two steps, and each state is that of as many steps, to the bit. States that Solve
// has not come to have the cause as their error.
//
//rung:race
func TestWatchOnThreads(t *testing.T) {
	plan := planOf(t, "../docs/four-bar.model.json")
	b, err := batch.New(plan, batch.Options{Threads: 2})
	require.NoError(t, err)
	const n = 19
	start := func() *batch.States { return b.NewStates(n) }
	why := errors.New("enough")
	for _, control := range []func(step, first, n int){nil, func(int, int, int) {}} {
		ctx, cancel := context.WithCancelCause(context.Background())
		timer := time.AfterFunc(5*time.Millisecond, func() { cancel(why) })
		s, out := start(), b.NewOutcome(n)
		end := b.Watch(ctx)
		err = b.Rollout(s, &batch.Rollout{Step: 1e-4, Steps: 1 << 30, Control: control}, out)
		end()
		timer.Stop()
		require.ErrorIs(t, err, why)
		after := map[int]*batch.States{} // by steps; lanes of one register make as many
		for i := range n {
			require.NoError(t, out.Error(i))
			steps, st, want := out.Steps(i), plan.Initial(), plan.Initial()
			if after[steps] == nil {
				after[steps] = start()
				require.NoError(t, b.Rollout(after[steps], &batch.Rollout{Step: 1e-4, Steps: steps, Control: control}, b.NewOutcome(n)))
			}
			after[steps].To(want, i)
			s.To(st, i)
			assert.Equal(t, want, st, "state %d after %d steps", i, out.Steps(i))
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	r := b.NewResults(n)
	end := b.Watch(ctx)
	b.Solve(start(), r)
	end()
	require.Len(t, r.Failed(), n)
	for i := range n {
		require.ErrorIs(t, r.Error(i), why)
		assert.Zero(t, r.ComAcceleration(i, 0))
	}
	b.Solve(start(), r)
	require.Empty(t, r.Failed())
	require.NoError(t, b.Rollout(start(), &batch.Rollout{Step: 1e-4, Steps: 3}, b.NewOutcome(n)), "the watch has ended")
}
