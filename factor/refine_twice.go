package factor

import (
	"math"

	"github.com/rung-mbd/rung/internal/dd"
)

// exact is the memory of residuals that are computed with twice the digits of a double.
type exact struct {
	sums   []dd.Num  // b − K·x, by original scalar
	dx     []float64 // correction c of x
	mixing *Mixing   // memory of the steps
}

// refineTwice continues a refinement with the residuals of all rows in twice the digits. Where rows nearly depend on each
// other, the solve enlarges the rounding of a residual in doubles, and corrections stop shrinking before x is accurate.
// The corrections are c = (K−Γ)⁻¹(b − K·x), theory.md (18); their right sides are not zero in the leaves. x becomes the
// solution of the system whose entries are the given doubles; the rounding of these entries remains.
//
// The factor may be wrong by half and more in the one direction in which the rows nearly depend on each other. All
// corrections then have that direction, and shrink slowly, or grow. So a step is a step of the method of Anderson 1965 with
// one step of memory (Mixing), which estimates the remaining error from two corrections.
//
// Cost: a solve and a product a step, where the product takes some ten times as long as in doubles.
func (f *Factor) refineTwice(x, r, b []float64, c *Convergence) {
	f.residualTwice(r, b, x, &c.Refinement)
	c.beginTwice()
	for first := true; c.More() && !f.watch.Up(); first = false {
		if c.Within(math.Sqrt(f.forward(rightSide{b: r, leaves: true}))) {
			return
		}
		c.before = c.Worst.Ratio
		step, size := f.addStep(x, Theta(f.findCorrection(r, first)))
		c.size, c.Size = size, max(size, c.floor)
		q, ends := 0.0, c.lasts(step)
		if !ends {
			q = f.residualTwice(r, b, x, &c.Refinement).largest
		}
		done, stalls := c.Next(step, q, ends)
		if done || c.GivesUp(stalls) {
			return
		}
	}
}

// residualTwice computes the residual of all rows with twice the digits, and judges the −1 rows.
func (f *Factor) residualTwice(r, b, x []float64, out *Refinement) estimates {
	if f.exact == nil {
		n := f.Symbolic.Pattern.Dim()
		f.exact = &exact{make([]dd.Num, n), make([]float64, n), NewMixing(n)}
	}
	p, sums := f.Symbolic.Pattern, f.exact.sums
	for i, t := range b {
		sums[i] = dd.Of(t)
	}
	for i, t := range x[:p.Off[p.Positive()]] {
		sums[i] = dd.AddFloat(sums[i], -t)
	}
	for i := p.Positive(); i < p.Len(); i++ {
		row, y := sums[p.Off[i]:p.Off[i+1]], x[p.Off[i]:p.Off[i+1]]
		for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
			j := p.Ind[k]
			col, z, w := sums[p.Off[j]:p.Off[j+1]], x[p.Off[j]:p.Off[j+1]], f.unit.Val[p.Pos[k]:p.Pos[k+1]]
			for a := range row {
				for e, v := range w[a*len(z) : (a+1)*len(z)] {
					row[a] = dd.AddProduct(row[a], -v, z[e])
					col[e] = dd.AddProduct(col[e], -v, y[a])
				}
			}
		}
	}
	for i := range sums {
		r[i] = dd.Float(sums[i])
	}
	at := &f.check
	at.r, at.b, at.x, at.known = r, b, x, true
	return f.judge(out)
}

// findCorrection finishes the solve for the right side r, whose solution is the correction. It returns Mixing.Products for the correction's
// +1 part. first is set if there is no step before it.
func (f *Factor) findCorrection(r []float64, first bool) (over, under float64) {
	p, e := f.Symbolic.Pattern, f.exact
	f.backward(solution{x: e.dx, b: r})
	for _, i := range f.Symbolic.free {
		copy(e.dx[i.first:i.first+int32(i.size)], r[i.first:])
	}
	if first {
		e.mixing.Reset()
	}
	return e.mixing.Products(e.dx[:p.Off[p.Positive()]])
}

// addStep adds to x the step of the last correction for the mixing factor theta. It returns the largest norm of the step in a +1 node, and
// the largest norm of the new x in a +1 node.
func (f *Factor) addStep(x []float64, theta float64) (step, size float64) {
	p, e := f.Symbolic.Pattern, f.exact
	e.mixing.AddTo(x, e.dx, theta)
	for i := range p.Positive() {
		step = larger(step, square(e.mixing.moved[p.Off[i]:p.Off[i+1]]))
		size = larger(size, square(x[p.Off[i]:p.Off[i+1]]))
	}
	return math.Sqrt(step), math.Sqrt(size)
}
