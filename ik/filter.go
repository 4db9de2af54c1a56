package ik

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

const (
	// filterSteps is the default of Options.Steps with FIKMethod.
	filterSteps = 5000
	// filterFeedback is the default of κ with FIKMethod, 1/s.
	filterFeedback = 5
	// A design is for a random pose whose freedoms are at most designTurn from the present one: an angle by rad, a length in proportion to
	// the step bounds. Its least singular value has to be more than designRank of the largest; designTrials poses are tried.
	designTurn, designTrials, designRank = 0.3, 50, 1e-3
)

// newFilter makes the filter of the task. It is designed at the pose of FIKOptions.Q0, or at a pose near the present one. Where the task
// gives no time of an iteration, form F takes the step of the path, and form V a time that it may shorten.
//
// It returns the errors of fik.New at their places in the task. Where no pose near the present one has a Jacobian of full rank, the
// error wraps fik.ErrRank and says what to do.
func (s *denseMethod) newFilter() error {
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
	switch c := s.track.course; {
	case o.H > 0:
	case o.Form == fik.FormV:
		o.Adapt = true // allowed, as the task gives no time that this would change
	case c != nil:
		o.H = c.step
	}
	design, err := o.Design, error(nil)
	switch {
	case design == fik.DesignTune:
		o.Options, err = s.tuned(o.Options)
	case o.J0 == nil && design == fik.DesignRiccati && o.P == nil:
		o.J0, err = s.designJacobian(o.Q0)
	}
	if err == nil {
		o.Options, err = o.Designed(s.eng)
	}
	s.track.filter, s.designed = nil, nil
	if err == nil {
		s.designed = &FilterResult{Form: o.Form, Design: design, P: o.P, A: o.A, H: o.H}
		o.Design = fik.DesignGiven
		s.track.filter, err = fik.New(s.eng, o.Options)
	}
	if err != nil {
		return s.filterError(err)
	}
	s.designed.H = s.track.filter.Step()
	return nil
}

// byName returns a number for each driven freedom: its value in the list, or other if the list does not have it.
func (s *denseMethod) byName(list []Coordinated, other float64) []float64 {
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

// designJacobian returns the Jacobian for a design: at the pose of q0, or if that is nil at a random pose near the present one where its
// rows are independent. The present pose stays.
//
// It returns noDesign if no such pose is found, and the error of the engine if it cannot reach the pose of q0.
func (s *denseMethod) designJacobian(q0 []Coordinated) (*fik.Dense, error) {
	m, n := s.eng.Dims()
	if m > n {
		return nil, s.noDesign()
	}
	J := fik.NewDense(m, n, nil)
	defer s.returnTo(append([]float64(nil), s.q...))
	if q0 != nil {
		for i, x := range s.byName(q0, math.NaN()) {
			if s.try[i] = s.q[i]; !math.IsNaN(x) {
				s.try[i] = x
			}
		}
		if err := s.eng.moveTo(s.try); err != nil {
			return nil, err
		}
		s.eng.jacobianTo(J.Data)
		return J, nil
	}
	for range designTrials {
		for i, q := range s.q {
			s.try[i] = min(max(q+designTurn*(2*s.dice.Float64()-1)*s.unit[i]*s.size[i]/stepTurn, s.low[i]), s.high[i])
		}
		if s.eng.moveTo(s.try) != nil {
			continue
		}
		s.eng.jacobianTo(J.Data)
		if s.spectrum.Factor(J.Data, m) {
			if v := s.spectrum.Values(m); v[len(v)-1] > designRank*v[0] {
				return J, nil
			}
		}
	}
	return nil, s.noDesign()
}

// filterError returns err as a FilterError: with its place in the task and, if one is known, a value to write there. Errors that have
// no place in the task are returned as they are.
func (s *denseMethod) filterError(err error) error {
	o := FIKOptions{}
	if s.p.task.FIK != nil {
		o = *s.p.task.FIK
	}
	unstable := new(fik.UnstableError)
	field, value, rule := "design", o.Design.String(), fault.Plain(err).Error()
	switch {
	case errors.As(err, &unstable):
		switch {
		case unstable.Suggest == 0:
			field, value = "A", ""
		case unstable.Form == fik.FormV:
			field, value = "h", document.Number(unstable.H)
			rule += `, or "adapt": true`
		case len(o.P) == 1:
			field, value = "P", document.Number(o.P[0])
		case len(o.P) > 1:
			field, value = "P", ""
		case len(s.designed.P) == 1:
			f := s.designed
			rule += fmt.Sprintf(`: write "design": "given", "P": %.3g, "A": %.6g, "h": %.6g`, unstable.Suggest*f.P[0], f.A[0], f.H)
		default:
			h := s.designed.H
			field, value = "h", document.Number(h)
			rule += fmt.Sprintf(", of which h is a factor: take h = %.3g s or less", unstable.Suggest*h)
		}
	case errors.Is(err, fik.ErrRank) && o.Q0 != nil:
		field, value = "q0", ""
	case errors.Is(err, fik.ErrNotFinite):
		return &FilterError{model.Problem{File: s.p.task.fileName(), Path: "$.fik", Rule: rule + ": P, A, h or feedback are too large"}, err}
	case !errors.Is(err, fik.ErrRank) && !errors.Is(err, fik.ErrNoDesign):
		return err
	}
	return &FilterError{model.Problem{File: s.p.task.fileName(), Path: "$.fik." + field, Value: value, Rule: rule}, err}
}

// FilterError says why feedback inverse kinematics cannot run at a pose, and which value of the task to change. It wraps the error of
// fik.New or of a step of the filter: fik.ErrUnstable, fik.ErrRank, fik.ErrNoDesign or fik.ErrNotFinite.
type FilterError struct {
	model.Problem
	Err error
}

// Unwrap returns the error of the filter.
func (e *FilterError) Unwrap() error { return e.Err }

// noDesign returns the error for a design that no pose allows. Its text says what to do.
func (s *denseMethod) noDesign() error {
	m, n := s.eng.Dims()
	why := "at no pose near the present one are all rows of the targets independent"
	if m > n {
		why = fmt.Sprintf("%d rows of the targets are more than %d driven freedoms", m, n)
	}
	return fault.Errorf("%w: %s; the design riccati needs independent rows: leave some out by weight 0, or take \"design\": \"norm\", \"adapt\": true in \"fik\"", fik.ErrRank, why)
}

// filtered stores in track.dq the rates that the filter finds for the wanted rates of the rows plus κ times their errors, and for the
// posture.
func (s *denseMethod) filtered() error {
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

// feed brings the targets to their wanted places by the filter, and sets the status of all levels.
func (s *denseMethod) feed() error {
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
		if s.watch != nil {
			s.refresh()
			s.show()
		}
		status := OutOfSteps
		switch {
		case s.allMet():
			status = Reached
		case k.filter.Stuck():
			status = Stuck
		case s.steps < most && !s.hasEnded():
			err := s.filtered()
			if err == nil {
				err = s.advance(k.filter.Step())
			}
			if err == nil {
				continue
			}
			if !errors.Is(err, fik.ErrUnstable) {
				return s.filterError(err)
			}
			status = Unstable
		}
		s.refresh()
		for l := range s.list {
			s.list[l].status = status
		}
		return nil
	}
}

// allMet reports whether all targets are within their tolerances.
func (s *denseMethod) allMet() bool {
	for l := range s.list {
		if v := &s.list[l]; v.targets != nil && !s.met(v) {
			return false
		}
	}
	return true
}

// tuneTol is the largest error of a target that counts as met in a trial of a tuning, rad or lengths of the problem.
const tuneTol = 1e-3

// tuned returns o with P, A and h by fik.Tune. Each of its runs goes from the present pose to one waypoint of the path after the other, or
// to the targets, and is given up once it takes more iterations than the best run. The present pose stays.
func (s *denseMethod) tuned(o fik.Options) (fik.Options, error) {
	home := append([]float64(nil), s.q...)
	defer s.returnTo(home)
	times := []float64{0}
	if c := s.track.course; c != nil {
		times = c.times
	}
	fewest := filterSteps // iterations of the best run
	run := func(_ context.Context, o fik.Options) (int, error) {
		s.returnTo(home)
		f, err := fik.New(s.eng, o)
		if err != nil {
			return 0, err
		}
		n := 0
		for _, t := range times {
			if n, err = s.trial(f, t, n, fewest); err != nil {
				return n, err
			}
		}
		fewest = min(fewest, n)
		return n, nil
	}
	o, _, err := fik.Tune(context.Background(), o, fik.DenseOf(s.eng), run)
	return o, err
}

// trial iterates the filter from the present pose until the targets are near their places on the path at the time t. It returns n plus the
// number of these iterations; if that reaches most, or the filter is stuck, it gives up and returns most.
func (s *denseMethod) trial(f *fik.Filter, t float64, n, most int) (int, error) {
	k := s.track
	if k.course != nil {
		if err := s.setTime(t); err != nil {
			return n, err
		}
		s.aimAt(t)
		clear(k.raw)
	}
	for ; n < most; n++ {
		s.eng.errorsTo(s.raw)
		if s.nearlyMet(s.raw) {
			return n, nil
		}
		if f.Stuck() || s.hasEnded() {
			return most, nil
		}
		for r := range s.raw {
			s.raw[r] *= k.feedback
		}
		if err := f.StepTo(k.dq, s.raw); err != nil {
			return n, err
		}
		if err := s.advance(f.Step()); err != nil {
			return n, err
		}
	}
	return most, nil
}

// nearlyMet reports whether the errors e of all targets are within tuneTol.
func (s *denseMethod) nearlyMet(e []float64) bool {
	for i := range s.p.targets {
		t := &s.p.targets[i]
		if linear, angular := t.missingOf(e[t.first:]); !(linear <= tuneTol*s.p.length && angular <= tuneTol) {
			return false
		}
	}
	return true
}
