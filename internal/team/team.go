package team

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Job is work in numbered tasks. Do may run on several goroutines at the same
// time, each with its own worker number; it must not panic.
type Job interface {
	Do(worker, task int)
}

// Team is a set of workers. The goroutine that calls Run is worker 0; the others
// wait between the calls and end when the Team is collected as garbage. A Team
// serves one Run at a time.
type Team struct {
	s *shared
}

// shared is what workers hold; they must not hold the Team.
type shared struct {
	helpers []*helper
	spin    int // polls before a wait blocks: 0 if there are fewer processors than workers
	done    sync.WaitGroup
	left    atomic.Int64 // helpers that are still at work
	next    atomic.Int64
	tasks   int64
	job     Job
}

// helper is a worker with a goroutine of its own.
type helper struct {
	rounds atomic.Int64 // Runs that it has been asked to help in
	asleep atomic.Bool  // it waits, or is about to wait, for wake
	wake   chan struct{}
}

// spins is the number of polls, of about a nanosecond, that a worker makes before
// it goes to sleep: the phases of one evaluation follow each other within some
// tens of microseconds, and waking a goroutine may take as long.
const spins = 30000

// New starts a team of n workers, n − 1 of them new goroutines.
//
// It panics unless n is positive.
func New(n int) *Team {
	if n < 1 {
		panic("team: no workers")
	}
	s := &shared{}
	if runtime.GOMAXPROCS(0) >= n {
		s.spin = spins
	}
	for i := range n - 1 {
		h := &helper{wake: make(chan struct{}, 1)}
		s.helpers = append(s.helpers, h)
		go s.work(i+1, h)
	}
	t := &Team{s}
	runtime.AddCleanup(t, stop, s)
	return t
}

func stop(s *shared) {
	for _, h := range s.helpers {
		close(h.wake)
	}
}

// work helps in every round until the team is gone.
func (s *shared) work(worker int, h *helper) {
	for round := int64(1); s.await(h, round); round++ {
		s.drain(worker)
		s.left.Add(-1)
		s.done.Done()
	}
}

// await returns when the round begins, or false when the team is gone.
func (s *shared) await(h *helper, round int64) bool {
	for range s.spin {
		if h.rounds.Load() >= round {
			return true
		}
	}
	h.asleep.Store(true)
	if h.rounds.Load() >= round && h.asleep.CompareAndSwap(true, false) {
		return true // begun in between; nobody will wake it
	}
	_, ok := <-h.wake
	return ok
}

// drain runs the task of the worker's own number, which finds in the worker's
// caches what the same task of an earlier job has left there, and then others until
// there are none left.
func (s *shared) drain(worker int) {
	for i := int64(worker); i < s.tasks; i = s.next.Add(1) - 1 {
		s.job.Do(worker, int(i))
	}
}

// Workers returns the number of workers; a nil Team has one, the caller.
func (t *Team) Workers() int {
	if t == nil {
		return 1
	}
	return len(t.s.helpers) + 1
}

// Run runs tasks 0 … tasks−1 of the job, in no order, and returns when all are
// done. A nil Team, a team of one and a single task run on the calling goroutine,
// in order.
//
// Cost: under a microsecond if the last Run was a moment ago, else some to wake the
// workers; no allocation if job is a pointer.
func (t *Team) Run(tasks int, job Job) {
	if t.Workers() == 1 || tasks < 2 {
		for i := range tasks {
			job.Do(0, i)
		}
		return
	}
	s := t.s
	s.job, s.tasks = job, int64(tasks)
	n := min(len(s.helpers), tasks-1)
	s.next.Store(int64(n) + 1)
	s.left.Store(int64(n))
	s.done.Add(n)
	for _, h := range s.helpers[:n] {
		h.rounds.Add(1)
		if h.asleep.CompareAndSwap(true, false) {
			h.wake <- struct{}{}
		}
	}
	s.drain(0)
	for i := 0; i < s.spin && s.left.Load() > 0; i++ {
	}
	s.done.Wait()
	s.job = nil
	runtime.KeepAlive(t)
}
