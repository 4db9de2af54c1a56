package factor

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/sparse"
)

// Limits of iterative refinement.
const (
	maxRefinements = 12
	targetError    = 1e-15 // predicted relative error of the +1 part at which refinement stops

	// Refinement does not start if the first solution has at most enoughError, the error that the residual and the
	// pivots predict, theory.md (21). The true error may be some sixty times as large. The prediction is not trusted
	// if a pivot is below smallPivot, relative to its row's scale. Refinement starts in any case if the residual of a
	// row is above enoughRatio, relative to its terms.
	enoughError = 5e-15
	smallPivot  = 3e-5
	enoughRatio = 1e-12
	// The largest of a million estimates is above enoughError where each of them is rounding. It may be manyError if the root
	// of their sum is at most meanError of the norm of the whole +1 part. That takes at least 25 +1 nodes.
	manyError = 1e-14
	meanError = 1e-15
	// energyError is the largest relative error in the energy norm, theory.md (22), with which refinement does not start.
	energyError = 5e-14

	// roughError is the relative size of a first correction above which rounding of residuals matters. Residuals then
	// get twice the digits, with up to maxTwiceCorrected corrections.
	roughError        = 1e-11
	maxTwiceCorrected = 40

	// withinMargin is how far below the error that is asked for (SolveWithinTo) the energy norm of the error has to be, relative
	// to the largest part of a +1 node. Parts are weighted by their masses. The accelerations of light parts are off by more: up to six
	// times as much where a norm and a largest acceleration were compared in families of package bench.
	withinMargin = 16
)

// Refinement says how a refined solution came about.
type Refinement struct {
	Steps int // corrections made after the first solve
	// Error is the predicted relative error of the +1 part: the last correction times the contraction. Without
	// corrections it is the estimate that SolveRefinedTo describes.
	Error float64
	Size  float64 // largest norm of a +1 node's part, or the floor
	// Worst is the largest residual of a −1 row. If the last correction is not checked (SolveRefinedTo), it is that of
	// the solution before.
	Worst Worst
	Doubt float64 // largest pivot, relative to its row's scale, of the rows that WhereWeak has taken for redundant
}

// SetSpare is for a system from which rows have been left out that depend on the others. For a solution x, worst returns the
// Worst of these rows; rest is the term of that name there. Nil, the default, stands for no such rows. worst is kept.
func (f *Factor) SetSpare(worst func(x []float64, rest float64) Worst) { f.spare = worst }

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

// roundingRatio is the ratio of Worst that rounding of the residual itself may make.
const roundingRatio = 1e-14

// atRest is the rest of Worst, relative to the size of the solution.
const atRest = 1e-4

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
// Cost: that of SolveRefinedTo. With twice the digits it is up to 40 solves and products, a product at some ten times
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
	c := NewConvergence(f.policy, f.Contraction, last, max(goal.floor, f.freeSize(x)))
	c.enough, c.exact = goal.enough, goal.exact
	first := f.residual(r, b, x, &c.Refinement)
	if c.First(first.largest, first.least) || c.many(first) && c.mean(first.sum, f.energy(x)) {
		return c.Refinement
	}
	e, begun := 0.0, c.estimates // energy norm of the error
	if begun {
		e = f.beginCorrection(r)
		if c.Estimate(e, f.energy(x)) {
			return c.Refinement
		}
	}
	left := 0.0    // error that conjugate gradients have left
	rough := false // the first correction was
	for c.Steps < maxRefinements && !f.watch.Up() {
		if !begun {
			if e = f.beginCorrection(r); c.Within(e) {
				return c.Refinement
			}
		}
		begun = false
		ends := c.Ends(e)
		to := solution{x: x, b: b, r: r, add: true}
		c.before = c.Worst.Ratio
		if ends {
			to.r = nil
		}
		step, size := f.backward(to)
		c.size, c.Size = size, max(size, c.floor)
		q := 0.0
		if !ends {
			q = f.residual(r, b, x, &c.Refinement).largest
		}
		done, stalls := c.Next(step, q, ends)
		if rough = rough || c.Rough(step); rough {
			if e, begun = f.settle(solution{x: x, b: b, r: r}, &c, e, ends); !begun {
				break
			}
			continue
		}
		if done || left > 0 {
			break
		}
		if stalls {
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
	if f.watch.Up() {
		c.Error = math.NaN()
	}
	return c.Refinement
}

// settle goes on after a correction of a refinement that began with a rough one. e is the energy norm of the error before it, and ends
// says that no residual has been taken after it. It reports whether another correction with doubles has begun, for the error that is
// returned; otherwise the refinement is over, if need be with twice the digits.
func (f *Factor) settle(at solution, c *Convergence, e float64, ends bool) (float64, bool) {
	if ends {
		f.residual(at.r, at.b, at.x, &c.Refinement)
	}
	was := e
	e = f.beginCorrection(at.r)
	switch {
	case c.Settled(e, f.energy(at.x)):
	case falls(e, was):
		return e, true
	default:
		f.refineTwice(at.x, at.r, at.b, c)
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

// energy returns the norm of the +1 part of x.
func (f *Factor) energy(x []float64) float64 {
	p := f.Symbolic.Pattern
	return math.Sqrt(square(x[:p.Off[p.Positive()]]))
}

// equation is what residual is for: r = b − K·x, and the rest of Worst.
type equation struct {
	r, b, x []float64
	rest    float64
	known   bool // r is
}

// residualNodes is the number of core nodes of one task of residual.
const residualNodes = 128

// residual completes r = b − K·x, with unit +1 blocks of K: it stores the core rows of r that
// backward has not stored. The worst residual of all rows goes to out.
func (f *Factor) residual(r, b, x []float64, out *Refinement) estimates {
	e := f.judge(equation{r: r, b: b, x: x, rest: atRest * out.Size}, out)
	s, p := f.Symbolic, f.Symbolic.Pattern
	for i := range s.late {
		l := &s.late[i]
		y := x[p.Off[l.neg]:p.Off[l.neg+1]]
		z := r[p.Off[l.pos]:p.Off[l.pos+1]]
		subColumns(z, f.unit.Val[l.src:l.src+int64(len(y)*len(z))], y)
	}
	return e
}

// estimates is what residual has found in the −1 rows k, with r the residual and d the pivots.
type estimates struct {
	largest float64 // largest rₖ²/|dₖ|, NaN if a residual is
	sum     float64 // of rₖ²/|dₖ|
	least   float64 // least |dₖ| relative to the scale of its row
}

// judge is residual for an equation, whose r may be known.
func (f *Factor) judge(e equation, out *Refinement) estimates {
	f.check = e
	f.team.Run(len(f.checked), (*residualTasks)(f))
	f.check = equation{}
	out.Worst, out.Doubt = Worst{Node: -1, Row: -1}, 0
	largest, sum, inverse := 0.0, 0.0, 0.0
	for _, c := range f.checked {
		largest = max(largest, c.largest)
		sum += c.sum
		inverse = max(inverse, c.inverse)
		if f.policy == WhereWeak {
			out.Doubt = max(out.Doubt, c.doubt)
		}
		if c.worst.Node >= 0 && !(c.worst.Ratio <= out.Worst.Ratio) {
			out.Worst = c.worst
		}
	}
	if f.spare != nil {
		if w := f.spare(e.x, e.rest); !(w.Ratio <= max(out.Worst.Ratio, roundingRatio)) {
			w.Spare = true
			out.Worst = w
		}
	}
	return estimates{largest, sum, 1 / inverse}
}

// residualTasks is the job of residual.
type residualTasks Factor

// checked is what a task of residual has found.
type checked struct {
	largest float64 // rₖ²/|dₖ|
	sum     float64 // of rₖ²/|dₖ|
	inverse float64 // largest scale over |dₖ|
	doubt   float64 // largest 1 − scale/|dₖ|, positive for weak rows alone: the pivot without the scale that was added
	worst   Worst
}

// Do computes the residuals of the −1 rows of one range of core nodes.
func (e *residualTasks) Do(_, task int) {
	f := (*Factor)(e)
	s, p := f.Symbolic, f.Symbolic.Pattern
	r, b, x := f.check.r, f.check.b, f.check.x
	largest, sum, inverse, doubt := 0.0, 0.0, 0.0, 0.0
	worst := Worst{Node: -1, Row: -1, Ratio: roundingRatio}
	lo := task * residualNodes
	for c, old := range s.node[lo:min(lo+residualNodes, len(s.node))] {
		o := s.oldOff[lo+c]
		n := o + s.off[lo+c+1] - s.off[lo+c]
		y, right := r[o:n], b[o:n]
		if s.sign[lo+c] > 0 {
			for k, v := range x[o:n] {
				if !f.check.known {
					y[k] = right[k] - v
				}
			}
			continue
		}
		a2 := f.square[lo+c]
		if s.open[lo+c] || f.check.known {
			if !f.check.known {
				copy(y, right)
			}
			a2 = 0
			for k := p.Ptr[old]; k < p.Ptr[old+1]; k++ {
				pos := p.Ind[k]
				v := x[p.Off[pos]:p.Off[pos+1]]
				if !f.check.known {
					subRows(y, f.unit.Val[p.Pos[k]:p.Pos[k+1]], v)
				}
				a2 += square(v)
			}
		}
		a2 += f.check.rest * f.check.rest // at most (Σ‖x‖ + rest)²
		if f.parts != nil {
			a2 += f.parts[old]
		}
		if lo+c >= len(s.node)-s.held {
			continue // without a pivot
		}
		d := f.dinv[s.off[lo+c]:][:len(y)]
		scale := f.scale[o:][:len(y)]
		bound := worst.Ratio * worst.Ratio * a2
		for k, t := range y {
			e := -t * t * d[k]
			largest = larger(largest, e)
			sum += e
			over := -scale[k] * d[k]
			inverse = larger(inverse, over)
			doubt = larger(doubt, 1-over)
			// Two bounds of the terms of a row, without root or quotient, show for most rows that
			// they are no worse than the worst so far.
			if t*t <= bound*scale[k] {
				continue
			}
			excess := math.Abs(t) - worst.Ratio*math.Abs(right[k])
			if excess*math.Abs(excess) <= bound*scale[k] {
				continue
			}
			if e := f.ratio(int(old), k); e > worst.Ratio || math.IsNaN(e) {
				worst = Worst{Ratio: e, Node: int(old), Row: k}
				bound = e * e * a2
			}
		}
	}
	f.checked[task] = checked{largest, sum, inverse, doubt, worst}
}

// ratio returns the measure of Worst of row k of a node.
func (f *Factor) ratio(node, k int) float64 {
	p, c := f.Symbolic.Pattern, &f.check
	lo, hi := p.Off[node], p.Off[node+1]
	row := int(lo) + k
	a, y := c.rest, 0.0
	if f.parts != nil {
		a += math.Sqrt(f.parts[node])
	}
	for _, b := range p.Ind[p.Ptr[node]:p.Ptr[node+1]] {
		a += math.Sqrt(square(c.x[p.Off[b]:p.Off[b+1]]))
		if f.policy == Everywhere {
			a += math.Sqrt(square(c.b[p.Off[b]:p.Off[b+1]]))
		}
	}
	if f.policy == WhereWeak {
		y = algebra.MaxAbs(c.x[lo:hi])
	}
	if c.r[row] == 0 {
		return 0
	}
	d := f.scale[row]
	return math.Abs(c.r[row]) / (math.Abs(c.b[row]) + math.Sqrt(d)*a + d*y)
}

// square returns ‖v‖².
func square(v []float64) float64 {
	if len(v) == 6 {
		q := (*[6]float64)(v)
		return (q[0]*q[0] + q[1]*q[1] + q[2]*q[2]) + (q[3]*q[3] + q[4]*q[4] + q[5]*q[5])
	}
	return algebra.Dot(v, v)
}
