package order

import "slices"

// coreMinDegree orders the core joints by minimum degree.
//
// Eliminating the core bodies first turns the core into a graph of joints in
// which each body is a clique, so the quotient graph of Amestoy, Davis & Duff
// (1996) starts with the bodies as its elements and without any edge between
// variables. A body just before its first joint gives the same fill.
func coreMinDegree(g *graph, core []int32) []int32 {
	q := newQuotient(g)
	q.load(core, nil)
	q.run()
	return q.appendJoints(core[:0:0], core)
}

// variable is a variable of the quotient graph: a joint, or several indistinguishable
// joints. Its elements are elems[at:at+count]; a step takes at least one
// absorbed element off the list and adds one, so the list never outgrows its memory.
type variable struct {
	at, count  int32
	rows       int32 // weight; negative while it is in the new element; 0 if merged or eliminated
	degree     int32 // approximate external degree in rows
	next, prev int32 // neighbours in the degree list; prev = −1−degree at its head
	more, tail int32 // members: next one of the chain or −1, and the chain's last
}

// elem is an element: a body, or the clique of variables that an eliminated pivot leaves.
type elem struct {
	at, count int32 // variables pool[at:at+count]; count −1: absorbed
	rows      int32 // weight of its variables
	seen      int32 // step that last computed rest
	rest      int32 // rows of its variables outside the new element
}

// quotient is the quotient graph with its memory, which load reuses from part
// to part. Variables from free on are a halo: they count in degrees but are
// never eliminated.
type quotient struct {
	g     *graph
	local []int32 // by joint: its variable in the loaded part, or −1
	known []bool  // by body: is an element of the loaded part

	free   int32
	vars   []variable
	elems  []int32
	elem   []elem
	pool   []int32
	head   []int32 // by degree: first variable of the list, −1: none
	bucket []int32 // by hash: first variable of the new element, −1: none
	chain  []int32 // by variable: next in its bucket
	hash   []int32 // by variable: its bucket
	least  int32   // no list below this degree has a variable
	total  int32   // rows not eliminated
	step   int32
	order  []int32 // variables eliminated so far
	flops  float64 // work of the eliminated joints

	halo, bodies []int32 // joints of the halo, bodies loaded
}

func newQuotient(g *graph) *quotient {
	q := &quotient{g: g, local: make([]int32, g.nj), known: make([]bool, g.nb)}
	for j := range q.local {
		q.local[j] = -1
	}
	return q
}

// load builds the quotient graph of the given joints. Other joints of their
// bodies form the halo if halo reports true for them; a nil halo means none.
//
// Cost: O(blocks of the part, and of the halo).
func (q *quotient) load(joints []int32, halo []bool) {
	g := q.g
	q.free = int32(len(joints))
	q.vars, q.elems, q.elem, q.pool = q.vars[:0], q.elems[:0], q.elem[:0], q.pool[:0]
	q.halo, q.bodies, q.order = q.halo[:0], q.bodies[:0], q.order[:0]
	q.total, q.step, q.flops = 0, 0, 0
	blocks := 0
	for _, j := range joints {
		blocks += len(g.bodies(j))
	}
	q.vars = slices.Grow(q.vars, len(joints))
	q.order = slices.Grow(q.order, len(joints))
	q.pool = slices.Grow(q.pool, 2*blocks+len(joints))
	q.bodies = slices.Grow(q.bodies, min(blocks, int(g.nb)))
	for i, j := range joints {
		if g.stop.Every(i) {
			return
		}
		q.addVar(j)
	}
	for _, j := range joints {
		for _, b := range g.bodies(j) {
			if !q.known[b] {
				q.known[b] = true
				q.bodies = append(q.bodies, b)
			}
		}
	}
	q.elem = slices.Grow(q.elem, len(q.bodies)+len(joints)) // of bodies, then of eliminated joints
	for i, b := range q.bodies {
		if g.stop.Every(i) {
			return
		}
		q.addBody(b, halo)
	}
	if g.stop.Up() {
		return
	}
	q.link()
	for _, j := range joints {
		q.local[j] = -1
	}
	for _, j := range q.halo {
		q.local[j] = -1
	}
	for _, b := range q.bodies {
		q.known[b] = false
	}
}

// addVar makes joint j a variable of the quotient graph, with its rows, and returns its number.
func (q *quotient) addVar(j int32) int32 {
	v := int32(len(q.vars))
	q.local[j] = v
	c := q.g.rows(j)
	q.vars = append(q.vars, variable{rows: c, next: -1, more: -1, tail: v})
	q.total += c
	return v
}

// addBody appends the element of body b: its joints in the part, and those in the halo, which become variables.
func (q *quotient) addBody(b int32, halo []bool) {
	e := elem{at: int32(len(q.pool)), seen: -1}
	for _, j := range q.g.joints(b) {
		v := q.local[j]
		if v < 0 {
			if halo == nil || !halo[j] {
				continue
			}
			v = q.addVar(j)
			q.halo = append(q.halo, j)
		}
		q.pool = append(q.pool, v)
		q.vars[v].count++
		e.rows += q.vars[v].rows
	}
	e.count = int32(len(q.pool)) - e.at
	q.elem = append(q.elem, e)
}

// link fills the element lists, the degrees and the degree lists. The pool gets spare
// memory, so that collect costs O(1) an entry.
func (q *quotient) link() {
	n, edges := len(q.vars), len(q.pool)
	q.elems = slices.Grow(q.elems, edges)[:edges]
	at := int32(0)
	for v := range q.vars {
		x := &q.vars[v]
		x.at = at
		at += x.count
		x.count = 0
	}
	for k := range q.elem {
		e := &q.elem[k]
		for _, v := range q.pool[e.at : e.at+e.count] {
			x := &q.vars[v]
			q.elems[x.at+x.count] = int32(k)
			x.count++
			x.degree += e.rows - x.rows
		}
	}
	q.pool = slices.Grow(q.pool, edges+n)
	q.head = fill(q.head, int(q.total)+1)
	q.bucket = fill(q.bucket, n+1)
	q.chain = slices.Grow(q.chain[:0], n)[:n]
	q.hash = slices.Grow(q.hash[:0], n)[:n]
	q.least = q.total
	for v := q.free - 1; v >= 0; v-- {
		x := &q.vars[v]
		x.degree = min(x.degree, q.total-x.rows)
		q.insert(v)
	}
}

// fill returns a slice of at least n elements that are −1, in the memory of s if it suffices. All
// elements of s are −1 already, because run leaves its lists empty.
func fill(s []int32, n int) []int32 {
	old := len(s)
	if old >= n {
		return s
	}
	s = slices.Grow(s, n-old)[:n]
	for k := old; k < n; k++ {
		s[k] = -1
	}
	return s
}

// insert puts v at the head of the list of its degree, from which pivots are
// taken. Callers insert variables backwards. So among equal degrees the variables of the latest
// element come first, in its order, and untouched variables by increasing index.
func (q *quotient) insert(v int32) {
	x := &q.vars[v]
	d := x.degree
	x.next, x.prev = q.head[d], -1-d
	if x.next >= 0 {
		q.vars[x.next].prev = v
	}
	q.head[d] = v
	q.least = min(q.least, d)
}

// remove takes variable v out of the list of its degree.
func (q *quotient) remove(v int32) {
	x := &q.vars[v]
	if x.next >= 0 {
		q.vars[x.next].prev = x.prev
	}
	if x.prev >= 0 {
		q.vars[x.prev].next = x.next
	} else {
		q.head[-1-x.prev] = x.next
	}
}

// run eliminates all variables but the halo.
func (q *quotient) run() {
	for int32(len(q.order)) < q.free && !q.g.stop.Up() {
		for q.head[q.least] < 0 {
			q.least++
		}
		q.eliminate(q.head[q.least])
	}
}

// appendJoints appends to dst the order found by run; joints is what load got.
func (q *quotient) appendJoints(dst, joints []int32) []int32 {
	for _, v := range q.order {
		dst = append(dst, joints[v])
	}
	return dst
}
