package linear

import (
	"context"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/team"
)

// Watch makes Linearize and Modes end early when ctx does, until end is called (kkt.Workspace.Watch). They then return
// the cause of ctx (context.Cause). A dense eigenvalue problem that is being solved runs on to its end on a
// goroutine of its own, without access to s.
func (s *System) Watch(ctx context.Context) (end func()) {
	s.enter()
	defer s.guard.Leave()
	return s.space.Watch(ctx)
}

// over reports whether the context of s has ended. Results computed since then may be unfinished.
func (s *System) over() bool { return s.space.Watched().Up() }

// every returns over in each 256th round of a loop, i the counter of rounds, and false in the others.
func (s *System) every(i int) bool { return s.space.Watched().Every(i) }

// apart runs do and returns its error. If the context of w ends, apart
// returns the cause at once; do then runs to its end on another goroutine, and its
// result is dropped. So do must not write memory that others use afterwards. It is for dense routines, which cannot be interrupted.
func apart(w *team.Watch, do func() error) error {
	ctx := w.Context()
	if ctx.Done() == nil {
		return do()
	}
	ended := make(chan error, 1)
	go func() { ended <- do() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return fault.Errorf("linear: %w", context.Cause(ctx))
	}
}

// orCause returns the cause if the context of s has ended, and else err.
func (s *System) orCause(err error) error {
	if cause := s.space.Watched().Err(); cause != nil {
		return fault.Errorf("linear: %w", cause)
	}
	return err
}

// ended returns the cause of ctx if it has ended, or nil.
func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fault.Errorf("linear: %w", context.Cause(ctx))
}

// reserve returns list after i of n rounds with capacity for the elements that the other rounds append if they append as many as
// the rounds before. It spares a copy of a long list late in the loop, which takes long without a test of the context.
func reserve[T any](list []T, i, n int) []T {
	if i < 1024 || cap(list)-len(list) > 64 {
		return list
	}
	more := float64(len(list)) / float64(i) * float64(n-i)
	out := make([]T, len(list), len(list)+int(1.25*more)+256) // slices.Grow would clear it all
	copy(out, list)
	return out
}
