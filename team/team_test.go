package team_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/team"
)

// tally counts how often each task ran, and which workers there were.
type tally struct {
	ran     []atomic.Int32
	workers []atomic.Int32
}

func (t *tally) Do(worker, task int) {
	t.workers[worker].Add(1)
	t.ran[task].Add(1)
}

func TestEveryTaskRunsOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 8} {
		var x *team.Team
		if n > 0 {
			x = team.New(n)
		}
		require.Equal(t, max(n, 1), x.Workers())
		for _, tasks := range []int{0, 1, 2, 7, 1000} {
			c := &tally{ran: make([]atomic.Int32, tasks), workers: make([]atomic.Int32, x.Workers())}
			for round := range int32(20) {
				x.Run(tasks, c)
				for i := range c.ran {
					require.Equal(t, round+1, c.ran[i].Load())
				}
			}
		}
	}
}

func TestRunDoesNotAllocate(t *testing.T) {
	x := team.New(2)
	c := &tally{ran: make([]atomic.Int32, 4), workers: make([]atomic.Int32, 2)}
	require.Zero(t, testing.AllocsPerRun(100, func() { x.Run(4, c) }))
}

func TestWorkersEndWithTheirTeam(t *testing.T) {
	before := runtime.NumGoroutine()
	func() {
		x := team.New(5)
		c := &tally{ran: make([]atomic.Int32, 9), workers: make([]atomic.Int32, 5)}
		x.Run(9, c)
		require.Equal(t, before+4, runtime.NumGoroutine())
	}()
	for runtime.NumGoroutine() > before { // the limit is that of go test
		runtime.GC()
		runtime.Gosched()
	}
}

func TestNewPanics(t *testing.T) {
	require.PanicsWithValue(t, "team: no workers", func() { team.New(0) })
}

func BenchmarkRun(b *testing.B) {
	x := team.New(2)
	c := &tally{ran: make([]atomic.Int32, 2), workers: make([]atomic.Int32, 2)}
	for b.Loop() {
		x.Run(2, c)
	}
}

// again is a job whose tasks run the team that runs them.
type again struct {
	x    *team.Team
	said chan any
}

func (a *again) Do(_, task int) {
	if task > 0 {
		return
	}
	defer func() { a.said <- recover() }()
	a.x.Run(2, &tally{ran: make([]atomic.Int32, 2), workers: make([]atomic.Int32, 2)})
}

// TestTwoRuns: a second Run, which would wait for the first for ever, panics, and the team goes on.
func TestTwoRuns(t *testing.T) {
	x := team.New(2)
	a := &again{x, make(chan any, 1)}
	x.Run(2, a)
	require.Equal(t, "team: two runs at once", <-a.said)
	c := &tally{ran: make([]atomic.Int32, 4), workers: make([]atomic.Int32, 2)}
	x.Run(4, c)
	require.EqualValues(t, 1, c.ran[3].Load())
}
