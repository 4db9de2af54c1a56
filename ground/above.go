package ground

import "math"

const (
	// mostAbove is the largest number of coefficients that Above evaluates. It affects only speed.
	mostAbove = 64
	// aboveRounding is the margin for rounding in Height, relative to the largest height.
	aboveRounding = 1e-14
)

// Above returns an upper bound of Height in a rectangle, m. For grids with splines it is the largest coefficient of the rectangle's
// cells, as B-splines are not negative and add up to one, docs/ground.md (G3). It is +Inf where a bound would cost more: beyond the
// border of a grid that is not Level there, for more than 64 coefficients, and for other surfaces.
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

// above is Surface.Above for a grid.
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
