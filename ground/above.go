package ground

import "math"

const (
	// mostAbove is the number of coefficients up to which Above looks for the largest. Another value costs time only.
	mostAbove = 64
	// aboveRounding is what rounding of Height adds to the largest coefficient, as a part of heights.
	aboveRounding = 1e-14
)

// Above returns a height that Height does not exceed in a rectangle: for grids with splines the largest coefficient of its cells, as
// B-splines are not negative and add up to one, docs/ground.md (G3). It is +Inf where no such height is known at the price: beyond the
// border of a grid that does not go on level, for more than 64 coefficients, and for other surfaces.
//
// Cost: as one or two calls of Height.
func (s *Surface) Above(e Extent) float64 {
	switch s.kind {
	case kindGrid:
		return s.grid.above(&e)
	case kindSum:
		var z float64
		for _, part := range s.parts {
			z += part.Above(e)
		}
		return z
	}
	return math.Inf(1)
}

// above is Surface.Above.
func (g *grid) above(e *Extent) float64 {
	var lo, n [2]int
	for c := range g.axes {
		first, _, before, err := g.axes[c].cell(e.Min[c])
		last, _, beyond, errLast := g.axes[c].cell(e.Max[c])
		if err != nil || errLast != nil || (before != 0 || beyond != 0) && g.axes[c].outside != Level {
			return math.Inf(1)
		}
		lo[c], n[c] = first, last-first+4
	}
	if g.axes[0].interpolation != Spline || n[0]*n[1] > mostAbove {
		return math.Inf(1)
	}
	top, size := math.Inf(-1), math.Abs(g.base)
	for j := range n[1] {
		for _, c := range g.values[(lo[1]+j)*g.stride+lo[0]:][:n[0]] {
			top, size = max(top, c), max(size, math.Abs(c))
		}
	}
	return top + g.base + aboveRounding*size
}
