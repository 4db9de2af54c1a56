package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
)

// inside reports whether the coordinates q are within their limits, to limitTol.
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

// coordinatesTo stores the coordinates of the driven freedoms at st, whose kinematics are in s.kin. Angles are within half a turn of s.q.
func (s *sparseMethod) coordinatesTo(q []float64, st *mechanism.State) {
	for i, f := range s.p.driven {
		x := coordinate(s.mech, f, s.kin, st)
		if winds(s.mech, f) {
			x = algebra.NearTurn(x, s.q[i])
		}
		q[i] = x
	}
}

// levels returns the number of levels. The posture is the last one, if there is one.
func (s *sparseMethod) levels() int {
	if len(s.p.rest) > 0 {
		return s.p.levels + 1
	}
	return s.p.levels
}

// accept makes s.try, where move has succeeded, the current pose.
func (s *sparseMethod) accept() {
	s.st, s.try = s.try, s.st
	s.e, s.tried = s.tried, s.e
	if s.limited {
		s.q, s.qTried = s.qTried, s.q
	} else {
		s.coordinatesTo(s.q, s.st)
	}
	s.followTurned()
	s.openNow = s.openTried
	s.noteTight()
}

// evaluate computes kinematics, coordinates within half a turn of the ones before, and errors at s.st.
func (s *sparseMethod) evaluate() {
	if s.mech.KinematicsTo(s.kin, s.st) != nil {
		return
	}
	s.followAngles(s.st)
	s.coordinatesTo(s.q, s.st)
	s.followTurned()
	s.errorsTo(s.e, s.kin, s.st)
}

// followTurned brings s.turned to s.st, whose bodies have the kinematics s.kin: each coordinate is within half a turn of the one before.
func (s *sparseMethod) followTurned() {
	for k, i := range s.winding {
		s.turned[k] = algebra.NearTurn(coordinate(s.mech, s.p.targets[i].freedom, s.kin, s.st), s.turned[k])
	}
}

// errorsTo stores in e the weighted errors of all targets at st, and after them the errors of the posture. k has the kinematics of st.
// An angle with whole turns is within half a turn of its last value: of s.turned for targets, of s.q for the posture.
func (s *sparseMethod) errorsTo(e []float64, k *mechanism.Kinematics, st *mechanism.State) {
	for w, i := range s.winding {
		s.sys.shown[i].wound = s.turned[w]
	}
	for i := range s.p.targets {
		t, g := &s.p.targets[i], s.sys.shown[i]
		t.evaluateTo(g, s.mech, k, st)
		copy(e[t.first:t.first+t.n], g.e[:t.n])
	}
	for i, r := range s.p.rest {
		x := coordinate(s.mech, s.p.driven[r.driven], k, st)
		if winds(s.mech, s.p.driven[r.driven]) {
			x = algebra.NearTurn(x, s.q[r.driven])
		}
		e[s.p.m+i] = s.p.unitOf(r.driven) * (r.value - x)
	}
}

// meritOf returns half the sum of the squares of the errors of level l among e.
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

// hold stores the errors at which a finished level is held: zero if it is reached, else the present ones.
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

// met reports whether all targets of a level are within their tolerances, the hard rows are closed, and the driven freedoms are within
// their limits. It is false for the posture, whose search ends by its gradient.
func (s *sparseMethod) met(l int) bool {
	if l == s.p.levels || s.openNow > closedTol {
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

// evaluateTrial computes kinematics and errors at a trial.
func (s *sparseMethod) evaluateTrial(st *mechanism.State) error {
	if err := s.mech.KinematicsTo(s.kin, st); err != nil {
		return err
	}
	s.followAngles(st)
	s.errorsTo(s.tried, s.kin, st)
	return nil
}

// hasAngles reports whether states carry angles that are followed from pose to pose (mechanism.Mechanism.NumSprung): angles with springs or
// couplings, whose turns no pose gives, and coordinates of composite joints and points on curves.
func (s *sparseMethod) hasAngles() bool { return s.mech.NumSprung() > 0 }

// setAngles gives the current pose angles that were stored for it.
func (s *sparseMethod) setAngles(angles []float64) { s.st.Angles = append(s.st.Angles[:0], angles...) }

// followAngles brings the angles that st carries to the pose of st, whose bodies have the kinematics s.kin.
func (s *sparseMethod) followAngles(st *mechanism.State) {
	if s.hasAngles() {
		s.mech.FollowAngles(s.kin, st)
	}
}

// load makes st the current pose, with the joints closed and the driven freedoms within their limits. It seeds the random numbers.
func (s *sparseMethod) load(st *mechanism.State) error {
	copy(s.st.Bodies, st.Bodies)
	if s.hasAngles() {
		s.setAngles(st.Angles)
		s.mech.FollowAngles(s.kin, s.st)
	}
	s.st.Time, s.try.Time, s.spare.Time, s.before.Time = st.Time, st.Time, st.Time, st.Time
	s.rng.Seed(s.o.Seed, 1)
	return s.startFeasible(st)
}

// startFeasible prescribes the held freedoms at their coordinates, closes the joints and brings the driven freedoms within their limits. It
// notes the freedoms that were outside. Whole turns are taken from the state given, or on a path from the sample before.
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

// noteTight stores the current pose in tightPose if its hard rows hold.
func (s *sparseMethod) noteTight() {
	if s.tight != nil && s.openNow <= closedTol {
		copy(s.tight, s.st.Bodies)
		s.tightAngles = append(s.tightAngles[:0], s.st.Angles...)
		copy(s.tightQ, s.q)
		copy(s.tightTurned, s.turned)
	}
}

const (
	// boundRounds is the largest number of active sets that are tried for a step; from round onlyAdd on no limit is released. An active
	// set is looked for if the rotation of no body is larger than sparseLong, rad.
	boundRounds, onlyAdd, sparseLong = 20, 10, 2
	// stepLimit is how far a step may lead beyond a limit before the limit becomes active: relative to the coordinate, or for a
	// coordinate below 1 in rad or m.
	stepLimit = 1e-12
)

// keeps reports whether the coordinates q are within the limits, to limitTol, or no further beyond a limit than s.q.
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

// aimBounds stores by row of a limit the coordinate after a part h of the step, to first order. limitErrors compares with it.
func (s *sparseMethod) aimBounds(h float64) {
	for k := range s.sys.rows {
		if r := &s.sys.rows[k]; r.bound >= 0 {
			b := &s.sys.bounds[r.bound]
			b.to = s.q[b.driven] + h*s.sys.product(r, 0)/b.weight
		}
	}
}

// limitErrors stores in s.chord the right sides that bring coordinates with active limits at s.try back to aimBounds. It returns the
// largest error, rad or relative to the length of the problem.
func (s *sparseMethod) limitErrors() (most float64) {
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

// setBounds makes the rows of active limits hard, with the distance to the limit as right side, docs/inverse-kinematics.md (S4). Without
// limits in force it makes none hard. Other rows of driven freedoms are soft in the metric of joints, else absent.
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

// limitOf returns the active limit of b, rad or m.
func (s *sparseMethod) limitOf(b *bound) float64 {
	if b.side < 0 {
		return s.low[b.driven]
	}
	return s.high[b.driven]
}

// fit is the kind of step that solveBounded has found.
type fit uint8

const (
	tooLong  fit = iota // its rotations are too large for the linear model, or it passes limits
	feasible            // it keeps the limits, but some active limits may have to be released
	leastFit            // it is the minimum within the limits
)

// solveBounded solves the system of a level within the limits. Limits that the step would pass become active, and active limits whose
// multipliers have the wrong sign are released, until neither happens. As the active sets may repeat, the last rounds release none.
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
		case round == 0 && s.sys.rotation() > sparseLong:
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

// activateReached makes those limits active that the current pose is at or beyond, and no others.
func (s *sparseMethod) activateReached() {
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

// changeBounds makes limits active that the solution would pass, and with release frees active limits whose multipliers have the wrong
// sign. It reports whether the active set has changed.
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
			// The multiplier times the side is positive where the limit pushes the coordinate inwards. A limit cannot pull.
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

// partToLimits returns the largest part of the step, at most 1, that passes no limit which is not active. It is 1 after solveBounded has
// found the active set.
func (s *sparseMethod) partToLimits() float64 {
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
