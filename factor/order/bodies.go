package order

import "github.com/rung-mbd/rung/sparse"

// OfBodies returns the elimination order of p's nodes, perm[new] = old, that takes the bodies as they are listed. A joint
// comes right after the last of its bodies, joints to the world first and then by number. So every joint is closed, and
// the order obeys the tile rule (CheckTileRule).
//
// A body that is not listed comes right before the first joint that waits for no listed one; so an empty list gives
// Natural.
//
// Cost: O(blocks); allocates. It panics if a body is out of range or listed twice, or if p is not of the form Of takes.
func OfBodies(p *sparse.Pattern, bodies []int32) []int32 {
	g := newGraph(p)
	waits := make([]int32, g.nj) // by joint: listed bodies to come
	listed := make([]bool, g.nb)
	for _, b := range bodies {
		if uint32(b) >= uint32(g.nb) {
			panic("order: body out of range")
		}
		if listed[b] {
			panic("order: body listed twice")
		}
		listed[b] = true
		for _, j := range g.joints(b) {
			waits[j]++
		}
	}
	e := newEmitter(g)
	for _, b := range bodies {
		e.body(b)
		for _, j := range g.joints(b) {
			if waits[j]--; waits[j] == 0 {
				e.joints([]int32{j})
			}
		}
	}
	for j := range g.nj {
		e.joints([]int32{j})
	}
	e.rest()
	return e.perm
}
