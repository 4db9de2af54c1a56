package kkt

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/fault"
)

// failure returns why the last refinement with a factor has no result, nil if it has one.
func (s *Solver) failure() error {
	switch {
	case s.overflows():
		return ErrInaccurate
	case !(s.inconsistency <= s.way.tol() || s.explained()):
		return ErrInconsistent
	case !(s.ref.Error <= AccurateTol):
		return ErrInaccurate
	case s.doubtful():
		return errDoubt
	}
	return nil
}

// explained reports whether the state explains the inconsistency, where an accuracy is enough. Rows that depend on each other
// contradict each other by as much as joints are violated. Rows of a state that is closed to rounding do not: one of them
// that does not hold is no redundant row.
func (s *Solver) explained() bool {
	return s.enough > 0 && explains(s.violation(), s.inconsistency)
}

// explains reports whether joints violated by noise explain an inconsistency.
func explains(noise, inconsistency float64) bool {
	return inconsistency <= min(consistentTol, stateNoise*noise)
}

// doubtful reports whether a row of a reduced system that passes for redundant may be a true one.
func (s *Solver) doubtful() bool { return s.reduced() && !(s.ref.Doubt <= DoubtTol) }

// overflows reports whether numbers of the last refinement overflow.
func (s *Solver) overflows() bool { return math.IsNaN(s.inconsistency) || math.IsNaN(s.ref.Error) }

// describe names the joint or body of err, with which the last way to factor ended.
func (s *Solver) describe(err error) error {
	var p *factor.PivotError
	w := &s.ref.Worst
	switch {
	case errors.As(err, &p):
		return fault.Errorf("kkt: %w", err)
	case err == ErrInaccurate && s.overflows() && w.Node < 0:
		return fault.Errorf("%w: numbers overflow", err)
	case err == ErrInaccurate && s.overflows():
		return fault.Errorf("kkt: %w", s.plan.layout.At(w.Node, w.Row, fault.Errorf("%w: numbers overflow", err)))
	case err == ErrInconsistent:
		return fault.Errorf("kkt: %w", s.plan.layout.At(w.Node, w.Row, fault.Errorf("%w (relative residual %.3g)", err, w.Ratio)))
	case err == ErrInaccurate:
		node, row, _ := s.whole.Weakest()
		if node < 0 {
			return fault.Errorf("%w (predicted relative error %.3g)", err, s.ref.Error)
		}
		return fault.Errorf("kkt: %w", s.plan.layout.At(node, row,
			fault.Errorf("%w: too close to dependent on the others for double precision (predicted relative error %.3g)", err, s.ref.Error)))
	}
	return err
}
