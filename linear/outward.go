package linear

import (
	"slices"

	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/team"
)

// outward returns an elimination order of p that goes outward from the world, with no more fill than the order perm, perm[new] = old. It
// returns perm itself if perm has a body after a joint of that body.
//
// The pivot of a joint's row is the compliance of its bodies along the row, with all joints attached that have been eliminated before.
// It is compared with the compliance of a single body. Suppose that the last joint ties a body that is held by the world to a long chain
// that has been eliminated from its free end. Both are then far less compliant than a single body: in a straight chain of n rods, the
// pivot is of the order n⁻³ of a single body's. With rounding it looks like the
// pivot of a redundant row. In outward order the body beyond a joint is still free when the joint is eliminated, and pivots
// are as large as in a short chain.
//
// With the fill of perm the graph of the joints is chordal. So it has orders without more fill
// that end at any given joint: the reverse of a maximum cardinality search from there (Tarjan &
// Yannakakis 1984).
//
// Cost: O(blocks, with the fill); allocates.
//
// If the context of watch ends, the result need not be an order of all nodes.
func outward(p *sparse.Pattern, perm []int32, watch *team.Watch) []int32 {
	g := newJointGraph(p, perm)
	if g == nil || watch.Up() {
		return perm
	}
	g.watch = watch
	after := g.laterNeighbours()
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
	return g.nodeOrder(seq)
}

// jointGraph is the graph of the joints of a pattern: two are neighbours if they have a body in
// common. Joints are numbered by their order in the permutation that the graph was made for. Here a joint is any node of rows, and a
// body any node of positive sign.
type jointGraph struct {
	watch *team.Watch
	p     *sparse.Pattern
	node  []int32 // of each joint
	ptr   []int32 // joints of body b: of[ptr[b]:ptr[b+1]], increasing
	of    []int32
}

// newJointGraph returns the graph for the order perm, nil if perm has a body after a joint of that body.
func newJointGraph(p *sparse.Pattern, perm []int32) *jointGraph {
	nb := p.Positive()
	g := &jointGraph{p: p, ptr: make([]int32, nb+1), of: make([]int32, len(p.Ind))}
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
func (g *jointGraph) bodies(j int32) []int32 {
	v := g.node[j]
	return g.p.Ind[g.p.Ptr[v]:g.p.Ptr[v+1]]
}

// at returns the joints of body b.
func (g *jointGraph) at(b int32) []int32 { return g.of[g.ptr[b]:g.ptr[b+1]] }

// laterNeighbours returns for each joint its neighbours after it in the order, fill included: when all joints before it have been
// eliminated. They are the later joints of the bodies of which the joint is the first one, and the later neighbours of each joint
// whose next neighbour it is.
func (g *jointGraph) laterNeighbours() [][]int32 {
	n := len(g.node)
	after := make([][]int32, n)
	mark := make([]int32, n) // for each joint: 1 + the last joint that has listed it
	// The joints whose next neighbour is j form a linked list: child[j], sibling[child[j]], and so on to −1.
	child, sibling := make([]int32, n), make([]int32, n)
	for j := range child {
		child[j] = -1
	}
	for j := range int32(n) {
		if g.watch.Every(int(j)) {
			break
		}
		var list []int32
		appendLater := func(joints []int32) {
			for _, k := range joints {
				if k > j && mark[k] != j+1 {
					mark[k] = j + 1
					list = append(list, k)
				}
			}
		}
		for _, b := range g.bodies(j) {
			if of := g.at(b); of[0] == j {
				appendLater(of)
			}
		}
		for c := child[j]; c >= 0; c = sibling[c] {
			appendLater(after[c])
		}
		after[j] = list
		if len(list) > 0 {
			next := slices.Min(list)
			sibling[j], child[next] = child[next], j
		}
	}
	return after
}

// levels returns all joints, breadth first from the joints to the world. Parts without a joint to the world
// follow, each from its first joint.
func (g *jointGraph) levels() []int32 {
	n := len(g.node)
	out := make([]int32, 0, n)
	reached, passed := make([]bool, n), make([]bool, g.p.Positive()) // joints in out; bodies whose joints are in out
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

// search returns all joints in the order of a maximum cardinality search of the chordal graph with the
// neighbours after. Each connected part begins with the last of its joints in levels. The next joint is always one with
// the most neighbours among the joints before.
func (g *jointGraph) search(after [][]int32, levels []int32) []int32 {
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
	visited := make([]bool, n)
	count := make([]int, n)       // visited neighbours of each joint
	ready := make([][]int32, n+1) // joints by count; a joint also stays in the lists of its smaller counts
	for i := n - 1; i >= 0; i-- {
		if visited[levels[i]] {
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
			if visited[j] || count[j] != most {
				continue
			}
			visited[j] = true
			out = append(out, j)
			if g.watch.Every(len(out)) {
				return out
			}
			for _, side := range [2][]int32{after[j], before[j]} {
				for _, k := range side {
					if !visited[k] {
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

// nodeOrder returns the order of all nodes with the joints in the reverse of seq, each body
// just before its first joint, and joints to the world, which cause no fill, just after their body.
func (g *jointGraph) nodeOrder(seq []int32) []int32 {
	nb := g.p.Positive()
	perm := make([]int32, 0, g.p.Len())
	done := make([]bool, g.p.Len())
	add := func(v int32) {
		if !done[v] {
			done[v] = true
			perm = append(perm, v)
		}
	}
	addBody := func(b int32) {
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
				addBody(b)
			}
		}
		add(g.node[seq[i]])
	}
	for b := range int32(nb) {
		if !done[b] {
			addBody(b)
		}
	}
	return perm
}
