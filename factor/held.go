package factor

import (
	"math"

	"github.com/rung-mbd/rung/sparse"
)

// The functions of this file factor mechanisms that are cut into pieces (package dist, docs/cluster.md). The
// nodes of sign −1 on the cut are held. Each piece eliminates all its other nodes. The rest in the held rows is the
// share of the piece in their Schur complement,
//
//	S = Σ Sᵢ,   Sᵢ = Jᵢ·Kᵢ⁻¹·Jᵢᵀ,
//
// with Kᵢ the matrix of piece i without the held rows, and Jᵢ its part of the held rows. Another factor, of the root, sums the
// shares and factors S. In its pattern a piece is a node of sign +1 that couples the rows which the piece holds. So order and fronts of the
// root are as in a mechanism whose bodies are the pieces.

const heldRows = "factor: rows are held; use SolveHeldTo"

// mustBeWhole panics if rows are held.
func (f *Factor) mustBeWhole() {
	if f.Symbolic.held > 0 {
		panic(heldRows)
	}
}

// AnalyzeHeld is Analyze for a factorization that holds the last nodes of perm, held of them, all of sign −1: their
// front is assembled and not eliminated. ShareTo reads that front of a factor, and SolveHeldTo solves with the factor.
//
// Counts are for the eliminated nodes, but its nonzeros include the share. It panics if perm is not a permutation of
// the nodes, held is out of range, or a held node is of sign +1.
func AnalyzeHeld(p *sparse.Pattern, perm []int32, held int) *Symbolic {
	e := eliminate(p, perm, nil)
	e.hold(lastOf(perm, held))
	return e.analyze()
}

// CountHeld returns the Counts of AnalyzeHeld without analysing the fronts. It panics as AnalyzeHeld does.
func CountHeld(p *sparse.Pattern, perm []int32, held int) Counts {
	e := eliminate(p, perm, nil)
	e.hold(lastOf(perm, held))
	return e.counts
}

// lastOf returns the last nodes of perm, held of them. It panics if perm has fewer, or held is negative.
func lastOf(perm []int32, held int) []int32 {
	if uint(held) > uint(len(perm)) {
		panic("factor: number of held nodes out of range")
	}
	return perm[len(perm)-held:]
}

// hold moves the nodes in list to the end of the order, and couples each of them with all that follow it. It panics if one has sign +1.
//
// The other nodes keep their order, which is still a postorder: their trees hang below the one front of all held
// nodes.
func (e *elimination) hold(list []int32) {
	g, n := e.graph, e.graph.n
	first := n - len(list)
	place := make([]int32, n) // by node of the pattern: position among the held nodes + 1
	for i, v := range list {
		if e.p.Sign[v] > 0 {
			panic("factor: a held node has sign +1")
		}
		place[v] = int32(i) + 1
	}
	seq, inv := make([]int32, n), make([]int32, n)
	next := 0
	for i, old := range e.perm {
		to := next
		if at := place[old]; at > 0 {
			to = first + int(at) - 1
		} else {
			next++
		}
		seq[to], inv[i] = int32(i), int32(to)
	}
	perm, parent, rows := make([]int32, n), make([]int32, n), make([]int32, n)
	for to, i := range seq {
		perm[to], rows[to], parent[to] = e.perm[i], e.rows[i], -1
		if q := e.parent[i]; q >= 0 {
			parent[to] = inv[q]
		}
	}
	e.graph = g.renumbered(seq, inv)
	below, flops := int32(0), int64(0) // rows of held nodes below, and the work of eliminating these rows, which does not count
	for i := n - 1; i >= first; i-- {
		for range e.graph.size[i] {
			flops += int64(below) * int64(below+2)
			below++
		}
		rows[i], parent[i] = below, int32(i+1)
	}
	if len(list) > 0 {
		parent[n-1] = -1
	}
	band := e.counts.Bandwidth
	e.perm, e.parent, e.rows, e.held = perm, parent, rows, len(list)
	e.counts = countsOf(e.p, perm, e.graph, rows)
	e.counts.Flops -= flops
	e.counts.Bandwidth = band
}

// Held returns the held nodes in the order of the rows of the share; it is not a copy.
func (s *Symbolic) Held() []int32 { return s.node[len(s.node)-s.held:] }

// heldFront returns the front of the held nodes, nil if none is held.
func (s *Symbolic) heldFront() *front {
	if s.held == 0 {
		return nil
	}
	return &s.fronts[len(s.fronts)-1]
}

// HeldRows returns the number of rows of the held nodes.
func (s *Symbolic) HeldRows() int {
	if fr := s.heldFront(); fr != nil {
		return int(fr.width)
	}
	return 0
}

// ShareSize returns the length of a share of n rows: the numbers of a lower triangle.
func ShareSize(n int) int { return n * (n + 1) / 2 }

// ShareTo stores in dst the share of this piece in the matrix of the held rows after the last FactorizeFor: the lower
// triangle of −Sᵢ, column by column. It stores in right the share in the right side of the held rows, bᵢ − Jᵢ·Kᵢ⁻¹·b. The head of
// this file has the symbols. Nothing is stored if no rows are held.
//
// Shapes: dst has ShareSize(HeldRows) entries, right HeldRows. Cost: as a copy, no allocation. It panics on a
// length mismatch, or without a valid factor.
func (f *Factor) ShareTo(dst, right []float64) {
	fr := f.Symbolic.heldFront()
	switch {
	case !f.ok:
		panic("factor: no valid factor")
	case len(dst) != ShareSize(f.Symbolic.HeldRows()) || len(right) != f.Symbolic.HeldRows():
		panic("factor: length mismatch")
	case fr == nil:
		return
	}
	// Column j of the panel has the held rows, of which those from j on are in the triangle, and then the right side.
	ld := fr.ld()
	n := ld - 1
	panel := f.panels[fr.panel : fr.panel+int64(ld)*int64(fr.width)]
	for j := range int(fr.width) {
		column := panel[j*ld : (j+1)*ld]
		dst = dst[copy(dst, column[j:n]):]
		right[j] = column[n]
	}
}

// share is the matrix that SetShares adds in place of a leaf.
type share struct {
	val  []float64 // as ShareTo stores it
	full []float64 // the same as columns of one row more, for the kernels; the last row, of the right side, is zero
}

// LeafRows returns the −1 neighbours of node v, which has sign +1, in elimination order. A share that takes the place of
// v has its rows in this order (SetShares). LeafRows is nil if v has no neighbours, or is not eliminated before all of them.
//
// It panics if v is out of range.
func (s *Symbolic) LeafRows(v int) []int32 {
	if uint(v) >= uint(len(s.leaf)) {
		panic("factor: node out of range")
	}
	if !s.leaf[v] {
		return nil
	}
	for i := range s.leaves {
		if l := &s.leaves[i]; l.first == s.Pattern.Off[v] {
			out := make([]int32, 0, l.hi-l.lo)
			for k := l.lo; k < l.hi; k++ {
				out = append(out, s.node[s.blocks[k].Node])
			}
			return out
		}
	}
	return nil
}

// SetShares sets the shares of pieces that Factorize adds to the matrix. There is an entry for each node of sign +1, nil
// if the node has no share. A share is a lower triangle as ShareTo stores it, with the rows in the order of LeafRows. The slices are
// kept, and read in each Factorize.
//
// It panics if a node with a share has no LeafRows, or on a length mismatch.
func (f *Factor) SetShares(shares [][]float64) {
	s := f.Symbolic
	p := s.Pattern
	if len(shares) != p.Positive() {
		panic("factor: length mismatch")
	}
	at := make(map[int32]int, len(shares)) // node with a share, by its first scalar
	for v, val := range shares {
		if val != nil {
			at[p.Off[v]] = v
		}
	}
	f.shares = make([]share, len(s.leaves))
	for i := range s.leaves {
		l := &s.leaves[i]
		v, ok := at[l.first]
		if !ok {
			continue
		}
		delete(at, l.first)
		n := int(l.rows)
		if len(shares[v]) != ShareSize(n) {
			panic("factor: length mismatch")
		}
		f.shares[i] = share{shares[v], make([]float64, n*(n+1))}
	}
	if len(at) > 0 {
		panic("factor: a share of a node without a place")
	}
}

// addShares adds the shares of the leaves of a front.
func (w *worker) addShares(fr *front, d *dest) {
	f, s := w.f, w.f.Symbolic
	for i := fr.leafLo; i < fr.leafHi; i++ {
		h := &f.shares[i]
		if h.val == nil {
			continue
		}
		l := &s.leaves[i]
		rows, val := int(l.rows), h.val
		m := rows + 1 // length of a column of h.full
		for j := range rows {
			below := copy(h.full[j*m+j:j*m+rows], val) // column j from the diagonal on
			val = val[below:]
		}
		w.add(d, h.full, m, s.runs[l.up:l.to])
	}
}

// TrackWeak makes Factorize note which rows count as redundant under WhereWeak.
func (f *Factor) TrackWeak() { f.weak = make([]bool, len(f.dinv)) }

// WeakRows calls visit for each row that the last Factorize under WhereWeak has taken for redundant, in elimination order. A row is
// given as a node and a row within the node. WeakRows panics without TrackWeak, or without a valid factor.
func (f *Factor) WeakRows(visit func(node, row int)) {
	if f.weak == nil || !f.ok {
		panic("factor: weak rows are not tracked")
	}
	s := f.Symbolic
	for c, v := range s.node[:len(s.node)-s.held] {
		for k, weak := range f.weak[s.off[c]:s.off[c+1]] {
			if weak && s.sign[c] < 0 {
				visit(int(v), k)
			}
		}
	}
}

// mustHold panics unless there is a valid factor with unit +1 blocks and v has a number for each held row.
func (f *Factor) mustHold(v []float64) {
	f.mustBe()
	switch {
	case !f.ok:
		panic("factor: no valid factor")
	case f.weighted() != nil:
		panic("factor: +1 blocks are not units")
	case len(v) != f.Symbolic.HeldRows():
		panic("factor: length mismatch")
	}
}

// SolveHeldTo solves for the rows that are not held. The solution of the held rows is given, and x receives both. It returns the
// largest norm of a +1 node in x. If r is not nil, it receives the residuals that ResidualHeldTo does not compute; a
// ResidualHeldTo for the same x, r and b has to follow.
//
// Shapes: x, b and r have Dim entries in the original order and do not overlap; given has HeldRows entries in the order
// of Held. Cost: as SolveTo, half of it right after FactorizeFor for the same b; no allocation. It panics on a
// length mismatch, without a valid factor, or if +1 blocks are not units.
func (f *Factor) SolveHeldTo(x, r, b, given []float64) (size float64) {
	f.mustHold(given)
	if n := f.Symbolic.Pattern.Dim(); len(x) != n || len(b) != n || r != nil && len(r) != n {
		panic("factor: length mismatch")
	}
	f.given = given
	size = f.solve(x, b, r)
	f.given = nil
	return max(size, f.freeSize(x))
}

// CondenseTo eliminates all rows but the held ones from the right side r, and stores in dst the right side of the held
// rows that remains, rᵢ − Jᵢ·Kᵢ⁻¹·r. Entries of r in the rows of leaves count as zero. It returns the square of the energy norm,
// theory.md (21), of the rows that it has eliminated. A CorrectHeld has to follow before any other solve.
//
// Shapes: dst has HeldRows entries, r Dim. Cost: half of SolveHeldTo. It panics as SolveHeldTo does.
func (f *Factor) CondenseTo(dst, r []float64) (energy float64) {
	return f.condense(dst, rightSide{b: r})
}

// CondenseAllTo is CondenseTo where entries of r in the rows of leaves count, too. A FindAllHeld has to follow.
func (f *Factor) CondenseAllTo(dst, r []float64) (energy float64) {
	return f.condense(dst, rightSide{b: r, leaves: true})
}

// condense is CondenseTo or CondenseAllTo, as from.leaves says.
func (f *Factor) condense(dst []float64, from rightSide) (energy float64) {
	f.mustHold(dst)
	energy = f.forward(from)
	if fr := f.Symbolic.heldFront(); fr != nil {
		copy(dst, f.x[fr.first:])
	}
	return energy
}

// CorrectHeld adds to x the solution for the right side of the last CondenseTo; given is that solution in the held rows. It
// returns the largest norm that it has added to a +1 node, and the largest norm of a +1 node in x afterwards. r and b are as for
// SolveHeldTo: b is the right side of the system that x solves, not of the correction.
func (f *Factor) CorrectHeld(x, r, b, given []float64) (step, size float64) {
	f.mustHold(given)
	f.given = given
	step, size = f.backward(solution{x: x, b: b, r: r, add: true})
	f.given = nil
	return step, max(size, f.freeSize(x))
}

// FindAllHeld finds the correction for the right side r of the last CondenseAllTo; given is that correction in the held rows.
// It returns Mixing.Products of the +1 part of the correction. first says that it is the first correction of a refinement. AddAllHeld
// has to follow.
func (f *Factor) FindAllHeld(r, given []float64, first bool) (over, under float64) {
	f.mustHold(given)
	f.given = given
	over, under = f.findCorrection(r, first)
	f.given = nil
	return over, under
}

// AddAllHeld adds the step of the last FindAllHeld to x; theta is Theta of the sums of the Products of all pieces. It returns the largest
// norm that it has added to a +1 node, and the largest norm of a +1 node in x afterwards.
func (f *Factor) AddAllHeld(x []float64, theta float64) (step, size float64) {
	return f.addStep(x, theta)
}

// Checked is what ResidualHeldTo has found in the rows that are not held.
type Checked struct {
	Largest float64 // largest r²/|d| of a −1 row, d its pivot
	Least   float64 // least |d| relative to the scale of its row
	Doubt   float64 // Refinement.Doubt
	Worst   Worst
}

// ResidualHeldTo stores b − K·x in r, except in the rows of leaves. It checks the rows that are not held, as
// SolveRefinedTo does; size is the largest norm of a +1 node in all pieces. It stores in held, for each held row, the part
// of the residual that comes from this piece. It stores in terms, for each held node, Σ‖xⱼ‖ over its +1 nodes in this piece, and adds
// Σ‖bⱼ‖ under Everywhere (Worst).
//
// Shapes: held has HeldRows entries, terms one a held node, both in the
// order of Held. It panics on a length mismatch or without a valid factor.
func (f *Factor) ResidualHeldTo(r, held, terms, b, x []float64, size float64) Checked {
	return f.residualHeld(r, held, terms, b, x, size, !twiceDigits)
}

// twiceDigits is the argument twice of residualHeld.
const twiceDigits = true

// ResidualAllHeldTo is ResidualHeldTo with twice the digits, for all rows including those of leaves. The part of this piece in the
// residual of a held row is the sum of its entries in held and low. The entries of r in held rows become zero.
//
// Cost: no allocation but for the first.
func (f *Factor) ResidualAllHeldTo(r, held, low, terms, b, x []float64, size float64) Checked {
	c := f.residualHeld(r, held, terms, b, x, size, twiceDigits)
	p := f.Symbolic.Pattern
	for _, v := range f.Symbolic.Held() {
		for i := p.Off[v]; i < p.Off[v+1]; i++ {
			held[0], low[0], r[i] = f.exact.sums[i].Hi, f.exact.sums[i].Lo, 0
			held, low = held[1:], low[1:]
		}
	}
	return c
}

// residualHeld is ResidualHeldTo. With twice it computes with twice the digits, and the sums of held rows are in f.exact.sums.
func (f *Factor) residualHeld(r, held, terms, b, x []float64, size float64, twice bool) Checked {
	f.mustHold(held)
	s, p := f.Symbolic, f.Symbolic.Pattern
	if len(terms) != s.held {
		panic("factor: length mismatch")
	}
	out := Refinement{Size: size}
	var c Checked
	var e estimates
	if twice {
		e = f.residualTwice(r, b, x, &out)
	} else {
		e = f.residual(r, b, x, &out)
	}
	c.Largest, c.Least = e.largest, e.least
	c.Doubt, c.Worst = out.Doubt, out.Worst
	for i, v := range s.Held() {
		held = held[copy(held, r[p.Off[v]:p.Off[v+1]]):]
		terms[i] = 0
		for k := p.Ptr[v]; k < p.Ptr[v+1]; k++ {
			u := p.Ind[k]
			terms[i] += math.Sqrt(square(x[p.Off[u]:p.Off[u+1]]))
			if f.policy == Everywhere {
				terms[i] += math.Sqrt(square(b[p.Off[u]:p.Off[u+1]]))
			}
		}
	}
	return c
}

// RatioOf returns Worst.Ratio of one row. r, b and scale are the residual, the right side and the scale of
// the row, and terms is the sum of ResidualHeldTo for its node. y is the largest multiplier of the node under WhereWeak, else
// zero. size is the largest norm of a +1 node in the whole solution. A ratio that may be due to rounding alone is returned as zero.
func RatioOf(r, b, scale, terms, size, y float64) float64 {
	if r == 0 {
		return 0
	}
	ratio := math.Abs(r) / (math.Abs(b) + math.Sqrt(scale)*(terms+atRest*size) + scale*y)
	if ratio <= RoundingRatio {
		return 0
	}
	return ratio
}

// NormOf returns the Euclidean norm of the +1 part of x, which is its energy norm as the +1 blocks are units.
func (f *Factor) NormOf(x []float64) float64 { return f.energy(x) }

// storeGiven is backward for the held front. It stores the given solution of the front's pivots, and the solutions of its leaves.
func (w *worker) storeGiven(fr *front, x []float64) {
	f := w.f
	y := x[:fr.width]
	move(y, f.given)
	move(f.x[fr.first:], y)
	w.storeCore(fr, y)
	for i := fr.leafLo; i < fr.leafHi; i++ {
		w.storeLeaf(&f.Symbolic.leaves[i], x)
	}
}
