package ik

import (
	"math"

	"github.com/rung-mbd/rung/kkt"
)

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
		if flat++; s.step.flat < 0.9*least {
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
	if promised < meritSeen*s.step.merit { // is not to be seen
		return merit <= s.step.merit*(1+meritSeen/100)
	}
	ratio := (s.step.merit - merit) / promised
	if ratio > 0.75 {
		*c = max(*c/sparseLower, sparseDampMin)
	} else if ratio < 0.25 {
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
