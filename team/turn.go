package team

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// turn is the part of a worker in a round.
type turn struct {
	worker int
	block  int   // how many blocks, from the worker's own on, have no tasks left
	did    int64 // tasks that it has taken
}

// take runs a task and then those that are left, first those of the worker's block.
func (s *shared) take(t *turn, task int) {
	for t.block = 0; task >= 0; {
		task = s.attempt(t, task)
	}
}

// attempt is take up to a task that panics. It returns the task after that one, or −1 if none is left.
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

// next takes a task, −1 if none is left.
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

// none is the lowest of no tasks.
const none = math.MaxInt64

// end forgets what has failed, and returns the first failure, nil if there is none.
func (f *failures) end() *failure {
	first := f.first
	if first != nil { // else both stay as they are, for the other processors' caches too
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
