package factor

import "slices"

// ordPeel emits all pendant trees from their leaves and returns the joints of
// what is left, the core, in stored order.
//
// A body with one live joint is emitted, and the joint right after it (matched)
// if at most one other body of the joint is live. Then that body may have become
// a leaf in its turn, and the walk continues there, so that a branch is
// contiguous. A tree hung from the world vanishes with its joint to the world, a
// floating tree with its last body. No step fills: of a peeled body only its
// joint is live, and of a peeled joint only one body. A leaf of a joint with
// several other live bodies is emitted alone.
func ordPeel(g *ordGraph, e *ordEmitter) []int32 {
	degree := make([]int32, g.nb) // live joints of each body
	for b := range g.nb {
		degree[b] = g.bp[b+1] - g.bp[b]
	}
	left := make([]int32, g.nj) // live bodies of each joint; −1: emitted
	for j := range g.nj {
		if left[j] = g.jp[j+1] - g.jp[j]; left[j] == 0 {
			e.perm = append(e.perm, g.nb+j)
			left[j] = -1
		}
	}
	for b := range g.nb {
		for b >= 0 && !e.seen[b] && degree[b] <= 1 {
			e.body(b)
			b = ordPeelJoint(g, e, b, left, degree)
		}
	}
	core := make([]int32, 0, g.nj)
	for j := range g.nj {
		if left[j] >= 0 {
			core = append(core, j)
		}
	}
	return core
}

// ordPeelJoint takes the emitted leaf b out of its live joint, emits the joint if
// that leaves at most one live body, and returns that body or −1.
func ordPeelJoint(g *ordGraph, e *ordEmitter, b int32, left, degree []int32) int32 {
	for _, j := range g.joints(b) {
		if left[j] < 0 {
			continue
		}
		if left[j]--; left[j] > 1 {
			return -1
		}
		left[j] = -1
		e.perm = append(e.perm, g.nb+j)
		for _, c := range g.bodies(j) {
			if !e.seen[c] {
				degree[c]--
				return c
			}
		}
		return -1
	}
	return -1
}

// ordByDepth sorts the core joints by decreasing breadth-first depth, equal ones
// as stored. Joints to the world have depth 0; a part without such a joint
// starts with the joints of its lowest body.
func ordByDepth(g *ordGraph, core []int32) []int32 {
	depth := make([]int32, g.nj) // −1: in the core and not reached, −2: outside
	for j := range depth {
		depth[j] = -2
	}
	queue := make([]int32, 0, len(core))
	for _, j := range core {
		if depth[j] = -1; g.jp[j+1]-g.jp[j] == 1 {
			depth[j] = 0
			queue = append(queue, j)
		}
	}
	reached := make([]bool, g.nb)
	visit := func(b, d int32) {
		reached[b] = true
		for _, j := range g.joints(b) {
			if depth[j] == -1 {
				depth[j] = d
				queue = append(queue, j)
			}
		}
	}
	head := 0
	for start := int32(0); ; start++ {
		for ; head < len(queue); head++ {
			j := queue[head]
			for _, b := range g.bodies(j) {
				if !reached[b] {
					visit(b, depth[j]+1)
				}
			}
		}
		if start == g.nb {
			break
		}
		if !reached[start] {
			visit(start, 0)
		}
	}
	return ordSortByKey(core, depth)
}

// ordSortByKey returns nodes by decreasing key ≥ 0, equal ones in their given
// order.
func ordSortByKey(nodes, key []int32) []int32 {
	most := int32(0)
	for _, v := range nodes {
		most = max(most, key[v])
	}
	at := make([]int32, most+2)
	for _, v := range nodes {
		at[most-key[v]+1]++
	}
	for k := range most + 1 {
		at[k+1] += at[k]
	}
	out := slices.Clone(nodes)
	for _, v := range nodes {
		k := most - key[v]
		out[at[k]] = v
		at[k]++
	}
	return out
}
