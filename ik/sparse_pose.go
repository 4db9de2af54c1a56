package ik

import (
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

// coordinate returns the coordinate of a freedom, an angle in (−π, π] plus the turns of the model.
func coordinate(m *mechanism.Mechanism, f mechanism.Freedom, k *mechanism.Kinematics, st *mechanism.State) float64 {
	var jk mechanism.JointKinematics
	var q, qd [6]float64
	m.JointTo(&jk, f.Joint, k, st)
	m.Joints[f.Joint].CoordinatesTo(&q, &qd, &jk)
	return q[f.Freedom]
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
		s.sys.sight[i].wound = s.turned[k]
	}
	for i := range s.p.targets {
		t, g := &s.p.targets[i], s.sys.sight[i]
		t.lookTo(g, s.mech, k, st)
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

// coupled reports whether there are couplings, which count the turns of
// angles, or composite joints: those of the poses at hand are followed then.
func (s *sparseMethod) coupled() bool { return s.mech.NumCouplings() > 0 || s.mech.HasComposites() }

// setAngles gives the pose at hand angles that have been kept for it.
func (s *sparseMethod) setAngles(angles []float64) { s.st.Angles = append(s.st.Angles[:0], angles...) }

// wind follows the angles of st, whose bodies have the kinematics s.kin.
func (s *sparseMethod) wind(st *mechanism.State) {
	if s.coupled() {
		s.mech.FollowAngles(s.kin, st)
	}
}

// load is begin without a note for restarts.
func (s *sparseMethod) load(st *mechanism.State) error {
	copy(s.st.Bodies, st.Bodies)
	if s.coupled() {
		s.setAngles(st.Angles)
		s.mech.FollowAngles(s.kin, s.st)
	}
	s.st.Time, s.try.Time, s.spare.Time, s.before.Time = st.Time, st.Time, st.Time, st.Time
	s.rng.Seed(s.o.Seed, 1)
	return s.startFeasible()
}

// startFeasible holds the held freedoms where they are, closes the joints and brings the driven freedoms within their limits. It notes those
// that were outside.
func (s *sparseMethod) startFeasible() error {
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
			s.q[i] = coordinate(s.mech, f, s.kin, s.st)
		}
		for k, i := range s.winding {
			s.turned[k] = coordinate(s.mech, s.p.targets[i].freedom, s.kin, s.st)
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
