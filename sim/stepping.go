package sim

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
)

// leapLengths are the lengths of steps, relative to a rejected one, that are tried with closed stages before the
// controller chooses another (docs/theory.md, stages off the constraints).
//
// Near a singular pose, a stage that falls on the pose spoils the step. A much shorter step
// ends closer to the pose, where all following steps are spoilt. A step of about the same length
// passes the pose. In mechanisms that only geometry makes movable, closed stages are
// sufficient. The stages of some following steps are then closed too.
//
// If no row is redundant and no singular pose is ahead, a rejected open step is only inaccurate, and shorter steps
// cost less than closed stages.
var leapLengths = [...]float64{1, 0.85, 0.7}

// findStep computes a step that is good enough and ends at until at the latest, settles it and returns the time of its end.
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
		if end < until { // the rejected step had to end at a knot
			c.h = min(c.h, end-s.st.Time)
		}
		t1, e, err = s.leap(end)
	}
	if t1, e, err = s.shorten(t1, e, err, end); err != nil {
		return 0, err
	}
	h := c.h
	s.takeIn(t1-s.st.Time, e, false)
	if end < until && t1 == end { // the step ended at a knot: it does not justify longer steps across the next one
		c.h, c.knots.left = min(c.h, h), max(c.knots.left-1, 0)
	}
	c.closed = max(c.closed-1, 0)
	return t1, nil
}

// shorten tries shorter steps as long as the last one is bad, beginning after a step to t1 with the error e or err. It returns t1, e and
// err of the last step. None ends after end. It returns an error that wraps ErrStepTooSmall if steps become too short, and a bad step if
// the context of the run has ended.
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

// leaps reports whether to try closed stages after a rejected step; err is the error of that step, or nil. Closed stages are not tried if
// the step could be computed, the pose is known to be regular and the step crosses no knot of a motion: then the error falls with the
// length of the step, and shorter steps with open stages cost less.
func (s *stepping) leaps(err error) bool {
	switch {
	case s.o.Projector == nil || s.implicit || errors.Is(err, errHalfTurn):
		return false
	case err != nil || s.gauged == nil || !s.control.near.regular():
		return true
	}
	return s.nextKnot() < s.st.Time+s.control.h
}

// leap tries steps of leapLengths with closed stages, which may pass a singular pose. If closed stages help at the same length, they stay
// for some steps.
func (s *stepping) leap(until float64) (t1, e float64, err error) {
	h := s.length()
	first := 0
	if s.control.closed > 0 || s.o.CloseStages { // the rejected step had closed stages already
		first = 1
	}
	s.closeStages(true)
	s.stats.Careful++
	for i := first; i < len(leapLengths); i++ {
		s.control.h = leapLengths[i] * h
		if t1, e, err = s.attempt(until); err != nil || !(e <= 1) {
			continue
		}
		if i == 0 { // the open stages were the cause of the error
			s.stats.Helped++
			s.control.span = min(2*s.control.span+1, longestSpell)
			s.control.closed = s.control.span
		}
		return t1, e, nil
	}
	return t1, e, err
}

// tryFixed does the next fixed step, or a shorter one if the run ends before, and returns its end.
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

// fixedHalves is the largest number of halvings of a fixed step.
const fixedHalves = 10

// halve does a step to t1, or, if an implicit method fails, a step of a half, a quarter, … of that length, and returns its end. The
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

// landed is a fraction of a step. A step is not shortened to a crossing that is nearer to its start or end.
const landed = 1e-5

// land repeats the step last tried, to t1, with its end at the fraction first, at which an event with Land crosses, and
// returns its end. If that fails, it takes the step to t1.
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
	// The shorter step has failed: take the longer one.
	if _, err := s.stepper.Try(s.st, t1); err != nil {
		return 0, err
	}
	return t1, s.settle(s.exactly)
}
