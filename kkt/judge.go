package kkt

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/fault"
)

// refineOnce solves with the factor. It returns ErrInaccurate and ErrInconsistent without a place, which
// describe adds later, because the next way to factor may succeed.
func (s *core) refineOnce() error {
	s.stage = factored
	s.now.enough = s.enough
	s.ref = s.now.Refine(s.now.x, s.now.r, s.free)
	s.inconsistency = s.ref.Worst.Ratio
	return s.failure()
}

// failure returns nil if the last refinement with a factor has a result, and otherwise the error that it ended with.
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

// explained reports whether the violation of the joints explains the inconsistency. It does so only if the caller has set an accuracy that
// is enough. Rows that depend on each other contradict each other by as much as the joints are violated. In a state that is closed to
// rounding they do not, so a row that does not hold there is not redundant.
func (s *core) explained() bool {
	return s.enough > 0 && explains(s.violation(), s.inconsistency)
}

// explains reports whether joints violated by noise explain an inconsistency.
func explains(noise, inconsistency float64) bool {
	return inconsistency <= min(consistentTol, stateNoise*noise)
}

// doubtful reports whether a row of a reduced system that counts as redundant may be independent of the others.
func (s *core) doubtful() bool { return s.reduced() && !(s.ref.Doubt <= DoubtTol) }

// overflows reports whether numbers of the last refinement overflow.
func (s *core) overflows() bool { return math.IsNaN(s.inconsistency) || math.IsNaN(s.ref.Error) }

// describe returns err, the error of the last way to factor, with the name of the joint or body.
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

// errDoubt ends the refinement of a reduced system in which a row
// that counts as redundant has a pivot above DoubtTol.
var errDoubt = errors.New("doubtful pivot")

// whyWhole returns the reason why the whole system replaces the reduced one after err.
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
