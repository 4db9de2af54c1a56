package tree

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
)

// LostError says that a Solve has found numbers that are no solution to the digits that it returns as one. Either rounding has
// taken them, as joint coordinates of long chains and of very different masses do, or the constraints contradict each other,
// which a spanning tree alone does not tell from it. AcceptLoss makes the numbers results.
type LostError struct {
	// Correction is the last refinement relative to the solution, about its relative error where constraints do not contradict each other.
	// A result has at most 1e-6.
	Correction float64
	// Residual is the largest |K·q̈ − k| of a row, those not kept included, relative to what its terms amount to. A result has at most 1e-4.
	Residual float64
	Err      error // ErrInaccurate or ErrInconsistent with its place
}

// Error returns what Err says.
func (e *LostError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *LostError) Unwrap() error { return e.Err }

// judge returns a *LostError unless the corrections of the solution are small and all rows of K hold.
func (s *ClosedSolver) judge() error {
	err := s.converged()
	if err == nil {
		err = s.consistent()
	}
	if err == nil {
		return nil
	}
	s.lossy = algebra.AllFinite(s.qdd...) && algebra.AllFinite(s.all...)
	return &LostError{s.correction, s.residual, err}
}

// consistent makes the solution a result if all rows hold, or returns ErrInconsistent with the worst one.
func (s *ClosedSolver) consistent() error {
	if s.residual <= consistentTol {
		s.ok = true
		return nil
	}
	return s.K.at(s.worstRow, fault.Errorf("%w (relative residual %.3g)", ErrInconsistent, s.residual))
}

// AcceptLoss makes what the last Solve has found results, although it returned a *LostError: with numbers that say how wrong they are, for
// comparisons of methods. Report has the same numbers. It reports whether there are any: none are if they are not finite, or if
// friction grows with a reaction.
//
// It panics without a factor, as after Assemble.
func (s *ClosedSolver) AcceptLoss() bool {
	s.enter()
	defer s.guard.Leave()
	if s.phase < factored {
		panic("tree: no solution")
	}
	s.ok = s.ok || s.lossy
	return s.ok
}
