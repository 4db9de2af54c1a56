package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
)

// inside reports whether the coordinates are within their limits.
func (s *sparseMethod) inside(q []float64) bool {
	for i, x := range q {
		tol := limitTol
		if !s.p.angle[i] {
			tol *= s.p.length
		}
		if x < s.low[i]-tol || x > s.high[i]+tol {
			return false
		}
	}
	return true
}

// coordinatesTo stores the coordinates of the driven freedoms at st,
// whose kinematics are in s.kin, within half a turn of s.q.
func (s *sparseMethod) coordinatesTo(q []float64, st *mechanism.State) {
	for i, f := range s.p.driven {
		x := coordinate(s.mech, f, s.kin, st)
		if winds(s.mech, f) {
			x = algebra.NearTurn(x, s.q[i])
		}
		q[i] = x
	}
}

// levels returns the number of levels, that of the posture included.
func (s *sparseMethod) levels() int {
	if len(s.p.rest) > 0 {
		return s.p.levels + 1
	}
	return s.p.levels
}

// accept takes the last trial, which move has found good, for the pose of the solver.
func (s *sparseMethod) accept() {
	s.st, s.try = s.try, s.st
	s.e, s.tried = s.tried, s.e
	if s.limited {
		s.q, s.qTried = s.qTried, s.q
	} else {
		s.coordinatesTo(s.q, s.st)
	}
	s.followTurned()
	s.ajar = s.open
	s.note()
}

// stand computes kinematics, coordinates within half a turn of those before, and errors at s.st.
func (s *sparseMethod) stand() {
	if s.mech.KinematicsTo(s.kin, s.st) != nil {
		return
	}
	s.wind(s.st)
	s.coordinatesTo(s.q, s.st)
	s.followTurned()
	s.errorsTo(s.e, s.kin, s.st)
}

// followTurned follows s.turned to s.st, whose bodies have the kinematics s.kin.
func (s *sparseMethod) followTurned() {
	for k, i := range s.winding {
		s.turned[k] = algebra.NearTurn(coordinate(s.mech, s.p.targets[i].freedom, s.kin, s.st), s.turned[k])
	}
}

// errorsTo stores the weighted errors of all targets at st, then those of the posture at the coordinates there. Angles
// whose turns count are within half a turn of those at s.st.
func (s *sparseMethod) errorsTo(e []float64, k *mechanism.Kinematics, st *mechanism.State) {
	for k, i := range s.winding {
		s.sys.shown[i].wound = s.turned[k]
	}
	for i := range s.p.targets {
		t, g := &s.p.targets[i], s.sys.shown[i]
		t.evaluateTo(g, s.mech, k, st)
		copy(e[t.first:t.first+t.n], g.e[:t.n])
	}
	for k2, r := range s.p.rest {
		x := coordinate(s.mech, s.p.driven[r.driven], k, st)
		if winds(s.mech, s.p.driven[r.driven]) {
			x = algebra.NearTurn(x, s.q[r.driven])
		}
		e[s.p.m+k2] = s.p.unitOf(r.driven) * (r.value - x)
	}
}

// meritOf returns half the square sum of the errors of a level.
func (s *sparseMethod) meritOf(l int, e []float64) (sum float64) {
	if l == s.p.levels {
		e = e[s.p.m:]
		return algebra.Dot(e, e) / 2
	}
	for i := range s.p.targets {
		if t := &s.p.targets[i]; t.level == l {
			v := e[t.first : t.first+t.n]
			sum += algebra.Dot(v, v) / 2
		}
	}
	return sum
}

// hold fixes the errors that a finished level keeps.
func (s *sparseMethod) hold(l int) {
	for i := range s.p.targets {
		if t := &s.p.targets[i]; t.level == l {
			for r := t.first; r < t.first+t.n; r++ {
				if s.want[r] = s.e[r]; s.ends[l] == Reached {
					s.want[r] = 0
				}
			}
		}
	}
}

// met reports whether all targets of a level are within their tolerances, and the driven freedoms within their limits.
func (s *sparseMethod) met(l int) bool {
	if l == s.p.levels || s.ajar > closedTol {
		return false
	}
	for i := range s.p.targets {
		t := &s.p.targets[i]
		linear, angular := t.missingOf(s.e[t.first:])
		if t.level == l && !(linear <= t.tolerance[0] && angular <= t.tolerance[1]) {
			return false
		}
	}
	return s.inside(s.q)
}

// lookAt computes kinematics and errors at a trial.
func (s *sparseMethod) lookAt(st *mechanism.State) error {
	if err := s.mech.KinematicsTo(s.kin, st); err != nil {
		return err
	}
	s.wind(st)
	s.errorsTo(s.tried, s.kin, st)
	return nil
}

// counts reports whether states carry numbers that no pose tells (mechanism.Mechanism.NumSprung): turns of angles with springs or
// couplings, and coordinates of composite joints and points on curves. Those of the poses at hand are followed then.
func (s *sparseMethod) counts() bool { return s.mech.NumSprung() > 0 }

// setAngles gives the pose at hand angles that have been kept for it.
func (s *sparseMethod) setAngles(angles []float64) { s.st.Angles = append(s.st.Angles[:0], angles...) }

// wind follows the angles of st, whose bodies have the kinematics s.kin.
func (s *sparseMethod) wind(st *mechanism.State) {
	if s.counts() {
		s.mech.FollowAngles(s.kin, st)
	}
}

// load makes st the pose of the method, and brings the driven freedoms within their limits.
func (s *sparseMethod) load(st *mechanism.State) error {
	copy(s.st.Bodies, st.Bodies)
	if s.counts() {
		s.setAngles(st.Angles)
		s.mech.FollowAngles(s.kin, s.st)
	}
	s.st.Time, s.try.Time, s.spare.Time, s.before.Time = st.Time, st.Time, st.Time, st.Time
	s.rng.Seed(s.o.Seed, 1)
	return s.startFeasible(st)
}

// startFeasible holds the held freedoms where they are, closes the joints and brings the driven freedoms within their
// limits. It notes those that were outside. The turns are those that given carries.
func (s *sparseMethod) startFeasible(given *mechanism.State) error {
	if err := s.mech.KinematicsTo(s.kin, s.st); err != nil {
		return err
	}
	for k, f := range s.p.held {
		s.held[k].Coefficients[0] = coordinate(s.mech, f, s.kin, s.st)
	}
	if err := s.closer.ClosePositions(s.st); err != nil {
		return err
	}
	if err := s.mech.KinematicsTo(s.kin, s.st); err != nil {
		return err
	}
	if s.onPath {
		s.coordinatesTo(s.q, s.st)
		s.followTurned()
	} else {
		for i, f := range s.p.driven {
			s.q[i] = s.p.carried(f, coordinate(s.mech, f, s.kin, s.st), given)
		}
		for k, i := range s.winding {
			f := s.p.targets[i].freedom
			s.turned[k] = s.p.carried(f, coordinate(s.mech, f, s.kin, s.st), given)
		}
	}
	s.outside = s.p.outside(s.q)
	s.errorsTo(s.e, s.kin, s.st)
	for i := range s.sys.bounds {
		s.sys.bounds[i].side = 0
	}
	return s.enter()
}

// note stores the pose at hand if its hard rows hold.
func (s *sparseMethod) note() {
	if s.tight != nil && s.ajar <= closedTol {
		copy(s.tight, s.st.Bodies)
		s.tightAngles = append(s.tightAngles[:0], s.st.Angles...)
		copy(s.tightQ, s.q)
		copy(s.tightTurned, s.turned)
	}
}

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
