package sim

import "math"

// nearTries are the lengths that are tried over a singular pose, relative to the planned one.
// From the first to the second the error of the method falls by the factor nearFall or more.
// An error that falls less is rounding.
var nearTries = [...]float64{1, 0.94, 1.06}

const nearFall = 0.85

// tryNear does a step next to a singular pose. States and stages are projected to rounding, and
// the pose is between two stages. It returns the end of the step, or false if no singular pose is near or the steps fail.
func (s *stepping) tryNear(until float64) (t1 float64, ok bool) {
	if s.closer.exact == nil {
		return 0, false
	}
	c := &s.control
	for !s.tooShort() && !s.ended() {
		length, over := c.near.plan(s.length(), s.gauged.middle(), nearLonger)
		if length == 0 {
			break
		}
		t1, e := s.tryLengths(until, length, over)
		good := e <= s.limit
		s.limit = 1
		if good {
			s.closer.beside = true
			s.stats.Singular++
			s.takeIn(t1-s.st.Time, min(e, 1), over && t1 < until)
			return t1, true
		}
		c.reject(length, e)
	}
	return 0, false
}

// tryLengths tries a step of about the given length, settles it, and returns its end and its
// error, +Inf if the step cannot be computed. Over a singular pose rounding may make an error
// of 1 impossible. It then takes the length with the least error and sets s.limit to that error.
func (s *stepping) tryLengths(until, length float64, over bool) (t1, e float64) {
	t1, s.tried[0] = s.tryExactly(until, length)
	if s.tried[0] <= 1 || !over {
		return t1, s.tried[0]
	}
	best := 0
	for i := 1; i < len(nearTries); i++ {
		if t1, s.tried[i] = s.tryExactly(until, nearTries[i]*length); s.tried[i] <= 1 {
			return t1, s.tried[i]
		}
		if i == 1 && s.tried[1] < nearFall*s.tried[0] {
			return t1, s.tried[0]
		}
		if s.tried[i] < s.tried[best] {
			best = i
		}
	}
	if math.IsInf(s.tried[best], 1) {
		return t1, s.tried[best]
	}
	s.limit = s.tried[best]
	if t1, e = s.tryExactly(until, nearTries[best]*length); e <= s.limit {
		s.doubt()
		s.stats.Doubt = max(s.stats.Doubt, e)
	}
	return t1, e
}

// tryExactly tries a step with states and stages projected to rounding. It returns its end and its
// error, +Inf if the step cannot be computed.
func (s *stepping) tryExactly(until, length float64) (t1, e float64) {
	c := &s.control
	h := c.h
	c.h, s.exactly = length, true
	s.stepper.CloseStages(s.closer.exact)
	t1, e, err := s.attempt(until)
	c.h, s.exactly = h, false
	if err != nil || math.IsNaN(e) {
		e = math.Inf(1)
	}
	return t1, e
}

// fixedNear is tryNear for fixed steps. It returns false if no such step was made.
func (s *stepping) fixedNear(until float64) (t1 float64, ok bool) {
	if s.closer.exact == nil {
		return 0, false
	}
	h := s.o.Step
	length, over := s.control.near.plan(h, s.gauged.middle(), 0)
	if length == 0 {
		return 0, false
	}
	if t1 = s.st.Time + length; until < t1+fixedSlack*h {
		t1 = until
	}
	s.exactly = true
	s.stepper.CloseStages(s.closer.exact)
	_, err := s.stepper.Try(s.st, t1)
	if err == nil {
		err = s.settle(s.exactly)
	}
	s.exactly = false
	s.closeStages(s.stagesClosed())
	if err != nil {
		s.stats.Rejected++
		return 0, false
	}
	for s.base+float64(s.count+1)*h <= t1+fixedSlack*h {
		s.count++
	}
	if t1 == until && s.base+float64(s.count)*h < t1-fixedSlack*h {
		s.base, s.count = until, 0
	}
	s.closer.beside = true
	s.stats.Singular++
	s.noteNearness(t1-s.st.Time, over && t1 < until)
	return t1, true
}
