package tree

import (
	"context"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/team"
)

// Watch makes Solve and its parts end early when ctx does, until end is called. They then return the cause of ctx and leave no results.
// After end s can be used again. Calls may be nested; end them in reverse order.
//
// Cost: none for a context that cannot end; else a few allocations.
func (s *ClosedSolver) Watch(ctx context.Context) (end func()) {
	s.enter()
	defer s.guard.Leave()
	return s.watch.Begin(ctx)
}

// orCause returns err, or the cause of the context of Watch if that has ended. There are no results then.
func (s *ClosedSolver) orCause(err error) error {
	cause := s.watch.Err()
	if cause == nil {
		return err
	}
	s.ok, s.phase = false, unready
	return fault.Errorf("tree: %w", cause)
}

// heed makes the parts of s end early when the context of Watch does.
func (s *ClosedSolver) heed() {
	s.w.watch, s.H.watch, s.K.watch = &s.watch, &s.watch, &s.watch
	s.how.heed(&s.watch)
}

func (m *direct) heed(w *team.Watch) { m.ldl.watch = w }

func (m *lambdaFirst) heed(w *team.Watch) { m.watch, m.L.watch, m.A.watch = w, w, w }

func (m *projection) heed(w *team.Watch) {
	m.watch = w
	for _, e := range m.elims {
		e.watch = w
	}
}

// clearWatched sets x to zero, unless the context of w ends before.
func clearWatched(x []float64, w *team.Watch) {
	const part = 1 << 20 // takes some ms if the memory is new
	for ; len(x) > part && !w.Up(); x = x[part:] {
		clear(x[:part])
	}
	clear(x[:min(len(x), part)])
}
