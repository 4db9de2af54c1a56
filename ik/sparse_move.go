package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/kkt"
)

// move stores in s.try the pose after a part h of the step, with loops closed and
// the levels before l held, in s.tried the errors there, and reports whether that
// worked and goes beyond no limit. Level −1 is the way into the limits, which may.
//
// Bodies move along the tree, or each for itself if that opens the joints of loops less.
func (s *sparseMethod) move(h float64, l int) (bool, error) {
	if err := s.mover.MoveWithTo(s.try, s.kin, s.st, s.sys.y.Kin, s.sys.d, h); err != nil {
		return false, err
	}
	if s.counts() {
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
	s.wind(s.try)
	s.errorsTo(s.tried, s.kin, s.try)
	s.open = 0
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

// restore closes loops and holds the levels before l and active limits at s.try by corrections with the factor at hand:
// each is the least displacement that takes the errors away, to first order at s.st, docs/inverse-kinematics.md (S2).
func (s *sparseMethod) restore(h float64, l int) (bool, error) {
	whole := s.sys.turn()
	s.aimBounds(h)
	copy(s.along, s.sys.d)
	defer func() {
		copy(s.sys.d, s.along)
		s.sys.turned = whole
	}()
	last := math.Inf(1)
	for range sparseRestores {
		if s.open = s.openAt(l); s.open <= restoredTol || !(s.open < restoreGain*last) {
			break
		}
		last = s.open
		s.sys.correct(s.chord)
		if err := s.displaceTry(); err != nil {
			return false, err
		}
	}
	if s.open <= restoredTol || s.open <= sparseOpen*h*whole {
		return true, nil
	}
	if l > 0 || s.closer.ClosePositions(s.try) != nil {
		return false, nil
	}
	s.open = 0
	return true, s.lookAt(s.try)
}

// displaceTry moves s.try by a correction. Where there are loops, all joints
// are among the rows, and each body moves for itself.
func (s *sparseMethod) displaceTry() error {
	if s.loops != nil {
		s.mech.DisplaceTo(s.try, s.try, 1, s.sys.d)
		return s.lookAt(s.try)
	}
	if err := s.mover.MoveWithTo(s.spare, s.kin, s.try, nil, s.sys.d, 1); err != nil {
		return err
	}
	if s.counts() {
		s.spare.Angles = append(s.spare.Angles[:0], s.try.Angles...)
	}
	s.try, s.spare = s.spare, s.try
	s.wind(s.try)
	s.errorsTo(s.tried, s.kin, s.try)
	return nil
}

// openAt stores in s.chord what is missing of the hard rows at s.try,
// and returns the largest, angles or relative to lengths.
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
		most = max(most, s.strayed())
	}
	return most
}

// settle makes the hard rows of level l hold at its end: steps may leave them open by a
// part of what they gain. Where corrections do not get there, the last pose at which they
// have held is taken. Where the only hard rows are those of joints, end closes them.
func (s *sparseMethod) settle(l int) {
	if l == 0 && !s.limited {
		return
	}
	for range settleSteps {
		if !(s.ajar > closedTol) || s.hasEnded() || s.sys.linearize(s.st) != nil {
			break
		}
		s.setRows(l, math.Sqrt(s.scaleOf(l)))
		if how, err := s.solveBounded(); err != nil || how == tooLong {
			break
		}
		before := s.ajar
		if ok, err := s.move(1, l); err != nil || !ok || !(s.open < before) {
			break
		}
		s.accept()
	}
	if s.ajar > closedTol && s.tight != nil {
		copy(s.st.Bodies, s.tight)
		s.setAngles(s.tightAngles)
		copy(s.q, s.tightQ)
		copy(s.turned, s.tightTurned)
		s.stand()
		s.ajar = 0
		s.standing()
	}
}

// enter brings the driven freedoms within their limits: the rows of limits alone.
func (s *sparseMethod) enter() error {
	for range enterSteps {
		if s.inside(s.q) || s.hasEnded() {
			return nil
		}
		if err := s.sys.linearize(s.st); err != nil {
			return err
		}
		s.setRows(-1, 0)
		s.standing()
		s.setBounds()
		if err := s.sys.factorize(); err != nil {
			return err
		}
		s.sys.solve(0)
		h := min(1, sparseTurn/s.sys.turn())
		if ok, err := s.move(h, -1); !ok || err != nil {
			return err
		}
		s.accept()
	}
	return nil
}

// lower brings the errors of level l to their least with those of the
// levels before held, from s.st, and says how that ended.
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
			if s.steps == 1 { // later there is a pose that is nearer than the start
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
			if !(s.step.flat > sparseFlat) {
				break
			}
			if moved = s.attempt(l, &c); !moved && s.hasEnded() {
				return OutOfSteps
			}
		}
		if flat++; s.step.flat < smaller*least {
			flat, least = 0, s.step.flat
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

// attempt takes a part of the step at hand that makes the errors less, and adapts c. It reports whether there is one.
func (s *sparseMethod) attempt(l int, c *float64) bool {
	h := min(1, sparseTurn/s.step.turn, s.roomToLimits())
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

// better compares the errors at s.try with what was promised, and lowers c where that came true.
func (s *sparseMethod) better(l int, h float64, c *float64) bool {
	merit, promised := s.meritOf(l, s.tried), s.step.promised(h)
	if promised < meritSeen*s.step.merit { // rounding hides it: the errors must not grow
		return merit <= s.step.merit*(1+meritSeen/100)
	}
	ratio := (s.step.merit - merit) / promised
	if ratio > sparseGood {
		*c = max(*c/sparseLower, sparseDampMin)
	} else if ratio < sparsePoor {
		*c = min(*c*sparseLower, sparseDampMax)
	}
	return ratio > acceptPart
}

// kick moves off a saddle of level l, and reports whether there was one: some steps after a random motion that the
// joints allow and the hard rows do not see. If not, all is as it was.
func (s *sparseMethod) kick(l, kicks int) bool {
	merit, steps, ajar := s.meritOf(l, s.e), s.most, s.ajar
	copy(s.before.Bodies, s.st.Bodies)
	s.before.Angles = append(s.before.Angles[:0], s.st.Angles...)
	for range kicks {
		if s.hasEnded() || s.sys.linearize(s.st) != nil {
			break
		}
		s.setRows(l, math.Sqrt(s.sigma)) // what the targets see is damped, not gone
		if _, err := s.solveBounded(); err != nil {
			break
		}
		clear(s.chord)
		for i := range 6 * len(s.st.Bodies) {
			s.chord[i] = s.dice.NormFloat64()
		}
		s.sys.correct(s.chord)
		if ok, err := s.move(sparseKick/max(s.sys.turn(), sparseKick), l); err == nil && ok {
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
		s.stand()
		s.ajar = ajar
	}
	return false
}
