package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/kkt"
)

// move stores in s.try the pose after a part h of the step, with loops closed and the levels before l held, and in s.tried the errors
// there. It reports whether that has succeeded and no limit is passed. With l = −1 limits may be passed, as the step leads back into
// them.
//
// Bodies move along the tree. Where there are loops, each moves by itself instead if that opens the joints of the loops less.
func (s *sparseMethod) move(h float64, l int) (bool, error) {
	if err := s.mover.MoveWithTo(s.try, s.kin, s.st, s.sys.y.Kin, s.sys.d, h); err != nil {
		return false, err
	}
	if s.hasAngles() {
		s.try.Angles = append(s.try.Angles[:0], s.st.Angles...)
		s.mech.MoveAngles(s.try.Angles, s.sys.y.Kin, s.st, h, s.sys.d)
		s.spare.Angles = append(s.spare.Angles[:0], s.try.Angles...)
	}
	if s.loops != nil {
		s.mech.DisplaceTo(s.spare, s.st, h, s.sys.d)
		if s.mover.Gap(s.spare) < s.mover.Gap(s.try) {
			s.try, s.spare = s.spare, s.try
			if err := s.mech.KinematicsTo(s.kin, s.try); err != nil {
				return false, err
			}
		}
	}
	s.followAngles(s.try)
	s.errorsTo(s.tried, s.kin, s.try)
	s.openTried = 0
	if s.loops != nil || l > 0 || s.limited {
		if ok, err := s.restore(h, l); !ok || err != nil {
			return false, err
		}
	}
	if !s.limited {
		return true, nil
	}
	s.coordinatesTo(s.qTried, s.try)
	return l < 0 || s.keeps(s.qTried), nil
}

// restore closes loops and restores the levels before l and the active limits at s.try, after a part h of the step. Its corrections take
// the factor at s.st: each is the least displacement that removes the errors to first order there, docs/inverse-kinematics.md (S2). It
// reports whether the errors are small enough in the end. The step itself stays.
func (s *sparseMethod) restore(h float64, l int) (bool, error) {
	whole := s.sys.rotation()
	s.aimBounds(h)
	copy(s.along, s.sys.d)
	defer func() {
		copy(s.sys.d, s.along)
		s.sys.turned = whole
	}()
	last := math.Inf(1)
	for range sparseRestores {
		if s.openTried = s.openAt(l); s.openTried <= restoredTol || !(s.openTried < restoreGain*last) {
			break
		}
		last = s.openTried
		s.sys.correct(s.chord)
		if err := s.displaceTry(); err != nil {
			return false, err
		}
	}
	if s.openTried <= restoredTol || s.openTried <= sparseOpen*h*whole {
		return true, nil
	}
	if l > 0 || s.closer.ClosePositions(s.try) != nil {
		return false, nil
	}
	s.openTried = 0
	return true, s.evaluateTrial(s.try)
}

// displaceTry moves s.try by a correction. Where there are loops each body moves by itself, as the rows hold all joints; else bodies move
// along the tree.
func (s *sparseMethod) displaceTry() error {
	if s.loops != nil {
		s.mech.DisplaceTo(s.try, s.try, 1, s.sys.d)
		return s.evaluateTrial(s.try)
	}
	if err := s.mover.MoveWithTo(s.spare, s.kin, s.try, nil, s.sys.d, 1); err != nil {
		return err
	}
	if s.hasAngles() {
		s.spare.Angles = append(s.spare.Angles[:0], s.try.Angles...)
	}
	s.try, s.spare = s.spare, s.try
	s.followAngles(s.try)
	s.errorsTo(s.tried, s.kin, s.try)
	return nil
}

// openAt stores in s.chord the right sides that correct the hard rows at s.try in a step of level l. It returns the largest error, rad or
// relative to the length of the problem.
func (s *sparseMethod) openAt(l int) (most float64) {
	clear(s.chord)
	most = s.openTo(s.chord, s.kin, s.try)
	note := func(out []float64, level, first int) {
		clear(out)
		if level < l {
			s.rightTo(out, hard, first, s.tried)
			most = max(most, algebra.MaxAbs(out)/s.p.length)
		}
	}
	for i := range s.sys.rows {
		if r := &s.sys.rows[i]; r.bound < 0 {
			note(s.sys.rowsOf(s.chord, r), r.level, s.first[i])
		}
	}
	if b := s.sys.border; b != nil {
		row := 0
		for _, i := range b.targets {
			t := &s.p.targets[i]
			note(b.e[row:row+t.n], t.level, t.first)
			row += t.n
		}
	}
	if s.limited {
		most = max(most, s.limitErrors())
	}
	return most
}

// closeHardRows closes the hard rows at the end of level l, as steps may leave errors in them. If corrections do not close
// them, it returns to the last pose at which they were closed. It does nothing for the first level without limits: its hard rows are
// joints, which end closes.
func (s *sparseMethod) closeHardRows(l int) {
	if l == 0 && !s.limited {
		return
	}
	for range settleSteps {
		if !(s.openNow > closedTol) || s.hasEnded() || s.sys.linearize(s.st) != nil {
			break
		}
		s.setRows(l, math.Sqrt(s.scaleOf(l)))
		if found, err := s.solveBounded(); err != nil || found == tooLong {
			break
		}
		before := s.openNow
		if ok, err := s.move(1, l); err != nil || !ok || !(s.openTried < before) {
			break
		}
		s.accept()
	}
	if s.openNow > closedTol && s.tight != nil {
		copy(s.st.Bodies, s.tight)
		s.setAngles(s.tightAngles)
		copy(s.q, s.tightQ)
		copy(s.turned, s.tightTurned)
		s.evaluate()
		s.openNow = 0
		s.activateReached()
	}
}

// enter brings the driven freedoms within their limits, by steps with the rows of limits and joints alone. It may end short of them after
// enterSteps steps, at the end of the time, or where joints cannot be closed.
func (s *sparseMethod) enter() error {
	for range enterSteps {
		if s.inside(s.q) || s.hasEnded() {
			return nil
		}
		if err := s.sys.linearize(s.st); err != nil {
			return err
		}
		s.setRows(-1, 0)
		s.activateReached()
		s.setBounds()
		if err := s.sys.factorize(); err != nil {
			return err
		}
		s.sys.solve(0)
		h := min(1, sparseTurn/s.sys.rotation())
		if ok, err := s.move(h, -1); !ok || err != nil {
			return err
		}
		s.accept()
	}
	return nil
}

// lower brings the errors of level l to their least from s.st, with the levels before held, and returns how that ended. kicks is the number
// of directions that kick may try at a saddle.
func (s *sparseMethod) lower(l, kicks int) Status {
	c, flat, least := sparseDamp, 0, math.Inf(1)
	s.sigma, s.sys.way, s.rough = 0, kkt.DropWeak, 0
	for !s.met(l) {
		if s.steps >= s.most || s.hasEnded() {
			return OutOfSteps
		}
		s.show()
		s.steps++
		if err := s.sys.linearize(s.st); err != nil {
			if s.steps == 1 { // after later steps there is at least a pose that is nearer than the start
				s.blocked = err
			}
			return OutOfSteps
		}
		moved := false
		for !moved && c <= sparseDampMax {
			if s.damped(l, &c) != nil {
				c *= sparseRaise
				continue
			}
			if !(s.step.gain > sparseFlat) {
				break
			}
			if moved = s.attempt(l, &c); !moved && s.hasEnded() {
				return OutOfSteps
			}
		}
		if flat++; s.step.gain < smaller*least {
			flat, least = 0, s.step.gain
		}
		if moved && !(flat > flatSteps && s.step.predicted < hastyGain*s.step.merit) {
			continue
		}
		if l < s.p.levels && kicks > 0 && s.kick(l, kicks) {
			c, flat, least = sparseDamp, 0, math.Inf(1)
			continue
		}
		return s.verdict(l)
	}
	s.show()
	return Reached
}

// attempt takes the largest of a few parts of the present step that makes the errors smaller, and adapts c. It reports whether there is
// one.
func (s *sparseMethod) attempt(l int, c *float64) bool {
	h := min(1, sparseTurn/s.step.rotation, s.partToLimits())
	for range sparseHalves {
		ok, err := s.move(h, l)
		if err != nil {
			break
		}
		if ok && s.better(l, h, c) {
			s.accept()
			return true
		}
		h /= 2
	}
	*c *= sparseRaise
	return false
}

// better reports whether the errors at s.try, after a part h of the step, have fallen enough. It adapts c to how well the decrease was
// predicted.
func (s *sparseMethod) better(l int, h float64, c *float64) bool {
	merit, predicted := s.meritOf(l, s.tried), s.step.decrease(h)
	if predicted < meritSeen*s.step.merit { // lost in rounding: the errors must not grow
		return merit <= s.step.merit*(1+meritSeen/100)
	}
	ratio := (s.step.merit - merit) / predicted
	if ratio > sparseGood {
		*c = max(*c/sparseLower, sparseDampMin)
	} else if ratio < sparsePoor {
		*c = min(*c*sparseLower, sparseDampMax)
	}
	return ratio > acceptPart
}

// kick moves away from a saddle of level l, by a random motion that keeps the hard rows and kickSteps steps after it, and reports whether
// that has reduced the merit. It tries as many directions as kicks says. Otherwise the pose is as it was.
func (s *sparseMethod) kick(l, kicks int) bool {
	merit, steps, open := s.meritOf(l, s.e), s.most, s.openNow
	copy(s.before.Bodies, s.st.Bodies)
	s.before.Angles = append(s.before.Angles[:0], s.st.Angles...)
	for range kicks {
		if s.hasEnded() || s.sys.linearize(s.st) != nil {
			break
		}
		s.setRows(l, math.Sqrt(s.sigma)) // the part of the motion that changes errors of level l is damped, but remains
		if _, err := s.solveBounded(); err != nil {
			break
		}
		clear(s.chord)
		for i := range 6 * len(s.st.Bodies) {
			s.chord[i] = s.dice.NormFloat64()
		}
		s.sys.correct(s.chord)
		if ok, err := s.move(sparseKick/max(s.sys.rotation(), sparseKick), l); err == nil && ok {
			s.accept()
			s.most = min(steps, s.steps+kickSteps)
			s.lower(l, 0)
			s.most = steps
			if s.meritOf(l, s.e) < merit*(1-kickGain) {
				return true
			}
		}
		copy(s.st.Bodies, s.before.Bodies)
		s.setAngles(s.before.Angles)
		s.evaluate()
		s.openNow = open
	}
	return false
}
