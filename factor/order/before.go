package order

import (
	"slices"

	"github.com/rung-mbd/rung/sparse"
)

// BeforeJoints returns the elimination order perm with some +1 nodes moved forward. If no neighbour of full size
// (sparse.MaxBlock) comes before a joint, all its neighbours are moved right before it. For the rows of a joint are independent
// on a body with six freedoms, but on a group of bodies with fewer freedoms they may depend on each other.
//
// Cost: O(nodes + blocks); allocates.
//
// It panics if perm is not a permutation of the nodes.
func BeforeJoints(p *sparse.Pattern, perm []int32) []int32 {
	mustPermute(p, perm)
	out := make([]int32, 0, len(perm))
	done := make([]bool, len(perm))
	add := func(v int32) {
		if !done[v] {
			done[v] = true
			out = append(out, v)
		}
	}
	for _, v := range perm {
		list := p.Ind[p.Ptr[v]:p.Ptr[v+1]]
		if !slices.ContainsFunc(list, func(b int32) bool { return done[b] && p.Size[b] == sparse.MaxBlock }) {
			for _, b := range list {
				add(b)
			}
		}
		add(v)
	}
	return out
}

// mustPermute panics unless perm is a permutation of the nodes of p.
func mustPermute(p *sparse.Pattern, perm []int32) {
	if p == nil {
		panic("order: no pattern")
	}
	seen := make([]bool, p.Len())
	for _, v := range perm {
		if uint(v) >= uint(len(seen)) || seen[v] {
			panic("order: not a permutation")
		}
		seen[v] = true
	}
	if len(perm) != len(seen) {
		panic("order: not a permutation")
	}
}
