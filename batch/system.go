package batch

import (
	"math"

	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/sparse"
)

// Short names of package places: the record of a solve.
const (
	overPivot   = places.OverPivot
	doubt       = places.Doubt
	weakRows    = places.WeakRows
	bodyPivot   = places.BodyPivot
	bigResidual = places.BigResidual
	badResidual = places.BadResidual
	sizes       = places.Sizes
	notFinite   = places.NotFinite
	notUnit     = places.NotUnit
	records     = places.Record
)

// system makes the tape of factorization and solve: the block LDLᵀ of package factor in the order of a plan, as
// single instructions.
type system struct {
	*program
	pattern *sparse.Pattern
	order   []int32
	place   []int32   // of each node in order
	below   [][]int32 // of each node: the nodes after it that it is coupled to in the factor, in order

	rows   [][]place // of each −1 node: its blocks, Size×Size of the node, in the order of Pattern.Ind
	right  []place   // of each node: its right side
	scale  []place   // of each −1 node
	x      []place   // of each node: its solution
	square []place   // of each +1 node: its squared norm
	parts  [][]place // of each −1 node: known parts of the solution that its right side has lost (docs/theory.md, (R9))
	group  []bool    // of each +1 node
	record place

	full    []int  // of each −1 node: its first rows that may have six numbers; the others are moments, zero in their last three
	dense   []bool // of each −1 node: rows and scales are evaluated one state at a time
	leaf    []bool
	core    []place            // of each node: its block in the factor, and what is left of its right side behind it
	blocks  map[[2]int32]place // L·D, later node first
	scaled  map[[2]int32]place // L; the same places for leaves
	inverse []place            // 1/D
	z, res  []place            // of each node: of the forward half, and the residual
	mask    place              // one where a lane wants a correction
	holds   place              // one where a lane has passed the checks
	terms   place
	scrap   place // of judge
	null    place
}

func newSystem(p *program, pattern *sparse.Pattern, order []int32) *system {
	n := pattern.Len()
	s := &system{program: p, pattern: pattern, order: order, place: make([]int32, n), below: make([][]int32, n),
		rows: make([][]place, n), right: make([]place, n), scale: make([]place, n), x: make([]place, n), square: make([]place, n), parts: make([][]place, n), group: make([]bool, n),
		leaf: make([]bool, n), blocks: map[[2]int32]place{}, scaled: map[[2]int32]place{}, inverse: make([]place, n),
		z: make([]place, n), res: make([]place, n), full: make([]int, n), dense: make([]bool, n), core: make([]place, n)}
	for k, v := range order {
		s.place[v] = int32(k)
	}
	s.null = p.shared(make([]float64, 36)...)
	s.record = p.constant(make([]float64, places.Behind)...)
	s.mask, s.holds, s.terms, s.scrap = p.room(1), p.room(1), p.room(1), p.room(2)
	for i := range n {
		size := int(pattern.Size[i])
		s.right[i], s.z[i] = p.room(max(size+3, 6)), p.room(size) // right sides are written by threes, and those of groups have zeros behind them
		s.set(s.right[i], make([]float64, size)...)
		s.res[i] = p.room(13) + 1 // and before them what Judge compares them with, behind them the solution
		s.x[i] = s.res[i] + 6
		s.square[i] = p.room(1)
		for k := pattern.Ptr[i]; k < pattern.Ptr[i+1]; k++ {
			at := p.room(size * int(pattern.Size[pattern.Ind[k]]))
			s.set(at, make([]float64, size*int(pattern.Size[pattern.Ind[k]]))...)
			s.rows[i] = append(s.rows[i], at)
		}
		if pattern.Sign[i] < 0 {
			s.scale[i] = p.room(size)
		}
		s.full[i] = size
	}
	s.fill()
	s.leavesFirst()
	return s
}

// leavesFirst puts the leaves before all others, which they do not wait for.
func (s *system) leavesFirst() {
	var list, rest []int32
	for _, v := range s.order {
		if s.leaf[v] {
			list = append(list, v)
		} else {
			rest = append(rest, v)
		}
	}
	s.order = append(list, rest...)
}

// plain reports whether the scales of a joint are the pivots that its leaves leave: it has no other bodies.
func (s *system) plain(joint int32) bool {
	p := s.pattern
	for _, b := range p.Ind[p.Ptr[joint]:p.Ptr[joint+1]] {
		if !s.leaf[b] || s.group[b] {
			return false
		}
	}
	return p.Sign[joint] < 0 && !s.dense[joint]
}

// block returns the place of the block of a node in the factor, and of its right side.
func (s *system) block(v int32) (at, right place) {
	n := s.size(v)
	if s.core[v] == 0 {
		s.core[v] = s.room(n*n + n)
		s.set(s.core[v], make([]float64, n*n)...) // the upper half is not written everywhere
	}
	return s.core[v], s.core[v].at(n * n)
}

// fill finds the blocks of the factor.
func (s *system) fill() {
	n := len(s.order)
	sets := make([]map[int32]bool, n)
	for i := range sets {
		sets[i] = map[int32]bool{}
	}
	link := func(a, b int32) {
		if s.place[a] > s.place[b] {
			a, b = b, a
		}
		sets[a][b] = true
	}
	p := s.pattern
	for i := range n {
		for _, b := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
			link(int32(i), b)
		}
	}
	touched := make([]bool, n)
	for _, v := range s.order {
		for k := s.place[v] + 1; int(k) < n; k++ { // in order
			if u := s.order[k]; sets[v][u] {
				s.below[v] = append(s.below[v], u)
			}
		}
		for i, a := range s.below[v] {
			touched[a] = true
			for _, b := range s.below[v][i+1:] {
				link(a, b)
			}
		}
		s.leaf[v] = p.Sign[v] > 0 && !touched[v]
	}
}

func (s *system) size(v int32) int { return int(s.pattern.Size[v]) }

// given returns the block of the matrix between two nodes, the later one first, and whether it is stored as rows of
// the earlier one; −1 if there is none.
func (s *system) given(late, early int32) (at place, turned bool) {
	joint, body := late, early
	if s.pattern.Sign[late] > 0 {
		joint, body, turned = early, late, true
	}
	p := s.pattern
	for k := p.Ptr[joint]; k < p.Ptr[joint+1]; k++ {
		if p.Ind[k] == body {
			return s.rows[joint][k-p.Ptr[joint]], turned
		}
	}
	return -1, false
}

// start returns where the values of a block are before anything is subtracted; −1 if it is zero.
func (s *system) start(late, early int32) place {
	if late == early {
		if s.pattern.Sign[late] < 0 {
			return -1
		}
		n := s.size(late)
		unit := make([]float64, n*n)
		for i := range n {
			unit[i*n+i] = 1
		}
		return s.shared(unit...)
	}
	at, turned := s.given(late, early)
	if at < 0 || !turned {
		return at
	}
	// The joint comes first: its rows are columns here.
	rows, cols := s.size(early), s.size(late)
	out := s.room(rows * cols)
	for i := range rows {
		s.opN(tape.Transpose, cols, rows, out.at(i), at.at(i*cols))
	}
	return out
}

// factorize adds the factorization, and the forward half of the solve for the right sides.
func (s *system) factorize() {
	s.eliminate(s.right, s.z, 1, true)
}

// none stands for a right side of zeros.
const none = place(0)

// eliminate goes through the nodes in order: their blocks, where factor is set, and the right sides b, rows of them in
// each node, one behind the other. It leaves what the backward half needs in z, which it makes where factor is set.
func (s *system) eliminate(b, z []place, rows int, factor bool) {
	touched := make([]place, len(s.order)) // current right sides
	copy(touched, b)
	work := make([]place, len(s.order))
	for i := range work {
		work[i] = -1
	}
	current := map[[2]int32]place{} // blocks that something has been subtracted from
	leaves := make([]int32, len(s.order))
	for _, v := range s.order {
		n := s.size(v)
		if factor && !s.leaf[v] {
			s.pivots(v, current)
		}
		for _, u := range s.below[v] {
			if factor {
				s.panel(u, v, current)
			}
		}
		// The right side as one more row.
		skip := b[v] == none
		switch {
		case skip:
		case s.leaf[v]:
			z[v] = touched[v]
		default:
			s.opN(sized(tape.Panel1, n), rows, 0, s.y0(v, rows), touched[v], s.blocks[[2]int32{v, v}], s.inverse[v], z[v])
		}
		for i, u := range s.below[v] {
			whole := factor && s.leaf[v] && (n == 6 || s.isLean(u, v)) // block and right side of u at once
			if factor {
				for _, w := range s.below[v][:i] {
					s.update(u, w, v, current)
				}
				if whole {
					s.gram(u, v, touched, current)
				} else {
					s.update(u, u, v, current)
				}
			}
			if factor && s.leaf[v] {
				if leaves[u]++; leaves[u] == s.pattern.Ptr[u+1]-s.pattern.Ptr[u] && s.plain(u) {
					s.opN(tape.Diagonal, s.size(u), s.size(u)+1, s.scale[u], s.core[u])
				}
			}
			if skip || whole {
				continue
			}
			if work[u] < 0 {
				if _, work[u] = s.block(u); rows > 1 {
					work[u] = s.room(rows * s.size(u))
				}
			}
			src := touched[v]
			if !s.leaf[v] {
				src = s.y0(v, rows)
			}
			s.tile(work[u], touched[u], src, s.scaled[[2]int32{u, v}], rows, s.size(u), n, s.size(u))
			touched[u] = work[u]
		}
	}
}

// gram subtracts from the block of a joint and from its right side what a leaf makes.
func (s *system) gram(u, v int32, touched []place, current map[[2]int32]place) {
	key := [2]int32{u, u}
	at, right := s.block(u)
	_, ok := current[key]
	var code tape.Code
	switch n, d := s.size(u), s.size(v); {
	case s.isLean(u, v):
		first := tape.FirstLean3x1
		if n == 5 {
			first = tape.FirstLean5x1
		}
		code = first + tape.Code(d-1)*(tape.FirstLean3x2-tape.FirstLean3x1)
		if ok {
			code += tape.Lean3x1 - tape.FirstLean3x1
		}
	case ok:
		code = tape.Shaped(tape.Gram1of1, n, s.full[u])
	default:
		code = tape.Shaped(tape.First1of1, n, s.full[u])
	}
	s.op(code, at, s.blocks[[2]int32{u, v}], touched[v], touched[u])
	current[key], touched[u] = at, right
}

// isLean reports whether one instruction subtracts the whole part of group v from the diagonal block of joint u.
func (s *system) isLean(u, v int32) bool { return s.group[v] && (s.size(u) == 3 || s.size(u) == 5) }

// y0 is the memory of X of the right sides in the forward half.
func (s *system) y0(v int32, rows int) place {
	key := [2]int32{-1 - v, int32(rows)}
	at, ok := s.blocks[key]
	if !ok {
		at = s.room(rows * s.size(v))
		s.blocks[key] = at
	}
	return at
}

// panelStep is the number of codes from one size of a kernel to the next.
const panelStep = int(tape.Panel2 - tape.Panel1)

// sized returns the code of a kernel for blocks of n.
func sized(first tape.Code, n int) tape.Code { return first + tape.Code(panelStep*(n-1)) }

// pivots factors the block of a node.
func (s *system) pivots(v int32, current map[[2]int32]place) {
	key, n := [2]int32{v, v}, s.size(v)
	at, ok := current[key]
	if !ok { // nothing has been subtracted
		at, _ = s.block(v)
		from := s.start(v, v)
		if from < 0 {
			from = s.null
		}
		s.opN(tape.Copy, n*n, 0, at, from)
	}
	s.blocks[key] = at
	s.inverse[v] = s.room(n)
	if s.pattern.Sign[v] < 0 {
		s.op(sized(tape.Joint1, n), at, s.inverse[v], s.scale[v], s.record)
	} else {
		s.op(sized(tape.Mass1, n), at, s.inverse[v], s.null, s.record)
	}
}

// panel stores L·D and L of the block of u below v.
func (s *system) panel(u, v int32, current map[[2]int32]place) {
	key := [2]int32{u, v}
	at, ok := current[key]
	if !ok {
		if at = s.start(u, v); at < 0 {
			panic("batch: empty block")
		}
	}
	if s.leaf[v] { // of unit pivots
		s.blocks[key], s.scaled[key] = at, at
		return
	}
	n, m := s.size(v), s.size(u)
	x := at
	if !ok {
		x = s.room(m * n)
	}
	s.blocks[key], s.scaled[key] = x, s.room(m*n)
	s.opN(sized(tape.Panel1, n), m, 0, x, at, s.blocks[[2]int32{v, v}], s.inverse[v], s.scaled[key])
}

// update subtracts from the block of u and w what v makes.
func (s *system) update(u, w, v int32, current map[[2]int32]place) {
	key := [2]int32{u, w}
	from, ok := current[key]
	at := from
	if !ok {
		from = s.start(u, w)
		if at, _ = s.block(u); u != w {
			at = s.room(s.size(u) * s.size(w))
		}
		current[key] = at
	}
	x, y := s.blocks[[2]int32{u, v}], s.scaled[[2]int32{w, v}]
	if u != w && from < 0 && s.leaf[v] && s.size(v) == 6 && s.hinged(u) && s.hinged(w) {
		s.op(tape.Pair3of5, at, x, y)
		return
	}
	if u != w {
		s.tile(at, from, x, y, s.size(u), s.size(w), s.size(v), s.size(w))
		return
	}
	n, k := s.size(u), s.size(v)
	for lo := 0; lo < n; {
		rows := min(tape.Rows(n), n-lo)
		from := from
		if from >= 0 {
			from = from.at(lo * n)
		}
		s.tile(at.at(lo*n), from, x.at(lo*k), y, rows, lo+rows, k, n)
		lo += rows
	}
}

// hinged reports whether a joint has the rows of a hinge: five, two of which are moments.
func (s *system) hinged(v int32) bool { return s.size(v) == 5 && s.full[v] <= 3 }

// tile stores from − X·Yᵀ in at, for m and n rows of k; from is −1 for zero. Rows of at have stride lanes.
func (s *system) tile(at, from, x, y place, m, n, k, stride int) {
	for lo := 0; lo < m; {
		rows := min(tape.Rows(n), m-lo)
		code := tape.Tile1x1
		d := s.null
		if from < 0 {
			code = tape.Fresh1x1
		} else {
			d = from.at(lo * stride)
		}
		code += tape.Code(6*(rows-1) + n - 1)
		s.opN(code, k, stride, at.at(lo*stride), x.at(lo*k), y, d)
		lo += rows
	}
}

// backward adds the backward half: x of all nodes, into list, from what eliminate has left in z, of one right side or
// of two, one behind the other.
func (s *system) backward(list, z []place, rows int) {
	back, upper, columns := tape.Back1, tape.Upper2, tape.Columns1of1
	if rows == 2 {
		back, upper, columns = tape.TwoBack1, tape.TwoUpper2, tape.TwoColumns1of1
	}
	for i := len(s.order) - 1; i >= 0; i-- {
		v := s.order[i]
		n := s.size(v)
		from := z[v]
		if from == none {
			from = s.null
		}
		if len(s.below[v]) == 0 {
			s.opN(tape.Copy, rows*n, 0, list[v], from)
		}
		for _, u := range s.below[v] {
			L := s.scaled[[2]int32{u, v}]
			if s.leaf[v] && n == 6 {
				s.op(tape.Shaped(columns, s.size(u), s.full[u]), list[v], L, list[u], from)
			} else {
				s.opN(sized(back, n), s.size(u), 0, list[v], L, list[u], from)
			}
			from = list[v]
		}
		if !s.leaf[v] && n > 1 {
			s.op(upper+tape.Code(n-2)*(tape.Upper3-tape.Upper2), list[v], s.null, s.blocks[[2]int32{v, v}])
		}
	}
}

// verdict adds the checks of a solve.
func (s *system) verdict() {
	limits := s.shared(refinedError*refinedError, 1/smallPivot, doubtPivot, bodyTol, unitTol, 0)
	s.op(tape.Verdict, s.holds, s.record, limits, s.record.at(weakRows), s.shared(1))
}

// wantFirst adds the choice of lanes that need a correction after the first solve, which has to have pivots for which its
// error is estimated, and wantMore after a correction.
func (s *system) wantFirst() { s.want(enoughError, 1/trustedPivot) }
func (s *system) wantMore()  { s.want(refinedError, math.Inf(1)) }

// want adds the choice of lanes whose estimate of the error is above enough, or with a ratio of scale to pivot above limit.
func (s *system) want(enough, limit float64) {
	s.op(tape.Wanting, s.mask, s.record, s.shared(enough*enough, limit))
}

// judge adds the residuals of the rows and the estimate of the error from them.
func (s *system) judge() {
	p := s.pattern
	rest := s.shared(restPart)
	s.opN(tape.Copy, 3, 0, s.record.at(bigResidual), s.null)
	for i := range p.Positive() {
		if s.size(int32(i)) == 6 || s.group[i] {
			s.op(tape.Size, s.record.at(sizes), s.right[i], s.square[i])
			s.op(tape.Size, s.record.at(sizes), s.x[i], s.square[i])
		} else {
			s.opN(tape.Copy, 1, 0, s.square[i], s.null)
		}
	}
	for i := p.Positive(); i < p.Len(); i++ {
		n, from := int(p.Size[i]), s.right[i]
		terms := s.null
		for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
			b := p.Ind[k]
			if rows := s.rows[i][k-p.Ptr[i]]; p.Size[b] == 6 {
				s.op(tape.Shaped(tape.Rows1of1, n, s.full[i]), s.res[i], rows, s.x[b], from)
			} else {
				s.tile(s.res[i], from, rows, s.x[b], n, 1, int(p.Size[b]), 1)
			}
			s.opN(tape.Add, 1, 0, s.terms, terms, s.square[b])
			from, terms = s.res[i], s.terms
		}
		for _, c := range s.parts[i] {
			s.op(tape.Size, s.scrap, c, s.scrap.at(1))
			s.opN(tape.Add, 1, 0, s.terms, s.terms, s.scrap.at(1))
		}
		s.opN(tape.Scaled, 1, 0, s.res[i]-1, terms, s.record.at(sizes), rest)
		s.opN(tape.Judge, n, 0, s.record.at(bigResidual), s.res[i], s.right[i], s.inverse[i], s.scale[i])
	}
}

// refine adds one correction with the factor, in the lanes of the mask, and judges again.
func (s *system) refine() {
	p := s.pattern
	res, z := append([]place(nil), s.res...), append([]place(nil), s.z...)
	for i := range p.Positive() {
		v := int32(i)
		if s.leaf[v] {
			res[v], z[v] = none, none // these hold up to the rounding of their own terms
			continue
		}
		s.opN(tape.Sub, s.size(v), 0, s.res[v], s.right[v], s.x[v])
		for j := p.Positive(); j < p.Len(); j++ {
			for k := p.Ptr[j]; k < p.Ptr[j+1]; k++ {
				if p.Ind[k] == v {
					s.opN(sized(tape.Back1, s.size(v)), int(p.Size[j]), 0, s.res[v], s.rows[j][k-p.Ptr[j]], s.x[j], s.res[v])
				}
			}
		}
	}
	s.eliminate(res, z, 1, false)
	dx := make([]place, len(s.order))
	for i := range dx {
		dx[i] = s.room(int(p.Size[i]))
	}
	s.backward(dx, z, 1)
	for i := range dx {
		s.opN(tape.Masked, int(p.Size[i]), 0, s.x[i], s.x[i], dx[i], s.mask)
	}
	s.judge()
	s.wantMore()
}
