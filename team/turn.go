package team

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// turn is the progress of one worker in a round.
type turn struct {
	worker int
	block  int   // number of blocks, from the worker's own on, that have no tasks left
	did    int64 // tasks that it has taken
}

// take runs a task and then the tasks that are left, first in the worker's block.
func (s *shared) take(t *turn, task int) {
	for t.block = 0; task >= 0; {
		task = s.attempt(t, task)
	}
}

// attempt runs task and the tasks that are left until one panics. It returns the next task after that one, or −1 if none is left.
// After a task that calls runtime.Goexit it counts the tasks that are left as done, without running them.
func (s *shared) attempt(t *turn, task int) (next int) {
	ended := false
	defer func() {
		if ended {
			return
		}
		x := recover()
		s.fail(task, x)
		t.did++
		next = s.next(t)
		for ; x == nil && next >= 0; next = s.next(t) { // the goroutine ends: no task can run on it
			t.did++
		}
	}()
	for ; task >= 0; task = s.next(t) {
		if int64(task) < s.lowest.Load() {
			s.job.Do(t.worker, task)
		}
		t.did++
	}
	ended = true
	return -1
}

// next takes a task that is left and returns its number, −1 if none is left.
func (s *shared) next(t *turn) int {
	for ; t.block < len(s.blocks); t.block++ {
		b := &s.blocks[(t.worker+t.block)%len(s.blocks)]
		if i := b.next.Add(1) - 1; i < b.hi {
			return int(i)
		}
	}
	return -1
}

// failures are the tasks of a round that did not return.
type failures struct {
	lowest atomic.Int64 // the lowest one; tasks above it need not run
	lock   sync.Mutex
	first  *failure // of lowest
}

// failure is how a task ended that did not return.
type failure struct {
	value any // of its panic; nil if it called runtime.Goexit
}

// none is failures.lowest as long as no task has failed.
const none = math.MaxInt64

// end clears f and returns the failure of the lowest task, nil if none has failed.
func (f *failures) end() *failure {
	first := f.first
	if first != nil { // a store without need would take the line from the caches of other processors
		f.lowest.Store(none)
		f.first = nil
	}
	return first
}

// fail notes a task that has panicked with value, or has called runtime.Goexit.
func (f *failures) fail(task int, value any) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if int64(task) < f.lowest.Load() {
		f.lowest.Store(int64(task))
		f.first = &failure{value}
	}
}

// again ends the caller as the task has ended.
func (f *failure) again() {
	if f.value == nil {
		runtime.Goexit()
	}
	panic(f.value)
}
