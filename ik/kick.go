package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

// Where the gradient is zero and errors are left, the pose may be a saddle of the merit: a straight arm, for example, whose target lies
// straight inwards. Conjugate gradients find that out: they build directions one by one, and meet one of negative curvature if there is
// any.

const (
	// probeSize is the step of the differences of gradients that give the curvature, relative to the step bounds of the freedoms over
	// stepTurn: the freedom that moves most moves by probeSize/stepTurn of its step bound.
	probeSize = 1e-5
	// probeMost is the largest number of directions.
	probeMost = 12
	// probeFlat is the curvature, relative to ‖𝒥‖·‖e‖, that counts as zero.
	probeFlat = 1e-5
)

// kick moves away from a saddle of level v, and reports whether that has reduced the merit. Otherwise the pose is as it was.
func (s *denseMethod) kick(v *levelState) bool {
	copy(s.home, s.q)
	merit := v.merit(s.e)
	if s.saddle(v) {
		for _, sign := range [2]float64{1, -1} {
			if s.hasEnded() {
				return false
			}
			if s.kickAlong(v, sign) && v.merit(s.e) < merit*(1-kickGain) {
				return true
			}
			s.returnTo(s.home)
		}
	}
	s.step(v, dampFirst) // finds the active limits again, for verdict
	s.gradient(v)
	return false
}

// saddle looks for a direction of negative curvature at s.home, where the gradient is zero, and reports whether there is one. The
// direction is left in s.along, in units of the step bounds, its largest entry one. The solver is at s.home again.
//
// It runs conjugate gradients on the second derivative H of the merit, with a random right side. They need products H p
// only, which are differences of gradients.
func (s *denseMethod) saddle(v *levelState) bool {
	n, r, b := len(s.q), s.from, s.bounded // r is the residual of the conjugate gradients
	flat := probeFlat * s.scaleOf(s.J[v.first*n:v.end*n], s.e[v.first:v.end])
	s.gradient(v)
	copy(s.before, s.slope)
	for i, u := range s.unit {
		r[i] = s.dice.NormFloat64() * u
	}
	b.clearActive(r)
	b.takeOut(r, len(s.constraints(v))/n)
	ways := algebra.Conjugate{P: s.along}
	first := algebra.Dot(r, r)
	for range min(n, probeMost) {
		square := algebra.Dot(r, r)
		if !(square > probeFlat*probeFlat*first) || s.hasEnded() {
			return false
		}
		ways.Turn(r, square)
		if !s.bendAlong(v, ways.P) {
			return false
		}
		curvature, most, norm := algebra.Dot(ways.P, s.slope), 0.0, 0.0 // norm is the square of P's length
		for i, x := range ways.P {
			x *= stepTurn / s.unit[i]
			most, norm = max(most, math.Abs(x)), norm+x*x
		}
		if !(curvature > flat*norm) {
			for i, u := range s.unit {
				s.along[i] *= stepTurn / (u * most)
			}
			return curvature < -flat*norm
		}
		add(r, -square/curvature, s.slope)
	}
	return false
}

// bendAlong stores in s.slope the product H p, by the difference of the gradient along p from s.before, the gradient at s.home. H is the
// second derivative of the merit of level v at s.home. It reports whether the mechanism can move along p, and leaves the solver at s.home.
func (s *denseMethod) bendAlong(v *levelState, p []float64) bool {
	s.steps++
	n, b, most := len(s.q), s.bounded, 0.0
	for i, x := range p {
		most = max(most, math.Abs(x)*stepTurn/s.unit[i])
	}
	size := probeSize / most
	for i, q := range s.home {
		s.try[i] = q + size*s.size[i]*p[i]
	}
	can := s.eng.moveTo(s.try) == nil && (v.first == 0 || s.restore(v))
	if can {
		s.errorsTo(s.tried)
		s.take()
		b.orthonormalize(s.constraints(v))
		s.gradient(v)
		for i, g := range s.slope {
			s.slope[i] = (g - s.before[i]) / size
		}
	}
	s.returnTo(s.home)
	C := s.constraints(v)
	b.orthonormalize(C)
	b.clearActive(s.slope)
	b.takeOut(s.slope, len(C)/n)
	return can
}

// kickAlong moves along s.along, or against it for sign −1, and then takes kickSteps steps. It reports whether the mechanism can move so.
func (s *denseMethod) kickAlong(v *levelState, sign float64) bool {
	for i, q := range s.q {
		s.try[i] = min(max(q+sign*kickSize/stepTurn*s.unit[i]*s.size[i]*s.along[i], s.low[i]), s.high[i])
	}
	if s.eng.moveTo(s.try) != nil || v.first > 0 && !s.restore(v) {
		return false
	}
	s.errorsTo(s.tried)
	s.take()
	c := dampFirst
	for range kickSteps {
		s.step(v, c)
		s.learn(v, &c)
	}
	return true
}
