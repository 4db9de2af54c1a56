package factor

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

// RoundingRatio is the largest Worst.Ratio that may come from rounding in the residual alone.
const RoundingRatio = 1e-14

// atRest is the rest of Worst, relative to the size of the solution.
const atRest = 1e-4

// spareRest is atRest for rows that have been left out (SetSpare), after two corrections. The acceleration of a body that hardly moves is
// a small difference of loads and reactions, and has their rounding error: 8u = 1e-15 of them is enoughRatio of this rest.
const spareRest = 1e-3

// equation is r = b − K·x of a refinement, with the rest of Worst. It is a field of the Factor and not passed by value, as copies of
// numbers that have just been written take as long as a small solve.
type equation struct {
	r, b, x []float64
	rest    float64
	known   bool // r is complete in the rows of the core
	bare    bool // backward has stored nothing in r
	unread  bool // the rows of r have not been judged
}

// residualNodes is the number of core nodes of one task of residual.
const residualNodes = 128

// residual completes r = b − K·x, with unit +1 blocks of K: it stores the core rows of r that
// backward has not stored. The worst residual of all rows goes to out.Worst, the doubt to out.Doubt.
func (f *Factor) residual(r, b, x []float64, out *Refinement) estimates {
	f.check.r, f.check.b, f.check.x = r, b, x
	return f.rest(out)
}

// rest is residual for f.check.
func (f *Factor) rest(out *Refinement) estimates {
	f.check.known = false
	e, at := f.judge(out), &f.check
	for i := range f.Symbolic.beside {
		if n := &f.Symbolic.beside[i]; n.core {
			f.residualBeside(n, at.r, at.b, at.x)
		}
	}
	return e
}

// complete stores the residuals as rest does, without judging them. It goes through the nodes of sign +1, and reads the blocks of each
// once, for the residuals of both signs.
func (f *Factor) complete() {
	s, at := f.Symbolic, &f.check
	at.known = false
	for _, o := range s.ranges {
		copy(at.r[o.dst:], at.b[o.dst:o.dst+o.n])
	}
	for i := range s.beside {
		n := &s.beside[i]
		if n.core {
			f.residualBeside(n, at.r, at.b, at.x)
		}
		subBlocks(at.r, f.unit.Val, at.x[n.scalar:n.scalar+int32(n.size)], s.shared[n.lo:n.hi])
	}
}

// residualBeside stores the residual of a core node of sign +1.
func (f *Factor) residualBeside(n *beside, r, b, x []float64) {
	lo, hi := n.scalar, n.scalar+int32(n.size)
	z := r[lo:hi]
	subtractTo(z, b[lo:hi], x[lo:hi])
	subBlocksT(z, f.unit.Val, x, f.Symbolic.shared[n.lo:n.hi])
}

// largestRow returns the largest |rᵢ|/√dᵢ of the −1 rows, with dᵢ the scale of the row.
func (f *Factor) largestRow(r []float64) float64 {
	p, most := f.Symbolic.Pattern, 0.0
	n := p.Off[p.Positive()]
	scale := f.scale[n:]
	for k, t := range r[n:] {
		if q := t * t; q > most*scale[k] {
			most = q / scale[k]
		}
	}
	return math.Sqrt(most)
}

// estimates measures the residuals r of the −1 rows k against their pivots d.
type estimates struct {
	largest float64 // largest rₖ²/|dₖ|, NaN if a residual is
	sum     float64 // of rₖ²/|dₖ|
	least   float64 // least |dₖ| relative to the scale of its row
}

// judge computes the residuals of f.check, unless they are known, and returns their estimates. out.Worst is set with a rest relative to
// out.Size, and out.Doubt under WhereWeak.
func (f *Factor) judge(out *Refinement) estimates {
	f.check.rest = atRest * out.Size
	f.team.Run(len(f.checked), (*residualTasks)(f))
	out.Doubt = 0
	largest, sum, inverse := 0.0, 0.0, 0.0
	worst := algebra.NewPeak(RoundingRatio)
	for i := range f.checked {
		c := &f.checked[i]
		largest = max(largest, c.largest)
		sum += c.sum
		inverse = max(inverse, c.inverse)
		if f.policy == WhereWeak {
			out.Doubt = max(out.Doubt, c.doubt)
		}
		worst.Join(c.worst)
	}
	out.Worst = WorstAt(worst.Most, worst.At, f.Symbolic.Pattern.Off)
	return estimates{largest, sum, 1 / inverse}
}

// residualTasks is the job of residual.
type residualTasks Factor

// checked has the maxima and sums that a task of residual has found in its rows.
type checked struct {
	largest float64      // largest rₖ²/|dₖ|
	sum     float64      // sum of rₖ²/|dₖ|
	inverse float64      // largest scale over |dₖ|
	doubt   float64      // largest 1 − scale/|dₖ|, the part of a pivot beyond the scale; positive in weak rows alone
	worst   algebra.Peak // of ratios, by row of the system
}

// Do computes the residuals of the −1 rows of one range of core nodes.
func (e *residualTasks) Do(_, task int) {
	f := (*Factor)(e)
	s, at := f.Symbolic, &f.check
	largest, sum := 0.0, 0.0                   // of rₖ²/|dₖ|
	most, least, over := 0.0, math.Inf(1), 0.0 // largest, least and sum of scale over |dₖ|
	worst := algebra.NewPeak(RoundingRatio)
	low := worst.Low()
	lo := task * residualNodes
	for c, old := range s.node[lo:min(lo+residualNodes, len(s.node))] {
		if s.sign[lo+c] > 0 {
			continue
		}
		a2 := f.nodeResidual(lo+c) + at.rest*at.rest // at most (Σ‖x‖ + rest)²
		if f.parts != nil {
			a2 += f.parts[old]
		}
		if lo+c >= len(s.node)-s.held {
			continue // held nodes have no pivots
		}
		o := s.oldOff[lo+c]
		n := o + s.off[lo+c+1] - s.off[lo+c]
		y, right := at.r[o:n], at.b[o:n]
		d := f.dinv[s.off[lo+c]:][:len(y)]
		scale := f.scale[o:][:len(y)]
		bound, load := low*low*a2, -1.0
		for k, t := range y {
			q := t * t
			e, inv := -q*d[k], -scale[k]*d[k]
			if sum += e; e > largest {
				largest = e
			}
			if over += inv; inv > most {
				most = inv
			}
			if inv < least {
				least = inv
			}
			// Two bounds without root or quotient show for most rows that they are better than the worst so far: first
			// the terms of the bodies with the right side, then the load alone.
			if q <= bound*scale[k] || within(t, low*right[k], bound*scale[k]) {
				continue
			}
			if load < 0 {
				load = f.load(at.x[o:n])
			}
			if !(math.Abs(t) <= low*scale[k]*load) {
				worst.Take(f.ratio(int(old), k), int(o)+k)
				low = worst.Low()
				bound = low * low * a2
			}
		}
	}
	found := &f.checked[task]
	found.largest, found.sum, found.inverse, found.doubt, found.worst = largest, sum, most, max(0, 1-least), worst
	found.keepNaN(over)
}

// keepNaN makes c.largest NaN if c.sum is, and c.inverse and c.doubt if over is. Maxima by comparison lose a NaN; sums keep it.
func (c *checked) keepNaN(over float64) {
	if c.sum != c.sum {
		c.largest = c.sum
	}
	if over != over {
		c.inverse, c.doubt = over, over
	}
}

// subtractTo stores a − b in dst.
func subtractTo(dst, a, b []float64) {
	for k, v := range b {
		dst[k] = a[k] - v
	}
}

// within reports whether |t| − |part| ≤ √bound.
func within(t, part, bound float64) bool {
	excess := math.Abs(t) - math.Abs(part)
	return excess*math.Abs(excess) <= bound
}

// nodeResidual stores the residual of core node c of sign −1, unless it is known or backward has stored it. It returns Σ‖x‖² of the
// node's neighbours.
func (f *Factor) nodeResidual(c int) (a2 float64) {
	s, at := f.Symbolic, &f.check
	if !s.open[c] && !at.known {
		return f.square[c]
	}
	o := s.oldOff[c]
	n := o + s.off[c+1] - s.off[c]
	y := at.r[o:n]
	if !at.known {
		copy(y, at.b[o:n])
	}
	p, node := s.Pattern, s.node[c]
	for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
		pos := p.Ind[k]
		v := at.x[p.Off[pos]:p.Off[pos+1]]
		if !at.known {
			subRows(y, f.unit.Val[p.Pos[k]:p.Pos[k+1]], v)
		}
		a2 += square(v)
	}
	return a2
}

// ratio returns Worst.Ratio of row k of a node.
func (f *Factor) ratio(node, k int) float64 {
	p, c := f.Symbolic.Pattern, &f.check
	lo, hi := p.Off[node], p.Off[node+1]
	row := int(lo) + k
	a := c.rest
	if f.parts != nil {
		a += math.Sqrt(f.parts[node])
	}
	for _, b := range p.Ind[p.Ptr[node]:p.Ptr[node+1]] {
		a += math.Sqrt(square(c.x[p.Off[b]:p.Off[b+1]]))
		if f.policy == Everywhere {
			a += math.Sqrt(square(c.b[p.Off[b]:p.Off[b+1]]))
		}
	}
	y := f.load(c.x[lo:hi])
	if c.r[row] == 0 {
		return 0
	}
	d := f.scale[row]
	return math.Abs(c.r[row]) / (math.Abs(c.b[row]) + math.Sqrt(d)*a + d*y)
}

// load returns the part of the load of Worst that the multipliers y of a node make.
func (f *Factor) load(y []float64) float64 {
	if f.policy == WhereWeak {
		return algebra.MaxAbs(y)
	}
	return 0
}

// square returns ‖v‖².
func square(v []float64) float64 {
	if len(v) == 6 {
		q := (*[6]float64)(v)
		return (q[0]*q[0] + q[1]*q[1] + q[2]*q[2]) + (q[3]*q[3] + q[4]*q[4] + q[5]*q[5])
	}
	return algebra.Dot(v, v)
}
