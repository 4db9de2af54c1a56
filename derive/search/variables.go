package search

import "math"

// variable is how a parameter within its bounds follows a free number u, theory.md (V13). Bounds are kept by a transformation and not by
// projection: every trial of a line search is then a model that can be read, as one with a negative mass could not, and stays smooth.
type variable struct {
	lo, hi, start, size float64
}

// insideTol is how far a start at a bound is moved inside, relative to the width of the bounds or to the size of the parameter: at the
// bound itself the transformation is flat.
const insideTol = 1e-3

// boundTol is the same for how near to a bound a parameter is at it.
const boundTol = 1e-6

// variables returns the transformation of each parameter, and the place of the start.
func (b *box) variables(x []float64) (list []variable, u []float64) {
	sizes := b.sizes(x)
	for k := range x {
		v := variable{b.lo[k], b.hi[k], x[k], sizes[k]}
		lower, upper := !math.IsInf(v.lo, -1), !math.IsInf(v.hi, 1)
		var at float64
		switch {
		case lower && upper:
			s := 2*(x[k]-v.lo)/(v.hi-v.lo) - 1
			at = math.Asin(min(max(s, -1+2*insideTol), 1-2*insideTol))
		case lower:
			y := 1 + max((x[k]-v.lo)/v.size, insideTol)
			at = math.Sqrt(y*y - 1)
		case upper:
			y := 1 + max((v.hi-x[k])/v.size, insideTol)
			at = math.Sqrt(y*y - 1)
		}
		list, u = append(list, v), append(u, at)
	}
	return list, u
}

// of returns the parameter for u, and its derivative.
func (v *variable) of(u float64) (x, slope float64) {
	lower, upper := !math.IsInf(v.lo, -1), !math.IsInf(v.hi, 1)
	switch {
	case lower && upper:
		sin, cos := math.Sincos(u)
		half := (v.hi - v.lo) / 2
		return min(v.lo+half*(1+sin), v.hi), half * cos
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
	size := v.size
	if width := v.hi - v.lo; !math.IsInf(width, 1) {
		size = width
	}
	return x-v.lo <= boundTol*size || v.hi-x <= boundTol*size
}
