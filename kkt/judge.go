package kkt

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/fault"
)

// refineOnce solves with the factor. It returns ErrInaccurate or ErrInconsistent as they are.
// describe explains them later, as the next way to factor may succeed.
func (s *core) refineOnce() error {
	s.stage = factored
	s.now.enough = s.enough
	s.ref = s.now.Refine(s.now.x, s.now.r, s.free)
	s.inconsistency = s.ref.Worst.Ratio
	return s.failure()
}

// failure returns why the last refinement with a factor has no result, nil if it has one.
func (s *core) failure() error {
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
func (s *core) explained() bool {
	return s.enough > 0 && explains(s.violation(), s.inconsistency)
}

// explains reports whether joints violated by noise explain an inconsistency.
func explains(noise, inconsistency float64) bool {
	return inconsistency <= min(consistentTol, stateNoise*noise)
}

// doubtful reports whether a row of a reduced system that passes for redundant may be a true one.
func (s *core) doubtful() bool { return s.reduced() && !(s.ref.Doubt <= DoubtTol) }

// overflows reports whether numbers of the last refinement overflow.
func (s *core) overflows() bool { return math.IsNaN(s.inconsistency) || math.IsNaN(s.ref.Error) }

// describe names the joint or body of err, with which the last way to factor ended.
func (s *core) describe(err error) error {
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

// errDoubt ends the refinement of a reduced system in which a pivot
// that counts as that of a redundant row is above DoubtTol.
var errDoubt = errors.New("doubtful pivot")

// whyWhole says why the reduced system does not do after err.
func whyWhole(err error) string {
	switch {
	case errors.Is(err, ErrInconsistent):
		return "a constraint does not hold in the reduced system"
	case errors.Is(err, ErrInaccurate):
		return "refinement of the reduced system does not converge"
	case errors.Is(err, errDoubt):
		return "a pivot of the reduced system may not be that of a redundant row"
	}
	return "a pivot of the reduced system is lost to rounding"
}
