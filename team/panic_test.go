package team_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/team"
)

// bad is a job some of whose tasks do not return.
type bad struct {
	end     func(task int) // called by all
	running atomic.Int32
	most    atomic.Int32 // highest task that has ended
}

func (b *bad) Do(_, task int) {
	b.running.Add(1)
	defer b.running.Add(-1)
	runtime.Gosched()
	b.end(task)
	for m := b.most.Load(); m < int32(task) && !b.most.CompareAndSwap(m, int32(task)); m = b.most.Load() {
	}
}

// A panic of a task reaches the caller of Run when no task runs any more, that of the lowest task as if they ran in order,
// and the team goes on.
func TestPanicReachesCaller(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		x := team.New(workers)
		for _, tasks := range []int{1, 2, 3, 5, 100} {
			for _, low := range []int{0, 1, tasks / 2, tasks - 1} {
				if low >= tasks {
					continue
				}
				b := &bad{end: func(task int) {
					if task >= low {
						panic(task)
					}
				}}
				require.PanicsWithValue(t, low, func() { x.Run(tasks, b) })
				require.Zero(t, b.running.Load())
				c := &tally{ran: make([]atomic.Int32, tasks), workers: make([]atomic.Int32, workers)}
				x.Run(tasks, c)
				for i := range c.ran {
					require.EqualValues(t, 1, c.ran[i].Load())
				}
			}
		}
	}
}

// Tasks after one that panics are left out: a long job ends soon.
func TestPanicEndsJob(t *testing.T) {
	const tasks = 1 << 20
	x := team.New(2)
	b := &bad{end: func(task int) {
		if task == 10 {
			panic("ten")
		}
	}}
	require.PanicsWithValue(t, "ten", func() { x.Run(tasks, b) })
	require.Less(t, int(b.most.Load()), tasks-1)
}

// A task that ends its goroutine ends that of Run, on whichever worker it was, and the team goes on.
func TestGoexitEndsCaller(t *testing.T) {
	x := team.New(3)
	for task := range 9 {
		var ended, returned bool
		var wait sync.WaitGroup
		wait.Go(func() {
			defer func() { ended = recover() == nil }()
			x.Run(9, &bad{end: func(i int) {
				if i == task {
					runtime.Goexit()
				}
			}})
			returned = true
		})
		wait.Wait()
		require.True(t, ended)
		require.False(t, returned)
		c := &tally{ran: make([]atomic.Int32, 9), workers: make([]atomic.Int32, 3)}
		x.Run(9, c)
		require.EqualValues(t, 1, c.ran[8].Load())
	}
}
