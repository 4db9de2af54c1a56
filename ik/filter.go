package ik

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
)

const (
	// filterSteps is the default of Options.Steps with FIKMethod.
	filterSteps = 5000
	// filterFeedback is κ where the task gives none, 1/s.
	filterFeedback = 5
	// designTurn is how far the pose of a design is from the given one, rad or lengths; designTrials is how often one is looked for whose least
	// singular value is more than designRank of the largest.
	designTurn, designTrials, designRank = 0.3, 50, 1e-3
)

// newFilter makes the filter of the task: its design is for the pose of FIKOptions.Q0, or for one near the present pose, at which the engine then is.
//
// It returns the errors of NewFIK, and what wraps ErrRank, with what to do, where no pose near the present one has a Jacobian of full rank.
func (s *Solver) newFilter() error {
	o := FIKOptions{}
	if s.p.task.FIK != nil {
		o = *s.p.task.FIK
	}
	if s.track == nil {
		s.newTrack()
	}
	if s.track.feedback = filterFeedback; o.Feedback > 0 {
		s.track.feedback = o.Feedback
	}
	if o.GainOf != nil {
		o.Gains = s.byName(o.GainOf, 1)
	}
	if o.J0 == nil && o.Design == DesignRiccati && o.P == nil {
		var err error
		if o.J0, err = s.designJacobian(o.Q0); err != nil {
			return err
		}
	}
	f, err := NewFIK(s.eng, o)
	s.track.filter = f
	if s.track.period = o.H; err == nil && f.Step() > 0 {
		s.track.period = f.Step()
	}
	return err
}

// byName returns numbers of the driven freedoms: those of the list, other for the others.
func (s *Solver) byName(list []Coordinated, other float64) []float64 {
	v := make([]float64, len(s.q))
	for i, f := range s.p.driven {
		v[i] = other
		name := s.p.DrivenName(i)
		for _, x := range list {
			if x.Freedom == name || x.Freedom == fmt.Sprint(s.p.plan.Mechanism().JointName(f.Joint), ".", f.Freedom) {
				v[i] = x.Value
			}
		}
	}
	return v
}

// designJacobian returns the Jacobian that a design is for: at the pose of q0, or at one near the present pose.
func (s *Solver) designJacobian(q0 []Coordinated) (*Dense, error) {
	m, n := s.eng.Dims()
	if m > n {
		return nil, s.noDesign()
	}
	J := NewDense(m, n, nil)
	defer s.returnTo(append([]float64(nil), s.q...))
	for range designTrials {
		for i, q := range s.q {
			s.try[i] = min(max(q+designTurn*(2*s.dice.Float64()-1)*s.unit[i]*s.size[i]/stepTurn, s.low[i]), s.high[i])
		}
		if q0 != nil {
			for i, x := range s.byName(q0, math.NaN()) {
				if s.try[i] = s.q[i]; x == x {
					s.try[i] = x
				}
			}
		}
		if err := s.eng.moveTo(s.try); err != nil {
			if q0 != nil {
				return nil, err
			}
			continue
		}
		s.eng.jacobianTo(J.Data)
		if q0 != nil {
			return J, nil
		}
		if s.spectrum.factor(J.Data, m) {
			if v := s.spectrum.values(m); v[len(v)-1] > designRank*v[0] {
				return J, nil
			}
		}
	}
	return nil, s.noDesign()
}

// noDesign is the error for a design that no pose allows, and says what to do.
func (s *Solver) noDesign() error {
	m, n := s.eng.Dims()
	why := "at no pose near the present one are all rows of the targets independent"
	if m > n {
		why = fmt.Sprintf("%d rows of the targets are more than %d driven freedoms", m, n)
	}
	return fault.Errorf("%w: %s; the design riccati needs independent rows: leave some out by weight 0, or take \"design\": \"norm\", \"adapt\": true in \"fik\"", ErrRank, why)
}

// filtered stores in track.dq what the filter makes of the wanted rates and the errors.
func (s *Solver) filtered() error {
	k := s.track
	s.eng.errorsTo(s.raw)
	for r := range s.raw {
		s.raw[r] = k.raw[r] + k.feedback*s.raw[r]
	}
	if len(s.p.rest) == 0 {
		return k.filter.StepTo(k.dq, s.raw)
	}
	clear(k.null)
	for _, r := range s.p.rest {
		k.null[r.driven] = s.p.task.Posture.Gain * (r.value - s.q[r.driven])
	}
	return k.filter.StepNullTo(k.dq, s.raw, k.null)
}

// feed brings the targets to where they should be by the filter, and sets the status of all levels.
func (s *Solver) feed() error {
	if err := s.newFilter(); err != nil {
		return err
	}
	k, most := s.track, s.o.Steps
	if most == 0 {
		most = filterSteps
	}
	clear(k.raw)
	for s.steps = 0; ; s.steps++ {
		s.errorsTo(s.e)
		status := OutOfSteps
		switch {
		case s.allMet():
			status = Reached
		case k.filter.Stuck():
			status = Stuck
		case s.steps < most && !s.over():
			err := s.filtered()
			if err == nil {
				err = s.advance(k.period)
			}
			if err == nil {
				continue
			}
			if !errors.Is(err, ErrUnstable) {
				return err
			}
			status = Unstable
		}
		s.refresh()
		for l := range s.levels {
			s.levels[l].status = status
		}
		s.result.Steps, s.result.Restarts = s.steps, 0
		return nil
	}
}

// allMet reports whether all targets are within their tolerances.
func (s *Solver) allMet() bool {
	for l := range s.levels {
		if v := &s.levels[l]; v.targets != nil && !s.met(v) {
			return false
		}
	}
	return true
}
