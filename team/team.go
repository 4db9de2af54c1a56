package team

import (
	"runtime"
	"sync/atomic"

	"github.com/rung-mbd/rung/internal/guard"
)

// Job is work in numbered tasks. Do may run on several goroutines at the same
// time, each with its own worker number. A Do that panics ends its Run (Team.Run).
type Job interface {
	Do(worker, task int)
}

// Team is a set of workers. The goroutine that calls Run is worker 0; the others
// wait between the calls and end when the Team is collected as garbage. A Team
// serves one Run at a time.
type Team struct {
	s *shared
}

// shared is the state of a Team that its goroutines hold. They do not hold the Team itself, so that it can be collected.
//
// A Run is a round. Each worker has a block of consecutive tasks. The first task of a block
// goes to whoever claims the block: the block's worker, or the goroutine of Run if that worker
// has not begun. The other tasks of the block are taken one by one, by its worker and by
// workers that have finished their own blocks.
//
// A worker that has claimed its block takes part in the round, and the round does not end
// before that worker has reported how many tasks it has done. A worker that wakes late finds
// its block claimed for it, and reads nothing else of the round.
type shared struct {
	guard   guard.Guard // of Run
	helpers []*helper
	spin    int // polls before a wait blocks: 0 if there are fewer processors than workers
	round   atomic.Int64
	left    atomic.Int64 // tasks that are not done
	asleep  atomic.Bool  // Run waits, or is about to wait, for done
	done    chan struct{}
	blocks  []block // of worker 0 and of those helpers that the round has tasks for
	all     []block // of all workers
	job     Job
	failures
}

// block is the tasks lo … hi−1 of a worker. Its first task, lo, is claimed apart. Tasks from
// next on are not taken yet.
type block struct {
	next   atomic.Int64
	lo, hi int64
	_      [5]int64 // a line of the cache for each
}

// helper is a worker with a goroutine of its own.
type helper struct {
	claimed atomic.Int64 // the last round for which its task is taken
	asleep  atomic.Bool  // it waits, or is about to wait, for wake
	wake    chan struct{}
}

// spins is the number of polls that a worker makes before it goes to sleep, of about half a
// nanosecond each. Waking a goroutine may take tens of microseconds. A worker that has ended
// its part of a phase waits for the others, and on a machine that does other work too their
// times differ by some percent.
const spins = 1000000

// New starts a team of n workers, n − 1 of them new goroutines.
//
// It panics unless n is positive.
func New(n int) *Team {
	if n < 1 {
		panic("team: no workers")
	}
	s := &shared{done: make(chan struct{}, 1), all: make([]block, n)}
	s.lowest.Store(none)
	if runtime.GOMAXPROCS(0) >= n {
		s.spin = spins
	}
	for range n - 1 {
		s.helpers = append(s.helpers, &helper{wake: make(chan struct{}, 1)})
	}
	for i, h := range s.helpers {
		go s.work(i+1, h, 0)
	}
	t := &Team{s}
	runtime.AddCleanup(t, stop, s)
	return t
}

// stop ends the goroutines of a team that has been collected.
func stop(s *shared) {
	for _, h := range s.helpers {
		close(h.wake)
	}
}

// work takes part in every round after the given one whose task it can still claim, until the team is gone.
func (s *shared) work(worker int, h *helper, round int64) {
	t := turn{worker: worker}
	gone := false
	defer func() {
		if !gone { // a task has ended this goroutine: another one takes its place
			go s.work(worker, h, round)
			s.report(&t)
		}
	}()
	for s.await(h, &round) {
		if !h.claim(round) {
			continue
		}
		t.did = 0
		s.take(&t, int(s.blocks[worker].lo))
		s.report(&t)
	}
	gone = true
}

// report counts the tasks of a helper as done, and wakes Run if they are the last.
func (s *shared) report(t *turn) {
	if s.left.Add(-t.did) == 0 && s.asleep.CompareAndSwap(true, false) {
		s.done <- struct{}{}
	}
}

// await waits for a round after *round, stores its number and returns true. It returns false
// when the team is gone.
func (s *shared) await(h *helper, round *int64) bool {
	begun := func() bool {
		r := s.round.Load()
		if r == *round {
			return false
		}
		*round = r
		return true
	}
	for range s.spin {
		if begun() {
			return true
		}
	}
	h.asleep.Store(true)
	if begun() && h.asleep.CompareAndSwap(true, false) {
		return true // begun in between; nobody will wake it
	}
	_, ok := <-h.wake
	begun()
	return ok
}

// claim takes the helper's task of a round and reports whether it was there to be
// taken.
func (h *helper) claim(round int64) bool {
	last := h.claimed.Load()
	return last < round && h.claimed.CompareAndSwap(last, round)
}

// Workers returns the number of workers; a nil Team has one, the caller.
func (t *Team) Workers() int {
	if t == nil {
		return 1
	}
	return len(t.s.helpers) + 1
}

// Run runs tasks 0 … tasks−1 of the job, in no order, and returns when all are done. A nil
// Team, a team of one and a single task run on the calling goroutine, in order.
//
// Worker i of w begins with its share, the tasks from i·tasks/w on. In its caches it finds what
// that part of earlier jobs has left there. A worker that has finished its share takes tasks of
// the others. The caller takes the whole share of a worker that has not begun, so nobody waits
// for a goroutine to wake.
//
// If a task panics, tasks with higher numbers are left out where they have not begun, and Run panics with that task's value
// when the others have ended. If several panic, it is the value of the lowest, as if tasks ran in order. A task that calls
// runtime.Goexit ends the goroutine of Run in the same way. The team can be used again.
//
// It panics if another Run of the team has not ended.
//
// Cost: under a microsecond if the last Run was a moment ago, else up to tens of microseconds to wake
// the workers; no allocation if job is a pointer.
func (t *Team) Run(tasks int, job Job) {
	if t.Workers() == 1 || tasks < 2 {
		for i := range tasks {
			job.Do(0, i)
		}
		return
	}
	s := t.s
	if !s.guard.Enter() {
		panic("team: two runs at once")
	}
	s.job = job
	n := min(len(s.helpers), tasks-1)
	s.blocks = s.all[:n+1]
	for i := range s.blocks {
		b := &s.blocks[i]
		b.lo, b.hi = int64(i*tasks/(n+1)), int64((i+1)*tasks/(n+1))
		b.next.Store(b.lo + 1)
	}
	round := s.round.Load() + 1
	for _, h := range s.helpers[n:] {
		h.claimed.Store(round) // there is no task for it
	}
	s.left.Store(int64(tasks))
	s.round.Store(round)
	for _, h := range s.helpers[:n] {
		if h.asleep.CompareAndSwap(true, false) {
			h.wake <- struct{}{}
		}
	}
	own := turn{}
	defer func() {
		if s.left.Add(-own.did) > 0 {
			s.wait()
		}
		s.job = nil
		failed := s.end()
		s.guard.Leave()
		runtime.KeepAlive(t)
		if failed != nil {
			failed.again()
		}
	}()
	s.take(&own, 0)
	for i, h := range s.helpers[:n] {
		if h.claim(round) {
			s.take(&own, int(s.blocks[i+1].lo))
		}
	}
}

// wait returns when no task is left.
//
// A signal on done does not say which round it belongs to. Run may see the end of a round by
// itself while the worker that ended it is still about to signal. That signal then arrives in
// the next round. So wait looks at the number of tasks after each signal, and goes on waiting
// if some are left.
func (s *shared) wait() {
	for range s.spin {
		if s.left.Load() == 0 {
			return
		}
	}
	for {
		s.asleep.Store(true)
		if s.left.Load() == 0 && s.asleep.CompareAndSwap(true, false) {
			return
		}
		if <-s.done; s.left.Load() == 0 {
			return
		}
	}
}
