package factor

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/sparse"
)

// SetSpare is for a system from which rows that depend on the others have been left out. For a solution x, worst returns the
// Worst of these rows; rest is the term of that name in Worst. Nil, the default, means that no rows have been left out. worst is kept.
//
// Refinements call worst once all other conditions for the end hold. They go on as long as corrections halve
// its ratio. They do not compute digits that such rows do not determine: theory.md, "Spare rows".
//
// corrected tells that first solutions usually need a correction. It changes the time and digits beyond the accuracy asked for:
// the error of the first solution is then computed with the factor at once, (22), and rows are judged one by one only if this error does
// not decide whether corrections follow.
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

// SolveRefinedTo solves K·x = b, without the proximal term Γ of the factor, and stores
// the residual b − K·x in r. Its steps are x ← x + (K−Γ)⁻¹(b − K·x), theory.md (18), (19), each a
// proximal-point iteration. On consistent redundant rows they converge to the multipliers of least
// norm in the metric of Γ.
//
// Errors are relative to the largest norm of a +1 node's part, or to floor if that is
// larger. floor is the size that the part would have if loads did not cancel. If +1 blocks M = C·Cᵀ are not
// unit matrices, the +1 part is measured as Cᵀ·x.
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
// directions in which the proximal term is larger than S. Conjugate gradients then continue.
// Refinement.Error is the remaining error. SolveExactTo is more accurate if the system
// enlarges rounding.
//
// Under WhereWeak, if all rows hold up to rounding, it may be known before a correction that it
// will be the last. No residual is computed after such a correction, and r and Worst belong to
// the solution before it.
//
// The rows of leaves (Symbolic) hold by construction, up to rounding of their own terms, which
// another solve would repeat. The entries of r for these rows are not written.
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
// Cost: as SolveRefinedTo. With twice the digits up to 40 solves and products, where a product takes some ten times
// as long as in doubles. The first such solve allocates memory for five numbers a row.
func (f *Factor) SolveExactTo(x, r, b []float64, m *sparse.Matrix, floor float64) Refinement {
	return f.solveRefined(x, r, b, m, goal{floor: floor, exact: true})
}

// SolveWithinTo is SolveExactTo for a given accuracy. It ends as soon as all rows hold up to enoughRatio, as in SolveExactTo,
// and the relative error is below enough, by a margin. The error is computed from the residual with the factor,
// theory.md (22). That takes half a solve, which is the first half of the next correction if the error is
// too large. The error after a correction is computed in the same way and not predicted. With enough = 0 it is SolveExactTo.
//
// Cost: at most as SolveExactTo, up to differences by rounding.
// It panics if enough is negative or NaN, and if SolveRefinedTo panics.
func (f *Factor) SolveWithinTo(x, r, b []float64, m *sparse.Matrix, floor, enough float64) Refinement {
	if !(enough >= 0) {
		panic("factor: option out of range")
	}
	return f.solveRefined(x, r, b, m, goal{floor: floor, enough: enough, exact: true})
}

// goal has the arguments of a refinement that decide when it ends.
type goal struct {
	floor  float64 // least size of x that errors are relative to
	enough float64 // enough of SolveWithinTo; 0 for the others
	exact  bool    // residuals may have twice the digits
}

// solveRefined does the work of SolveRefinedTo, SolveExactTo and SolveWithinTo. It checks the shapes, and transforms the system to unit
// +1 blocks and the solution back.
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
	left := 0.0    // error after conjugate gradients
	rough := false // the first correction was Rough
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

// judgeFirst reports whether the first solution is good enough. If it has begun a correction, begun is true, and e is the energy norm of
// the error.
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

// correction is the result of a correction in refine.
type correction struct {
	step         float64 // largest norm of the change of a +1 node
	ends         bool    // no residual has been computed after it
	done, stalls bool    // results of Convergence.Next
}

// correct finishes the correction that beginCorrection has begun; e is the energy norm of the error. It computes the residual after the
// correction if that is needed.
func (f *Factor) correct(c *Convergence, e float64, rough bool) correction {
	at := &f.check
	out := correction{ends: !rough && !c.mayBeRough(e) && c.Ends(e)}
	last, cancels := c.mayLast(e * c.size / f.normOnce(c)) // for an estimate of the step
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
		f.takeResidual() // settle judges the rows if that is needed
	default:
		if q = f.look(c).largest; bounded && small && c.Worst.Ratio <= enoughRatio {
			const ends = true
			worst := c.Worst
			c.Next(step, q, ends)
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

// takeResidual computes the residual as look does, but does not judge the rows.
func (f *Factor) takeResidual() {
	at := &f.check
	if at.unread = true; at.bare {
		f.unit.ResidualTo(at.r, at.b, at.x)
	} else {
		f.complete()
	}
}

// ended returns the Refinement of c. Its Error is NaN if the context has ended.
func (f *Factor) ended(c *Convergence) Refinement {
	if c.bounded {
		f.look(c)
	}
	if f.watch.Up() {
		c.Error = math.NaN()
	}
	return c.result()
}

// settle decides how a refinement continues after a correction, if its first correction was Rough. e is the energy norm of the error before
// the correction. If another correction with doubles is to follow, it begins it, and returns the energy norm of the error and true.
// Otherwise it returns false, and the refinement is complete. In this case it may have continued with twice the digits.
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

// falls reports whether a correction with doubles has reduced the energy norm of the error from was to e so much that another one
// follows.
func falls(e, was float64) bool { return e <= 1e-3*was }

// freeSize returns the largest norm of a +1 node without neighbours. The sweeps of a solve do not
// include these nodes.
func (f *Factor) freeSize(x []float64) float64 {
	q := 0.0
	for _, i := range f.Symbolic.free {
		q = larger(q, square(x[i.first:i.first+int32(i.size)]))
	}
	return math.Sqrt(q)
}

// beginCorrection does the forward half of a solve for the residual r, which counts as zero in the rows
// of the leaves. It returns e = √(rᵀ·S⁻¹·r), theory.md (21), which is the energy norm of the
// error of the solution, (22). The norm of the +1 part of the correction is at most √2·e, also if
// +1 rows of the core have residuals.
func (f *Factor) beginCorrection(r []float64) float64 {
	return math.Sqrt(f.forward(rightSide{b: r}))
}

// forcesOf returns the norm of the multipliers in x, each multiplied by the root of its row's scale.
func (f *Factor) forcesOf(x []float64) float64 {
	p := f.Symbolic.Pattern
	n := p.Off[p.Positive()]
	d, y := f.scale[n:], x[n:]
	var sum [4]float64 // sums that do not wait for each other
	for ; len(d) >= 4 && len(y) >= 4; d, y = d[4:], y[4:] {
		a, b := (*[4]float64)(d), (*[4]float64)(y)
		sum[0] += a[0] * b[0] * b[0]
		sum[1] += a[1] * b[1] * b[1]
		sum[2] += a[2] * b[2] * b[2]
		sum[3] += a[3] * b[3] * b[3]
	}
	return math.Sqrt(sum[0] + sum[1] + (sum[2] + sum[3]) + scaledSquare(d, y))
}

// scaledSquare returns Σ dₖ·yₖ².
func scaledSquare(d, y []float64) (sum float64) {
	y = y[:len(d)]
	for k, v := range d {
		sum += v * y[k] * y[k]
	}
	return sum
}

// forces is forcesOf for the multipliers that the last backward half of a solve has computed: a solution, or a correction.
func (f *Factor) forces() float64 {
	s, sum := f.Symbolic, 0.0
	for c, o := range s.oldOff {
		if s.sign[c] < 0 {
			y := f.x[s.off[c]:s.off[c+1]]
			sum += scaledSquare(f.scale[o:int(o)+len(y)], y)
		}
	}
	return math.Sqrt(sum)
}

// normOnce returns the norm of the +1 part of the solution. It computes it only at the first call after a correction.
func (f *Factor) normOnce(c *Convergence) float64 {
	if c.norm == 0 {
		c.norm = f.energy(f.check.x)
	}
	return c.norm
}

// energy returns the norm of the +1 part of x. It adds sums of six squares, which do not wait for each other.
func (f *Factor) energy(x []float64) float64 {
	p, sum := f.Symbolic.Pattern, 0.0
	for x = x[:p.Off[p.Positive()]]; len(x) >= 6; x = x[6:] {
		sum += square(x[:6])
	}
	return math.Sqrt(sum + square(x))
}

// askSpare replaces c.Worst, the largest ratio of the other rows, by the largest ratio of the rows of SetSpare if that is larger.
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

// spareHold calls askSpare, and reports whether all rows hold up to enoughRatio. It returns true without rows of SetSpare.
func (f *Factor) spareHold(x []float64, c *Convergence) bool {
	if f.spare == nil {
		return true
	}
	f.askSpare(x, c)
	c.holds = c.Worst.Ratio <= enoughRatio
	return c.holds
}

// spareEnd judges the rows of SetSpare after a correction that is the last one for the other rows. It reports whether the refinement ends:
// the rows hold, or the correction has not halved their ratio. If it goes on and ends is set, it computes the residual of the
// other rows, which is not known yet.
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

// look computes the residual and judges the rows. With enough of SolveWithinTo it also judges the rows of SetSpare.
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
