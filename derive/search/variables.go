package search

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/derive/objective"
)

// variable is the transformation of a free number u to a parameter within its bounds, theory.md (V13). It keeps the bounds where a
// projection would not: every trial of a line search is a valid model, without a negative mass for instance, and the function stays smooth.
type variable struct {
	lo, hi, start, size float64

	part float64 // factor of u in the sine between two bounds
}

// insideTol is the distance from a bound to which a start at the bound is moved, relative to the size of the parameter or, if that is less,
// to the width of the bounds: at the bound itself the transformation is flat.
const insideTol = 1e-3

// boundTol is the distance from a bound, relative to the same, up to which a parameter counts as at the bound.
const boundTol = 1e-6

// farthest is the largest distance of a bound, relative to the size of the parameter. Sine and hyperbola have the rounding of that
// distance: with a larger one the search would begin off the start by more than 1e-7 of its size.
const farthest = 1e9

// steepest is the largest derivative of a parameter by u at the start, relative to its size. If it is larger, u is stretched so that the
// derivative is one size: between bounds far apart, the slope by this u would outweigh all others.
const steepest = 100

// variables returns the transformation of each parameter, and the free numbers u of the start. It returns a *ProblemError for a bound that
// is too far away.
func (b *box) variables(p *objective.Problem) (list []variable, u []float64, err error) {
	x := p.Values()
	sizes := b.sizes(x)
	for k := range x {
		v := variable{lo: b.lo[k], hi: b.hi[k], start: x[k], size: sizes[k], part: 1}
		lower, upper := !math.IsInf(v.lo, -1), !math.IsInf(v.hi, 1)
		if lower && !(x[k]-v.lo <= farthest*v.size) || upper && !(v.hi-x[k] <= farthest*v.size) {
			return nil, nil, &ProblemError{p.Objective().Parameters[k].Name, fmt.Sprintf("is %v in the model, "+
				"and its bounds %v and %v are too far away to be kept: leave them out, or bring them nearer", x[k], v.lo, v.hi)}
		}
		var at float64
		switch {
		case lower && upper:
			width := v.hi - v.lo
			s, inside := 2*(x[k]-v.lo)/width-1, 2*insideTol*min(1, v.size/width)
			at = math.Asin(min(max(s, -1+inside), 1-inside))
			if _, slope := v.of(at); slope > steepest*v.size {
				v.part = v.size / slope
				at /= v.part
			}
		case lower:
			y := 1 + max((x[k]-v.lo)/v.size, insideTol)
			at = math.Sqrt(y*y - 1)
		case upper:
			y := 1 + max((v.hi-x[k])/v.size, insideTol)
			at = math.Sqrt(y*y - 1)
		}
		list, u = append(list, v), append(u, at)
	}
	return list, u, nil
}

// of returns the parameter for u, and its derivative by u.
func (v *variable) of(u float64) (x, slope float64) {
	lower, upper := !math.IsInf(v.lo, -1), !math.IsInf(v.hi, 1)
	switch {
	case lower && upper:
		sin, cos := math.Sincos(v.part * u)
		half := (v.hi - v.lo) / 2
		return min(v.lo+half*(1+sin), v.hi), half * cos * v.part
	case lower:
		root := math.Hypot(u, 1)
		return v.lo + v.size*(root-1), v.size * u / root
	case upper:
		root := math.Hypot(u, 1)
		return v.hi - v.size*(root-1), -v.size * u / root
	}
	return v.start + v.size*u, v.size
}

// atBound reports whether x is at a bound.
func (v *variable) atBound(x float64) bool {
	size := min(v.size, v.hi-v.lo)
	return x-v.lo <= boundTol*size || v.hi-x <= boundTol*size
}
