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
	enoughError    = 1e-13 // the same, estimated from the first residual and the pivots, at which it does not start
	smallPivot     = 3e-5  // pivot relative to its row's scale below which that estimate is not trusted
	enoughRatio    = 1e-12 // residual of a row, relative to its terms, above which it starts anyway
	energyError    = 5e-14 // relative error in the energy norm, from the first residual and the factor, at which it does not start
)

// Refinement says how a refined solution came about.
type Refinement struct {
	Steps int     // corrections made after the first solve
	Error float64 // predicted relative error of the +1 part: last correction times contraction; without corrections see SolveRefinedTo
	Size  float64 // largest norm of a +1 node's part, or the floor
	Worst Worst   // of the residuals of −1 rows; zero and of the solution before where the last correction is not checked, see SolveRefinedTo
	Doubt float64 // largest pivot, relative to its row's scale, that WhereWeak has taken for that of a redundant row
}

// Worst is the largest residual of a −1 row relative to what its terms amount to,
//
//	|rᵢ| / (|bᵢ| + √dᵢ·(Σ‖xⱼ‖ + rest) + load),
//
// dᵢ the row's scale and the sum over the +1 nodes that it couples, so that √d·‖x‖
// bounds a row's product with x, and over the parts of x that b has lost (SetParts). The load is dᵢ·‖y‖∞, what the node's own
// multipliers y make, under WhereWeak; they grow without bound on rows that
// contradict each other and get ever smaller proximal corrections, so under
// Everywhere it is √dᵢ·Σ‖bⱼ‖ instead. The rest, 1e-4 of Size, keeps rounding of the
// whole from counting where a part rests. Ratios up to roundingRatio count as zero.
type Worst struct {
	Ratio     float64
	Node, Row int // −1 if all rows hold
}

// SetParts says that right sides have had parts of the solution taken off: parts[i] is the sum of the squared norms of
// those that rows of the −1 node i meet. It counts among the terms that Worst compares residuals with. Nil stands for
// none; parts is kept.
//
// It panics unless there is one number a node.
func (f *Factor) SetParts(parts []float64) {
	if parts != nil && len(parts) != f.S.P.Len() {
		panic("factor: length mismatch")
	}
	f.parts = parts
}

// roundingRatio is what rounding of the residual itself may make.
const roundingRatio = 1e-14

// atRest is the rest of Worst, relative to the size of the solution.
const atRest = 1e-4

// SolveRefinedTo solves K·x = b, without the proximal term that is in the factor, and
// stores the residual b − K·x in r: x ← x + (K−E)⁻¹(b − K·x), each step a
// proximal-point iteration. On consistent redundant rows it tends to the multipliers of least norm in the
// metric of E.
//
// Errors are relative to the largest norm of a +1 node's part, or to floor where
// that is larger: what the part would be but for cancellation. With +1 blocks
// M = C·Cᵀ that are not units, the +1 part is measured as Cᵀ·x.
//
// Without terms but on weak rows, whose multipliers are then zero, the first
// solution is the last if its residual is at rounding level: an error e of the
// +1 part leaves residuals rₖ with e² = rᵀ·S⁻¹·r, S the Schur complement, which is
// estimated from the pivots, or, if one of these is small or the estimate is not,
// computed with the factor, relative to the norm of the whole +1 part. Else it stops when the next correction is predicted
// to be below rounding, or when corrections no longer shrink; under Everywhere, conjugate gradients
// then go on, as directions are left in which the proximal term is larger than S.
// Refinement.Error says how far it came.
//
// A correction that is known to be the last before it is made, under WhereWeak on rows that all hold up to
// rounding, is not followed by a residual: r, and Worst, are then those of the solution that it was
// made for.
//
// The rows of leaves (Symbolic) hold by construction, up to the rounding of their
// own terms, which another solve would repeat; r is left as it is there.
//
// Shapes: m is the matrix of the last Factorize, unchanged; x and b have Dim entries in
// the original order, as does r, and do not overlap.
// Cost: one solve and one product a step, no allocation but when conjugate gradients are first
// needed.
// It panics on a foreign pattern, a length mismatch, or without a valid factor.
func (f *Factor) SolveRefinedTo(x, r, b []float64, m *sparse.Matrix, floor float64) Refinement {
	f.mustBe()
	n := f.S.P.Dim()
	switch {
	case m == nil || m.P != f.S.P:
		panic("factor: foreign pattern")
	case !f.ok:
		panic("factor: no valid factor")
	case len(x) != n || len(r) != n || len(b) != n:
		panic("factor: length mismatch")
	}
	if checks {
		assertDisjoint(x, r, b)
	}
	w := f.weighted()
	if w == nil {
		return f.refine(x, r, b, floor)
	}
	copy(w.b, b)
	w.each(w.b, algebra.SolveLower)
	out := f.refine(x, r, w.b, floor)
	w.each(x, algebra.SolveUpper)
	w.each(r, algebra.MulLower)
	return out
}

// refine is SolveRefinedTo for unit +1 blocks.
func (f *Factor) refine(x, r, b []float64, floor float64) Refinement {
	last := f.solve(x, b, r)
	floor = max(floor, f.freeSize(x))
	out := Refinement{Error: math.Inf(1), Size: max(last, floor)}
	q, least := f.residual(r, b, x, &out)
	begun := f.policy == WhereWeak && out.Size <= math.MaxFloat64
	e := 0.0 // energy norm of the error
	if begun {
		out.Error = math.Sqrt(q) / out.Size
		holds := out.Worst.Ratio <= enoughRatio
		if out.Error <= enoughError && least >= smallPivot && holds {
			return out
		}
		e = f.beginCorrection(r)
		out.Error = e / max(f.energy(x), floor)
		if out.Error <= energyError && holds {
			return out
		}
	}
	left := 0.0 // error that conjugate gradients have left
	for out.Steps < maxRefinements && !f.stop.Up() {
		if !begun {
			e = f.beginCorrection(r)
		}
		begun = false
		ends := f.ends(e, last, &out)
		to := solution{x: x, b: b, r: r, add: true}
		if ends {
			to.r = nil
		}
		step, size := f.backward(to)
		out.Steps++
		out.Size = max(size, floor)
		q := 0.0
		if !ends {
			q, _ = f.residual(r, b, x, &out)
		}
		if math.IsNaN(q) || !(out.Size <= math.MaxFloat64) { // or the squares are too large
			out.Error = math.NaN()
			break
		}
		if step == 0 || step <= targetError*out.Size {
			out.Error = 0
			break
		}
		shrink := max(step/last, f.Contraction)
		out.Error = step / out.Size * min(shrink, 1)
		if ends || out.Error <= targetError || left > 0 {
			break
		}
		if last = step; shrink > 0.5 && out.Steps > 1 {
			if f.policy == WhereWeak {
				break
			}
			if left = f.conjugateGradients(x, b, floor); left >= conjugateFair {
				break
			}
			f.unit.ResidualTo(r, b, x)
		}
	}
	if left < conjugateFair {
		out.Error = max(out.Error, left)
	}
	if f.stop.Up() {
		out.Error = math.NaN()
	}
	return out
}

// ends reports whether a correction will be the last, and leaves no residual worth a look: all rows
// hold already up to rounding, and the error that refine will predict is below half of targetError for
// the largest correction, step ≤ √2·e, that the energy norm e of the error allows,
//
//	step/size · max(step/last, contraction) ≤ √2·e/size · max(√2·e/last, contraction),
//
// last the size of the correction before. What it leaves, b − K·x = E·Δy with Δy its multipliers of weak rows, is what
// these rows lacked before and what rounding had left in the rows that they depend on.
func (f *Factor) ends(e, last float64, out *Refinement) bool {
	step, enough := math.Sqrt2*e, targetError/2*out.Size
	return f.policy == WhereWeak && out.Worst.Node < 0 && step*step <= enough*last && step*f.Contraction <= enough
}

// freeSize returns the largest norm of a +1 node without neighbours, which no sweep
// comes by.
func (f *Factor) freeSize(x []float64) float64 {
	q := 0.0
	for _, i := range f.S.free {
		keep(&q, square(x[i.first:i.first+int32(i.size)]))
	}
	return math.Sqrt(q)
}

// beginCorrection is the forward half of a solve for the residual r, taken as zero in
// the rows of the leaves. It returns √(rᵀ·S⁻¹·r), the energy norm of the error that r
// stands for, S the Schur complement. It is at least the norm of the +1 part of the correction over √2,
// also with residuals of +1 rows of the core.
func (f *Factor) beginCorrection(r []float64) float64 {
	return math.Sqrt(f.forward(rightSide{r, false}))
}

// energy returns the norm of the +1 part of x.
func (f *Factor) energy(x []float64) float64 {
	p := f.S.P
	return math.Sqrt(square(x[:p.Off[p.Positive()]]))
}

// equation is what residual is for: r = b − K·x, and the rest of Worst.
type equation struct {
	r, b, x []float64
	rest    float64
}

// residualNodes is the number of core nodes of one task of residual.
const residualNodes = 512

// residual stores b − K·x in those core rows of r where backward has not, K with
// unit +1 blocks, and the worst one of all in out. It returns of the −1 rows the largest
// rₖ²/|dₖ|, d the pivots, NaN if there is one, and the least |dₖ| relative to the scale.
func (f *Factor) residual(r, b, x []float64, out *Refinement) (largest, least float64) {
	s, p := f.S, f.S.P
	f.check = equation{r, b, x, atRest * out.Size}
	f.team.Run(len(f.checked), (*residualTasks)(f))
	f.check = equation{}
	out.Worst, out.Doubt = Worst{Node: -1, Row: -1}, 0
	inverse := 0.0
	for _, c := range f.checked {
		largest = max(largest, c.largest)
		inverse = max(inverse, c.inverse)
		if f.policy == WhereWeak {
			out.Doubt = max(out.Doubt, c.doubt)
		}
		if c.worst.Node >= 0 && !(c.worst.Ratio <= out.Worst.Ratio) {
			out.Worst = c.worst
		}
	}
	for i := range s.late {
		l := &s.late[i]
		y := x[p.Off[l.neg]:p.Off[l.neg+1]]
		z := r[p.Off[l.pos]:p.Off[l.pos+1]]
		subColumns(z, f.unit.Val[l.src:l.src+int64(len(y)*len(z))], y)
	}
	return largest, 1 / inverse
}

// residualTasks is the job of residual.
type residualTasks Factor

// checked is what a task of residual has found.
type checked struct {
	largest float64 // rₖ²/|dₖ|
	inverse float64 // largest scale over |dₖ|
	doubt   float64 // largest 1 − scale over |dₖ|: of weak rows what the pivot was without the scale, of others not positive
	worst   Worst
}

// Do computes the residuals of the −1 rows of one range of core nodes.
func (e *residualTasks) Do(_, task int) {
	f := (*Factor)(e)
	s, p := f.S, f.S.P
	r, b, x := f.check.r, f.check.b, f.check.x
	largest, inverse, doubt := 0.0, 0.0, 0.0
	worst := Worst{Node: -1, Row: -1, Ratio: roundingRatio}
	lo := task * residualNodes
	for c, old := range s.node[lo:min(lo+residualNodes, len(s.node))] {
		o := s.oldOff[lo+c]
		n := o + s.off[lo+c+1] - s.off[lo+c]
		y, right := r[o:n], b[o:n]
		if s.sign[lo+c] > 0 {
			for k, v := range x[o:n] {
				y[k] = right[k] - v
			}
			continue
		}
		a2 := f.square[lo+c]
		if s.open[lo+c] {
			copy(y, right)
			a2 = 0
			for k := p.Ptr[old]; k < p.Ptr[old+1]; k++ {
				pos := p.Ind[k]
				v := x[p.Off[pos]:p.Off[pos+1]]
				subRows(y, f.unit.Val[p.Pos[k]:p.Pos[k+1]], v)
				a2 += square(v)
			}
		}
		a2 += f.check.rest * f.check.rest // at most (Σ‖x‖ + rest)²
		if f.parts != nil {
			a2 += f.parts[old]
		}
		d := f.dinv[s.off[lo+c]:s.off[lo+c+1]]
		scale := f.scale[o:n]
		bound := worst.Ratio * worst.Ratio * a2
		for k, t := range y {
			keep(&largest, -t*t*d[k])
			over := -scale[k] * d[k]
			keep(&inverse, over)
			keep(&doubt, 1-over)
			// A row that is no worse by these of its terms needs no root and no
			// quotient.
			if t*t <= bound*scale[k] {
				continue
			}
			excess := math.Abs(t) - worst.Ratio*math.Abs(right[k])
			if excess*math.Abs(excess) <= bound*scale[k] {
				continue
			}
			if e := f.ratio(int(old), k); e > worst.Ratio || math.IsNaN(e) {
				worst = Worst{e, int(old), k}
				bound = e * e * a2
			}
		}
	}
	f.checked[task] = checked{largest, inverse, doubt, worst}
}

// ratio returns the measure of Worst of row k of a node.
func (f *Factor) ratio(node, k int) float64 {
	p, c := f.S.P, &f.check
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
