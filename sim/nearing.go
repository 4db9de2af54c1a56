package sim

import "math"

// nearing is what error control knows about the next singular pose, docs/theory.md (50).
type nearing struct {
	before, span float64 // nearness at the start of the last step, 0 if unknown, and its length, s
	here         place
	most         float64 // largest nearness of all
	leaving      int     // steps behind the pose that are still to be done with care
}

// place says how near a state is to a singular pose, as Gauge tells.
type place struct {
	near float64 // 0 if unknown
	rows int     // redundant ones
}

const (
	// nearAhead is how many steps ahead of a singular pose steps are led to it. nearLeaving is
	// how many behind it are done with the same care.
	nearAhead, nearLeaving = 2.6, 2
	// nearLost is a nearness relative to the largest. Below it, poses are known so badly in the
	// directions of the other branch that only velocities tell the branches apart. Velocities
	// do if the motion arrives with more speed than it gains on nearPath typical lengths.
	nearLost, nearPath = 1e-5, 1e-4
	// nearSlope is the part by which the nearness has to fall in a step. A smaller change may
	// be rounding.
	nearSlope = 1e-9
	// nearLonger is how much longer a step may be than the one that error control has chosen.
	nearLonger = 0.1
)

// note takes in a step h that has ended at end. over says that it has gone over a singular
// pose.
func (n *nearing) note(h float64, end place, over bool) {
	n.before, n.span, n.here = n.here.near, h, end
	n.most = max(n.most, end.near)
	n.leaving = max(n.leaving-1, 0)
	if over {
		n.before, n.leaving = 0, nearLeaving
	}
}

// within reports whether the place is a singular pose, if the next one is end: its rank or its
// nearness is lower.
func (n *nearing) within(end place) bool {
	return n.here.rows > end.rows || n.here.near < nearLost*n.most
}

// ahead returns the time d to the singular pose that the nearness falls to, s: theory.md (50).
func (n *nearing) ahead() float64 {
	if !(n.here.near > 0 && n.here.near < (1-nearSlope)*n.before) {
		return math.Inf(1)
	}
	return n.here.near * n.span / (n.before - n.here.near)
}

// plan returns the length of the next step if a singular pose is near, and 0 otherwise. h is the step
// without this plan; the planned one may be longer by the fraction longer. over reports that the
// planned step goes over the singular pose, which is then at the fraction middle of the step.
func (n *nearing) plan(h, middle, longer float64) (length float64, over bool) {
	d := n.ahead()
	x := d / h
	switch {
	case x <= middle*(1+longer):
		return d / middle, true
	case x < nearAhead:
		return (d - middle*h) / max(math.Ceil(x-middle-longer), 1), false
	case n.leaving > 0:
		return h, false
	}
	return 0, false
}

// nearTries are the lengths that are tried over a singular pose, relative to the planned one.
// From the first to the second the error of the method falls at least to nearFall of what it
// was. An error that does not is rounding.
var nearTries = [...]float64{1, 0.94, 1.06}

const nearFall = 0.85

// tryNear does the steps next to a singular pose. States and stages are closed to rounding, and
// the pose comes between two stages. It returns false if there was no such step.
func (s *Simulation) tryNear(until float64) (t1 float64, ok bool) {
	if s.exact == nil {
		return 0, false
	}
	c := &s.control
	for !s.tooShort() && !s.ended() {
		h := c.h
		if s.o.MaxStep > 0 {
			h = min(h, s.o.MaxStep)
		}
		length, over := c.near.plan(h, s.gauged.middle(), nearLonger)
		if length == 0 {
			break
		}
		t1, e := s.tryLengths(until, length, over)
		good := e <= s.limit
		s.limit = 1
		if good {
			s.beside = true
			s.stats.Singular++
			s.accept(t1-s.st.Time, min(e, 1), over && t1 < until)
			return t1, true
		}
		c.reject(length, e)
	}
	return 0, false
}

// tryLengths tries a step of about the given length, settles it, and returns its end and its
// error, +Inf if the step cannot be done. Over a singular pose rounding may not allow an error
// of 1. It then takes the length with the least error and sets s.limit to that error.
func (s *Simulation) tryLengths(until, length float64, over bool) (t1, e float64) {
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

// tryExactly tries a step with states and stages closed to rounding. It returns its end and its
// error, +Inf if the step cannot be done.
func (s *Simulation) tryExactly(until, length float64) (t1, e float64) {
	c := &s.control
	h := c.h
	c.h, s.exactly = length, true
	s.stepper.CloseStages(s.exact)
	t1, e, err := s.attempt(until)
	c.h, s.exactly = h, false
	if err != nil || math.IsNaN(e) {
		e = math.Inf(1)
	}
	return t1, e
}

// fixedNear is tryNear for fixed steps.
func (s *Simulation) fixedNear(until float64) (t1 float64, ok bool) {
	if s.exact == nil {
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
	s.stepper.CloseStages(s.exact)
	_, err := s.stepper.Try(s.st, t1)
	if err == nil {
		err = s.settle()
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
	s.beside = true
	s.stats.Singular++
	s.noteNearness(t1-s.st.Time, over && t1 < until)
	return t1, true
}

// noteNearness takes in the nearness of an accepted step h. over says that the step was led
// over a singular pose.
func (s *Simulation) noteNearness(h float64, over bool) {
	if s.gauged == nil {
		return
	}
	n := &s.control.near
	first, end := s.gauged.places()
	if n.here.near == 0 {
		n.here, n.most = first, first.near
	}
	if n.within(end) && s.gauged.slow(nearPath) {
		s.doubt()
	}
	n.note(h, end, over)
}

// doubt counts the step at hand as one whose branch is not decided.
func (s *Simulation) doubt() {
	if s.stats.Undecided++; s.stats.Undecided == 1 {
		s.stats.UndecidedAt = s.st.Time
	}
}
