package sim

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
)

const (
	// Every paceSteps steps a run computes how many steps are left to the end at its present pace.
	// It gives up if there are more than paceMost, which would take hours even for the smallest
	// mechanism. For example, a body that turns at 1e12 rad/s needs such short steps all the time.
	paceSteps, paceMost = 20_000, 1e9
)

// pace is the start of the steps that are counted.
type pace struct {
	steps int
	from  float64 // time, s
}

// keepPace counts a step under error control. After paceSteps it returns what wraps ErrStepTooSmall, with the body that
// turns fastest, if the end is out of reach.
func (s *Simulation) keepPace(until float64) error {
	if s.o.Step > 0 {
		return nil
	}
	if s.pace.steps == 0 {
		s.pace.from = s.st.Time
	}
	if s.pace.steps++; s.pace.steps <= paceSteps {
		return nil
	}
	mean := (s.st.Time - s.pace.from) / paceSteps
	s.pace.steps = 0
	left := until - s.st.Time
	if !(left > paceMost*mean) || math.IsInf(until, 1) {
		return nil
	}
	at := 0
	for i := range s.st.Bodies {
		if s.st.Bodies[i].Omega.Norm() > s.st.Bodies[at].Omega.Norm() {
			at = i
		}
	}
	if len(s.st.Bodies) == 0 { // a piece may have none
		return s.ranks.fastest(0, nil)
	}
	fastest := s.st.Bodies[at].Omega.Norm()
	return s.ranks.fastest(fastest, fault.Errorf("sim: at t = %v: %w", s.st.Time, s.mech.AtBody(at, fault.Errorf("%w: at %.3g s a step the end is %.3g steps away; this body turns fastest, at %.3g rad/s",
		ErrStepTooSmall, mean, left/mean, fastest))))
}
