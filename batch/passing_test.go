package batch_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/batch"
)

// TestPassing: states that are set, and results that are taken, by the threads are those that are set before and read afterwards, to
// the bit.
//
//rung:race
func TestPassing(t *testing.T) {
	p := golden(t, "four-bar")
	list := someStates(t, p, 70, 3, 0.5)
	n := len(list)
	width, rows := list[0].FlatLen(), []float64{}
	for _, st := range list {
		row := make([]float64, width)
		st.FlatTo(row)
		rows = append(rows, row...)
	}
	for _, threads := range []int{1, 3} {
		b, err := batch.New(p, batch.Options{Threads: threads})
		require.NoError(t, err)
		s, r := b.NewStates(n), b.NewResults(n)
		size := 6 * p.Mechanism().NumBodies()
		want, got := make([]float64, n*size), make([]float64, n*size)
		for i := range n {
			s.SetFlat(i, rows[i*width:][:width])
		}
		b.Solve(s, r)
		for i := range n {
			r.To(want[i*size:][:size], i)
		}
		passing := batch.Passing{
			Set: func(first, m int) {
				for i := first; i < first+m; i++ {
					s.SetFlat(i, rows[i*width:][:width])
				}
			},
			Take: func(first, m int) {
				for i := first; i < first+m; i++ {
					r.To(got[i*size:][:size], i)
				}
			},
		}
		s = b.NewStates(n)
		b.SolvePassing(s, r, passing)
		assert.Equal(t, want, got)

		moved := b.NewStates(n)
		for i := range n {
			moved.SetFlat(i, rows[i*width:][:width])
		}
		o := batch.Rollout{Step: 1e-3, Steps: 3}
		require.NoError(t, b.Rollout(moved, &o, b.NewOutcome(n)))
		after, then := make([]float64, n*width), make([]float64, n*width)
		passing.Take = func(first, m int) {
			for i := first; i < first+m; i++ {
				s.FlatTo(then[i*width:][:width], i)
			}
		}
		o.Passing = passing
		require.NoError(t, b.Rollout(s, &o, b.NewOutcome(n)))
		for i := range n {
			moved.FlatTo(after[i*width:][:width], i)
		}
		assert.Equal(t, after, then)
	}
}

// TestPassingEnds: a panic of Set or Take reaches the caller, and the batch goes on; a context that has ended sets and takes no state
// of Solve, and all of Rollout.
//
//rung:race
func TestPassingEnds(t *testing.T) {
	p := golden(t, "four-bar")
	b, err := batch.New(p, batch.Options{Threads: 2})
	require.NoError(t, err)
	const n = 70
	s, r := b.NewStates(n), b.NewResults(n)
	bang := func(first, _ int) {
		if first == 40 {
			panic("user")
		}
	}
	for _, passing := range []batch.Passing{{Set: bang}, {Take: bang}} {
		require.PanicsWithValue(t, "user", func() { b.SolvePassing(s, r, passing) })
		require.PanicsWithValue(t, "user", func() {
			_ = b.Rollout(s, &batch.Rollout{Step: 1e-3, Steps: 1, Passing: passing}, b.NewOutcome(n))
		})
		b.Solve(s, r)
		require.Empty(t, r.Failed())
	}
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	end := b.Watch(ctx)
	var set, taken [n]bool
	count := batch.Passing{Set: func(first, m int) { mark(set[first:][:m]) }, Take: func(first, m int) { mark(taken[first:][:m]) }}
	b.SolvePassing(s, r, count)
	assert.Zero(t, set)
	assert.Zero(t, taken)
	require.ErrorIs(t, b.Rollout(s, &batch.Rollout{Step: 1e-3, Steps: 1, Passing: count}, b.NewOutcome(n)), why)
	end()
	for i := range n {
		assert.True(t, set[i] && taken[i], i)
	}
}

func mark(list []bool) {
	for i := range list {
		list[i] = true
	}
}

// TestHeldRows: a state that is set to its own row, to the bit, is known to hold its joints, and one with any other number is looked
// at again.
func TestHeldRows(t *testing.T) {
	p := golden(t, "four-bar")
	b, err := batch.New(p, batch.Options{})
	require.NoError(t, err)
	s, out := b.NewStates(9), b.NewOutcome(9)
	row := make([]float64, s.FlatLen())
	for range 2 {
		require.NoError(t, b.Rollout(s, &batch.Rollout{Step: 1e-3, Steps: 1}, out))
		require.NoError(t, out.Error(4))
		require.True(t, s.Held(4))
		s.FlatTo(row, 4)
		s.SetFlat(4, row)
		require.True(t, s.Held(4))
	}
	for k := range row {
		require.NoError(t, b.Rollout(s, &batch.Rollout{Step: 1e-3, Steps: 0}, out))
		require.True(t, s.Held(4))
		was := row[k]
		row[k] = math.Nextafter(was, 9)
		s.SetFlat(4, row)
		assert.False(t, s.Held(4), "number %d", k)
		row[k] = was
		s.SetFlat(4, row)
		assert.False(t, s.Held(4), "nobody has looked")
	}
	zero := math.Copysign(0, -1)
	for k, x := range row {
		if x == 0 {
			require.NoError(t, b.Rollout(s, &batch.Rollout{Step: 1e-3, Steps: 0}, out))
			row[k] = zero
			s.SetFlat(4, row)
			assert.False(t, s.Held(4), "the sign of a zero is a bit")
			break
		}
	}
	row[1]++
	s.SetFlat(4, row)
	require.NoError(t, b.Rollout(s, &batch.Rollout{Step: 1e-3, Steps: 1}, out))
	require.Error(t, out.Error(4))
	require.False(t, s.Held(4))
}
