package sim

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
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

// keep counts a step under error control that has ended in st. After paceSteps it returns what wraps ErrStepTooSmall, with
// the body that turns fastest, if the end of the run is out of reach.
func (p *pace) keep(m *mechanism.Mechanism, all *ranks, st *mechanism.State, until float64) error {
	if p.steps == 0 {
		p.from = st.Time
	}
	if p.steps++; p.steps <= paceSteps {
		return nil
	}
	mean := (st.Time - p.from) / paceSteps
	p.steps = 0
	left := until - st.Time
	if !(left > paceMost*mean) || math.IsInf(until, 1) {
		return nil
	}
	at := 0
	for i := range st.Bodies {
		if st.Bodies[i].Omega.Norm() > st.Bodies[at].Omega.Norm() {
			at = i
		}
	}
	if len(st.Bodies) == 0 { // a piece may have none
		return all.fastest(0, nil)
	}
	fastest := st.Bodies[at].Omega.Norm()
	err := fault.Errorf("%w: at %.3g s a step the end is %.3g steps away; this body turns fastest, at %.3g rad/s",
		ErrStepTooSmall, mean, left/mean, fastest)
	return all.fastest(fastest, fault.Errorf("sim: at t = %v: %w", st.Time, m.AtBody(at, err)))
}
