package mechanics

import "github.com/rung-mbd/rung/internal/tape"

// elimination adds the instructions of a factorization or of the forward half of a solve, node by node in elimination order.
type elimination struct {
	*system
	rows    int                // number of right sides, which stand one behind the other in the places of a node
	right   []place            // by node: its right sides after the eliminations so far; none for zeros
	work    []place            // by node: the place to which right is written; none before
	leaves  []int32            // by node: the number of leaves that have been eliminated
	blocked map[[2]int32]place // blocks from which something has been subtracted
	spent   map[int][]place    // places of blocks that are not needed any more, by their size
}

// elimination returns an elimination before its first node, for right sides b.
func (s *system) elimination(b []place, rows int) *elimination {
	n := len(s.order)
	return &elimination{
		system: s, rows: rows, right: append([]place(nil), b...), work: make([]place, n), leaves: make([]int32, n),
		blocked: map[[2]int32]place{}, spent: map[int][]place{},
	}
}

// factorize adds the factorization, and the forward half of the solve for the right side. The input of the backward half is in s.z.
func (s *system) factorize() {
	e := s.elimination(s.right, 1)
	for _, v := range s.order {
		if !s.leaf[v] {
			e.pivots(v)
		}
		for _, u := range s.below[v] {
			e.panel(u, v)
		}
		e.forward(v, s.z)
		for i, u := range s.below[v] {
			for _, w := range s.below[v][:i] {
				e.update(u, w, v)
			}
			whole := s.leaf[v] && (s.size(v) == 6 || s.takesGroupGram(u, v)) // block and right side of u at once
			if whole {
				e.gram(u, v)
			} else {
				e.update(u, u, v)
			}
			e.diagonal(u, v)
			if !whole {
				e.subtract(u, v)
			}
		}
		e.giveBack(v)
	}
}

// take returns n places for a block. It reuses the places of a block that is not needed any more, if there is one. They are still in the
// first cache, while the workspace of a mechanism of twenty bodies does not even fit in the second one.
func (e *elimination) take(n int) place {
	list := e.spent[n]
	if len(list) == 0 {
		return e.Room(n)
	}
	e.spent[n] = list[:len(list)-1]
	return list[len(list)-1]
}

// giveBack frees the places of the blocks L·D below a node, as all later instructions read L.
func (e *elimination) giveBack(v int32) {
	if e.leaf[v] {
		return // these blocks are rows of the matrix
	}
	for _, u := range e.below[v] {
		key, n := [2]int32{u, v}, e.size(u)*e.size(v)
		e.spent[n] = append(e.spent[n], e.blocks[key])
		delete(e.blocks, key)
	}
}

// solve adds the forward half of a solve with the factor for a number of right sides b, none for zeros. It stores the input of the backward
// half in z.
func (s *system) solve(b, z []place, rows int) {
	e := s.elimination(b, rows)
	for _, v := range s.order {
		if !b[v].Is() {
			continue
		}
		e.forward(v, z)
		for _, u := range s.below[v] {
			e.subtract(u, v)
		}
	}
}

// forward adds the solve with the block of a node for its right sides.
func (e *elimination) forward(v int32, z []place) {
	if e.leaf[v] {
		z[v] = e.right[v]
		return
	}
	e.OpN(sized(tape.Panel1, e.size(v)), e.rows, 0, e.y0(v, e.rows), e.right[v], e.blocks[[2]int32{v, v}], e.inverse[v], z[v])
}

// subtract adds the subtraction of L·y from the right sides of u, with the block L of u below v and the eliminated right sides y of v.
func (e *elimination) subtract(u, v int32) {
	if !e.work[u].Is() {
		if _, e.work[u] = e.block(u); e.rows > 1 {
			e.work[u] = e.Room(e.rows * e.size(u))
		}
	}
	from := e.right[v]
	if !e.leaf[v] {
		from = e.y0(v, e.rows)
	}
	e.tile(e.work[u], e.right[u], from, e.scaled[[2]int32{u, v}], e.rows, e.size(u), e.size(v), e.size(u))
	e.right[u] = e.work[u]
}

// diagonal stores the scales of joint u after leaf v, if that is its last body and its pivots are then its scales.
func (e *elimination) diagonal(u, v int32) {
	if !e.leaf[v] {
		return
	}
	if e.leaves[u]++; e.leaves[u] == e.pattern.Ptr[u+1]-e.pattern.Ptr[u] && e.plain(u) {
		e.OpN(tape.Diagonal, e.size(u), e.size(u)+1, e.scale[u], e.core[u])
	}
}

// gram subtracts W·Wᵀ of leaf v from the block of joint u, and W·b from its right side, with one instruction.
func (e *elimination) gram(u, v int32) {
	key := [2]int32{u, u}
	at, right := e.block(u)
	from, ok := e.blocked[key]
	if !ok {
		from = e.null
	}
	code := tape.Shaped(tape.Gram1of1, e.size(u), e.full[u])
	if e.takesGroupGram(u, v) {
		code = tape.GroupGram3x1
		if e.size(u) == 5 {
			code = tape.GroupGram5x1
		}
		code += tape.Code(e.size(v)-1) * (tape.GroupGram3x2 - tape.GroupGram3x1)
	}
	e.Op(code, at, e.blocks[[2]int32{u, v}], e.right[v], from, e.right[u])
	e.blocked[key], e.right[u] = at, right
}

// takesGroupGram reports whether one instruction subtracts the whole term of group v from the block and the right side of joint u.
func (s *system) takesGroupGram(u, v int32) bool {
	return s.group[v] && (s.size(u) == 3 || s.size(u) == 5)
}

// y0 returns the places of the right sides times L⁻¹ of node v in the forward half.
func (s *system) y0(v int32, rows int) place {
	key := [2]int32{-1 - v, int32(rows)}
	at, ok := s.blocks[key]
	if !ok {
		at = s.Room(rows * s.size(v))
		s.blocks[key] = at
	}
	return at
}

// panelStep is the number of codes from one size of a kernel to the next.
const panelStep = int(tape.Panel2 - tape.Panel1)

// sized returns the code of a kernel for blocks of n.
func sized(first tape.Code, n int) tape.Code { return first + tape.Code(panelStep*(n-1)) }

// masses are the codes for blocks of groups and bodies, by their size.
var masses = map[int]tape.Code{1: tape.Mass1, 2: tape.Mass2, 3: tape.Mass3, 6: tape.Mass6}

// pivots adds the factorization of the diagonal block of a node.
func (e *elimination) pivots(v int32) {
	key, n := [2]int32{v, v}, e.size(v)
	at, ok := e.blocked[key]
	if !ok { // nothing has been subtracted
		at, _ = e.block(v)
		from := e.start(v, v)
		if !from.Is() {
			from = e.null
		}
		e.OpN(tape.Copy, n*n, 0, at, from)
	}
	e.blocks[key] = at
	e.inverse[v] = e.Room(n)
	if e.pattern.Sign[v] < 0 {
		e.Op(sized(tape.Joint1, n), at, e.inverse[v], e.scale[v], e.record)
	} else {
		e.Op(masses[n], at, e.inverse[v], e.null, e.record)
	}
}

// panel adds L·D and L of the block of u below v. For a leaf both are the block of the matrix.
func (e *elimination) panel(u, v int32) {
	key := [2]int32{u, v}
	at, ok := e.blocked[key]
	if !ok {
		if at = e.start(u, v); !at.Is() {
			panic("mechanics: empty block")
		}
	}
	if e.leaf[v] { // its pivots are 1
		e.blocks[key], e.scaled[key] = at, at
		return
	}
	n, m := e.size(v), e.size(u)
	x := at
	if !ok {
		x = e.take(m * n)
	}
	e.blocks[key], e.scaled[key] = x, e.Room(m*n)
	e.OpN(sized(tape.Panel1, n), m, 0, x, at, e.blocks[[2]int32{v, v}], e.inverse[v], e.scaled[key])
}

// update subtracts from the block of u and w the product of their blocks below v.
func (e *elimination) update(u, w, v int32) {
	key := [2]int32{u, w}
	from, ok := e.blocked[key]
	at := from
	if !ok {
		from = e.start(u, w)
		if at, _ = e.block(u); u != w {
			at = e.take(e.size(u) * e.size(w))
		}
		e.blocked[key] = at
	}
	x, y := e.blocks[[2]int32{u, v}], e.scaled[[2]int32{w, v}]
	if u != w && !from.Is() && e.leaf[v] && e.size(v) == 6 && e.hinged(u) && e.hinged(w) {
		e.Op(tape.Pair3of5, at, x, y)
		return
	}
	if u != w {
		e.tile(at, from, x, y, e.size(u), e.size(w), e.size(v), e.size(w))
		return
	}
	n, k := e.size(u), e.size(v)
	for lo := 0; lo < n; {
		rows := min(tape.Rows(n), n-lo)
		from := from
		if from.Is() {
			from = from.At(lo * n)
		}
		e.tile(at.At(lo*n), from, x.At(lo*k), y, rows, lo+rows, k, n)
		lo += rows
	}
}

// hinged reports whether a joint has the rows of a hinge: five, two of which are moments.
func (s *system) hinged(v int32) bool { return s.size(v) == 5 && s.full[v] <= 3 }

// tile adds at = from − X·Yᵀ, with X of m rows and Y of n rows of k numbers; from is none for zeros. Rows of at and from are stride places
// apart.
func (s *system) tile(at, from, x, y place, m, n, k, stride int) {
	for lo := 0; lo < m; {
		rows := min(tape.Rows(n), m-lo)
		code := tape.Tile1x1
		d := s.null
		if !from.Is() {
			code = tape.Fresh1x1
		} else {
			d = from.At(lo * stride)
		}
		code += tape.Code(6*(rows-1) + n - 1)
		s.OpN(code, k, stride, at.At(lo*stride), x.At(lo*k), y, d)
		lo += rows
	}
}

// backward adds the backward half of a solve for one or two right sides, one behind the other: the solutions of all nodes, in list, from
// the results z of the forward half.
func (s *system) backward(list, z []place, rows int) {
	for i := len(s.order) - 1; i >= 0; i-- {
		v := s.order[i]
		n := s.size(v)
		from := z[v]
		if !from.Is() {
			from = s.null
		}
		if len(s.below[v]) == 0 {
			s.OpN(tape.Copy, rows*n, 0, list[v], from)
		}
		for _, u := range s.below[v] {
			L := s.scaled[[2]int32{u, v}]
			if s.leaf[v] && n == 6 {
				for k := range rows {
					s.Op(tape.Shaped(tape.Columns1of1, s.size(u), s.full[u]), list[v].At(k*n), L, list[u].At(k*s.size(u)), from.At(k*n))
				}
			} else {
				back := tape.Back1
				if rows == 2 {
					back = tape.TwoBack1
				}
				s.OpN(sized(back, n), s.size(u), 0, list[v], L, list[u], from)
			}
			from = list[v]
		}
		if !s.leaf[v] && n > 1 {
			for k := range rows {
				s.Op(tape.Upper2+tape.Code(n-2)*(tape.Upper3-tape.Upper2), list[v].At(k*n), s.null, s.blocks[[2]int32{v, v}])
			}
		}
	}
}
