package linear

import (
	"context"

	"github.com/rung-mbd/rung/internal/fault"
)

// Watch makes Linearize and Modes end early when ctx does, until end is called (kkt.Workspace.Watch). They then return the
// cause for which ctx has ended. Dense eigenvalue problems are solved to their end.
func (s *System) Watch(ctx context.Context) (end func()) {
	s.enter()
	defer s.guard.Leave()
	return s.space.Watch(ctx)
}

// orCause returns err, or, if the context has ended that s heeds, the cause.
func (s *System) orCause(err error) error {
	if cause := s.space.Watched().Err(); cause != nil {
		return fault.Errorf("linear: %w", cause)
	}
	return err
}
