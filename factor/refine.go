package factor

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/sparse"
)

// SetSpare is for a system from which rows have been left out that depend on the others. For a solution x, worst returns the
// Worst of these rows; rest is the term of that name there. Nil, the default, stands for no such rows. worst is kept.
//
// Refinements ask these rows once, of a solution that is the last one but for them, and go on while corrections halve what the rows
// are off by. Digits that such rows do not determine are not looked for: theory.md, "Spare rows".
//
// corrected says that first solutions need a correction as a rule. It decides about time and about digits below those that are looked for:
// the error of a solution is computed with the factor at once, (22), and rows are judged one by one only where it leaves open whether
// corrections follow.
func (f *Factor) SetSpare(worst func(x []float64, rest float64) Worst, corrected bool) {
	f.spare, f.corrected = worst, corrected
}

// SetParts is for right sides from which the products with known parts of the solution have been
// subtracted, such as W·c in theory.md (R2). parts[i] is the sum of the squared norms of the known
// parts that the rows of the −1 node i multiply, (R9). It counts among the terms that Worst
// compares residuals with. Nil stands for no parts; parts is kept.
//
// It panics unless there is one number a node.
func (f *Factor) SetParts(parts []float64) {
	if parts != nil && len(parts) != f.Symbolic.Pattern.Len() {
		panic("factor: length mismatch")
	}
	f.parts = parts
}

// SolveRefinedTo solves K·x = b, without the proximal term Γ that is in the factor, and stores
// the residual b − K·x in r. Its steps are x ← x + (K−Γ)⁻¹(b − K·x), theory.md (18), (19), each a
// proximal-point iteration. On consistent redundant rows they tend to the multipliers of least
// norm in the metric of Γ.
//
// Errors are relative to the largest norm of a +1 node's part, or to floor where that is
// larger: what the part would be but for cancellation. With +1 blocks M = C·Cᵀ that are not
// units, the +1 part is measured as Cᵀ·x.
//
// Under WhereWeak only weak rows have proximal terms, and the multipliers of these rows are
// zero. So the first solution may be good enough. The error of its +1 part is estimated from
// the residual and the pivots, theory.md (21). The largest estimate of a large system may be
// twice as large if the sum of all is small. If a pivot is small or the estimate is too large,
// the error is computed with the factor instead, theory.md (22), relative to the norm of
// the whole +1 part. No correction follows if this error is at rounding level.
//
// Otherwise refinement ends when the next correction is predicted to be below rounding, or when
// corrections no longer shrink. Under Everywhere they may stop shrinking with errors left in
// directions in which the proximal term is larger than S. Conjugate gradients then go on.
// Refinement.Error is the error that is left. SolveExactTo goes further where the system
// enlarges rounding.
//
// Under WhereWeak, if all rows hold up to rounding, it may be known before a correction that it
// will be the last. No residual is computed after such a correction, and r and Worst are those
// of the solution before it.
//
// The rows of leaves (Symbolic) hold by construction, up to rounding of their own terms, and
// another solve would make the same rounding again. The entries of r there are not written.
//
// Shapes: m is the matrix of the last Factorize, unchanged; x and b have Dim entries in the
// original order, as does r, and do not overlap.
// Cost: one solve and one product a step, no allocation but when conjugate gradients are first
// needed. It panics on a foreign pattern, a length mismatch, or without a valid factor.
func (f *Factor) SolveRefinedTo(x, r, b []float64, m *sparse.Matrix, floor float64) Refinement {
	return f.solveRefined(x, r, b, m, goal{floor: floor})
}

// SolveExactTo is SolveRefinedTo for systems that enlarge rounding. Under WhereWeak, if the first
// correction is above roughError, all later residuals are computed with twice the digits. So x
// becomes the solution of the system whose entries are exactly the given doubles.
//
// Cost: as SolveRefinedTo. With twice the digits it is up to 40 solves and products, a product at some ten times
// its price. The first time, memory for five numbers a row is allocated.
func (f *Factor) SolveExactTo(x, r, b []float64, m *sparse.Matrix, floor float64) Refinement {
	return f.solveRefined(x, r, b, m, goal{floor: floor, exact: true})
}

// SolveWithinTo is SolveExactTo with an error that is good enough. It ends as soon as all rows hold up to enoughRatio, as they
// have to for SolveExactTo, and the error that the residual stands for is below enough, by a margin. That error is the one
// of the factor, theory.md (22), which takes half a solve; it is the first half of the correction that follows if the error is
// too large. What a correction has left is measured in the same way and not predicted. With 0 it goes as far as SolveExactTo.
//
// Cost: never more than that of SolveExactTo, but for rounding.
// It panics if enough is negative or no number, and as SolveRefinedTo does.
func (f *Factor) SolveWithinTo(x, r, b []float64, m *sparse.Matrix, floor, enough float64) Refinement {
	if !(enough >= 0) {
		panic("factor: option out of range")
	}
	return f.solveRefined(x, r, b, m, goal{floor: floor, enough: enough, exact: true})
}

// goal is how far a refinement goes.
type goal struct {
	floor  float64 // least size of x that errors are relative to
	enough float64 // of SolveWithinTo
	exact  bool    // as SolveExactTo does
}

// solveRefined is the door of the three solves: it checks the shapes, and goes to unit +1 blocks and back.
func (f *Factor) solveRefined(x, r, b []float64, m *sparse.Matrix, to goal) Refinement {
	f.mustBe()
	n := f.Symbolic.Pattern.Dim()
	switch {
	case m == nil || m.Pattern != f.Symbolic.Pattern:
		panic("factor: foreign pattern")
	case !f.ok:
		panic("factor: no valid factor")
	case f.Symbolic.held > 0:
		panic(heldRows)
	case len(x) != n || len(r) != n || len(b) != n:
		panic("factor: length mismatch")
	}
	if checks {
		assertDisjoint(x, r, b)
	}
	w := f.weighted()
	if w == nil {
		return f.refine(x, r, b, to)
	}
	copy(w.b, b)
	w.each(w.b, algebra.SolveLower)
	out := f.refine(x, r, w.b, to)
	w.each(x, algebra.SolveUpper)
	w.each(r, algebra.MulLower)
	return out
}

// refine is solveRefined for unit +1 blocks.
func (f *Factor) refine(x, r, b []float64, goal goal) Refinement {
	last := f.solve(x, b, r)
	var c Convergence
	c.begin(f.policy, f.Contraction, last, max(goal.floor, f.freeSize(x)))
	c.enough, c.exact, c.spare = goal.enough, goal.exact, f.spare != nil
	at := &f.check
	at.r, at.b, at.x, at.bare, at.unread = r, b, x, false, false
	e, begun, done := f.judgeFirst(&c)
	if done {
		return c.result()
	}
	left := 0.0    // error that conjugate gradients have left
	rough := false // the first correction was
	for c.Steps < maxRefinements && !f.watch.Up() {
		if !begun {
			if e = f.beginCorrection(r); c.Within(e) {
				return c.result()
			}
		}
		begun = false
		made := f.correct(&c, e, rough)
		if made.done && c.spare {
			if f.spareEnd(made.ends, &c) {
				return f.ended(&c)
			}
			continue
		}
		if rough = rough || c.Rough(made.step); rough {
			if e, begun = f.settle(&c, e); !begun {
				return f.ended(&c)
			}
			continue
		}
		if made.done || left > 0 {
			break
		}
		if made.stalls {
			if f.policy == WhereWeak {
				break
			}
			better := false
			if left, better = f.conjugateGradients(x, b, goal.floor); !better {
				left = 0
				break
			}
			f.unit.ResidualTo(r, b, x)
		}
	}
	c.Error = max(c.Error, left)
	f.askSpare(x, &c)
	return f.ended(&c)
}

// judgeFirst reports whether the first solution is good enough. If a correction has begun, it returns the energy norm of the error.
func (f *Factor) judgeFirst(c *Convergence) (e float64, begun, done bool) {
	at := &f.check
	if f.corrected && c.estimates && c.enough == 0 {
		f.complete()
		e, begun = f.beginCorrection(at.r), true
		if c.goesOn(e, f.normOnce(c), f.largestRow(at.r)) {
			return e, true, false
		}
	}
	first := f.look(c)
	if (c.First(first.largest, first.least) || c.many(first) && c.mean(first.sum, f.normOnce(c))) && f.spareHold(at.x, c) {
		return 0, false, true
	}
	if !c.estimates {
		return 0, false, false
	}
	if !begun {
		e = f.beginCorrection(at.r)
	}
	return e, true, c.Estimate(e, f.normOnce(c)) && f.spareHold(at.x, c)
}

// correction is the outcome of a correction of refine.
type correction struct {
	step         float64 // largest norm of what it has added to a +1 node
	ends         bool    // no residual has been taken after it
	done, stalls bool    // of Convergence.Next
}

// correct makes the correction that beginCorrection has begun for an error e, and takes the residual after it where that is needed.
func (f *Factor) correct(c *Convergence, e float64, rough bool) correction {
	at := &f.check
	out := correction{ends: !rough && !c.mayBeRough(e) && c.Ends(e)}
	last, cancels := c.mayLast(e * c.size / f.normOnce(c)) // by a guess of the step
	at.bare = out.ends || last
	to := &f.to
	if to.x, to.b, to.r, to.begun, to.add = at.x, at.b, at.r, false, true; at.bare {
		to.r = nil
	}
	force := 0.0
	if cancels {
		force = f.forcesOf(at.x)
	}
	c.before = c.Worst.Ratio
	step, size := f.sweepBack()
	if c.size, c.Size = size, max(size, c.floor); cancels {
		c.fall = f.forces() / force
	}
	q := 0.0
	bounded, small := c.bounded, c.spare && c.isSmall(step, c.shrink(step))
	switch out.ends = out.ends || c.lasts(step); {
	case out.ends:
	case f.corrected && c.spare && c.enough == 0 && !small && (rough || c.isFirstRough(step)):
		f.takeResidual() // settle looks at rows where that is needed
	default:
		if q = f.look(c).largest; bounded && small && c.Worst.Ratio <= enoughRatio {
			worst := c.Worst
			c.Next(step, q, true)
			c.Worst = worst
			return correction{step: step, done: true}
		}
	}
	out.step = step
	if out.done, out.stalls = c.Next(step, q, out.ends); out.done && at.unread && !out.ends {
		f.look(c)
	}
	return out
}

// takeResidual is look without an opinion of the rows.
func (f *Factor) takeResidual() {
	at := &f.check
	if at.unread = true; at.bare {
		f.unit.ResidualTo(at.r, at.b, at.x)
	} else {
		f.complete()
	}
}

// ended returns the Refinement of c, without an error if the context has ended.
func (f *Factor) ended(c *Convergence) Refinement {
	if c.bounded {
		f.look(c)
	}
	if f.watch.Up() {
		c.Error = math.NaN()
	}
	return c.result()
}

// settle goes on after a correction of a refinement that began with a rough one, with the residual after it. e is the energy norm of the
// error before it. It reports whether another correction with doubles has begun, for the error that is returned; otherwise the refinement
// is over, if need be with twice the digits.
func (f *Factor) settle(c *Convergence, e float64) (float64, bool) {
	at := &f.check
	was, norm := e, f.normOnce(c)
	if e = f.beginCorrection(at.r); at.unread && !c.goesOn(e, norm, f.largestRow(at.r)) {
		f.look(c)
	}
	switch {
	case c.Settled(e, norm) && f.spareHold(at.x, c):
	case c.rounds(e, norm) && f.spareHold(at.x, c) && c.Worst.Node < 0:
		c.Error = e / max(norm, c.floor)
	case falls(e, was) || c.spare && e <= spareFalls*was:
		return e, true
	default:
		c.bounded = false
		f.refineTwice(at.x, at.r, at.b, c)
		f.askSpare(at.x, c)
	}
	return e, false
}

// falls reports whether a correction with doubles has brought the energy norm of the error down from was to e, so far that another one may.
func falls(e, was float64) bool { return e <= 1e-3*was }

// freeSize returns the largest norm of a +1 node without neighbours. No sweep of the solve
// passes these nodes.
func (f *Factor) freeSize(x []float64) float64 {
	q := 0.0
	for _, i := range f.Symbolic.free {
		q = larger(q, square(x[i.first:i.first+int32(i.size)]))
	}
	return math.Sqrt(q)
}

// beginCorrection is the forward half of a solve for the residual r, taken as zero in the rows
// of the leaves. It returns e = √(rᵀ·S⁻¹·r), theory.md (21), the energy norm of the error that
// r stands for, by (22). The norm of the +1 part of the correction is at most √2·e, also with
// residuals of +1 rows of the core.
func (f *Factor) beginCorrection(r []float64) float64 {
	return math.Sqrt(f.forward(rightSide{r, false}))
}

// forcesOf returns the norm of the multipliers in x, each times the root of the scale of its row.
func (f *Factor) forcesOf(x []float64) float64 {
	p, sum := f.Symbolic.Pattern, 0.0
	n := p.Off[p.Positive()]
	for k, d := range f.scale[n:] {
		y := x[int(n)+k]
		sum += d * y * y
	}
	return math.Sqrt(sum)
}

// forces is forcesOf for the numbers that the last backward half has stored or added.
func (f *Factor) forces() float64 {
	s, sum := f.Symbolic, 0.0
	for c, o := range s.oldOff {
		if s.sign[c] > 0 {
			continue
		}
		for k, y := range f.x[s.off[c]:s.off[c+1]] {
			sum += f.scale[int(o)+k] * y * y
		}
	}
	return math.Sqrt(sum)
}

// normOnce returns the norm of the +1 part of the solution at hand, which is computed once.
func (f *Factor) normOnce(c *Convergence) float64 {
	if c.norm == 0 {
		c.norm = f.energy(f.check.x)
	}
	return c.norm
}

// energy returns the norm of the +1 part of x. Sums of six do not wait for each other.
func (f *Factor) energy(x []float64) float64 {
	p, sum := f.Symbolic.Pattern, 0.0
	for x = x[:p.Off[p.Positive()]]; len(x) >= 6; x = x[6:] {
		sum += square(x[:6])
	}
	return math.Sqrt(sum + square(x))
}

// askSpare takes the rows of SetSpare into c.Worst, which has the other rows.
func (f *Factor) askSpare(x []float64, c *Convergence) {
	if f.spare == nil {
		return
	}
	rest := atRest
	if c.Steps > 1 {
		rest = spareRest
	}
	w := f.spare(x, rest*c.Size)
	worst := algebra.NewPeak(RoundingRatio)
	worst.Take(c.Worst.Ratio, 0)
	switch worst.Take(w.Ratio, 1); worst.At {
	case 0:
		c.Worst.Ratio = worst.Most
	case 1:
		c.Worst = w
		c.Worst.Spare = true
	}
}

// spareHold is askSpare, and reports whether the rows hold as all others have to.
func (f *Factor) spareHold(x []float64, c *Convergence) bool {
	if f.spare == nil {
		return true
	}
	f.askSpare(x, c)
	c.holds = c.Worst.Ratio <= enoughRatio
	return c.holds
}

// spareEnd asks the rows of SetSpare after a correction that is the last one but for them. It reports whether they hold, or whether the
// correction has not halved what they are off by. If not, the residual of the others is taken, unless it has been: ends says that.
func (f *Factor) spareEnd(ends bool, c *Convergence) bool {
	was := c.off
	holds := f.spareHold(f.check.x, c)
	if c.off = c.Worst.Ratio; holds || !(2*c.off <= was) {
		return true
	}
	if ends {
		f.look(c)
	}
	return false
}

// look is residual, with the rows of SetSpare where a solution may be good enough in any iteration.
func (f *Factor) look(c *Convergence) (found estimates) {
	c.bounded, f.check.unread = false, false
	if at := &f.check; at.bare {
		f.unit.ResidualTo(at.r, at.b, at.x)
		at.known = true
		found = f.judge(&c.Refinement)
	} else {
		found = f.rest(&c.Refinement)
	}
	if c.enough > 0 {
		f.askSpare(f.check.x, c)
	}
	return found
}
