package sim

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
)

// control chooses steps from error estimates: a PI controller (Gustafsson 1991)
// with the constants that are usual for the pair of Dormand & Prince (1980).
type control struct {
	h        float64 // next step, s; 0: not known yet
	old      float64 // error of the last accepted step
	rejected bool    // the last step tried was rejected
	order    float64 // of the local error of the embedded solution
	steady   bool    // steps are to change little: the method is implicit
	most     float64 // angle that a body is to turn by in a step at most, rad

	near         nearing
	knots        knots
	redundant    bool // fixed steps have closed stages, as rows are redundant
	closed, span int  // steps with closed stages: still to do, and the last number of them
}

const (
	controlSafety = 0.9
	controlBeta   = 0.04 // weight of the last error
	controlGrow   = 10   // largest factor between two steps
	controlShrink = 0.2  // smallest one
	controlSteady = 1.2  // growth of the step that is not worth a new matrix (Hairer & Wanner 1996 §IV.8)
	steadyGrow    = 2    // controlGrow of implicit methods: rounding in their estimate grows with the fourth power of this factor
	firstError    = 1e-4 // error that the first step is compared with, and least error remembered
	failShrink    = 0.25 // factor where a step could not be computed at all
	firstStep     = 1e-4 // s, where none is given; the controller is soon elsewhere
	longestSpell  = 63   // largest number of steps with closed stages before open ones are tried again
)

// mostTurn is the angle, rad, that a body is to turn by in a step at most. It is less than half
// a turn. Where angles with springs are followed, it is that of two bodies together.
const mostTurn = 0.8 * math.Pi

// accept takes in the error of an accepted step h.
func (c *control) accept(h, err float64) {
	f := math.Pow(err, 1/c.order-0.75*controlBeta) / math.Pow(c.old, controlBeta) / controlSafety
	next := h / min(max(f, 1./controlGrow), 1/controlShrink)
	if c.rejected || c.steady && next < controlSteady*h {
		next = min(next, h)
	}
	if c.steady {
		next = min(next, steadyGrow*h)
	}
	if h < 0.99*c.h { // cut short by the end of a run
		next = max(next, c.h)
	}
	c.h, c.old, c.rejected = next, max(err, firstError), false
}

// reject takes in the error of a step h that is too large; it may be infinite or
// undefined.
func (c *control) reject(h, err float64) {
	f := failShrink
	if !math.IsInf(err, 1) && !math.IsNaN(err) {
		f = 1 / min(1/controlShrink, math.Pow(err, 1/c.order-0.75*controlBeta)/controlSafety)
	}
	c.h, c.rejected = h*f, true
}

// turn bounds the next step where a body has turned by angle in the time span.
func (c *control) turn(angle, span float64) {
	if most := c.most * span / angle; c.h > most {
		c.h = most
	}
}

// rejectTurn takes in a step h that would be half a turn or more.
func (c *control) rejectTurn(h float64, e *HalfTurnError) {
	c.h, c.rejected = h*controlSafety, true
	c.turn(e.Angle, e.Span)
	c.h = max(c.h, controlShrink*h)
}

// restart clears the history of steps, because state or dynamics have jumped.
func (c *control) restart() {
	if c.h > firstStep {
		c.h = firstStep
	}
	c.old, c.rejected = firstError, false
	c.near = nearing{}
}

// leastStep is the smallest step in units of the rounding of the time, which counts as at least
// firstStep.
const leastStep = 16

// leaps are the steps, relative to a rejected one, that are tried with closed stages before the
// controller chooses (docs/theory.md, stages off the constraints).
//
// Near a singular pose, a stage that falls on the pose spoils the step. A much shorter step
// ends closer to the pose, where all the next ones are spoilt. A step of about the same length
// goes over it. In mechanisms that only geometry makes movable, closed stages are all that it
// takes. They then stay closed for some steps.
var leaps = [...]float64{1, 0.85, 0.7}

// try computes a step that is good enough, settles it and returns its end.
func (s *Simulation) try(until float64) (t1 float64, err error) {
	s.beside = false
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
	case !good && s.o.Projector != nil && !s.implicit && !errors.Is(err, ErrHalfTurn):
		if end < until { // a step that ends there has been tried
			c.h = min(c.h, end-s.st.Time)
		}
		t1, e, err = s.leap(end)
	}
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
				return 0, fault.Errorf("sim: at t = %v: %w", s.st.Time, ErrStepTooSmall)
			}
			return 0, fault.Errorf("sim: at t = %v: %w: %w", s.st.Time, ErrStepTooSmall, err)
		}
		t1, e, err = s.attempt(end)
	}
	h := c.h
	s.accept(t1-s.st.Time, e, false)
	if end < until && t1 == end { // a knot, which says nothing about steps across the next one
		c.h, c.knots.left = min(c.h, h), max(c.knots.left-1, 0)
	}
	c.closed = max(c.closed-1, 0)
	return t1, nil
}

// tooShort reports whether the next step would be below rounding.
func (s *Simulation) tooShort() bool {
	return s.control.h < max(s.o.MinStep, shortest(s.st.Time))
}

// shortest returns the least step at a time.
func shortest(t float64) float64 { return leastStep * ulp(max(math.Abs(t), firstStep)) }

// accept takes in an accepted step h with the error e. over says that the step was led over a
// singular pose.
func (s *Simulation) accept(h, e float64, over bool) {
	c := &s.control
	c.accept(h, e)
	s.noteStiffness(h)
	if s.turner != nil {
		c.turn(s.turner.furthest(), h)
	}
	if most := s.mostTravel(); c.h > most {
		c.h = most
	}
	s.noteNearness(h, over)
}

// leap tries the steps that may go over a singular pose, and leaves stages closed if they help.
func (s *Simulation) leap(until float64) (t1, e float64, err error) {
	h := s.control.h
	if s.o.MaxStep > 0 {
		h = min(h, s.o.MaxStep)
	}
	s.closeStages(true)
	s.stats.Careful++
	for i, f := range leaps {
		s.control.h = f * h
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

// attempt tries the controller's step, which ends at until at the latest, and
// settles it if its error e is at most 1.
func (s *Simulation) attempt(until float64) (t1, e float64, err error) {
	h := s.control.h
	if s.o.MaxStep > 0 {
		h = min(h, s.o.MaxStep)
	}
	if t1 = s.st.Time + h; s.st.Time+1.01*h >= until {
		t1 = until
	}
	if e, err = s.stepper.Try(s.st, t1); err == nil && e <= s.limit {
		err = s.settle()
	}
	if err != nil || !(e <= s.limit) {
		s.stats.Rejected++
	}
	return t1, e, err
}

// ulp returns the distance of |x| to the next number.
func ulp(x float64) float64 {
	x = math.Abs(x)
	return math.Nextafter(x, math.Inf(1)) - x
}

// tryFixed does the next fixed step, a shorter one if the run ends before.
func (s *Simulation) tryFixed(until float64) (t1 float64, err error) {
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

// fixedSlack is the part of a fixed step by which it may differ to end with the
// run.
const fixedSlack = 1e-9

// fixedHalves is how often a fixed step may be halved.
const fixedHalves = 10

// halve does a step to t1, or, where an implicit method cannot, half the way or less. The
// next step then ends at t1.
func (s *Simulation) halve(t1 float64) (t float64, err error) {
	t = t1
	for n := 0; ; n++ {
		if _, err = s.stepper.Try(s.st, t); err == nil {
			err = s.settle()
		}
		if err == nil || !s.implicit || n == fixedHalves || s.ended() {
			return t, err
		}
		s.stats.Rejected++
		t = s.st.Time + (t-s.st.Time)/2
	}
}
