package sparse

// View is a matrix seen in another order of its nodes. Nothing is copied: a
// method reads the values that the matrix has at the time of the call.
//
// Package interop makes a mat.Symmetric of gonum from it.
type View struct {
	m    *Matrix
	perm []int32 // n: perm[new] = old
	off  []int32 // n+1: first scalar of each node, new numbering
}

// View returns m in the order perm of its nodes, perm[new] = old. A nil perm
// is the order of the pattern. It keeps perm.
//
// Cost: O(nodes). It panics if perm is not a permutation of the nodes.
func (m *Matrix) View(perm []int32) *View {
	perm, _ = orderOf(m.Pattern, perm)
	return &View{m: m, perm: perm, off: offsets(m.Pattern, perm)}
}

// At returns the scalar entry (i, j) of the reordered matrix.
//
// Cost: as Matrix.At. It panics if i or j is out of range.
func (v *View) At(i, j int) float64 {
	return v.m.At(v.old(i), v.old(j))
}

// Entries calls emit for every stored entry of both triangles of the reordered
// matrix, column by column, rows increasing, no entry twice. Zeros inside the
// blocks are stored, so the places do not depend on the values.
//
// If prox is not nil, it is subtracted from the diagonal of the nodes of sign
// −1, whose diagonal entries are stored then. The entries of prox for other nodes are not used.
//
// Shapes: prox has one entry a row, in the order of the pattern.
// Cost: O(nodes + stored values). It panics on a length mismatch.
func (v *View) Entries(prox []float64, emit func(i, j int, x float64)) {
	if prox != nil && len(prox) != v.m.Pattern.Dim() {
		panic("sparse: length mismatch")
	}
	if emit == nil {
		panic("sparse: no function")
	}
	l := newLayout(v.m.Pattern, v.perm)
	for c := range l.perm {
		o := int(l.off[c])
		for a := range int(l.off[c+1]) - o {
			l.column(v.m, c, a, prox, func(i int, x float64) { emit(i, o+a, x) })
		}
	}
}

// VecTo stores in dst the vector x, given in the order of the pattern, in the
// order of the view.
//
// Shapes: dst and x have as many entries as the matrix has rows and do not
// overlap. Cost: O(rows), no allocation. It panics on a length mismatch.
func (v *View) VecTo(dst, x []float64) {
	p := v.m.Pattern
	if len(dst) != p.Dim() || len(x) != p.Dim() {
		panic("sparse: length mismatch")
	}
	for c, u := range v.perm {
		copy(dst[v.off[c]:v.off[c+1]], x[p.Off[u]:p.Off[u+1]])
	}
}

// old returns the scalar of the pattern for scalar i of the view. It panics if i is out of range.
func (v *View) old(i int) int {
	n := len(v.perm)
	if i < 0 || i >= int(v.off[n]) {
		panic("sparse: index out of range")
	}
	c := search(v.off, i)
	return int(v.m.Pattern.Off[v.perm[c]]) + i - int(v.off[c])
}

// orderOf returns perm, or the identity if it is nil, and its inverse. It panics if perm is not a permutation of the nodes.
func orderOf(p *Pattern, perm []int32) (order, inv []int32) {
	n := p.Len()
	inv = make([]int32, n)
	if perm == nil {
		for i := range inv {
			inv[i] = int32(i)
		}
		return inv, inv
	}
	if len(perm) != n {
		panic("sparse: length mismatch")
	}
	for i := range inv {
		inv[i] = -1
	}
	for c, u := range perm {
		if u < 0 || int(u) >= n || inv[u] >= 0 {
			panic("sparse: not a permutation")
		}
		inv[u] = int32(c)
	}
	return perm, inv
}

// offsets returns the first scalar of each node in the order perm, and the
// number of scalars.
func offsets(p *Pattern, perm []int32) []int32 {
	off := make([]int32, len(perm)+1)
	for c, u := range perm {
		off[c+1] = off[c] + int32(p.Size[u])
	}
	return off
}

// search returns the largest c with off[c] ≤ i; off increases from 0.
func search(off []int32, i int) int {
	lo, hi := 0, len(off)-1
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; int(off[mid]) <= i {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// layout lists the blocks of both triangles of a reordered pattern by columns,
// the diagonal left out. Nodes are counted in the new order.
type layout struct {
	p    *Pattern
	perm []int32 // n: perm[new] = old
	off  []int32 // n+1: first scalar of each node
	ptr  []int   // n+1: into row and blk
	row  []int32 // ptr[n]: rows of the blocks, increasing in a column
	blk  []int32 // ptr[n]: index of the block in p.Ind
}

// newLayout builds the layout of p in the order perm; nil is p's own order.
//
// Cost: O(nodes + blocks).
func newLayout(p *Pattern, perm []int32) *layout {
	perm, inv := orderOf(p, perm)
	n, nk := p.Len(), 2*len(p.Ind)
	l := &layout{
		p: p, perm: perm, off: offsets(p, perm),
		ptr: make([]int, n+1), row: make([]int32, nk), blk: make([]int32, nk),
	}
	// Degrees, then column pointers.
	for i := range n {
		for _, j := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
			l.ptr[inv[i]+1]++
			l.ptr[inv[j]+1]++
		}
	}
	for c := range n {
		l.ptr[c+1] += l.ptr[c]
	}
	// Neighbours of each node in no particular order.
	next := append([]int(nil), l.ptr...)
	row, blk := make([]int32, nk), make([]int32, nk)
	put := func(row, blk []int32, c, r, k int32) {
		row[next[c]], blk[next[c]] = r, k
		next[c]++
	}
	for i := range n {
		for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
			a, b := inv[i], inv[p.Ind[k]]
			put(row, blk, a, b, k)
			put(row, blk, b, a, k)
		}
	}
	// The relation is symmetric, so its transpose is itself with rows sorted.
	copy(next, l.ptr)
	for r := range n {
		for s := l.ptr[r]; s < l.ptr[r+1]; s++ {
			put(l.row, l.blk, row[s], int32(r), blk[s])
		}
	}
	return l
}

// column calls emit for the stored entries of scalar column a of node c, rows
// increasing, structural zeros of the blocks included. If prox is not nil, a
// column of a node of sign −1 has a diagonal entry too, −prox; prox is in the order of the pattern.
func (l *layout) column(m *Matrix, c, a int, prox []float64, emit func(i int, v float64)) {
	s, end := l.ptr[c], l.ptr[c+1]
	for ; s < end && int(l.row[s]) < c; s++ {
		l.block(m, s, c, a, emit)
	}
	u := l.perm[c]
	size, o := int(l.p.Size[u]), int(l.off[c])
	if l.p.Sign[u] > 0 {
		for b := range size {
			emit(o+b, m.diagonal(u, b, a))
		}
	} else if prox != nil {
		emit(o+a, -prox[int(l.p.Off[u])+a])
	}
	for ; s < end; s++ {
		l.block(m, s, c, a, emit)
	}
}

// block emits scalar column a of the block at place s of node column c. The values of the block are stored by rows, which belong to its
// node of sign −1. So they are transposed if node c has sign −1.
func (l *layout) block(m *Matrix, s, c, a int, emit func(i int, v float64)) {
	p, k, r := l.p, l.blk[s], int(l.row[s])
	u := l.perm[r]
	rows, o := int(p.Size[u]), int(l.off[r])
	v := m.Val[p.Pos[k]:p.Pos[k+1]]
	if p.Sign[u] < 0 {
		cols := int(p.Size[l.perm[c]])
		for b := range rows {
			emit(o+b, v[b*cols+a])
		}
		return
	}
	for b := range rows {
		emit(o+b, v[a*rows+b])
	}
}

// bandwidth returns the largest distance, in nodes, between a block and the diagonal.
func (l *layout) bandwidth() int {
	w := 0
	for c := range l.perm {
		if l.ptr[c] < l.ptr[c+1] {
			w = max(w, int(l.row[l.ptr[c+1]-1])-c)
		}
	}
	return w
}
