package order

import "slices"

// leafRows is the number of rows of a body's joints up to which peel eliminates the body before
// its joints. The joints then couple with each other directly. Coupling more rows costs more
// than the body's own six.
const leafRows = 18

// peel emits all pendant trees, from their leaves inwards, and returns the joints of what is
// left, the core, in stored order.
//
// A joint of three bodies may be beside another joint, its twin: one body, its slack, has no other joint, and the twin couples the
// two other bodies. An example is the spring of a hinge. The joint ties nothing that its twin does not tie, is matched with
// its slack at any time (CheckTileRule), and follows its twin. If the twin is in the core, the joint is in the core, too. All this is
// done only if such a joint is at a body of more than leafRows rows, as it would couple all of these rows. Without such a body
// the core would be no narrower.
//
// A joint is live until it is emitted. A body is pendant if at most one live joint ties it to
// other bodies. Joints to the world follow their body at once, and tie it to nothing. A pendant
// body is taken out together with that joint, if at most one other body of the joint is live.
// That other body may then be pendant in its turn. Bodies are taken in the order in which they
// become pendant. So a chain is peeled from both ends at the same pace, which leaves two halves
// that do not depend on each other.
//
// If the other body of the joint has few joints, it is emitted before the joint, and the joint
// is closed. Otherwise that body waits for its other joints, and the joint is pendant
// (CheckTileRule). A part that is tied to the world must not hang on a pendant joint, and is left in
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
		first:    make([]int32, g.nj),
		next:     make([]int32, g.nj),
	}
	for j := range g.nj {
		for _, b := range g.bodies(j) {
			p.rows[b] += g.rows(j)
		}
	}
	p.findTwins()
	for j := range g.nj {
		bodies := g.bodies(j)
		if p.next[j] >= 0 {
			continue
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
		if p.degree[b] <= 1 && !p.gone[b] {
			queue = append(queue, b)
		}
	}
	for k := 0; k < len(queue) && !g.stop.Up(); k++ {
		if c := p.peel(queue[k]); c >= 0 && p.degree[c] == 1 {
			queue = append(queue, c)
		}
	}
	for j := range g.nj {
		if p.next[j] >= 0 && !e.done[j] {
			e.body(p.slack(j))
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
	held     []bool  // by joint: one of its bodies that have been taken out is grounded
	first    []int32 // by joint: 1 + the first joint beside it, 0 if there is none
	next     []int32 // by joint beside another: 1 + the next joint beside the same twin, 0 if it is the last; −1 for others
}

// findTwins finds the joints that are beside others, and takes their slacks out, if one of these joints is at a body of more than
// leafRows rows.
func (p *peeler) findTwins() {
	g, hub := p.g, false // hub: a joint beside another is at a body of many rows
	twin := make([]int32, g.nj)
	for j := range g.nj {
		p.next[j], twin[j] = -1, -1
		if s := p.slack(j); s >= 0 {
			twin[j] = p.twin(j, s)
		}
		for _, b := range g.bodies(j) {
			hub = hub || twin[j] >= 0 && p.rows[b] > leafRows
		}
	}
	for j := g.nj - 1; j >= 0 && hub; j-- { // from the last joint on, so that lists are in stored order
		if k := twin[j]; k >= 0 {
			p.next[j], p.first[k], p.gone[p.slack(j)] = p.first[k], j+1, true
		}
	}
}

// slack returns the body of a joint of three that has no other joint, or −1.
func (p *peeler) slack(j int32) int32 {
	s := int32(-1)
	if bodies := p.g.bodies(j); len(bodies) == 3 {
		for _, b := range bodies {
			if len(p.g.joints(b)) == 1 {
				s = b
			}
		}
	}
	return s
}

// twin returns a joint that couples just the other two bodies of joint j, or −1.
func (p *peeler) twin(j, slack int32) int32 {
	var a, b int32 = -1, -1
	for _, c := range p.g.bodies(j) {
		if c != slack {
			a, b = b, c
		}
	}
	if len(p.g.joints(a)) > len(p.g.joints(b)) {
		a, b = b, a
	}
	for _, k := range p.g.joints(a) {
		if bodies := p.g.bodies(k); len(bodies) == 2 && (bodies[0] == b || bodies[1] == b) {
			return k
		}
	}
	return -1
}

// peel takes out body b and the joint that ties it to the rest. It returns the
// other live body of that joint, which may be pendant now, or −1.
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
	for k := p.first[j]; k > 0; k = p.next[k-1] {
		e.body(p.slack(k - 1))
		e.joint(k - 1)
	}
	return c
}

// tie returns the live joint of body b to other bodies, or −1.
func (p *peeler) tie(b int32) int32 {
	for _, j := range p.g.joints(b) {
		if !p.e.done[j] && p.g.jp[j+1]-p.g.jp[j] > 1 && p.next[j] < 0 {
			return j
		}
	}
	return -1
}

// byDepth sorts the core joints by decreasing breadth-first depth, joints of equal depth
// as stored. Joints to the world have depth 0; in a part without such a joint
// the joints of its first body have depth 0.
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

// sortByKey returns the nodes by decreasing key, nodes of equal key in their given
// order. key[v] ≥ 0 is the key of node v.
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
