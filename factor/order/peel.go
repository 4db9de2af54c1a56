package order

import "slices"

// leafRows is the number of rows of a body's joints up to which peel eliminates the body before
// its joints. The joints then couple with each other directly. Coupling more rows costs more
// than the body's own six.
const leafRows = 18

// peel emits all pendant trees, from their leaves inwards, and returns the joints of what is
// left, the core, in stored order.
//
// A joint is live until it is emitted. A body is pendant if at most one live joint ties it to
// other bodies. Joints to the world follow their body at once, and tie it to nothing. A pendant
// body is taken out together with that joint, if at most one other body of the joint is live.
// That other body may then be pendant in its turn. Bodies are taken in the order in which they
// become pendant. So a chain is peeled from both ends at the same pace, which leaves two halves
// that do not depend on each other.
//
// If the other body of the joint has few joints, it is emitted before the joint, and the joint
// is closed. Otherwise the body waits for its other joints, and the joint is pendant
// (CheckTileRule). What is tied to the world must not hang on such a joint, and is left in
// place. No step couples more than leafRows rows.
func peel(g *graph, e *emitter) []int32 {
	p := &peeler{
		g: g, e: e,
		degree:   make([]int32, g.nb),
		rows:     make([]int32, g.nb),
		left:     make([]int32, g.nj),
		gone:     make([]bool, g.nb),
		grounded: make([]bool, g.nb),
		held:     make([]bool, g.nj),
	}
	for j := range g.nj {
		bodies := g.bodies(j)
		for _, b := range bodies {
			p.rows[b] += g.rows(j)
		}
		switch p.left[j] = int32(len(bodies)); len(bodies) {
		case 0:
			e.perm = append(e.perm, g.nb+j)
			e.done[j] = true
		case 1:
			p.grounded[bodies[0]] = true
		default:
			for _, b := range bodies {
				p.degree[b]++
			}
		}
	}
	queue := make([]int32, 0, g.nb)
	for b := range g.nb {
		if p.degree[b] <= 1 {
			queue = append(queue, b)
		}
	}
	for k := 0; k < len(queue) && !g.stop.Up(); k++ {
		if c := p.peel(queue[k]); c >= 0 && p.degree[c] == 1 {
			queue = append(queue, c)
		}
	}
	core := make([]int32, 0, g.nj)
	for j := range g.nj {
		if !e.done[j] {
			core = append(core, j)
		}
	}
	return core
}

// peeler is the state of peel.
type peeler struct {
	g        *graph
	e        *emitter
	degree   []int32 // by body: live joints to other bodies
	rows     []int32 // by body: rows of all its joints
	left     []int32 // by joint: live bodies
	gone     []bool  // by body: taken out
	grounded []bool  // by body: it or what hangs on it is tied to the world
	held     []bool  // by joint: a body of it that is taken out is grounded
}

// peel takes out body b and the joint that ties it to the rest. It returns the
// other live body of that joint, or −1.
func (p *peeler) peel(b int32) int32 {
	g, e := p.g, p.e
	if p.gone[b] {
		return -1 // the last two of a part make each other pendant
	}
	j := p.tie(b)
	if j < 0 || p.left[j] > 2 {
		p.gone[b] = true
		e.body(b)
		if j >= 0 {
			p.left[j]--
			p.held[j] = p.held[j] || p.grounded[b]
		}
		return -1
	}
	c := int32(-1)
	for _, d := range g.bodies(j) {
		if d != b && !p.gone[d] {
			c = d
		}
	}
	if c >= 0 {
		waits := !e.seen[c] && p.degree[c] > 1 && p.rows[c] > leafRows
		held := p.grounded[b] || p.held[j]
		if waits && held {
			return -1
		}
		p.degree[c]--
		p.grounded[c] = p.grounded[c] || held
		e.body(b)
		if !waits {
			e.body(c)
		}
	}
	p.gone[b] = true
	e.body(b)
	e.joint(j)
	return c
}

// tie returns the live joint of body b to other bodies, or −1.
func (p *peeler) tie(b int32) int32 {
	for _, j := range p.g.joints(b) {
		if !p.e.done[j] && p.g.jp[j+1]-p.g.jp[j] > 1 {
			return j
		}
	}
	return -1
}

// byDepth sorts the core joints by decreasing breadth-first depth, equal ones
// as stored. Joints to the world have depth 0; a part without such a joint
// starts with the joints of its lowest body.
func byDepth(g *graph, core []int32) []int32 {
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
	return sortByKey(core, depth)
}

// sortByKey returns nodes by decreasing key ≥ 0, equal ones in their given
// order.
func sortByKey(nodes, key []int32) []int32 {
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
