package factor

import (
	"slices"

	"github.com/rung-mbd/rung/internal/halt"
	"github.com/rung-mbd/rung/internal/sets"
	"github.com/rung-mbd/rung/sparse"
)

// graph is a pattern in elimination order: for each node its neighbours that
// come earlier in that order.
type graph struct {
	n      int
	size   []int32 // rows of each node
	lowPtr []int32
	low    []int32 // lower neighbours, in no order
	stop   *halt.Flag
}

// newGraph renumbers p by inv (inv[old] = new), keeping only the lower
// neighbours of each node.
func newGraph(p *sparse.Pattern, inv []int32) *graph {
	n := p.Len()
	g := &graph{n: n, size: make([]int32, n), lowPtr: make([]int32, n+1), low: make([]int32, len(p.Ind))}
	for i := range n {
		g.size[inv[i]] = int32(p.Size[i])
		for _, j := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
			g.lowPtr[max(inv[i], inv[j])+1]++
		}
	}
	for i := range n {
		g.lowPtr[i+1] += g.lowPtr[i]
	}
	next := make([]int32, n)
	copy(next, g.lowPtr)
	for i := range n {
		for _, j := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
			a, b := inv[i], inv[j]
			if a < b {
				a, b = b, a
			}
			g.low[next[a]] = b
			next[a]++
		}
	}
	return g
}

// etree returns the parent of each node in the elimination tree, −1 for roots
// (Liu 1990, Davis 2006 §4.1).
func (g *graph) etree() []int32 {
	parent := make([]int32, g.n)
	anc := make([]int32, g.n)
	for i := range int32(g.n) {
		parent[i], anc[i] = -1, -1
		for _, k := range g.low[g.lowPtr[i]:g.lowPtr[i+1]] {
			for k != -1 && k < i {
				next := anc[k]
				anc[k] = i
				if next == -1 {
					parent[k] = i
				}
				k = next
			}
		}
	}
	return parent
}

// postorder returns a postorder of the forest, post[new] = old, children by
// increasing number.
func postorder(parent []int32) []int32 {
	n := len(parent)
	head, next := make([]int32, n), make([]int32, n) // first child, next sibling
	for i := range head {
		head[i], next[i] = -1, -1
	}
	for i := n - 1; i >= 0; i-- {
		if p := parent[i]; p >= 0 {
			next[i] = head[p]
			head[p] = int32(i)
		}
	}
	post := make([]int32, 0, n)
	descend := func(v int32) int32 {
		for head[v] >= 0 {
			v = head[v]
		}
		return v
	}
	for r := range int32(n) {
		if parent[r] >= 0 {
			continue
		}
		v := descend(r)
		for v != r {
			post = append(post, v)
			if next[v] >= 0 {
				v = descend(next[v])
			} else {
				v = parent[v]
			}
		}
		post = append(post, r)
	}
	return post
}

// counts returns, for each node of a postordered graph, the scalar rows of its
// column of L: its own and those below (Gilbert, Ng & Peyton 1994, with rows
// weighted by their size).
func (g *graph) counts(parent []int32) []int32 {
	n := g.n
	cnt := make([]int32, n)
	first := make([]int32, n)    // by node: its first descendant in the postorder
	anc := sets.New(n)           // sets of nodes whose root is the last ancestor seen
	prevLeaf := make([]int32, n) // by row: the last leaf seen of its row subtree
	for i := range n {
		first[i], prevLeaf[i] = -1, -1
	}
	for k := range n {
		if g.stop.Every(k) {
			return cnt
		}
		if first[k] == -1 {
			cnt[k] = g.size[k] // a leaf of the tree
		}
		for j := int32(k); j != -1 && first[j] == -1; j = parent[j] {
			first[j] = int32(k)
		}
	}
	// Row subtree i has a leaf at each j whose column first meets row i there.
	high, ptr := g.transpose()
	for j := range int32(n) {
		if g.stop.Every(int(j)) {
			return cnt
		}
		if p := parent[j]; p >= 0 {
			cnt[p] -= g.size[j] // row j ends at j
		}
		for _, i := range high[ptr[j]:ptr[j+1]] {
			prev := prevLeaf[i]
			if prev != -1 && first[j] <= prev {
				continue
			}
			cnt[j] += g.size[i]
			if prev != -1 {
				q := anc.Find(prev)
				cnt[q] -= g.size[i]
			}
			prevLeaf[i] = j
		}
		if p := parent[j]; p >= 0 {
			anc[j] = p
		}
	}
	// From differences to counts: sum over the subtrees.
	for j := range n {
		if p := parent[j]; p >= 0 {
			cnt[p] += cnt[j]
		}
	}
	return cnt
}

// transpose returns the later neighbours of each node: high[ptr[j]:ptr[j+1]] for node j, increasing.
func (g *graph) transpose() (high, ptr []int32) {
	ptr = make([]int32, g.n+1)
	for _, j := range g.low {
		ptr[j+1]++
	}
	for i := range g.n {
		ptr[i+1] += ptr[i]
	}
	next := make([]int32, g.n)
	copy(next, ptr)
	high = make([]int32, len(g.low))
	for i := range int32(g.n) {
		for _, j := range g.low[g.lowPtr[i]:g.lowPtr[i+1]] {
			high[next[j]] = i
			next[j]++
		}
	}
	return high, ptr
}

// sortInt32 sorts v in increasing order. Short lists, which most lists of columns are, are sorted by insertion.
func sortInt32(v []int32) {
	if len(v) > 24 {
		slices.Sort(v)
		return
	}
	for i := 1; i < len(v); i++ {
		x, j := v[i], i
		for ; j > 0 && v[j-1] > x; j-- {
			v[j] = v[j-1]
		}
		v[j] = x
	}
}
