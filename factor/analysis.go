package factor

import (
	"slices"

	"github.com/rung-mbd/rung/internal/halt"
	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/sparse"
)

// analysis is the scratch of Analyze. Core nodes are counted in elimination order.
type analysis struct {
	s    *Symbolic
	stop *halt.Flag
	p    *sparse.Pattern
	inv  []int32 // by node of the pattern: its core node; −1 for leaves

	size   []int32 // rows of each core node
	parent []int32 // of each core node in the elimination tree, −1 for roots
	cnt    []int32 // rows of each core node's column of L

	// Neighbours of each core node that come later: in the matrix, and through
	// the leaves whose first neighbour it is.
	highPtr, high []int32
	// Leaves by their first neighbour, and the neighbours of every leaf in elimination order.
	leafPtr, leafOf []int32 // core+1, leaves: nodes of the pattern
	joinPtr, joins  []int32 // leaves+1 by place in leafOf: core nodes
	joinSrc         []int32 // like joins: index of the block in P.Ind

	super  []int32 // first core node of each supernode, and at the end the number of core nodes
	up     []int32 // parent supernode
	rowPtr []int32 // into rows
	rows   []int32 // core nodes below each supernode, increasing
}

// newAnalysis numbers the core nodes, which are all nodes but the leaves, in elimination order. It stores their sizes, parents and column
// counts by these numbers, and lists leaves and neighbours.
func newAnalysis(s *Symbolic, e *elimination) *analysis {
	p, g := e.p, e.graph
	a := &analysis{s: s, stop: e.stop, p: p, inv: make([]int32, p.Len())}
	s.leaf = make([]bool, p.Len())
	core := 0
	at := make([]int32, g.n) // core node of each node of g
	for i, old := range s.perm {
		a.inv[old], at[i] = -1, -1
		if g.isLeaf(i, p, old) {
			s.leaf[old] = true
			continue
		}
		a.inv[old], at[i] = int32(core), int32(core)
		core++
	}
	s.node = make([]int32, core)
	s.off = make([]int32, core+1)
	s.oldOff = make([]int32, core)
	s.sign = make([]int8, core)
	a.size, a.parent, a.cnt = make([]int32, core), make([]int32, core), make([]int32, core)
	for i, old := range s.perm {
		c := at[i]
		if c < 0 {
			continue
		}
		s.node[c], s.oldOff[c], s.sign[c] = old, p.Off[old], p.Sign[old]
		s.off[c+1] = s.off[c] + g.size[i]
		a.size[c], a.cnt[c], a.parent[c] = g.size[i], e.rows[i], -1
		if q := e.parent[i]; q >= 0 {
			a.parent[c] = at[q]
		}
	}
	if a.stop.Up() {
		return a
	}
	if a.findLeaves(); a.stop.Up() {
		return a
	}
	a.findNeighbours()
	return a
}

// findLeaves lists the leaves by their first neighbour, and the neighbours of every leaf, both in elimination order. Leaves without
// neighbours go to s.free.
func (a *analysis) findLeaves() {
	p, core := a.p, len(a.size)
	ptr := make([]int32, p.Len()+1) // by node: where the blocks of a leaf begin in joins and src
	for _, b := range p.Ind {
		if a.s.leaf[b] {
			ptr[b+1]++
		}
	}
	for i := range p.Len() {
		ptr[i+1] += ptr[i]
	}
	next := slices.Clone(ptr[:p.Len()])
	joins, src := make([]int32, ptr[p.Len()]), make([]int32, ptr[p.Len()]) // core nodes, and blocks
	for _, old := range a.s.node {                                         // in elimination order
		for k := p.Ptr[old]; k < p.Ptr[old+1]; k++ {
			if b := p.Ind[k]; a.s.leaf[b] {
				joins[next[b]], src[next[b]] = a.inv[old], k
				next[b]++
			}
		}
	}
	for i := range p.Positive() {
		if a.s.leaf[i] && ptr[i] == ptr[i+1] {
			a.s.free = append(a.s.free, leaf{first: p.Off[i], size: p.Size[i]})
		}
	}
	// Leaves by their first neighbour.
	a.leafPtr = make([]int32, core+1)
	for _, old := range a.s.perm {
		if a.s.leaf[old] && ptr[old] < ptr[old+1] {
			a.leafPtr[joins[ptr[old]]+1]++
		}
	}
	for c := range core {
		a.leafPtr[c+1] += a.leafPtr[c]
	}
	n := a.leafPtr[core]
	a.leafOf = make([]int32, n)
	at := slices.Clone(a.leafPtr[:core])
	for _, old := range a.s.perm {
		if a.s.leaf[old] && ptr[old] < ptr[old+1] {
			c := joins[ptr[old]]
			a.leafOf[at[c]] = old
			at[c]++
		}
	}
	// Their neighbours, leaf by leaf.
	a.joinPtr = make([]int32, n+1)
	a.joins, a.joinSrc = make([]int32, 0, len(joins)), make([]int32, 0, len(joins))
	for i, old := range a.leafOf {
		a.joins = append(a.joins, joins[ptr[old]:ptr[old+1]]...)
		a.joinSrc = append(a.joinSrc, src[ptr[old]:ptr[old+1]]...)
		a.joinPtr[i+1] = int32(len(a.joins))
	}
}

// findNeighbours lists the neighbours of each core node that are eliminated later and couple with it in the matrix.
func (a *analysis) findNeighbours() {
	p, core := a.p, len(a.size)
	each := func(visit func(lo, hi int32)) { // −1 nodes are all in the core
		for i := p.Positive(); i < p.Len(); i++ {
			for _, b := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
				if c, d := a.inv[i], a.inv[b]; d >= 0 {
					visit(min(c, d), max(c, d))
				}
			}
		}
	}
	a.highPtr = make([]int32, core+1)
	each(func(lo, _ int32) { a.highPtr[lo+1]++ })
	for c := range core {
		a.highPtr[c+1] += a.highPtr[c]
	}
	a.high = make([]int32, a.highPtr[core])
	next := slices.Clone(a.highPtr[:core])
	each(func(lo, hi int32) {
		a.high[next[lo]] = hi
		next[lo]++
	})
}

// supernodes joins a core node with the next one if the next one is its parent and has exactly the same
// rows below (fundamental supernodes, Liu, Ng & Peyton 1993).
//
// The held nodes, which are the last ones, make one supernode.
func (a *analysis) supernodes() {
	n := len(a.size)
	free := n - a.s.held
	a.super = append(a.super, 0)
	for i := 1; i < n; i++ {
		if i >= free {
			if i == free {
				a.super = append(a.super, int32(i))
			}
			continue
		}
		if a.parent[i-1] != int32(i) || a.cnt[i-1]-a.size[i-1] != a.cnt[i] {
			a.super = append(a.super, int32(i))
		}
	}
	if n > 0 {
		a.super = append(a.super, int32(n))
	}
}

// structure finds the parent of every supernode and the rows below it. These are the rows that the matrix, its leaves and its
// children couple with it, without its own pivots.
func (a *analysis) structure() {
	ns := len(a.super) - 1
	of := make([]int32, len(a.size)) // supernode of each node
	for k := range ns {
		for i := a.super[k]; i < a.super[k+1]; i++ {
			of[i] = int32(k)
		}
	}
	a.up = make([]int32, ns)
	a.rowPtr = make([]int32, ns+1)
	mark := make([]int32, len(a.size))
	for i := range mark {
		mark[i] = -1
	}
	kid, next := make([]int32, ns), make([]int32, ns) // lists of children
	for k := range kid {
		kid[k], next[k] = -1, -1
	}
	for k := range int32(ns) {
		if a.stop.Every(int(k)) {
			return
		}
		last := a.super[k+1]
		start := len(a.rows)
		add := func(list []int32) {
			for _, r := range list {
				if r >= last && mark[r] != k {
					mark[r] = k
					a.rows = append(a.rows, r)
				}
			}
		}
		for i := a.super[k]; i < last; i++ {
			add(a.high[a.highPtr[i]:a.highPtr[i+1]])
			for l := a.leafPtr[i]; l < a.leafPtr[i+1]; l++ {
				add(a.joins[a.joinPtr[l]:a.joinPtr[l+1]])
			}
		}
		for c := kid[k]; c >= 0; c = next[c] {
			add(a.rows[a.rowPtr[c]:a.rowPtr[c+1]])
		}
		sortInt32(a.rows[start:])
		a.rowPtr[k+1] = int32(len(a.rows))
		a.up[k] = -1
		if q := a.parent[last-1]; q >= 0 {
			a.up[k] = of[q]
			next[k] = kid[of[q]]
			kid[of[q]] = k
		}
	}
}

// Costs, in nanoseconds on the machines of today, that decide which supernodes
// are joined. Only their ratios matter, and not much. Another value costs time only.
const (
	frontCost  = 60.0 // a front
	updateCost = 0.7  // an entry of an update matrix: stored, added to the parent
	panelCost  = 0.7  // an entry of a panel: cleared, stored, read in the solves
	farCost    = 2.0  // an entry of a panel if the panels do not fit in the caches together
	flopCost   = 0.05 // an operation
)

// farEntries is the number of entries in all panels above which an entry costs farCost.
const farEntries = 1 << 20

// cost returns the time in nanoseconds of a front with w pivots and b rows below; entry is the time of an entry of its panel.
func cost(w, b, entry float64) float64 {
	flops := w*b*(w+b) + w*w*w/3
	return frontCost + updateCost*b*(b+1)/2 + entry*w*(w+b) + flopCost*flops
}

// relax joins a supernode with its parent if the parent's pivots come right behind its own, and if one front with a few more zeros costs
// less than two (relaxed supernodes, Ashcraft & Grimes 1989).
func (a *analysis) relax() {
	ns := len(a.super) - 1
	width, below := make([]float64, ns), make([]float64, ns)
	for k := range ns {
		for i := a.super[k]; i < a.super[k+1]; i++ {
			width[k] += float64(a.size[i])
		}
		for _, r := range a.rows[a.rowPtr[k]:a.rowPtr[k+1]] {
			below[k] += float64(a.size[r])
		}
	}
	entries, entry := 0.0, panelCost
	for k := range ns {
		entries += width[k] * (width[k] + below[k])
	}
	if entries > farEntries {
		entry = farCost
	}
	gone := make([]bool, ns) // by supernode: joined with the next
	for k := range ns - 1 {
		if a.up[k] != int32(k+1) || a.s.held > 0 && k == ns-2 {
			continue
		}
		w := width[k] + width[k+1]
		if cost(w, below[k+1], entry) < cost(width[k], below[k], entry)+cost(width[k+1], below[k+1], entry) {
			gone[k] = true
			width[k+1] = w
		}
	}
	a.compress(gone)
}

// compress drops the supernodes that were joined with the next.
func (a *analysis) compress(gone []bool) {
	ns := len(gone)
	to := make([]int32, ns) // new number; a joined one has the number of the next
	n := int32(0)
	for k := range ns {
		to[k] = n
		if !gone[k] {
			n++
		}
	}
	super, up := []int32{0}, make([]int32, 0, n)
	rowPtr, rows := []int32{0}, a.rows[:0]
	for k := range ns {
		if gone[k] {
			continue
		}
		q := a.up[k]
		if q >= 0 {
			q = to[q]
		}
		up = append(up, q)
		super = append(super, a.super[k+1])
		rows = append(rows, a.rows[a.rowPtr[k]:a.rowPtr[k+1]]...)
		rowPtr = append(rowPtr, int32(len(rows)))
	}
	if ns > 0 {
		a.super, a.up, a.rowPtr, a.rows = super, up, rowPtr, rows
	}
}

// place fixes the fronts: their sizes, runs of rows, children, entries and leaves.
func (a *analysis) place() {
	s, ns := a.s, len(a.up)
	s.fronts = pages.Make[front](ns)
	a.children()
	at := make([]int32, len(a.size)) // by core node: its first row in the current front
	ent, ptr := a.entries()
	s.ents, s.leaves, s.blocks = pages.Make[entry](len(ent))[:0], pages.Make[leaf](len(a.leafOf))[:0], pages.Make[kernel.Block](len(a.joins))[:0]
	for k := range ns {
		if a.stop.Every(k) {
			return
		}
		f := &s.fronts[k]
		f.super, f.last, f.parent = a.super[k], a.super[k+1], a.up[k]
		f.first, f.width = s.off[f.super], s.off[f.last]-s.off[f.super]
		h := int32(0)
		for i := f.super; i < f.last; i++ {
			at[i] = h
			h += a.size[i]
		}
		f.rowLo = int32(len(s.runs))
		for _, r := range a.rows[a.rowPtr[k]:a.rowPtr[k+1]] {
			at[r] = h
			h += a.size[r]
			s.addRun(f.rowLo, s.off[r], a.size[r], -1)
		}
		f.rowHi = int32(len(s.runs))
		f.below = h - f.width
		f.panel = s.panels
		s.panels += int64(f.width) * int64(f.ld())
		s.maxRows, s.maxWidth = max(s.maxRows, int(h)), max(s.maxWidth, int(f.width))
		s.maxPanel = max(s.maxPanel, int(f.width)*f.ld())
		for _, c := range s.kids[f.kidLo:f.kidHi] {
			g := &s.fronts[c]
			g.upLo = int32(len(s.runs))
			for _, r := range a.rows[a.rowPtr[c]:a.rowPtr[c+1]] {
				s.addRun(g.upLo, at[r], a.size[r], f.width)
			}
			g.upHi = int32(len(s.runs))
		}
		f.entLo = int32(len(s.ents))
		for i := f.super; i < f.last; i++ {
			for _, e := range ent[ptr[i]:ptr[i+1]] {
				s.placeEntry(a, e, at)
			}
		}
		f.entHi = int32(len(s.ents))
		f.held = s.held > 0 && k == ns-1
		a.placeLeaves(f, at)
	}
}

// addRun appends n rows that go to dst and the following rows. They extend the last run if it ends at dst and dst is not the row
// border: no run crosses border. Runs before number first belong to another list.
func (s *Symbolic) addRun(first, dst, n, border int32) {
	if l := int32(len(s.runs)); l > first && dst != border {
		if r := &s.runs[l-1]; r.dst+r.n == dst {
			r.n += n
			return
		}
	}
	s.runs = append(s.runs, run{dst, n})
}

// children lists the child supernodes of each supernode in increasing order.
func (a *analysis) children() {
	s, ns := a.s, len(a.up)
	ptr := make([]int32, ns+1)
	for _, q := range a.up {
		if q >= 0 {
			ptr[q+1]++
		}
	}
	for k := range ns {
		ptr[k+1] += ptr[k]
		s.fronts[k].kidLo, s.fronts[k].kidHi = ptr[k], ptr[k+1]
	}
	s.kids = make([]int32, ptr[ns])
	for k, q := range a.up {
		if q >= 0 {
			s.kids[ptr[q]] = int32(k)
			ptr[q]++
		}
	}
}

// entries lists the blocks between −1 and +1 nodes of the core by the node that is eliminated first: list[ptr[c]:ptr[c+1]] are the
// blocks of core node c, as indices into Pattern.Ind.
func (a *analysis) entries() (list, ptr []int32) {
	p, core := a.p, len(a.size)
	ptr = make([]int32, core+1)
	each := func(f func(first, block int32)) {
		for i := p.Positive(); i < p.Len(); i++ {
			for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
				if c, d := a.inv[i], a.inv[p.Ind[k]]; d >= 0 {
					f(min(c, d), k)
				}
			}
		}
	}
	each(func(first, _ int32) { ptr[first+1]++ })
	for c := range core {
		ptr[c+1] += ptr[c]
	}
	list = make([]int32, ptr[core])
	next := slices.Clone(ptr[:core])
	each(func(first, block int32) {
		list[next[first]] = block
		next[first]++
	})
	return list, ptr
}

// placeEntry appends the entry of a block of the pattern; at has the first row of each core node in the block's front.
func (s *Symbolic) placeEntry(a *analysis, block int32, at []int32) {
	p := a.p
	neg := a.blockRow(block)
	pos := p.Ind[block]
	j, b := a.inv[neg], a.inv[pos]
	e := entry{src: p.Pos[block], row: at[j], col: at[b], nr: p.Size[neg], nc: p.Size[pos]}
	if j < b {
		e.row, e.col, e.nr, e.nc, e.trans = e.col, e.row, e.nc, e.nr, true
	}
	s.ents = append(s.ents, e)
}

// blockRow returns the −1 node of a block, given by its index into Pattern.Ind.
func (a *analysis) blockRow(block int32) int32 {
	i, _ := slices.BinarySearch(a.p.Ptr, block+1)
	return int32(i) - 1
}

// placeLeaves appends the leaves whose first neighbour is a pivot of f; at has the first row of each core node in f.
func (a *analysis) placeLeaves(f *front, at []int32) {
	s, p := a.s, a.p
	f.leafLo = int32(len(s.leaves))
	for l := a.leafPtr[f.super]; l < a.leafPtr[f.last]; l++ {
		v := leaf{
			lo: int32(len(s.blocks)), up: int32(len(s.runs)),
			first: p.Off[a.leafOf[l]], size: p.Size[a.leafOf[l]],
		}
		for k := a.joinPtr[l]; k < a.joinPtr[l+1]; k++ {
			c, rows := a.joins[k], a.size[a.joins[k]]
			s.blocks = append(s.blocks, kernel.Block{W: p.Pos[a.joinSrc[k]], Row: at[c], Res: s.oldOff[c], Node: c, N: rows})
			s.addRun(v.up, at[c], rows, f.width)
			v.rows += rows
		}
		v.hi, v.to = int32(len(s.blocks)), int32(len(s.runs))
		s.maxLeaf = max(s.maxLeaf, int(v.rows))
		s.leaves = append(s.leaves, v)
	}
	f.leafHi = int32(len(s.leaves))
	s.spread(f)
}

// Times, in nanoseconds, of adding a leaf of r rows by itself, leafCost +
// leafEntry·r², and of adding it spread over n rows, spreadEntry·n². Another value costs time only.
const (
	leafCost    = 25.0
	leafEntry   = 0.9
	spreadEntry = 0.08
)

// spread decides whether the leaves of f are added one by one or spread over all rows of the front, whichever takes less time. It
// counts their columns, and enlarges the scratch for spread leaves.
func (s *Symbolic) spread(f *front) {
	n := float64(f.rows())
	alone, together := 0.0, 0.0
	for i := f.leafLo; i < f.leafHi; i++ {
		l := &s.leaves[i]
		f.columns += int32(l.size)
		together += spreadEntry * n * n
		r := float64(l.rows)
		alone += leafCost + leafEntry*r*r
		if s.runs[l.up].dst+l.rows == f.width+f.below {
			alone -= leafEntry*r*r - spreadEntry*r*r
		}
	}
	if f.spread = together < alone; f.spread || f.ld() <= kernel.FrontRows { // kernel.Front has all leaves spread, and their right sides
		s.maxSpread = max(s.maxSpread, int(f.columns)*max(f.ld(), kernel.FrontRows+1))
	}
}
