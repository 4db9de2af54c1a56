package sim

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
)

// leapLengths are the steps, relative to a rejected one, that are tried with closed stages before the
// controller chooses (docs/theory.md, stages off the constraints).
//
// Near a singular pose, a stage that falls on the pose spoils the step. A much shorter step
// ends closer to the pose, where all the next ones are spoilt. A step of about the same length
// goes over it. In mechanisms that only geometry makes movable, closed stages are all that it
// takes. They then stay closed for some steps.
//
// An open step that is only inaccurate is another matter, where no row is redundant and no singular pose is ahead: shorter ones
// cost less than closed ones.
var leapLengths = [...]float64{1, 0.85, 0.7}

// findStep computes a step that is good enough, settles it and returns its end.
func (s *stepping) findStep(until float64) (t1 float64, err error) {
	s.closer.beside = false
	if s.o.Step > 0 {
		return s.tryFixed(until)
	}
	c := &s.control
	if c.h == 0 {
		c.h = firstStep
	}
	end := s.upToKnot(until)
	if t1, ok := s.tryNear(end); ok {
		return t1, nil
	}
	s.closeStages(s.o.CloseStages || c.closed > 0)
	t1, e, end, err := s.tryKnots(until, end)
	switch good := err == nil && e <= 1; {
	case good && c.closed == 0:
		c.span /= 2
	case !good && s.leaps(err):
		if end < until { // a step that ends there has been tried
			c.h = min(c.h, end-s.st.Time)
		}
		t1, e, err = s.leap(end)
	}
	if t1, e, err = s.shorten(t1, e, err, end); err != nil {
		return 0, err
	}
	h := c.h
	s.takeIn(t1-s.st.Time, e, false)
	if end < until && t1 == end { // a knot, which says nothing about steps across the next one
		c.h, c.knots.left = min(c.h, h), max(c.knots.left-1, 0)
	}
	c.closed = max(c.closed-1, 0)
	return t1, nil
}

// shorten tries shorter steps as long as the last one is bad, from a step to t1 with the error e or err, and returns the last one's.
// None ends behind end. It returns what wraps ErrStepTooSmall if steps become too short, and a bad step if the run is to end.
func (s *stepping) shorten(t1, e float64, err error, end float64) (float64, float64, error) {
	c := &s.control
	for (err != nil || !(e <= 1)) && !s.ended() {
		switch half := new(HalfTurnError); {
		case errors.As(err, &half):
			c.rejectTurn(t1-s.st.Time, half)
		case err != nil:
			c.reject(t1-s.st.Time, math.Inf(1))
		default:
			c.reject(t1-s.st.Time, e)
		}
		if s.tooShort() {
			if err == nil {
				return t1, e, s.short(ErrStepTooSmall)
			}
			return t1, e, fault.Errorf("sim: at t = %v: %w: %w", s.st.Time, ErrStepTooSmall, err)
		}
		t1, e, err = s.attempt(end)
	}
	return t1, e, err
}

// leaps reports whether closed stages are to be tried after a rejected step, one with err if that is not nil. They are not if the step
// could be done, the pose is known to be regular and no knot of a motion is inside: then the error falls with the length of the step, and
// shorter ones with open stages cost less.
func (s *stepping) leaps(err error) bool {
	switch {
	case s.o.Projector == nil || s.implicit || errors.Is(err, errHalfTurn):
		return false
	case err != nil || s.gauged == nil || !s.control.near.regular():
		return true
	}
	return s.nextKnot() < s.st.Time+s.control.h
}

// leap tries the steps that may go over a singular pose, and leaves stages closed if they help.
func (s *stepping) leap(until float64) (t1, e float64, err error) {
	h := s.length()
	first := 0
	if s.control.closed > 0 || s.o.CloseStages { // that step was closed, and would be rejected again
		first = 1
	}
	s.closeStages(true)
	s.stats.Careful++
	for i := first; i < len(leapLengths); i++ {
		s.control.h = leapLengths[i] * h
		if t1, e, err = s.attempt(until); err != nil || !(e <= 1) {
			continue
		}
		if i == 0 { // open stages were to blame
			s.stats.Helped++
			s.control.span = min(2*s.control.span+1, longestSpell)
			s.control.closed = s.control.span
		}
		return t1, e, nil
	}
	return t1, e, err
}

// tryFixed does the next fixed step, a shorter one if the run ends before.
func (s *stepping) tryFixed(until float64) (t1 float64, err error) {
	if t1, ok := s.fixedNear(until); ok {
		return t1, nil
	}
	h := s.o.Step
	t1 = s.base + float64(s.count+1)*h
	short := until < t1-fixedSlack*h
	if until < t1+fixedSlack*h {
		t1 = until
	}
	if t, err := s.halve(t1); err != nil || t < t1 {
		return t, err
	}
	if s.count++; short {
		s.base, s.count = until, 0
	}
	s.noteNearness(t1-s.st.Time, false)
	return t1, nil
}

// fixedHalves is how often a fixed step may be halved.
const fixedHalves = 10

// halve does a step to t1, or, where an implicit method cannot, half the way or less. The
// next step then ends at t1.
func (s *stepping) halve(t1 float64) (t float64, err error) {
	t = t1
	for n := 0; ; n++ {
		if _, err = s.stepper.Try(s.st, t); err == nil {
			err = s.settle(s.exactly)
		}
		if err == nil || !s.implicit || n == fixedHalves || s.ended() {
			return t, err
		}
		s.stats.Rejected++
		t = s.st.Time + (t-s.st.Time)/2
	}
}

// landed is a part of a step. A step is not shortened to a crossing that is so near to its start or end.
const landed = 1e-5

// land does the step last tried, to t1, once more up to the fraction first, at which an event with Land crosses, and
// returns its end.
func (s *stepping) land(t1, first float64) (float64, error) {
	if s.ended() {
		return 0, s.orCause(nil)
	}
	h := t1 - s.st.Time
	t := s.st.Time + first*h
	if first < landed || first > 1-landed || t-s.st.Time < shortest(s.st.Time) {
		return t1, nil
	}
	e, err := s.stepper.Try(s.st, t)
	if err == nil && e <= s.limit {
		if err = s.settle(s.exactly); err == nil {
			return t, nil
		}
	}
	if s.ended() {
		return 0, s.orCause(nil)
	}
	// The shorter step failed. The longer one did not, and is taken after all.
	if _, err := s.stepper.Try(s.st, t1); err != nil {
		return 0, err
	}
	return t1, s.settle(s.exactly)
}
