package batch_test

import (
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/mechanism"
)

// A panic in Control reaches the caller of Rollout with any number of threads, and so does the end of its goroutine; then
// the Batch computes what it has computed before.
//
//rung:race
func TestControlPanics(t *testing.T) {
	p := golden(t, "four-bar")
	list := someStates(t, p, 32, 3, 0.5)
	for _, threads := range []int{1, 4} {
		b, err := batch.New(p, batch.Options{Threads: threads})
		require.NoError(t, err)
		s, out := b.NewStates(len(list)), b.NewOutcome(len(list))
		run := func(control func(step, first, n int)) []mechanism.State {
			for i, x := range list {
				s.Set(i, x)
			}
			require.NoError(t, b.Rollout(s, &batch.Rollout{Step: 1e-3, Steps: 5, Control: control}, out))
			var all []mechanism.State
			for i := range list {
				require.NoError(t, out.Error(i))
				x := p.Initial()
				s.To(x, i)
				all = append(all, *x)
			}
			return all
		}
		want := run(nil)
		for _, at := range []int{0, 8, 24} {
			for _, when := range []int{0, 3} {
				require.PanicsWithValue(t, "user control", func() {
					run(func(step, first, n int) {
						if first == at && step == when {
							panic("user control")
						}
					})
				})
				require.Equal(t, want, run(nil))
			}
		}
		returned := false
		var wait sync.WaitGroup
		wait.Go(func() {
			run(func(_, first, _ int) {
				if first == 8 {
					runtime.Goexit() // as FailNow of a test does
				}
			})
			returned = true
		})
		wait.Wait()
		require.False(t, returned)
		require.Equal(t, want, run(nil))
	}
}

// TestErrorsAfterAPanic: errors of states that a panic of Take has come after are not those of other states in the next Solve. They stayed.
func TestErrorsAfterAPanic(t *testing.T) {
	p := golden(t, "four-bar")
	b, err := batch.New(p, batch.Options{})
	require.NoError(t, err)
	s, r, wrong := b.NewStates(3), b.NewResults(3), p.Initial()
	wrong.Bodies[0].Position[0] = math.NaN()
	s.Set(1, wrong)
	require.PanicsWithValue(t, "take", func() {
		b.SolvePassing(s, r, batch.Passing{Take: func(_, _ int) { panic("take") }})
	})
	require.Error(t, r.Error(1))
	s.Set(1, p.Initial())
	b.Solve(s, r)
	require.NoError(t, r.Error(1))
	require.Empty(t, r.Failed())
}
