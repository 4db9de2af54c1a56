package sim

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

const (
	// Every paceSteps steps a run computes the number of steps to its end at the present mean step.
	// It ends with an error if there are more than paceMost, which would take hours even for the smallest
	// mechanism. For example, a body that turns at 1e12 rad/s needs such short steps.
	paceSteps, paceMost = 20_000, 1e9
)

// pace counts steps for their mean.
type pace struct {
	steps int     // number of steps counted
	from  float64 // time at the first of them, s
}

// keep counts a step of error control that has ended in st. It returns the mean step, s, if paceSteps have been counted and the end
// of the run at until is out of reach, and 0 otherwise.
func (p *pace) keep(st *mechanism.State, until float64) (mean float64) {
	if p.steps == 0 {
		p.from = st.Time
	}
	if p.steps++; p.steps <= paceSteps {
		return 0
	}
	p.steps = 0
	mean = (st.Time - p.from) / paceSteps
	if left := until - st.Time; !(left > paceMost*mean) || math.IsInf(until, 1) {
		return 0
	}
	return mean
}

// turnsLimit is a part of the bound on turns in a step. If bodies turn by more, the bound makes the steps short.
const turnsLimit = 0.75

// keepPace counts an accepted step. If the end of the run at until is out of reach, it returns an error that wraps ErrStepTooSmall and
// names the cause of the short steps: the body that turns fastest, if the bound on turns is the cause, else the row or body with the
// largest part in the error of another step (blamed), which is tried for this purpose.
func (s *stepping) keepPace(until float64) error {
	mean := s.pace.keep(s.st, until)
	if mean == 0 {
		return nil
	}
	left := until - s.st.Time
	err := fault.Errorf("%w: at %.3g s a step the end is %.3g steps away", ErrStepTooSmall, mean, left/mean)
	if s.ahead.err != nil && s.ahead.at > s.st.Time {
		return s.short(err)
	}
	if _, tryErr := s.stepper.Try(s.st, min(until, s.st.Time+s.control.h)); tryErr == nil &&
		(s.turner == nil || s.turner.furthest() < turnsLimit*s.control.most) {
		if at := s.blamed(err); at != nil {
			return at
		}
	}
	return s.atFastest(err)
}

// atFastest returns err at the body that turns fastest.
func (s *stepping) atFastest(err error) error {
	st := s.st
	if len(st.Bodies) == 0 { // a rank may have no bodies
		return s.ranks.chosen(0, nil)
	}
	at := 0
	for i := range st.Bodies {
		if st.Bodies[i].Omega.Norm() > st.Bodies[at].Omega.Norm() {
			at = i
		}
	}
	fastest := st.Bodies[at].Omega.Norm()
	err = fault.Errorf("%w; this body turns fastest, at %.3g rad/s", err, fastest)
	return s.ranks.chosen(fastest, fault.Errorf("sim: at t = %v: %w", st.Time, s.mech.AtBody(at, err)))
}
