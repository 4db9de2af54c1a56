package tree

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
)

// LostError says that a Solve has found numbers that are not accurate enough to be a result. There are two reasons, which joint coordinates
// cannot tell apart: digits are lost to rounding, as happens with long chains and with very different masses, or the constraints
// contradict each other. AcceptLoss makes the numbers a result.
type LostError struct {
	// Correction is the size of the last refinement relative to the solution. Unless constraints contradict each other, it is about the
	// relative error of the solution. A result has at most 1e-6.
	Correction float64
	// Residual is the largest |K·q̈ − k| of a row, redundant rows included, relative to the row's terms. A result has at most 1e-4.
	Residual float64
	Err      error // ErrInaccurate or ErrInconsistent with its place
}

// Error returns the text of Err.
func (e *LostError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *LostError) Unwrap() error { return e.Err }

// judge makes the solution a result if its last correction is small and all rows of K hold. Otherwise it returns a *LostError, and notes
// whether AcceptLoss may make the numbers a result.
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

// consistent makes the solution a result if all rows hold, or returns ErrInconsistent with the joint of the worst row.
func (s *ClosedSolver) consistent() error {
	if s.residual <= consistentTol {
		s.ok = true
		return nil
	}
	return s.K.at(s.worstRow, fault.Errorf("%w (relative residual %.3g)", ErrInconsistent, s.residual))
}

// AcceptLoss makes the numbers that the last Solve has found a result although it returned a *LostError, for comparisons of methods. The
// fields of the error, which Report has too, say how inaccurate they are. AcceptLoss reports whether there is a result now: there is none
// if the numbers are not finite, or if friction grows with a reaction.
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
