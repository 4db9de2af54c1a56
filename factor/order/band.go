package order

import (
	"slices"

	"github.com/rung-mbd/rung/sparse"
)

// band emits the whole graph in Cuthill–McKee order of the bodies: level by
// level from a pseudo-peripheral body (George & Liu 1979), the joints of a body
// as soon as their last body has been numbered. On a ladder (RBDA Fig. 8.4) this
// is L1 l1 R1 m1 r1 L2 l2 R2 m2 r2 …, with a constant band. Of this order and
// the one from the reversed body order it takes the smaller envelope.
func band(g *graph, e *emitter) {
	bodies := cuthillMcKee(g)
	if g.stop.Up() {
		return
	}
	forward := jointsByBodies(g, bodies)
	slices.Reverse(bodies)
	backward := jointsByBodies(g, bodies)
	if envelope(g, backward) < envelope(g, forward) {
		forward = backward
	}
	e.joints(fold(forward))
}

// Toward returns an elimination order that ends near the −1 nodes in last: the breadth-first levels around their bodies, the
// farthest first. In a pattern that is narrow everywhere, fronts then hold little more than one level; orders that begin or meet
// elsewhere carry the rows of last from there on. The result obeys the tile rule, but for the nodes in last, which follow
// their bodies.
//
// Cost: O(blocks), and sorting of neighbours. It panics if p is not of the form Of takes, or last has a node of sign +1.
func Toward(p *sparse.Pattern, last []int32) []int32 {
	g := newGraph(p)
	s := newSearch(g)
	s.stamp = 1
	for _, v := range last {
		if v < g.nb {
			panic("order: nodes of the wrong sign")
		}
		for _, b := range g.bodies(v - g.nb) {
			if s.level[b] == 0 {
				s.level[b] = s.stamp
				s.queue = append(s.queue, b)
			}
		}
	}
	s.levels()
	bodies := slices.Clone(s.queue)
	for b := range g.nb { // parts that are not coupled with these nodes
		if s.level[b] == 0 {
			bodies = append(bodies, s.part(b)...)
		}
	}
	slices.Reverse(bodies)
	e := newEmitter(g)
	e.joints(jointsByBodies(g, bodies))
	e.rest()
	return e.perm
}

// fold orders a band from both ends to its middle: the first half of seq, then
// the second half from its end. The halves do not depend on each other, and where they meet the front is as
// wide as the band.
func fold(seq []int32) []int32 {
	slices.Reverse(seq[len(seq)/2:])
	return seq
}

// jointsByBodies sorts all joints by the latest position of their bodies in seq, equal ones by the earliest
// position, and then by number.
func jointsByBodies(g *graph, seq []int32) []int32 {
	pos := make([]int32, g.nb)
	for k, b := range seq {
		pos[b] = int32(k)
	}
	// The key of a joint to one body puts it before all others of that body.
	first, last := make([]int32, g.nj), make([]int32, g.nj)
	out := make([]int32, g.nj)
	for j := range g.nj {
		out[j] = j
		first[j], last[j] = g.nb, -1
		for _, b := range g.bodies(j) {
			first[j], last[j] = min(first[j], pos[b]), max(last[j], pos[b])
		}
		if g.jp[j+1]-g.jp[j] <= 1 {
			first[j] = -1
		}
	}
	// Two stable passes of a decreasing sort on the mirrored keys.
	for j := range g.nj {
		first[j] = g.nb - first[j]
		last[j] = g.nb - last[j]
	}
	return sortByKey(sortByKey(out, first), last)
}

// envelope returns the sum, over the rows of the joints in the order seq, of the squared distance in
// rows to the first joint that shares a body. This is twice the work of an
// envelope factorization of the joint rows.
func envelope(g *graph, seq []int32) float64 {
	start := make([]int32, g.nb) // row of each body's first joint, −1: none yet
	for b := range start {
		start[b] = -1
	}
	work, row := 0.0, int32(0)
	for _, j := range seq {
		low := row
		for _, b := range g.bodies(j) {
			if start[b] < 0 {
				start[b] = row
			}
			low = min(low, start[b])
		}
		c := g.rows(j)
		d := float64(row + c - low)
		work += float64(c) * d * d
		row += c
	}
	return work
}

// cuthillMcKee returns all bodies, connected parts one after the other.
func cuthillMcKee(g *graph) []int32 {
	s := newSearch(g)
	out := make([]int32, 0, g.nb)
	for b := range g.nb {
		if s.level[b] == 0 {
			out = append(out, s.part(b)...)
		}
	}
	return out
}

// search is the memory of breadth-first searches over bodies that share
// joints. Each search has its own stamp, so nothing is cleared in between.
type search struct {
	g     *graph
	stamp int32
	level []int32 // by body: stamp of the last search that reached it
	joint []int32 // by joint: stamp of the last search that reached it
	queue []int32
}

func newSearch(g *graph) *search {
	return &search{g: g, level: make([]int32, g.nb), joint: make([]int32, g.nj), queue: make([]int32, 0, g.nb)}
}

// part returns the bodies connected with b in breadth-first order from a pseudo-peripheral body. The slice is valid until the next
// search.
func (s *search) part(b int32) []int32 {
	// George & Liu: restart from a body of least degree in the last level while
	// the number of levels grows.
	height := int32(-1)
	for range 8 {
		h, last := s.search(b)
		if h <= height {
			return s.queue
		}
		height = h
		for _, c := range s.queue[last:] {
			if s.degree(c) < s.degree(b) || b == s.queue[0] {
				b = c
			}
		}
	}
	s.search(b)
	return s.queue
}

// degree returns the number of joints of body b.
func (s *search) degree(b int32) int32 { return s.g.bp[b+1] - s.g.bp[b] }

// search fills queue with the bodies connected with b, level by level, the new neighbours of a
// body by increasing degree and then number. It returns the number of levels
// after the first and the place in queue where the last one begins.
func (s *search) search(b int32) (height int32, last int) {
	s.stamp++
	s.level[b] = s.stamp
	s.queue = append(s.queue[:0], b)
	return s.levels()
}

// levels is search for a queue that holds the first level already; it appends the levels that follow.
func (s *search) levels() (height int32, last int) {
	end := len(s.queue)
	for k := 0; k < len(s.queue) && !s.g.stop.Up(); k++ {
		if k == end {
			height, last, end = height+1, k, len(s.queue)
		}
		from := len(s.queue)
		for _, j := range s.g.joints(s.queue[k]) {
			if s.joint[j] == s.stamp {
				continue
			}
			s.joint[j] = s.stamp
			for _, c := range s.g.bodies(j) {
				if s.level[c] != s.stamp {
					s.level[c] = s.stamp
					s.queue = append(s.queue, c)
				}
			}
		}
		if fresh := s.queue[from:]; len(fresh) > 1 {
			slices.SortFunc(fresh, func(x, y int32) int {
				if dx, dy := s.degree(x), s.degree(y); dx != dy {
					return int(dx - dy)
				}
				return int(x - y)
			})
		}
	}
	return height, last
}
