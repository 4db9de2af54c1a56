package sim

import (
	"errors"
	"math"
)

// knotAfter returns the first knot of a motion after t on all ranks, s.
func (s *stepping) knotAfter(t float64) float64 { return s.ranks.least(s.mech.NextKnot(t)) }

// nextKnot returns the first knot of a motion that is farther than the shortest step, s.
func (s *stepping) nextKnot() float64 { return s.knotAfter(s.st.Time + shortest(s.st.Time)) }

// upToKnot returns the latest time at which the next step may end: until, or an earlier knot if steps have to end at knots.
func (s *stepping) upToKnot(until float64) float64 {
	if s.control.knots.left > 0 {
		return min(until, s.nextKnot())
	}
	return until
}

// tryKnots tries the controller's step, which ends at end at the latest. If that step is rejected and crosses a knot, and if the shorter
// step of error control would not reach the third knot, it tries a step that ends at the first knot instead. It returns the end and the
// error of the step, and the latest time last at which it might have ended.
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
