package factor

import "math"

// exact is the memory of residuals that are computed with twice the digits of a double.
type exact struct {
	sums []twice   // b − K·x, by original scalar
	dx   []float64 // a correction of x
}

// refineTwice goes on with a refinement. Its residuals are those of all rows, with twice the digits: where rows nearly
// depend on each other, the solution enlarges the rounding of a residual in doubles, and corrections stop to shrink
// before x has its digits. The corrections are x ← x + (K−Γ)⁻¹(b − K·x), theory.md (18), of right sides that are not
// zero in the leaves. x is what the system says as it stands in doubles; rounding of the system itself remains.
//
// Cost: a solve and a product a step, the product at some ten times its price in doubles.
func (f *Factor) refineTwice(x, r, b []float64, c *Convergence) {
	f.residualTwice(r, b, x, &c.Refinement)
	for c.More() && !f.watch.Up() {
		f.forward(rightSide{r, true})
		step, size := f.addSolution(x, r)
		c.Size = max(size, c.floor)
		q, _ := f.residualTwice(r, b, x, &c.Refinement)
		if done, stalls := c.Next(step, q, false); done || stalls {
			return
		}
	}
}

// residualTwice is residual in all rows, with twice the digits.
func (f *Factor) residualTwice(r, b, x []float64, out *Refinement) (largest, least float64) {
	if f.exact == nil {
		n := f.Symbolic.Pattern.Dim()
		f.exact = &exact{make([]twice, n), make([]float64, n)}
	}
	p, sums := f.Symbolic.Pattern, f.exact.sums
	for i, t := range b {
		sums[i] = twice{hi: t}
	}
	for i, t := range x[:p.Off[p.Positive()]] {
		sums[i].add(-t)
	}
	for i := p.Positive(); i < p.Len(); i++ {
		row, y := sums[p.Off[i]:p.Off[i+1]], x[p.Off[i]:p.Off[i+1]]
		for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
			j := p.Ind[k]
			col, z, w := sums[p.Off[j]:p.Off[j+1]], x[p.Off[j]:p.Off[j+1]], f.unit.Val[p.Pos[k]:p.Pos[k+1]]
			for a := range row {
				for e, v := range w[a*len(z) : (a+1)*len(z)] {
					row[a].addProduct(-v, z[e])
					col[e].addProduct(-v, y[a])
				}
			}
		}
	}
	for i := range sums {
		r[i] = sums[i].hi + sums[i].lo
	}
	return f.judge(equation{r: r, b: b, x: x, rest: atRest * out.Size, known: true}, out)
}

// addSolution finishes a solve for the right side r, and adds the solution to x. It returns the largest norm of what it
// added to a +1 node, and of what was in a node afterwards.
func (f *Factor) addSolution(x, r []float64) (step, size float64) {
	p, dx := f.Symbolic.Pattern, f.exact.dx
	f.backward(solution{x: dx, b: r})
	for _, i := range f.Symbolic.free {
		copy(dx[i.first:i.first+int32(i.size)], r[i.first:])
	}
	for i, d := range dx {
		x[i] += d
	}
	for i := range p.Positive() {
		keep(&step, square(dx[p.Off[i]:p.Off[i+1]]))
		keep(&size, square(x[p.Off[i]:p.Off[i+1]]))
	}
	return math.Sqrt(step), math.Sqrt(size)
}
