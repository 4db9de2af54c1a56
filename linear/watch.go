package linear

import (
	"context"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/team"
)

// Watch makes Linearize and Modes end early when ctx does, until end is called (kkt.Workspace.Watch). They then return
// the cause for which ctx has ended. A dense eigenvalue problem that is being solved then goes on to its end on a
// goroutine of its own, without touching s.
func (s *System) Watch(ctx context.Context) (end func()) {
	s.enter()
	defer s.guard.Leave()
	return s.space.Watch(ctx)
}

// over reports whether the context of s has ended. Results computed since then may be unfinished.
func (s *System) over() bool { return s.space.Watched().Up() }

// every is over in each 256th round of a loop, and false in the others: i is the loop's counter.
func (s *System) every(i int) bool { return s.space.Watched().Every(i) }

// apart runs do, which may use no memory but its own. If the context of w ends, apart
// returns the cause at once; do then runs to its end on another goroutine, and its
// result is dropped. It is for dense routines, which cannot be interrupted.
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

// orCause returns err or, if the context of s has ended, the cause.
func (s *System) orCause(err error) error {
	if cause := s.space.Watched().Err(); cause != nil {
		return fault.Errorf("linear: %w", cause)
	}
	return err
}

// ended returns the cause for which ctx has ended, or nil.
func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fault.Errorf("linear: %w", context.Cause(ctx))
}

// roomFor returns list with room for what the rest of n rounds is likely to append, after i rounds. A long list that
// runs out of room at its end takes long to copy, with no look in between.
func roomFor[T any](list []T, i, n int) []T {
	if i < 1024 || cap(list)-len(list) > 64 {
		return list
	}
	more := float64(len(list)) / float64(i) * float64(n-i)
	out := make([]T, len(list), len(list)+int(1.25*more)+256) // slices.Grow would clear it all
	copy(out, list)
	return out
}
