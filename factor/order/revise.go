package order

import "github.com/rung-mbd/rung/sparse"

// Revise returns an order of p, perm[new] = old, that keeps the order of a similar pattern.
// place has for each node of p its place in the order of that pattern, or −1 for a new joint. A joint that
// now couples other bodies is new. A new joint comes after its bodies and after their joints.
// If such an order is against the tile rule, all new joints come after everything else, where each fills
// one path to the root of the elimination tree.
//
// Leaving joints out of an order does not break the rule, as every component only gets smaller.
// The order is as good as the former one as long as few joints are new.
//
// Shapes: place has one entry a node, each different, from −1 to places−1; bodies have a place.
// Cost: O(blocks·α(blocks) + places). It panics if place is not of this shape.
func Revise(p *sparse.Pattern, place []int32, places int) []int32 {
	g := newGraph(p)
	if len(place) != int(g.nb+g.nj) {
		panic("order: length mismatch")
	}
	at := make([]int32, places)
	for i := range at {
		at[i] = -1
	}
	var added []int32
	for v, k := range place {
		switch {
		case k < 0 && int32(v) >= g.nb:
			added = append(added, int32(v))
		case k < 0 || int(k) >= places || at[k] >= 0:
			panic("order: not a place")
		default:
			at[k] = int32(v)
		}
	}
	near := make([]int32, g.nb) // by body: the last place of it and its joints
	for b := range near {
		near[b] = place[b]
		for _, j := range g.joints(int32(b)) {
			near[b] = max(near[b], place[g.nb+j])
		}
	}
	after := map[int32][]int32{} // by place
	for _, v := range added {
		last := int32(0)
		for _, b := range g.bodies(v - g.nb) {
			last = max(last, near[b])
		}
		after[last] = append(after[last], v)
	}
	perm := make([]int32, 0, len(place))
	for k, v := range at {
		if v >= 0 {
			perm = append(perm, v)
		}
		perm = append(perm, after[int32(k)]...)
	}
	if len(added) == 0 || CheckTileRule(p, perm) == nil {
		return perm
	}
	perm = perm[:0]
	for _, v := range at {
		if v >= 0 {
			perm = append(perm, v)
		}
	}
	return append(perm, added...)
}
