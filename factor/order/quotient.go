package order

import "slices"

// eliminate makes pivot p an element: one step of Amestoy, Davis & Duff 1996,
// algorithm 1, without its edges between variables. It has element absorption,
// aggressive absorption, approximate degrees, mass elimination, and merging of
// variables with equal element lists.
func (q *quotient) eliminate(p int32) {
	q.step++
	q.remove(p)
	pivot := q.vars[p].rows
	q.vars[p].rows = 0
	q.emit(p)
	at, rows := q.absorb(p)
	self := int32(len(q.elem))
	q.distances(at)

	// Variables without another element are eliminated along with the pivot.
	for _, v := range q.pool[at:] {
		x := &q.vars[v]
		outside, hash := q.prune(x)
		if x.count == 0 && v < q.free {
			pivot -= x.rows
			rows += x.rows
			x.rows = 0
			q.emit(v)
			continue
		}
		q.elems[x.at+x.count] = self
		x.count++
		if v < q.free {
			x.degree = min(x.degree, outside)
			h := hash % uint32(len(q.bucket))
			q.hash[v] = int32(h)
			q.chain[v] = q.bucket[h]
			q.bucket[h] = v
		}
	}
	q.flops += pivotFlops(pivot, rows)
	q.total -= pivot
	q.merge(at)
	q.finish(at, rows)
}

// absorb gathers the variables of p's elements at the end of the pool. It returns the place from which
// they are there, and their weight. Their weights are negated and, except in the halo, they leave the
// degree lists.
func (q *quotient) absorb(p int32) (at, rows int32) {
	own := q.elems[q.vars[p].at:][:q.vars[p].count]
	need := 0
	for _, k := range own {
		need += int(q.elem[k].count)
	}
	if len(q.pool)+need > cap(q.pool) {
		q.collect()
	}
	at = int32(len(q.pool))
	for _, k := range own {
		e := &q.elem[k]
		for _, v := range q.pool[e.at : e.at+e.count] {
			x := &q.vars[v]
			if x.rows <= 0 {
				continue
			}
			rows += x.rows
			x.rows = -x.rows
			q.pool = append(q.pool, v)
			if v < q.free {
				q.remove(v)
			}
		}
		e.count = -1
	}
	return at, rows
}

// collect moves the living elements to the front of the pool.
func (q *quotient) collect() {
	end := int32(0)
	for k := range q.elem {
		e := &q.elem[k]
		if e.count > 0 {
			copy(q.pool[end:end+e.count], q.pool[e.at:e.at+e.count])
			e.at = end
			end += e.count
		}
	}
	q.pool = q.pool[:end]
}

// distances sets elem.rest of every element that shares a variable with the new element, whose variables are pool[at:].
func (q *quotient) distances(at int32) {
	for _, v := range q.pool[at:] {
		x := &q.vars[v]
		for _, k := range q.elems[x.at : x.at+x.count] {
			e := &q.elem[k]
			if e.count < 0 {
				continue
			}
			if e.seen != q.step {
				e.seen = q.step
				e.rest = e.rows
			}
			e.rest += x.rows
		}
	}
}

// prune removes from the list of x the elements that have been absorbed. It absorbs and removes the elements within the new element, too
// (aggressive absorption). It returns a bound of the rows that the remaining elements have outside the new one, and a hash of the numbers
// of these elements.
func (q *quotient) prune(x *variable) (outside int32, hash uint32) {
	list := q.elems[x.at : x.at+x.count]
	n := int32(0)
	for _, k := range list {
		e := &q.elem[k]
		if e.count < 0 {
			continue
		}
		if e.rest == 0 {
			e.count = -1
			continue
		}
		outside += e.rest
		hash += uint32(k)
		list[n] = k
		n++
	}
	x.count = n
	return outside, hash
}

// merge joins the variables of the new element that have equal element lists.
// The lists are sorted: they begin so, and a new element has the highest number.
func (q *quotient) merge(at int32) {
	for _, v := range q.pool[at:] {
		if v >= q.free || q.vars[v].rows == 0 {
			continue
		}
		h := q.hash[v]
		first := q.bucket[h]
		q.bucket[h] = -1
		for first >= 0 && q.chain[first] >= 0 {
			x := &q.vars[first]
			list := q.elems[x.at : x.at+x.count]
			last := first
			for u := q.chain[first]; u >= 0; u = q.chain[u] {
				y := &q.vars[u]
				if !slices.Equal(list, q.elems[y.at:y.at+y.count]) {
					last = u
					continue
				}
				q.chain[last] = q.chain[u]
				x.rows += y.rows
				y.rows = 0
				q.vars[x.tail].more = u
				x.tail = y.tail
			}
			first = q.chain[first]
		}
	}
}

// finish completes the new element of the variables pool[at:] with the given weight, and the degrees and degree lists of these
// variables.
func (q *quotient) finish(at, rows int32) {
	end := at
	for _, v := range q.pool[at:] {
		x := &q.vars[v]
		if x.rows == 0 {
			continue
		}
		q.pool[end] = v
		end++
		x.rows = -x.rows
		x.degree = min(x.degree+rows, q.total) - x.rows
	}
	q.pool = q.pool[:end]
	for _, v := range slices.Backward(q.pool[at:]) {
		if v < q.free {
			q.insert(v)
		}
	}
	q.elem = append(q.elem, elem{at: at, count: end - at, rows: rows, seen: -1})
}

// emit appends v and the variables merged into it to the order.
func (q *quotient) emit(v int32) {
	for ; v >= 0; v = q.vars[v].more {
		q.order = append(q.order, v)
	}
}

// pivotFlops returns the work of eliminating w scalar rows that form a dense
// block, with s rows below: the sum of r(r+1) for r = s … s+w−1.
func pivotFlops(w, s int32) float64 {
	a, b := float64(w), float64(s)
	return a*b*(b+1) + a*(a-1)/2*(2*b+1) + a*(a-1)*(2*a-1)/6
}
