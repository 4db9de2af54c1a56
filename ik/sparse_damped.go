package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/kkt"
)

// damped solves for the step of level l with the damping c·σ·f², f the errors relative to R, and stores the predicted decrease of the merit
// (predict). It raises c until the step is found.
//
// Three things make it solve again. The first guess of σ may be far too large. With limits, an active set is looked for only where the
// step is so small that the rows are nearly linear. If rows of targets nearly depend on each other, the least damping may leave most of
// the errors: less damping is possible if only the weakest pivots count as redundant. Where that is not enough, undamp removes the damping.
func (s *sparseMethod) damped(l int, c *float64) error {
	f := math.Min(1, math.Sqrt(2*s.meritOf(l, s.e))/s.sys.reach)
	guess := s.sigma == 0
	if guess {
		s.sigma = s.scaleOf(l)
	}
	for {
		least := sparseSoft * s.scaleOf(l)
		if s.sys.way == kkt.DropWeakest {
			least *= sparseKeen
		}
		damping := max(*c*s.sigma*f*f, least)
		s.setRows(l, math.Sqrt(damping))
		found, err := s.solveBounded()
		if err != nil {
			return err
		}
		sigma := s.predict(l, damping)
		first := guess
		if guess = false; sigma > s.sigma || first {
			s.sigma = sigma
		}
		switch {
		case first && sigma > 0 && damping > max(sparseOver*sigma, least):
		case (found == tooLong || found == feasible && !(s.step.gain > sparseWithin)) && *c < sparseDampMax:
			s.activateReached()
			*c = max(*c*sparseRaise, sparseRaise*damping/(s.sigma*f*f))
		case damping == least && s.sys.way == kkt.DropWeak && s.step.merit-s.step.predicted > sparseLeft*s.step.merit:
			s.sys.way = kkt.DropWeakest
		case s.undamped != nil && !s.limited && damping == least && s.step.merit-s.step.predicted > sparseLeft*s.step.merit:
			s.undamp(l, damping)
			s.predict(l, 0)
			return nil
		default:
			return nil
		}
	}
}

// scaleOf returns the largest squared norm of a row of level l in weighted coordinates: the row's pivot if all bodies were free.
func (s *sparseMethod) scaleOf(l int) (most float64) {
	for i := range s.sys.rows {
		r := &s.sys.rows[i]
		if r.level != l {
			continue
		}
		v := s.sys.val[12*r.first : 12*(r.first+r.n)]
		blocks := len(v) / (6 * r.n)
		for k := range r.n {
			sum := 0.0
			for b := range blocks {
				w := v[6*(b*r.n+k) : 6*(b*r.n+k)+6]
				sum += algebra.Dot(w, w)
			}
			most = max(most, sum)
		}
	}
	if b := s.sys.border; b != nil {
		row := 0
		for _, i := range b.targets {
			for range s.p.targets[i].n {
				if s.p.targets[i].level == l {
					most = max(most, algebra.Dot(b.C[row], b.C[row]))
				}
				row++
			}
		}
	}
	return most
}

// predict stores in s.step the merit of level l, how the linear model changes it along the present step, and the decrease by the whole
// step.
// It returns the size σ = ‖x‖²/‖λ‖² of the matrix of the rows along the multipliers λ, or 0 if these are zero.
//
// With damping > 0, and where no hard row has a right side, e·Tx = ‖Tx‖² + damping·‖x‖². Near a minimum with large errors the left side
// loses its digits by cancellation. The right side does not, so it is taken where the two differ by rounding only.
func (s *sparseMethod) predict(l int, damping float64) (sigma float64) {
	var merit, slope, bend float64 // ‖e‖², e·Tx, ‖Tx‖²
	note := func(e, change float64) {
		merit += e * e
		slope += e * change
		bend += change * change
	}
	lambda := 0.0
	for i := range s.sys.rows {
		r := &s.sys.rows[i]
		if r.level != l || r.bound >= 0 {
			continue
		}
		for k, y := range s.sys.multipliers(r) {
			e := s.e[s.first[i]+k]
			note(e, s.sys.product(r, k))
			lambda += y * y
		}
	}
	if b := s.sys.border; b != nil {
		row := 0
		for _, i := range b.targets {
			t := &s.p.targets[i]
			for k := range t.n {
				if t.level == l {
					note(s.e[t.first+k], algebra.Dot(b.C[row], s.sys.x))
					lambda += b.lambda[row] * b.lambda[row]
				}
				row++
			}
		}
	}
	size := s.sys.stepSize()
	if sum := bend + damping*size*size; damping > 0 && s.o.Metric != Joints && math.Abs(slope-sum) < slopeSeen*merit {
		slope = sum
	}
	s.step = sparseStep{merit: merit / 2, slope: slope, bend: bend, rotation: s.sys.rotation()}
	s.step.predicted = s.step.decrease(1)
	s.step.gain = math.Sqrt(max(0, s.step.predicted) / s.step.merit)
	if !(lambda > 0) {
		return 0
	}
	if s.loops == nil && !s.limited && l == 0 {
		s.rough = sparseRough * size
	}
	return size * size / lambda
}

// decrease returns the decrease of the merit by a part h of the step, in the linear model.
func (p *sparseStep) decrease(h float64) float64 {
	return h * (p.slope - h*p.bend/2)
}

// verdict returns the status of a level whose gradient is zero at s.st.
func (s *sparseMethod) verdict(l int) Status {
	switch {
	case l == s.p.levels:
		return Reached
	case s.sys.linearize(s.st) != nil:
		return Nearest
	case s.heldByLimits(l):
		return AgainstLimit
	case s.contradict(l):
		return Conflicting
	}
	return Nearest
}

// contradict marks in s.contrary the targets of level l whose own gradients are not zero, and reports whether there are several. As their
// sum is zero, they cancel each other. The gradients are projected on the motions that joints and levels before l allow, with a factor
// that has no rows of l.
func (s *sparseMethod) contradict(l int) bool {
	clear(s.contrary)
	s.setRows(l-1, 0)
	s.setBounds()
	if s.sys.factorize() != nil {
		return false
	}
	pulling := 0
	for i := range s.p.targets {
		if t := &s.p.targets[i]; t.level == l && s.pull(i) > pullPart {
			s.contrary[i] = true
			pulling++
		}
	}
	return pulling > 1
}

// pull returns the size of the gradient of target i alone after projection on the motions that the hard rows allow, relative to its size
// before projection. It returns 0 if the gradient is zero.
func (s *sparseMethod) pull(i int) float64 {
	t := &s.p.targets[i]
	e := s.e[t.first : t.first+t.n]
	clear(s.chord)
	var w [6]float64
	for k, x := range e {
		for j := range s.sys.shown[i].sides {
			side := &s.sys.shown[i].sides[j]
			s.sys.weighTo(&w, side.body, &side.F[k])
			out := s.chord[6*int(side.body):]
			for c, v := range w {
				out[c] += x * v
			}
		}
	}
	all := math.Sqrt(algebra.Dot(s.chord, s.chord))
	if !(all > 0) {
		return 0
	}
	s.sys.correct(s.chord)
	return s.sys.stepSize() / all
}

// heldByLimits reports whether limits keep the errors of level l from getting smaller. That takes two things: the multiplier of an active
// limit has the sign with which the limit holds the level back, and the gradient without limits is not zero. The first alone does not
// suffice, as multipliers are not unique where rows of the levels before depend on limits.
func (s *sparseMethod) heldByLimits(l int) bool {
	c := float64(sparseDamp)
	if !s.limited || s.damped(l, &c) != nil || !s.pushesLimit(l) {
		return false
	}
	s.limited = false
	defer func() { s.limited = true }()
	s.setRows(l, math.Sqrt(s.scaleOf(l))) // with so much damping a step is nearly along the gradient
	if _, err := s.solveBounded(); err != nil {
		return false
	}
	s.predict(l, 0)
	return s.step.gain > pullPart
}

// pushesLimit reports whether the rows of level l push against an active limit: its multiplier has the sign for that, and is more than
// pullPart of the largest multiplier of these rows. Multipliers are compared as forces, with the rows' norms.
func (s *sparseMethod) pushesLimit(l int) bool {
	most := 0.0
	for k := range s.sys.rows {
		if r := &s.sys.rows[k]; r.level == l && r.bound < 0 {
			for i, y := range s.sys.multipliers(r) {
				o := int(s.sys.W.Pattern.Off[r.node]) + i
				most = max(most, math.Abs(y)*math.Sqrt(s.sys.scale[o]))
			}
		}
	}
	for k := range s.sys.rows {
		if r := &s.sys.rows[k]; r.bound >= 0 && s.sys.bounds[r.bound].side != 0 {
			o := int(s.sys.W.Pattern.Off[r.node])
			if s.sys.multipliers(r)[0]*float64(s.sys.bounds[r.bound].side)*math.Sqrt(s.sys.scale[o]) > pullPart*most {
				return true
			}
		}
	}
	return false
}
