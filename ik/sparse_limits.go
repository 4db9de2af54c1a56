package ik

import "math"

const (
	// boundRounds is the largest number of active sets of a step; from onlyAdd on none is released. sparseLong is the
	// largest rotation of a body for which they are looked for, rad.
	boundRounds, onlyAdd, sparseLong = 20, 10, 2
	// stepLimit is the same of a step, relative to the largest step. Beyond, the limit becomes active.
	stepLimit = 1e-12
)

// keeps reports whether the trial at coordinates q is within the limits, or no farther beyond one than s.st.
func (s *sparseMethod) keeps(q []float64) bool {
	for i, x := range q {
		tol := limitTol
		if !s.p.angle[i] {
			tol *= s.p.length
		}
		if x < min(s.low[i]-tol, s.q[i]) || x > max(s.high[i]+tol, s.q[i]) {
			return false
		}
	}
	return true
}

// aimBounds notes where a part h of the step takes the coordinates whose limits are active, to first order.
func (s *sparseMethod) aimBounds(h float64) {
	for k := range s.sys.rows {
		if r := &s.sys.rows[k]; r.bound >= 0 {
			b := &s.sys.bounds[r.bound]
			b.to = s.q[b.driven] + h*s.sys.product(r, 0)/b.weight
		}
	}
}

// strayed stores in s.chord what is missing of the active limits at
// s.try, and returns the largest, angles or relative to lengths.
func (s *sparseMethod) strayed() (most float64) {
	s.coordinatesTo(s.qTried, s.try)
	for k := range s.sys.rows {
		r := &s.sys.rows[k]
		if r.bound < 0 || s.sys.bounds[r.bound].side == 0 {
			continue
		}
		b := &s.sys.bounds[r.bound]
		off := b.to - s.qTried[b.driven]
		s.sys.rowsOf(s.chord, r)[0] = b.weight * off
		if !s.p.angle[b.driven] {
			off /= s.p.length
		}
		most = max(most, math.Abs(off))
	}
	return most
}

// setBounds makes the rows of active limits hard, with what is left to the limit as right side,
// docs/inverse-kinematics.md (S4), unless limits are left aside.
func (s *sparseMethod) setBounds() {
	for k := range s.sys.rows {
		r := &s.sys.rows[k]
		if r.bound < 0 {
			continue
		}
		b := &s.sys.bounds[r.bound]
		right := s.sys.right(r)
		right[0] = 0
		switch {
		case b.side != 0 && s.limited:
			s.sys.set(r, hard, 0)
			right[0] = b.weight * (s.limitOf(b) - s.q[b.driven])
		case b.slack > 0:
			s.sys.set(r, soft, b.slack)
		default:
			s.sys.set(r, absent, 0)
		}
	}
}

// limitOf returns the active limit.
func (s *sparseMethod) limitOf(b *bound) float64 {
	if b.side < 0 {
		return s.low[b.driven]
	}
	return s.high[b.driven]
}

// fit says what a solution is within the limits.
type fit uint8

const (
	tooLong  fit = iota // it turns bodies farther than rows hold, or it is beyond limits
	feasible            // it keeps the limits, though some that are active need not be
	leastFit            // it is the least
)

// solveBounded solves the system of a level within the limits: coordinates that a
// step would take beyond become active rows, and active rows whose multipliers pull
// inwards are released. If that goes round in circles, the last rounds release none.
func (s *sparseMethod) solveBounded() (fit, error) {
	for round := range boundRounds {
		s.setBounds()
		if err := s.sys.factorize(); err != nil {
			return tooLong, err
		}
		s.sys.solve(s.rough)
		switch {
		case !s.limited:
			return leastFit, nil
		case round == 0 && s.sys.turn() > sparseLong:
			return tooLong, nil
		case s.changeBounds(round < onlyAdd):
		case round <= onlyAdd:
			return leastFit, nil
		default:
			return feasible, nil
		}
	}
	return tooLong, nil
}

// standing makes active exactly those limits at which the mechanism stands.
func (s *sparseMethod) standing() {
	for i := range s.sys.bounds {
		b := &s.sys.bounds[i]
		switch q := s.q[b.driven]; {
		case q >= s.high[b.driven]:
			b.side = 1
		case q <= s.low[b.driven]:
			b.side = -1
		default:
			b.side = 0
		}
	}
}

// changeBounds makes the set of active limits that of the solution, and reports whether it is another one.
func (s *sparseMethod) changeBounds(release bool) (changed bool) {
	for k := range s.sys.rows {
		r := &s.sys.rows[k]
		if r.bound < 0 {
			continue
		}
		b := &s.sys.bounds[r.bound]
		if !b.limited {
			continue
		}
		if b.side != 0 {
			// The row pulls along its normal with the multiplier. An upper limit may only push down.
			if y := s.sys.multipliers(r)[0]; release && y*float64(b.side) < 0 {
				b.side, changed = 0, true
			}
			continue
		}
		to := s.q[b.driven] + s.sys.product(r, 0)/b.weight
		tol := stepLimit * max(1, math.Abs(to))
		switch {
		case to > s.high[b.driven]+tol:
			b.side, changed = 1, true
		case to < s.low[b.driven]-tol:
			b.side, changed = -1, true
		}
	}
	return changed
}

// roomToLimits returns the part of the step that the limits allow which are
// not active. It is 1 where the active set has come to rest.
func (s *sparseMethod) roomToLimits() float64 {
	h := 1.0
	for k := range s.sys.rows {
		r := &s.sys.rows[k]
		if r.bound < 0 || s.sys.bounds[r.bound].side != 0 {
			continue
		}
		b := &s.sys.bounds[r.bound]
		u, q := s.sys.product(r, 0)/b.weight, s.q[b.driven]
		switch {
		case q+u > s.high[b.driven]+stepLimit*max(1, math.Abs(q+u)):
			h = min(h, max(0, s.high[b.driven]-q)/u)
		case q+u < s.low[b.driven]-stepLimit*max(1, math.Abs(q+u)):
			h = min(h, min(0, s.low[b.driven]-q)/u)
		}
	}
	return h
}
