package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

// learn attempts the step in s.bounded.u, and updates the secant by the change of the gradient. It reports whether the step was taken. It
// only attempts the step if there is no secant: for many driven freedoms, methods other than DLS, and levels of a hasty search.
func (s *denseMethod) learn(v *levelState, c *float64) bool {
	k := s.secant
	if k == nil || s.hastyAt(v) || s.o.Method != DLS {
		return s.attempt(v, c)
	}
	k.gain = s.predicted / v.merit(s.e)
	s.gradient(v)
	copy(k.g, s.slope)
	copy(k.s, s.q)
	if !s.attempt(v, c) {
		return false
	}
	if v.first > 0 {
		s.bounded.orthonormalize(s.constraints(v))
	}
	s.gradient(v)
	for i, q := range s.q {
		k.s[i] = (q - k.s[i]) / s.size[i]
		k.y[i] = s.slope[i] - k.g[i]
	}
	n := len(s.q)
	k.update(s.J[v.first*n : v.end*n])
	return true
}

const (
	// Damping k = c·‖e‖² of Levenberg and Marquardt: the first, least and largest c; its factor after a step that fails; its divisor
	// after a step that succeeds.
	dampFirst, dampMin, dampMax = 0.3, 1e-6, 1e12
	dampRaise, dampLower        = 10, 3
	// A step is taken if the merit falls by acceptPart of the predicted decrease. Damping is lowered above goodPart, by more above
	// surePart where the curvature is known, and raised below poorPart.
	acceptPart, poorPart, goodPart, surePart = 1e-4, 0.25, 0.5, 0.9
	// flatGradient is the size of a gradient, relative to ‖𝒥‖·‖e‖, that is zero to rounding.
	flatGradient = 1e-13
	// flatSteps is the number of steps without a smaller gradient after which a gradient below smallGradient counts as zero to rounding.
	// With a larger gradient the search is only slow. smallGradient is relative to ‖𝒥‖·‖e‖.
	flatSteps, smallGradient = 12, 1e-7
	// smaller is the part of the least gradient so far below which another one counts as smaller.
	smaller = 0.9
	// hastyGain is the predicted part of the merit below which a start is given up while others wait.
	hastyGain = 3e-3

	// kickSize is the size of the step away from a saddle: the freedom that moves most moves by kickSize/stepTurn of its step bound, an
	// angle by kickSize rad. kickSteps steps then have to reduce the merit by its part kickGain.
	kickSize, kickGain = 1e-3, 1e-6
	kickSteps          = 5
)

// lower brings the errors of level l to their least from s.q, with the levels before held, and returns how that ended. It ends a search
// where the gradient is zero: kick looks for a saddle there, and verdict says what else it is.
func (s *denseMethod) lower(l int) Status {
	v := &s.list[l]
	c, flat, least := dampFirst, 0, math.Inf(1)
	s.refresh()
	if l == 0 {
		s.show()
	}
	if s.meritsHeld {
		s.tighten(v)
	}
	for !s.met(v) {
		gain := s.step(v, c)
		if s.hastyAt(v) && gain < hastyGain && s.o.Method == DLS {
			return Nearest
		}
		if gain < hastyGain || s.o.Method != DLS {
			gradient := s.gradient(v)
			if flat++; gradient < smaller*least {
				flat, least = 0, gradient
			}
			if !(gradient > flatGradient) || s.o.Method == DLS && (flat > flatSteps && gradient < smallGradient || c > dampMax) {
				if s.o.Method == DLS && v.targets != nil && s.kick(v) {
					c, flat, least = dampFirst, 0, math.Inf(1)
					continue
				}
				return s.verdict(v)
			}
		}
		if s.steps >= s.most || s.hasEnded() {
			return OutOfSteps
		}
		s.learn(v, &c)
		s.show()
	}
	return Reached
}

// hastyAt reports whether level v is given up once a step promises little. The posture is not: it comes after targets that are reached,
// so no further start would help.
func (s *denseMethod) hastyAt(v *levelState) bool { return s.hasty && v.targets != nil }

// step computes the step of a level into s.bounded.u, scaled down to the step bounds, and returns the predicted decrease relative to the
// merit. s.predicted is the decrease itself.
func (s *denseMethod) step(v *levelState, c float64) float64 {
	n, b := len(s.q), s.bounded
	for i, q := range s.q {
		b.lower[i], b.upper[i] = (s.low[i]-q)/s.size[i], (s.high[i]-q)/s.size[i]
	}
	A, e := s.J[v.first*n:v.end*n], s.e[v.first:v.end]
	C := s.constraints(v)
	b.curve = s.secant.known()
	b.step(A, e, C, s.dampingOf(A, e, C, c))
	scale := 1.0
	for i, u := range b.u {
		if math.Abs(u)*scale > s.unit[i] {
			scale = s.unit[i] / math.Abs(u)
		}
	}
	before, after := 0.0, 0.0
	for i, x := range e {
		y := (1-scale)*x + scale*b.r[i]
		before += x * x
		after += y * y
	}
	after += scale * scale * b.curvature()
	if scale < 1 {
		for i := range b.u {
			b.u[i] *= scale
		}
	}
	s.predicted = (before - after) / 2
	return (before - after) / before
}

// dampingOf returns the damping k of a step, by the method.
func (s *denseMethod) dampingOf(A, e, C []float64, c float64) float64 {
	switch s.o.Method {
	case Constant:
		return s.constantDamping()
	case Adaptive:
		return s.adaptiveDamping(A, C, len(e))
	case Pinv, Transpose, Selective:
		return 0
	}
	return c * algebra.Dot(e, e)
}

// attempt moves by the step s.bounded.u of level v if the merit falls about as predicted and the levels before are kept. Otherwise it goes
// back. It adapts the damping c and reports whether it has moved. Methods other than DLS take every step that keeps the levels before.
func (s *denseMethod) attempt(v *levelState, c *float64) bool {
	s.steps++
	b := s.bounded
	for i, q := range s.q {
		s.try[i] = min(max(q+s.size[i]*b.u[i], s.low[i]), s.high[i])
		switch { // exactly on the limit, which keeps it active
		case b.side[i] < 0 && b.u[i] == b.lower[i]:
			s.try[i] = s.low[i]
		case b.side[i] > 0 && b.u[i] == b.upper[i]:
			s.try[i] = s.high[i]
		}
	}
	merit := v.merit(s.e)
	if s.eng.moveTo(s.try) != nil || v.first > 0 && !s.restore(v) {
		s.back()
		*c *= dampRaise
		return false
	}
	s.errorsTo(s.tried)
	if s.meritsHeld && !s.keepsMerits(v, s.tried) {
		s.back()
		*c *= dampRaise
		return false
	}
	if s.o.Method == DLS && s.predicted < meritSeen*merit {
		return s.attemptBlind(v, c)
	}
	ratio := (merit - v.merit(s.tried)) / s.predicted
	if s.o.Method == DLS && !(ratio > acceptPart) {
		s.back()
		*c *= dampRaise
		return false
	}
	switch {
	case ratio > surePart && b.curve != nil:
		*c = max(*c/dampRaise, dampMin)
	case ratio > goodPart:
		*c = max(*c/dampLower, dampMin)
	case ratio < poorPart:
		*c *= dampLower
	}
	s.take()
	return true
}

// attemptBlind is the end of attempt where the predicted decrease is lost in the rounding of the merit: it takes the step in s.try if the
// gradient gets smaller, and adapts c.
func (s *denseMethod) attemptBlind(v *levelState, c *float64) bool {
	before := s.gradient(v)
	copy(s.from, s.q)
	copy(s.before, s.slope)
	s.take()
	after := s.gradient(v)
	switch turn := algebra.Dot(s.before, s.slope); {
	case !(after < before):
		s.returnTo(s.from)
		*c *= dampRaise
		return false
	case turn < 0: // the gradient has changed its direction: the step was too long
		*c *= dampLower
	case after > before/4:
		*c = max(*c/dampLower, dampMin)
	}
	return true
}

// take makes the pose of the engine, with the errors s.tried, the current one.
func (s *denseMethod) take() {
	copy(s.q, s.try)
	s.e, s.tried = s.tried, s.e
	s.refresh()
}

// back moves the engine back to s.q. If that fails, the pose at which the engine has stayed becomes the current one.
func (s *denseMethod) back() {
	copy(s.try, s.q)
	if s.eng.moveTo(s.q) != nil {
		s.eng.coordinatesTo(s.try)
		copy(s.q, s.try)
		s.errorsTo(s.e)
		s.refresh()
	}
}

// gradient returns the largest entry of the gradient of a level on the coordinates that may move, relative to ‖A‖·‖e‖ of its rows. The
// gradient, without its part along the constraints of the levels before, is left in s.slope.
func (s *denseMethod) gradient(v *levelState) float64 {
	n, b := len(s.q), s.bounded
	A, e := s.J[v.first*n:v.end*n], s.e[v.first:v.end]
	clear(s.slope)
	for r, x := range e {
		add(s.slope, -x, A[r*n:r*n+n])
	}
	for r, end := 0, len(s.constraints(v)); r < end; r += n {
		q := b.hold[r : r+n]
		add(s.slope, -b.freeDot(q, s.slope), q)
	}
	most := 0.0
	for i, g := range s.slope {
		if !s.bounded.onLimit(i) {
			most = max(most, math.Abs(g))
		}
	}
	return most / s.scaleOf(A, e)
}

// scaleOf returns ‖A‖·‖e‖, with which gradients are compared.
func (s *denseMethod) scaleOf(A, e []float64) float64 {
	return math.Sqrt(algebra.Dot(A, A) * algebra.Dot(e, e))
}

// verdict returns the status of a level whose gradient, in s.slope, is zero on the coordinates that may move.
func (s *denseMethod) verdict(v *levelState) Status {
	n := len(s.q)
	A, e := s.J[v.first*n:v.end*n], s.e[v.first:v.end]
	if v.targets == nil {
		return Reached
	}
	for i, g := range s.slope {
		if s.bounded.onLimit(i) && math.Abs(g) > pullPart*s.scaleOf(A, e) {
			return AgainstLimit
		}
	}
	if s.contradict(v) {
		return Conflicting
	}
	if s.o.Method != DLS {
		return Stuck
	}
	return Nearest
}

// contradict marks in s.contrary the targets of a level whose own gradients are not zero, and reports whether there are several. As their
// sum is zero, they cancel each other.
func (s *denseMethod) contradict(v *levelState) bool {
	at, pulling := v.first, 0
	for _, t := range v.targets {
		rows := s.p.targets[t].n
		one := levelState{first: at, end: at + rows, targets: v.targets[:1]}
		s.contrary[t] = s.pull(v, &one) > pullPart
		if s.contrary[t] {
			pulling++
		}
		at += rows
	}
	return pulling > 1
}

// pull returns the largest entry of the gradient of one target of level v, on the coordinates that may move and relative to ‖A‖·‖e‖ of its
// rows. one has these rows.
func (s *denseMethod) pull(v, one *levelState) float64 {
	n := len(s.q)
	A, e := s.J[one.first*n:one.end*n], s.e[one.first:one.end]
	if algebra.MaxAbs(e) == 0 {
		return 0
	}
	clear(s.along)
	for r, x := range e {
		add(s.along, x, A[r*n:r*n+n])
	}
	s.bounded.clearActive(s.along)
	s.bounded.takeOut(s.along, len(s.constraints(v))/len(s.q))
	return algebra.MaxAbs(s.along) / s.scaleOf(A, e)
}

// descendTo is descend for the first levels; levels is their number. It stops after a level that has not ended, or, in haste, that is not
// reached. Statuses of later levels are OutOfSteps.
func (s *denseMethod) descendTo(levels int) {
	s.steps = 0
	copy(s.try, s.q)
	for l := range s.list {
		s.list[l].status = OutOfSteps
	}
	s.errorsTo(s.e)
	low, high := s.low, s.high
	defer func() { s.low, s.high, s.meritsHeld, s.level = low, high, false, 0 }()
	for l := range s.list[:levels] {
		v := &s.list[l]
		s.level = l
		v.status = s.lower(l)
		s.secant.forget()
		if v.status == OutOfSteps || s.hasty && v.status != Reached {
			return
		}
		for r := v.first; r < v.end; r++ {
			s.want[r] = s.e[r]
			if v.status == Reached {
				s.want[r] = 0
			}
		}
		if l+1 < len(s.list) && s.holdsMerit(l) {
			s.endUnreached(l)
		}
	}
}

// returnTo makes q the current coordinates and brings the engine there.
func (s *denseMethod) returnTo(q []float64) {
	copy(s.q, q)
	s.back()
	s.errorsTo(s.e)
	s.refresh()
}
