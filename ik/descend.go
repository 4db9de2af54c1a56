package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

// learn attempts the step in s.bounded.u, and takes into the secant
// how the gradient has changed. It reports whether the step was good.
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
	// Damping k = c·‖e‖² of Levenberg and Marquardt: the first, least
	// and largest c, and its factors after steps that fail and succeed.
	dampFirst, dampMin, dampMax = 0.3, 1e-6, 1e12
	dampRaise, dampLower        = 10, 3
	// A step is taken if the merit falls by acceptPart of what was predicted. Damping is
	// lowered above goodPart, more so above surePart where the curvature is known, raised below poorPart.
	acceptPart, poorPart, goodPart, surePart = 1e-4, 0.25, 0.5, 0.9
	// flatGradient is the gradient, of the length of 𝒥 times that of e, that is zero to rounding.
	flatGradient = 1e-13
	// flatSteps is the number of steps without a smaller gradient after which it is not going to be smaller, if it is
	// below smallGradient. Above that the search is only slow.
	flatSteps, smallGradient = 12, 1e-7
	// smaller is the part of the least gradient so far below which another one counts as smaller.
	smaller = 0.9
	// hastyGain is the predicted part of the merit below which a start is given up while others wait.
	hastyGain = 3e-3

	// kickSize is the size of a kick, of the step bounds of the freedoms over stepTurn; kickGain the part of the merit
	// by which kickSteps steps have to reduce it.
	kickSize, kickGain = 1e-3, 1e-6
	kickSteps          = 5
)

// lower brings the errors of level l to their least with those of the
// levels before held, from s.q, and returns how that ended.
func (s *denseMethod) lower(l int) Status {
	v := &s.list[l]
	c, flat, least := dampFirst, 0, math.Inf(1)
	s.refresh()
	if l == 0 {
		s.show()
	}
	if s.bent {
		s.perfect(v)
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

// hastyAt reports whether level v is given up where it gains little. A posture is not: it comes after targets that are reached, so that
// no start follows.
func (s *denseMethod) hastyAt(v *levelState) bool { return s.hasty && v.targets != nil }

// step computes the step of a level into s.bounded.u and returns the part of the merit that it should take away.
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

// dampingOf returns k by the method.
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

// attempt moves by the step s.bounded.u of level v where that lessens the merit as predicted and keeps the levels before, and adapts
// the damping c. It reports whether it has moved.
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
	if s.bent && !s.asLeast(v, s.tried) {
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

// attemptBlind takes the step in s.try if it lessens the gradient, and adapts c. It ends attempt where rounding hides how the merit
// changes.
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
	case turn < 0: // too far
		*c *= dampLower
	case after > before/4:
		*c = max(*c/dampLower, dampMin)
	}
	return true
}

// take makes the place of the engine the place of the solver.
func (s *denseMethod) take() {
	copy(s.q, s.try)
	s.e, s.tried = s.tried, s.e
	s.refresh()
}

// back moves the engine back to s.q. Where it cannot be, the pose at which it has stayed becomes the present one.
func (s *denseMethod) back() {
	copy(s.try, s.q)
	if s.eng.moveTo(s.q) != nil { // the engine is where it was
		s.eng.coordinatesTo(s.try)
		copy(s.q, s.try)
		s.errorsTo(s.e)
		s.refresh()
	}
}

// gradient returns the largest entry of the gradient of a level on the coordinates that may move, of the length of 𝒥
// times that of e. The gradient is left in s.slope.
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

// scaleOf returns the length of A times that of e: what a gradient is compared with.
func (s *denseMethod) scaleOf(A, e []float64) float64 {
	return math.Sqrt(algebra.Dot(A, A) * algebra.Dot(e, e))
}

// verdict says what ends a level whose gradient is zero. The gradient is in s.slope.
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

// contradict marks the targets of a level whose own gradient is not zero, and reports whether there are several. As the whole
// gradient is zero, these gradients cancel each other.
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

// pull returns the gradient of one target of a level, as gradient does.
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
	s.bounded.free(s.along)
	s.bounded.takeOut(s.along, len(s.constraints(v))/len(s.q))
	return algebra.MaxAbs(s.along) / s.scaleOf(A, e)
}

// descendTo is descend for the first levels.
func (s *denseMethod) descendTo(levels int) {
	s.steps = 0
	copy(s.try, s.q)
	for l := range s.list {
		s.list[l].status = OutOfSteps
	}
	s.errorsTo(s.e)
	low, high := s.low, s.high
	defer func() { s.low, s.high, s.bent, s.level = low, high, false, 0 }()
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
			s.settle(l)
		}
	}
}

// returnTo brings solver and engine to q.
func (s *denseMethod) returnTo(q []float64) {
	copy(s.q, q)
	s.back()
	s.errorsTo(s.e)
	s.refresh()
}
