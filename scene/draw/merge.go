package draw

import (
	"cmp"
	"slices"
)

// merge joins the pieces into which a polygon has been cut. It removes the edges along which two pieces touch, and returns the
// loops that are left. Loops around holes go the other way round.
//
// Cost: O(corners²).
func merge(pieces [][]point) [][]point {
	if len(pieces) < 2 {
		return pieces
	}
	l := &loops{from: map[point][]int{}}
	var corners []point
	for _, p := range pieces {
		corners = append(corners, p...)
	}
	for _, p := range pieces {
		for k := range p {
			l.edge(p[k], p[(k+1)%len(p)], corners)
		}
	}
	return l.trace()
}

// loops are directed edges, from a corner to a neighbouring one.
type loops struct {
	edges [][2]point
	gone  []bool          // of each edge: it has been removed
	from  map[point][]int // the edges that begin at a corner
	on    []place         // memory of edge
}

// place is a corner on an edge, and the part of the edge that lies before it, from 0 to 1.
type place struct {
	at   point
	part float64
}

// edge adds the edge from a to b, cut at the corners that lie on it.
func (l *loops) edge(a, b point, corners []point) {
	d := point{b[0] - a[0], b[1] - a[1]}
	square := d[0]*d[0] + d[1]*d[1]
	l.on = append(l.on[:0], place{a, 0}, place{b, 1})
	for _, c := range corners {
		part := ((c[0]-a[0])*d[0] + (c[1]-a[1])*d[1]) / square
		if s := side(a, b, c); part > 0 && part < 1 && s*s <= onEdge*onEdge*square && c != a && c != b {
			l.on = append(l.on, place{c, part})
		}
	}
	slices.SortStableFunc(l.on, func(p, q place) int { return cmp.Compare(p.part, q.part) })
	for k := 1; k < len(l.on); k++ {
		if l.on[k-1].at != l.on[k].at {
			l.part(l.on[k-1].at, l.on[k].at)
		}
	}
}

// part adds the edge from a to b. If there is an edge from b to a, both are inside, and that edge is removed instead.
func (l *loops) part(a, b point) {
	for _, e := range l.from[b] {
		if !l.gone[e] && l.edges[e][1] == a {
			l.gone[e] = true
			return
		}
	}
	l.from[a] = append(l.from[a], len(l.edges))
	l.edges, l.gone = append(l.edges, [2]point{a, b}), append(l.gone, false)
}

// trace follows the edges that are left and returns the loops. As many edges end at each corner as begin there, so every path ends
// where it began.
func (l *loops) trace() (out [][]point) {
	for e := range l.edges {
		var loop []point
		for at := e; at >= 0 && !l.gone[at]; {
			l.gone[at] = true
			loop = append(loop, l.edges[at][0])
			next := -1
			for _, n := range l.from[l.edges[at][1]] {
				if !l.gone[n] {
					next = n
					break
				}
			}
			at = next
		}
		if loop = straight(separate(loop)); len(loop) > 2 {
			out = append(out, loop)
		}
	}
	return out
}

// straight returns a loop without the corners at which it does not turn.
func straight(p []point) (out []point) {
	for k, b := range p {
		c := p[(k+1)%len(p)]
		a := p[(k+len(p)-1)%len(p)]
		if len(out) > 0 {
			a = out[len(out)-1]
		}
		d := point{c[0] - a[0], c[1] - a[1]}
		if s := side(a, b, c); s*s > onEdge*onEdge*(d[0]*d[0]+d[1]*d[1]) {
			out = append(out, b)
		}
	}
	return out
}
