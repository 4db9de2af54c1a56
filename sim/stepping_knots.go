package sim

import (
	"errors"
	"math"
)

// knotAfter returns the first time after t at which a motion of a rank goes on with another polynomial.
func (s *stepping) knotAfter(t float64) float64 { return s.ranks.least(s.mech.NextKnot(t)) }

// nextKnot returns the first time after the shortest step at which a motion goes on with another polynomial.
func (s *stepping) nextKnot() float64 { return s.knotAfter(s.st.Time + shortest(s.st.Time)) }

// upToKnot returns the time at which the next step has to end at the latest, until or earlier.
func (s *stepping) upToKnot(until float64) float64 {
	if s.control.knots.left > 0 {
		return min(until, s.nextKnot())
	}
	return until
}

// tryKnots does the controller's step. If that step is rejected and crosses a knot, and if the shorter step of error
// control would not reach the third knot, it does a step that ends at the first knot instead. last is the latest time at
// which the step may end.
func (s *stepping) tryKnots(until, end float64) (t1, e, last float64, err error) {
	c := &s.control
	n := &c.knots
	if t1, e, err = s.attempt(end); errors.Is(err, errHalfTurn) || end < until {
		return t1, e, end, err
	}
	good := err == nil && e <= 1
	if good && n.spell == 0 {
		return t1, e, end, err
	}
	knot := s.nextKnot()
	if !(knot < t1) {
		return t1, e, end, err
	}
	if good {
		n.spell = 0
		return t1, e, end, err
	}
	h, rejected := c.h, c.rejected
	if err != nil {
		c.reject(t1-s.st.Time, math.Inf(1))
	} else {
		c.reject(t1-s.st.Time, e)
	}
	if s.st.Time+c.h >= s.knotAfter(s.knotAfter(knot)) {
		c.h, c.rejected = h, rejected
		return t1, e, end, err
	}
	c.h = max(c.h, knot-s.st.Time)
	n.spell = min(2*n.spell+1, longestSpell)
	n.left = n.spell
	t1, e, err = s.attempt(knot)
	return t1, e, knot, err
}
