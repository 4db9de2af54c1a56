package linear

import (
	"slices"

	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/team"
)

// outward returns an elimination order of p that goes from the world to what is farthest from
// it, with no more fill than perm, perm[new] = old. It returns perm itself if perm has a body
// after a joint of that body.
//
// The pivot of a row is how its bodies yield along it, with all that has been eliminated on
// them. Suppose that a joint comes last that ties a body which is held by the world to a long
// part which has been eliminated from its free end. Neither of the two yields nearly as much as
// a body alone, by which the pivot is judged. In a straight chain of n rods this pivot is of
// the order n⁻³ of that of a body alone. Rounding leaves so little of it that it looks like the
// pivot of a redundant row. In outward order the body beyond a joint is still free, and pivots
// are as large as in a short chain.
//
// With the fill of perm the graph of the joints is chordal. So it has orders without more fill
// that end at any joint: the reverse of a maximum cardinality search from there (Tarjan &
// Yannakakis 1984).
//
// Cost: O(blocks, those of the fill included); allocates.
//
// It returns anything if the context of watch ends.
func outward(p *sparse.Pattern, perm []int32, watch *team.Watch) []int32 {
	g := newJoined(p, perm)
	if g == nil || watch.Up() {
		return perm
	}
	g.watch = watch
	after := g.filled()
	if watch.Up() {
		return perm
	}
	levels := g.levels()
	if watch.Up() {
		return perm
	}
	seq := g.search(after, levels)
	if watch.Up() {
		return perm
	}
	return g.emit(seq)
}

// joined is the graph of the joints of a pattern: two are neighbours if they have a body in
// common. Joints have the numbers of their positions among each other in an order.
type joined struct {
	watch *team.Watch
	p     *sparse.Pattern
	node  []int32 // of each joint
	ptr   []int32 // joints of body b: of[ptr[b]:ptr[b+1]], increasing
	of    []int32
}

// newJoined returns the graph for the order perm, nil if there is a body after a joint of it.
func newJoined(p *sparse.Pattern, perm []int32) *joined {
	nb := p.Positive()
	g := &joined{p: p, ptr: make([]int32, nb+1), of: make([]int32, len(p.Ind))}
	seen := make([]bool, nb)
	for _, v := range perm {
		if int(v) < nb {
			seen[v] = true
			continue
		}
		g.node = append(g.node, v)
		for _, b := range p.Ind[p.Ptr[v]:p.Ptr[v+1]] {
			if !seen[b] {
				return nil
			}
			g.ptr[b+1]++
		}
	}
	for b := range nb {
		g.ptr[b+1] += g.ptr[b]
	}
	next := append([]int32(nil), g.ptr[:nb]...)
	for j := range g.node {
		for _, b := range g.bodies(int32(j)) {
			g.of[next[b]] = int32(j)
			next[b]++
		}
	}
	return g
}

// bodies returns the bodies of joint j.
func (g *joined) bodies(j int32) []int32 {
	v := g.node[j]
	return g.p.Ind[g.p.Ptr[v]:g.p.Ptr[v+1]]
}

// at returns the joints of body b.
func (g *joined) at(b int32) []int32 { return g.of[g.ptr[b]:g.ptr[b+1]] }

// filled returns for each joint its neighbours after it, once those before it are eliminated. A
// joint gets them in two ways: by the bodies of which it is the first joint, and from the
// joints whose next neighbour it is.
func (g *joined) filled() [][]int32 {
	n := len(g.node)
	after := make([][]int32, n)
	mark := make([]int32, n) // of each joint: 1 + the last joint that has listed it
	child := make([]int32, n)
	sibling := make([]int32, n) // of lists of the joints whose next neighbour one is, −1 at their ends
	for j := range child {
		child[j] = -1
	}
	for j := range int32(n) {
		if g.watch.Every(int(j)) {
			break
		}
		var list []int32
		take := func(from []int32) {
			for _, k := range from {
				if k > j && mark[k] != j+1 {
					mark[k] = j + 1
					list = append(list, k)
				}
			}
		}
		for _, b := range g.bodies(j) {
			if of := g.at(b); of[0] == j {
				take(of)
			}
		}
		for c := child[j]; c >= 0; c = sibling[c] {
			take(after[c])
		}
		after[j] = list
		if len(list) > 0 {
			next := slices.Min(list)
			sibling[j], child[next] = child[next], j
		}
	}
	return after
}

// levels returns all joints, breadth first from those to the world; parts without one
// follow, from any joint.
func (g *joined) levels() []int32 {
	n := len(g.node)
	out := make([]int32, 0, n)
	reached, passed := make([]bool, n), make([]bool, g.p.Positive())
	visit := func(j int32) {
		if !reached[j] {
			reached[j] = true
			out = append(out, j)
		}
	}
	for j := range int32(n) {
		if len(g.bodies(j)) == 1 {
			visit(j)
		}
	}
	head := 0
	for start := range int32(n + 1) {
		for ; head < len(out) && !g.watch.Every(head); head++ {
			for _, b := range g.bodies(out[head]) {
				if passed[b] {
					continue
				}
				passed[b] = true
				for _, j := range g.at(b) {
					visit(j)
				}
			}
		}
		if int(start) < n {
			visit(start)
		}
	}
	return out
}

// search returns all joints by a maximum cardinality search of the chordal graph with the given
// neighbours. Each part begins with the last of its joints in levels. Next comes a joint with
// the most neighbours among those that have come.
func (g *joined) search(after [][]int32, levels []int32) []int32 {
	n := len(g.node)
	before := make([][]int32, n)
	for j, list := range after {
		if g.watch.Every(j) {
			return nil
		}
		for _, k := range list {
			before[k] = append(before[k], int32(j))
		}
	}
	out := make([]int32, 0, n)
	come := make([]bool, n)
	count := make([]int, n)       // neighbours that have come
	ready := make([][]int32, n+1) // joints by count, also by those that they had before
	for i := n - 1; i >= 0; i-- {
		if come[levels[i]] {
			continue
		}
		ready[0] = append(ready[0], levels[i])
		for most := 0; most >= 0; {
			list := ready[most]
			if len(list) == 0 {
				most--
				continue
			}
			j := list[len(list)-1]
			ready[most] = list[:len(list)-1]
			if come[j] || count[j] != most {
				continue
			}
			come[j] = true
			out = append(out, j)
			if g.watch.Every(len(out)) {
				return out
			}
			for _, side := range [2][]int32{after[j], before[j]} {
				for _, k := range side {
					if !come[k] {
						count[k]++
						ready[count[k]] = append(ready[count[k]], k)
						most = max(most, count[k])
					}
				}
			}
		}
	}
	return out
}

// emit returns the order of nodes in which the joints come in the reverse of seq, bodies
// before their first joint, and joints to the world with their body, where they fill nothing.
func (g *joined) emit(seq []int32) []int32 {
	nb := g.p.Positive()
	perm := make([]int32, 0, g.p.Len())
	done := make([]bool, g.p.Len())
	add := func(v int32) {
		if !done[v] {
			done[v] = true
			perm = append(perm, v)
		}
	}
	body := func(b int32) {
		add(b)
		for _, j := range g.at(b) {
			if len(g.bodies(j)) == 1 {
				add(g.node[j])
			}
		}
	}
	for i := len(seq) - 1; i >= 0 && !g.watch.Every(i); i-- {
		for _, b := range g.bodies(seq[i]) {
			if !done[b] {
				body(b)
			}
		}
		add(g.node[seq[i]])
	}
	for b := range int32(nb) {
		if !done[b] {
			body(b)
		}
	}
	return perm
}
