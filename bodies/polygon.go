package bodies

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
)

// ringName names the outline, ring −1, and the holes in messages.
func ringName(ring int) string {
	if ring < 0 {
		return "outline"
	}
	return fmt.Sprintf("hole %d", ring)
}

// polygonError returns an error that wraps ErrPolygon and names the ring; format and args say what is wrong.
func polygonError(ring int, format string, args ...any) error {
	return fault.Errorf("bodies: %s: %w: %s", ringName(ring), ErrPolygon, fmt.Sprintf(format, args...))
}

// checkPolygon returns an error unless the outline and the holes are simple polygons that do
// not touch, each hole is inside the outline, and none is inside another.
func checkPolygon(outline [][2]float64, holes [][][2]float64) error {
	edges, err := appendEdges(nil, -1, outline)
	if err != nil {
		return err
	}
	for i, h := range holes {
		if edges, err = appendEdges(edges, i, h); err != nil {
			return err
		}
	}
	if err := checkApart(edges); err != nil {
		return err
	}
	for i, h := range holes {
		if !inside(h[0], outline) {
			return polygonError(i, "it is not inside the outline")
		}
		for j, other := range holes {
			if i != j && inside(h[0], other) {
				return polygonError(i, "it is inside hole %d", j)
			}
		}
	}
	return nil
}

// edge is one edge of a ring, from corner index to the next.
type edge struct {
	ring, index, next int
	a, b              [2]float64
}

// from and to are the ends of an edge along x.
func (e *edge) from() float64 { return min(e.a[0], e.b[0]) }
func (e *edge) to() float64   { return max(e.a[0], e.b[0]) }

// appendEdges appends the edges of a ring. It returns an error if the ring has fewer than three corners, a corner is not finite
// or equals the next one, or the ring turns back on itself at a corner.
func appendEdges(edges []edge, ring int, corners [][2]float64) ([]edge, error) {
	n := len(corners)
	if n < 3 {
		return nil, polygonError(ring, "it has %d corners", n)
	}
	for i, p := range corners {
		if s := p[0] + p[1]; !algebra.Finite(s) { // NaN or infinite
			return nil, polygonError(ring, "corner %d is %v", i, p)
		}
		next := (i + 1) % n
		a, b, c := p, corners[next], corners[(i+2)%n]
		if a == b {
			return nil, polygonError(ring, "corners %d and %d are one point", i, next)
		}
		if side(a, b, c) == 0 && (a[0]-b[0])*(c[0]-b[0])+(a[1]-b[1])*(c[1]-b[1]) > 0 {
			return nil, polygonError(ring, "it turns back at corner %d", next)
		}
		edges = append(edges, edge{ring, i, next, a, b})
	}
	return edges, nil
}

// checkApart returns an error if two edges meet that are not neighbours in a ring. It compares
// only edges that share some x.
func checkApart(edges []edge) error {
	slices.SortStableFunc(edges, func(d, e edge) int { return cmp.Compare(d.from(), e.from()) })
	for i := range edges {
		d := &edges[i]
		for j := i + 1; j < len(edges) && edges[j].from() <= d.to(); j++ {
			e := &edges[j]
			if d.ring == e.ring && (d.next == e.index || e.next == d.index) {
				continue
			}
			if meet(d, e) {
				return polygonError(d.ring, "its edge %d meets edge %d (%s)", d.index, e.index, ringName(e.ring))
			}
		}
	}
	return nil
}

// meet reports whether two edges have a point in common.
func meet(d, e *edge) bool {
	if max(d.a[1], d.b[1]) < min(e.a[1], e.b[1]) || max(e.a[1], e.b[1]) < min(d.a[1], d.b[1]) {
		return false
	}
	s, t := side(d.a, d.b, e.a), side(d.a, d.b, e.b)
	u, v := side(e.a, e.b, d.a), side(e.a, e.b, d.b)
	if s*t < 0 && u*v < 0 {
		return true
	}
	return s == 0 && within(d, e.a) || t == 0 && within(d, e.b) || u == 0 && within(e, d.a) || v == 0 && within(e, d.b)
}

// within reports whether p, a point on the line through e, lies on e.
func within(e *edge, p [2]float64) bool {
	return min(e.a[0], e.b[0]) <= p[0] && p[0] <= max(e.a[0], e.b[0]) && min(e.a[1], e.b[1]) <= p[1] && p[1] <= max(e.a[1], e.b[1])
}

// side returns 1 if c is to the left of the line from a to b, −1 if it is to the right, and 0
// on it.
func side(a, b, c [2]float64) float64 {
	left, right := (b[0]-a[0])*(c[1]-a[1]), (b[1]-a[1])*(c[0]-a[0])
	switch {
	case left > right:
		return 1
	case left < right:
		return -1
	}
	return 0
}

// inside reports whether p, which is on no edge of the ring, is inside it: a ray from p along x
// crosses an odd number of edges.
func inside(p [2]float64, ring [][2]float64) bool {
	in := false
	a := ring[len(ring)-1]
	for _, b := range ring {
		if (a[1] > p[1]) != (b[1] > p[1]) && p[0] < a[0]+(p[1]-a[1])/(b[1]-a[1])*(b[0]-a[0]) {
			in = !in
		}
		a = b
	}
	return in
}
