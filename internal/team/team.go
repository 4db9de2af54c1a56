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
	start []chan struct{} // by worker − 1
	done  sync.WaitGroup
	next  atomic.Int64
	tasks int64
	job   Job
}

// New starts a team of n workers, n − 1 of them new goroutines.
//
// It panics unless n is positive.
func New(n int) *Team {
	if n < 1 {
		panic("team: no workers")
	}
	s := &shared{start: make([]chan struct{}, n-1)}
	for i := range s.start {
		s.start[i] = make(chan struct{}, 1)
		go s.work(i+1, s.start[i])
	}
	t := &Team{s}
	runtime.AddCleanup(t, stop, s)
	return t
}

func stop(s *shared) {
	for _, c := range s.start {
		close(c)
	}
}

func (s *shared) work(worker int, start <-chan struct{}) {
	for range start {
		s.drain(worker)
		s.done.Done()
	}
}

// drain runs tasks until there are none left.
func (s *shared) drain(worker int) {
	for {
		i := s.next.Add(1) - 1
		if i >= s.tasks {
			return
		}
		s.job.Do(worker, int(i))
	}
}

// Workers returns the number of workers; a nil Team has one, the caller.
func (t *Team) Workers() int {
	if t == nil {
		return 1
	}
	return len(t.s.start) + 1
}

// Run runs tasks 0 … tasks−1 of the job, in no order, and returns when all are
// done. A nil Team, a team of one and a single task run on the calling goroutine,
// in order.
//
// Cost: some microseconds to wake the workers; no allocation if job is a pointer.
func (t *Team) Run(tasks int, job Job) {
	if t.Workers() == 1 || tasks < 2 {
		for i := range tasks {
			job.Do(0, i)
		}
		return
	}
	s := t.s
	s.job, s.tasks = job, int64(tasks)
	s.next.Store(0)
	helpers := min(len(s.start), tasks-1)
	s.done.Add(helpers)
	for _, c := range s.start[:helpers] {
		c <- struct{}{}
	}
	s.drain(0)
	s.done.Wait()
	s.job = nil
	runtime.KeepAlive(t)
}
