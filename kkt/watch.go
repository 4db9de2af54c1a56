package kkt

import (
	"context"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/team"
)

// Watch makes the solvers on w end early when ctx does, until end is called. Their methods then return the cause for
// which ctx has ended, and leave no results. They serve again after end, with the bits of fresh ones. How long that
// takes says docs/architecture.md, "Ends". Calls may be nested; end them in reverse order.
//
// Cost: none for a context that cannot end; else a few allocations.
func (w *Workspace) Watch(ctx context.Context) (end func()) { return w.watch.Begin(ctx) }

// Watched returns the watch of w, for factors that are made beside.
func (w *Workspace) Watched() *team.Watch { return w.watch }

// Watch is Workspace.Watch for Solve, its parts, Report and RankAt.
func (s *Solver) Watch(ctx context.Context) (end func()) {
	s.enter()
	defer s.guard.Leave()
	return s.work.Watch(ctx)
}

// SolveContext is Solve that ends early when ctx does (Watch).
func (s *Solver) SolveContext(ctx context.Context, st *mechanism.State) error {
	defer s.Watch(ctx)()
	return s.Solve(st)
}

// ReportContext is Report that ends early when ctx does (Watch). There is no solution then.
func (s *Solver) ReportContext(ctx context.Context) (*Report, error) {
	defer s.Watch(ctx)()
	return s.Report()
}

// orCause returns err or, if the context of s has ended, the cause. There are no results then.
func (s *Solver) orCause(err error) error {
	cause := s.work.watch.Err()
	if cause == nil {
		return err
	}
	s.Drop()
	return fault.Errorf("kkt: %w", cause)
}
