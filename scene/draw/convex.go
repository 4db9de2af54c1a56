package draw

import (
	"math"
	"slices"
)

// point is a point of the picture, pixels: x to the right, y down. Convex polygons are lists of
// corners with side(p[k], p[k+1], q) > 0 for points q inside.
type point [2]float64

// side is positive if c lies to the left of the way from a to b, y down: twice the area of the triangle, negated.
func side(a, b, c point) float64 { return (b[1]-a[1])*(c[0]-a[0]) - (b[0]-a[0])*(c[1]-a[1]) }

// area returns the area of a convex polygon.
func area(p []point) float64 {
	sum := 0.0
	for k := 2; k < len(p); k++ {
		sum += side(p[0], p[k-1], p[k])
	}
	return sum / 2
}

// parted cuts a convex polygon by the line on which a linear function is zero; x has its values at the corners. It appends the
// corners of the part with positive values to above and of the part with negative values to below; a corner with 0 belongs to both.
func parted(above, below, p []point, x []float64) (up, down []point) {
	for k := range p {
		next := k + 1
		if next == len(p) {
			next = 0
		}
		if x[k] >= 0 {
			above = append(above, p[k])
		}
		if x[k] <= 0 {
			below = append(below, p[k])
		}
		if x[k] > 0 && x[next] < 0 || x[k] < 0 && x[next] > 0 {
			f := x[k] / (x[k] - x[next])
			q := point{p[k][0] + f*(p[next][0]-p[k][0]), p[k][1] + f*(p[next][1]-p[k][1])}
			above, below = append(above, q), append(below, q)
		}
	}
	return above, below
}

// reach returns the box around a polygon.
func reach(p []point) (lo, hi point) {
	lo, hi = p[0], p[0]
	for _, q := range p[1:] {
		lo, hi = point{min(lo[0], q[0]), min(lo[1], q[1])}, point{max(hi[0], q[0]), max(hi[1], q[1])}
	}
	return lo, hi
}

// onEdge is the distance, pixels, up to which a corner is on an edge, or two corners are one.
const onEdge = 1e-6

// same reports whether two corners coincide, so that an edge between them would have no direction.
func same(a, b point) bool { return math.Abs(a[0]-b[0])+math.Abs(a[1]-b[1]) <= onEdge }

// hull returns the corners of the convex hull of points, which it sorts (Andrew 1979).
func hull(p []point) []point {
	slices.SortFunc(p, func(a, b point) int {
		if a[0] != b[0] {
			return order(a[0], b[0])
		}
		return order(a[1], b[1])
	})
	p = slices.Compact(p)
	if len(p) < 3 {
		return p
	}
	out := make([]point, 0, len(p)+1)
	chain := func(q point, from int) { // removes corners that q leaves inside, back to from, and appends q
		for len(out) > from+1 && side(out[len(out)-2], out[len(out)-1], q) <= 0 {
			out = out[:len(out)-1]
		}
		out = append(out, q)
	}
	for _, q := range p {
		chain(q, 0)
	}
	from := len(out) - 1
	for k := len(p) - 2; k >= 0; k-- {
		chain(p[k], from)
	}
	return separate(out[:len(out)-1])
}

// separate returns a loop without corners that coincide with the corner before.
func separate(p []point) []point {
	out := p[:0]
	for _, q := range p {
		if len(out) == 0 || !same(out[len(out)-1], q) {
			out = append(out, q)
		}
	}
	for len(out) > 1 && same(out[0], out[len(out)-1]) {
		out = out[:len(out)-1]
	}
	return out
}

// order compares two numbers. Unlike cmp.Compare it takes NaN for equal to every number.
func order(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// clipper subtracts convex polygons from a polygon, one after the other. It keeps its memory.
type clipper struct {
	pieces, next [][]point // the convex pieces that are left, before and after a subtraction
	values       []float64 // of a linear function at corners
	pool         []point   // memory of the pieces
	above, below []point   // the results of cut
	part         []point   // memory of common
}

// begin starts with the polygon p.
func (k *clipper) begin(p []point) {
	k.pieces, k.pool = append(k.pieces[:0], p), k.pool[:0]
}

// keep copies a polygon into the pool, where it stays until begin.
func (k *clipper) keep(p []point) []point {
	from := len(k.pool)
	k.pool = append(k.pool, p...)
	return k.pool[from:len(k.pool):len(k.pool)]
}

// scrap is the area, square pixels, up to which a piece or an overlap is neglected.
const scrap = 1e-3

// take subtracts the convex polygon h from all pieces.
func (k *clipper) take(h []point) {
	lo, hi := reach(h)
	k.next = k.next[:0]
	for _, p := range k.pieces {
		if a, b := reach(p); a[0] >= hi[0] || a[1] >= hi[1] || b[0] <= lo[0] || b[1] <= lo[1] || k.apart(p, h) {
			k.next = append(k.next, p)
			continue
		}
		k.carve(p, h)
	}
	k.pieces, k.next = k.next, k.pieces
}

// overlap reports whether the common area of two convex polygons is larger than scrap.
func (k *clipper) overlap(p, h []point) bool {
	return !k.apart(p, h) && !k.apart(h, p) && k.common(p, h) > scrap
}

// apart reports whether all of p lies outside one edge of h.
func (k *clipper) apart(p, h []point) bool {
	for e := range h {
		a, b := h[e], h[(e+1)%len(h)]
		if !slices.ContainsFunc(p, func(q point) bool { return side(a, b, q) > 0 }) {
			return true
		}
	}
	return false
}

// carve appends to next the part of p outside h, as convex pieces: one for each edge of h that cuts the rest left by the edges before. If
// p and h overlap by no more than a scrap, it appends p.
func (k *clipper) carve(p, h []point) {
	if k.common(p, h) <= scrap {
		k.next = append(k.next, p)
		return
	}
	for e := range h {
		if !k.cut(p, h, e) {
			continue
		}
		if len(k.below) > 2 && area(k.below) > scrap {
			k.next = append(k.next, k.keep(k.below))
		}
		if len(k.above) < 3 {
			return
		}
		p = k.keep(k.above)
	}
}

// cut reports whether a part of p lies outside an edge of h. If so, it stores the parts of p inside and outside the edge in above
// and below.
func (k *clipper) cut(p, h []point, edge int) bool {
	a, b := h[edge], h[(edge+1)%len(h)]
	k.values = k.values[:0]
	outside := false
	for _, q := range p {
		s := side(a, b, q)
		k.values, outside = append(k.values, s), outside || s < 0
	}
	if outside {
		k.above, k.below = parted(k.above[:0], k.below[:0], p, k.values)
	}
	return outside
}

// common returns the area of the intersection of p and h (Sutherland & Hodgman 1974).
func (k *clipper) common(p, h []point) float64 {
	for e := range h {
		if !k.cut(p, h, e) {
			continue
		}
		if len(k.above) < 3 {
			return 0
		}
		p = append(k.part[:0], k.above...)
		k.part = p
	}
	return area(p)
}

// empty reports whether no piece is left.
func (k *clipper) empty() bool { return len(k.pieces) == 0 }
