package factor

import (
	"slices"

	"github.com/rung-mbd/rung/sparse"
)

// Counts are the size and the work of a factorization, known before any number.
type Counts struct {
	NonZeros  int64 // scalars of L below the diagonal, and of D
	Flops     int64 // additions and multiplications of the numeric factorization
	MaxFront  int   // rows of the largest front
	Bandwidth int   // largest distance, in nodes, of a coupling of the permuted matrix
}

// Symbolic is the analysis of one pattern under one order: permutation,
// elimination tree, supernodes and every position the numeric part needs.
// It is immutable and may be shared between goroutines.
type Symbolic struct {
	P      *sparse.Pattern
	Counts Counts

	perm   []int32 // perm[new] = old node, postordered
	off    []int32 // n+1: first permuted scalar of each node, new numbering
	oldOff []int32 // n: first original scalar of each node, new numbering
	sign   []int8  // by permuted scalar: sign of its pivot

	super  []int32 // ns+1: first node of each supernode
	rowPtr []int32 // ns+1: into rows
	rows   []int32 // nodes below each supernode's pivots, increasing
	rel    []int32 // like rows: the row's place in the parent's front, in scalars
	parent []int32 // ns: parent supernode, −1 for roots
	kidPtr []int32 // ns+1: into kids
	kids   []int32 // child supernodes of each supernode, increasing
	dim    []front // ns: sizes of each supernode
	pan    []int64 // ns+1: first value of each supernode's panel of L
	entPtr []int32 // ns+1: into ents
	ents   []entry

	maxRows   int // rows of the largest front
	maxBelow  int // scalars of the largest panel below its pivots
	maxUpdate int // scalars of the largest update matrix
	stack     int // scalars of the largest stack of update matrices
}

// front is the size of one supernode, in scalars.
type front struct {
	width int32 // pivots
	below int32 // rows below them
}

// entry says where one block of the matrix goes in the front that owns it.
type entry struct {
	src   int64 // first value in Matrix.Dia or Matrix.Val
	row   int32 // scalar row in the front
	col   int32 // scalar column, a pivot
	nr    int8  // rows in the front
	nc    int8  // columns in the front
	trans bool  // the stored block is the transpose
	diag  bool  // from Dia, lower triangle
}

// Order returns the permutation in use, perm[new] = old; it is not a copy.
func (s *Symbolic) Order() []int32 { return s.perm }

// CountOrder returns the counts of a factorization of p in the order perm,
// perm[new] = old.
//
// Cost: near-linear in nodes and blocks (no structure of L is formed).
func CountOrder(p *sparse.Pattern, perm []int32) Counts {
	inv := inverse(p, perm)
	g := newGraph(p, inv)
	parent := g.etree()
	g2, par2, _ := g.postordered(parent)
	c := countsOf(g2, g2.counts(par2))
	c.Bandwidth = bandwidth(g)
	return c
}

func inverse(p *sparse.Pattern, perm []int32) []int32 {
	n := p.Len()
	if len(perm) != n {
		panic("factor: length mismatch")
	}
	inv := make([]int32, n)
	for i := range inv {
		inv[i] = -1
	}
	for i, o := range perm {
		if o < 0 || int(o) >= n || inv[o] != -1 {
			panic("factor: not a permutation")
		}
		inv[o] = int32(i)
	}
	return inv
}

// postordered renumbers g by a postorder of its elimination tree.
func (g *graph) postordered(parent []int32) (*graph, []int32, []int32) {
	post := postorder(parent)
	inv := make([]int32, g.n)
	same := true
	for i, o := range post {
		inv[o] = int32(i)
		same = same && int(o) == i
	}
	if same {
		return g, parent, post
	}
	h := &graph{n: g.n, size: make([]int32, g.n), lowPtr: make([]int32, g.n+1), low: make([]int32, len(g.low))}
	par := make([]int32, g.n)
	for i, o := range post {
		h.size[i] = g.size[o]
		par[i] = -1
		if q := parent[o]; q >= 0 {
			par[i] = inv[q]
		}
		k := h.lowPtr[i]
		// A postorder of the elimination tree keeps lower neighbours lower:
		// they are descendants.
		for _, j := range g.low[g.lowPtr[o]:g.lowPtr[o+1]] {
			h.low[k] = inv[j]
			k++
		}
		h.lowPtr[i+1] = k
	}
	return h, par, post
}

// countsOf sums column counts to fill and work: a pivot with s rows below it
// costs s divisions and s(s+1) multiplications and additions.
func countsOf(g *graph, cnt []int32) Counts {
	var c Counts
	for i := range g.n {
		rows := int64(cnt[i])
		c.MaxFront = max(c.MaxFront, int(rows))
		for range g.size[i] {
			rows--
			c.NonZeros += rows + 1
			c.Flops += rows * (rows + 2)
		}
	}
	return c
}

func bandwidth(g *graph) int {
	b := 0
	for i := range g.n {
		for _, j := range g.low[g.lowPtr[i]:g.lowPtr[i+1]] {
			b = max(b, i-int(j))
		}
	}
	return b
}

// Analyze prepares the factorization of matrices of pattern p in the order
// perm, perm[new] = old. The order in use differs from perm by a postorder of
// the elimination tree, which changes neither fill nor work.
//
// Cost: near-linear in nodes and in the block structure of L.
// It panics if perm is not a permutation of the nodes.
func Analyze(p *sparse.Pattern, perm []int32) *Symbolic {
	g := newGraph(p, inverse(p, perm))
	band := bandwidth(g)
	parent := g.etree()
	g, parent, post := g.postordered(parent)
	cnt := g.counts(parent)
	s := &Symbolic{P: p, Counts: countsOf(g, cnt)}
	s.Counts.Bandwidth = band
	s.perm = make([]int32, g.n)
	for i, o := range post {
		s.perm[i] = perm[o]
	}
	s.number(g)
	s.supernodes(g, parent, cnt)
	s.structure(g, parent)
	s.place(g)
	s.plan()
	return s
}

// number fills the scalar offsets of the permuted nodes.
func (s *Symbolic) number(g *graph) {
	s.off = make([]int32, g.n+1)
	s.oldOff = make([]int32, g.n)
	s.sign = make([]int8, s.P.Dim())
	for i, o := range s.perm {
		s.off[i+1] = s.off[i] + g.size[i]
		s.oldOff[i] = s.P.Off[o]
		for k := s.off[i]; k < s.off[i+1]; k++ {
			s.sign[k] = s.P.Sign[o]
		}
	}
}

// supernodes joins a node with the next when that is its parent and has
// exactly the same rows below (fundamental supernodes, Liu, Ng & Peyton 1993).
func (s *Symbolic) supernodes(g *graph, parent, cnt []int32) {
	s.super = append(s.super, 0)
	for i := 1; i < g.n; i++ {
		if parent[i-1] != int32(i) || cnt[i-1]-g.size[i-1] != cnt[i] {
			s.super = append(s.super, int32(i))
		}
	}
	if g.n > 0 {
		s.super = append(s.super, int32(g.n))
	}
}

// structure finds the rows of every supernode: those of the matrix and those
// of its children, less its own pivots.
func (s *Symbolic) structure(g *graph, parent []int32) {
	ns := len(s.super) - 1
	of := make([]int32, g.n) // supernode of each node
	for k := range ns {
		for i := s.super[k]; i < s.super[k+1]; i++ {
			of[i] = int32(k)
		}
	}
	s.parent, s.kidPtr = make([]int32, ns), make([]int32, ns+1)
	s.rowPtr = make([]int32, ns+1)
	high, ptr := g.transpose()
	mark := make([]int32, g.n)
	for i := range mark {
		mark[i] = -1
	}
	kid, next := make([]int32, ns), make([]int32, ns) // lists of children
	for k := range kid {
		kid[k], next[k] = -1, -1
	}
	for k := range int32(ns) {
		last := s.super[k+1]
		start := len(s.rows)
		add := func(r int32) {
			if r >= last && mark[r] != k {
				mark[r] = k
				s.rows = append(s.rows, r)
			}
		}
		for i := s.super[k]; i < last; i++ {
			for _, r := range high[ptr[i]:ptr[i+1]] {
				add(r)
			}
		}
		for c := kid[k]; c >= 0; c = next[c] {
			for _, r := range s.rows[s.rowPtr[c]:s.rowPtr[c+1]] {
				add(r)
			}
		}
		sortInt32(s.rows[start:])
		s.rowPtr[k+1] = int32(len(s.rows))
		s.parent[k] = -1
		if q := parent[last-1]; q >= 0 {
			sp := of[q]
			s.parent[k] = sp
			next[k] = kid[sp]
			kid[sp] = k
		}
	}
	s.rows = slices.Clip(s.rows)
	s.children()
}

// place computes the scatter of the matrix into the fronts and of the update
// matrices into their parents.
func (s *Symbolic) place(g *graph) {
	ns := len(s.super) - 1
	s.rel = make([]int32, len(s.rows))
	s.pan = make([]int64, ns+1)
	s.dim = make([]front, ns)
	s.entPtr = make([]int32, ns+1)
	s.ents = make([]entry, 0, len(g.low)+s.P.Positive())
	blocks, ptr := s.blocksByPivot(g)
	at := make([]int32, g.n) // place of a node in the current front
	for k := range ns {
		h := int32(0)
		for i := s.super[k]; i < s.super[k+1]; i++ {
			at[i] = h
			h += g.size[i]
		}
		w := h
		for _, r := range s.rows[s.rowPtr[k]:s.rowPtr[k+1]] {
			at[r] = h
			h += g.size[r]
		}
		s.maxRows = max(s.maxRows, int(h))
		s.dim[k] = front{width: w, below: h - w}
		s.pan[k+1] = s.pan[k] + int64(w)*int64(h)
		for i := s.super[k]; i < s.super[k+1]; i++ {
			s.placeNode(i, at, blocks[ptr[i]:ptr[i+1]])
		}
		s.entPtr[k+1] = int32(len(s.ents))
		for _, c := range s.kids[s.kidPtr[k]:s.kidPtr[k+1]] {
			for q := s.rowPtr[c]; q < s.rowPtr[c+1]; q++ {
				s.rel[q] = at[s.rows[q]]
			}
		}
	}
}

// coupling is one off-diagonal block seen from its pivot.
type coupling struct {
	block int32 // index in P.Ind
	row   int32 // the later node, new numbering
	trans bool  // the later node is the block's column
}

// blocksByPivot lists the off-diagonal blocks by the node eliminated first.
func (s *Symbolic) blocksByPivot(g *graph) ([]coupling, []int32) {
	inv := make([]int32, g.n)
	for i, o := range s.perm {
		inv[o] = int32(i)
	}
	p := s.P
	ptr := make([]int32, g.n+1)
	for i := range g.n {
		for _, j := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
			ptr[min(inv[i], inv[j])+1]++
		}
	}
	for i := range g.n {
		ptr[i+1] += ptr[i]
	}
	next := slices.Clone(ptr[:g.n])
	list := make([]coupling, len(p.Ind))
	for i := range g.n {
		for b := p.Ptr[i]; b < p.Ptr[i+1]; b++ {
			a, c := inv[i], inv[p.Ind[b]]
			v := coupling{block: b, row: a}
			if a < c { // the row of the stored block is eliminated first
				a, c = c, a
				v.row, v.trans = a, true
			}
			list[next[c]] = v
			next[c]++
		}
	}
	return list, ptr
}

// placeNode appends the entries of pivot node i.
func (s *Symbolic) placeNode(i int32, at []int32, blocks []coupling) {
	p, old := s.P, s.perm[i]
	if p.Sign[old] > 0 {
		s.ents = append(s.ents, entry{src: p.Dia[old], row: at[i], col: at[i], nr: p.Size[old], nc: p.Size[old], diag: true})
	}
	for _, b := range blocks {
		s.ents = append(s.ents, entry{
			src: p.Pos[b.block], row: at[b.row], col: at[i],
			nr: p.Size[s.perm[b.row]], nc: p.Size[old], trans: b.trans,
		})
	}
}

// children lists the child supernodes of each supernode in increasing order.
func (s *Symbolic) children() {
	ns := len(s.parent)
	for _, q := range s.parent {
		if q >= 0 {
			s.kidPtr[q+1]++
		}
	}
	for k := range ns {
		s.kidPtr[k+1] += s.kidPtr[k]
	}
	s.kids = make([]int32, s.kidPtr[ns])
	next := make([]int32, ns)
	copy(next, s.kidPtr)
	for k, q := range s.parent {
		if q >= 0 {
			s.kids[next[q]] = int32(k)
			next[q]++
		}
	}
}

// plan finds the largest stack of update matrices.
func (s *Symbolic) plan() {
	var stack []int
	top := 0
	for k := range s.parent {
		for range s.kidPtr[k+1] - s.kidPtr[k] {
			top -= stack[len(stack)-1]
			stack = stack[:len(stack)-1]
		}
		m := s.below(k)
		s.maxUpdate = max(s.maxUpdate, m*(m+1)/2)
		s.maxBelow = max(s.maxBelow, max(m, 1)*s.width(k))
		top += m * (m + 1) / 2
		stack = append(stack, m*(m+1)/2)
		s.stack = max(s.stack, top)
	}
}

// width returns the scalar pivots of supernode k.
func (s *Symbolic) width(k int) int { return int(s.dim[k].width) }

// below returns the scalar rows below the pivots of supernode k.
func (s *Symbolic) below(k int) int { return int(s.dim[k].below) }

func sortInt32(v []int32) {
	if len(v) > 24 {
		slices.Sort(v)
		return
	}
	for i := 1; i < len(v); i++ {
		x, j := v[i], i
		for ; j > 0 && v[j-1] > x; j-- {
			v[j] = v[j-1]
		}
		v[j] = x
	}
}
