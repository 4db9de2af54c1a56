package factor

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/sparse"
)

// PivotError says that a pivot has the wrong sign or is not finite.
type PivotError struct {
	Node  int     // node of the pattern
	Row   int     // row within the node
	Value float64 // the pivot
}

// Error describes the pivot.
func (e *PivotError) Error() string {
	return fmt.Sprintf("factor: pivot %d of node %d is %g", e.Row, e.Node, e.Value)
}

// Factor is the memory of one factorization K − E = L·D·Lᵀ, E the proximal
// diagonal. A Factor belongs to one goroutine at a time.
type Factor struct {
	S         *Symbolic
	Corrected int // pivots of the last Factorize that rounding gave the wrong sign or size
	Weak      int // rows of sign −1 whose proximal term was used
	// Contraction estimates how much of the error one refinement leaves: the
	// largest ratio of a proximal term to its pivot, redundant rows left out.
	Contraction float64

	panels []float64 // L by supernodes, rows of pivots' width
	dinv   []float64 // reciprocals of the pivots, permuted scalars
	stack  []float64 // update matrices of children not yet used
	upd    []float64 // update matrix of the current front, packed lower rows
	w      []float64 // L·D of the rows below the current pivots
	relv   []int32   // rel of one child, by scalars
	x      []float64 // permuted vector of the solves
	policy Policy
	eps    float64
	lost   float64 // the pivot that ended the last Factorize
	ok     bool
}

// Policy says which rows of sign −1 get their proximal term.
type Policy uint8

// The policies.
const (
	// WhereWeak puts the whole scale of a row on its diagonal if the pivot without
	// it is below weakPivot·eps·scale, and nothing elsewhere. If the weak rows are
	// exactly the redundant ones, their multipliers come out as zero, all other
	// rows are eliminated exactly, and one solve is right up to rounding.
	WhereWeak Policy = iota
	// Everywhere puts eps·scale on the diagonal of all rows, so that a pivot's
	// answer to a change of eps tells whether its row is redundant, however long
	// the loop.
	Everywhere
)

// weakPivot is the ratio of a pivot to eps·scale above which the pivot stands
// without proximal term. Rounding makes pivots of redundant rows up to the size
// of eps·scale where the rows of one loop differ widely in scale.
const weakPivot = 1e3

// NewFactor allocates everything a factorization of s needs.
func (s *Symbolic) NewFactor() *Factor {
	n := s.P.Dim()
	rows := s.maxRows
	return &Factor{
		S:      s,
		panels: make([]float64, s.pan[len(s.parent)]),
		dinv:   make([]float64, n),
		stack:  make([]float64, s.stack),
		upd:    make([]float64, s.maxUpdate),
		w:      make([]float64, s.maxBelow),
		relv:   make([]int32, rows),
		x:      make([]float64, n),
	}
}

// Factorize computes L and D of m − E, where E is a diagonal in the rows of
// sign −1 made of scale and eps by policy. A row of scale zero has no term under
// any policy.
//
// A pivot that comes out smaller in magnitude than half its term, or positive,
// has been lost to rounding; it is set to minus the term and counted in
// Corrected.
//
// Shapes: m has the pattern of f.S; scale, not negative, has Dim entries in the
// original order, those of +1 rows unused; 0 < eps ≤ 1.
// Cost: f.S.Counts.Flops, no allocation. It returns a *PivotError if a +1
// block is not positive definite, a −1 row without term is not negative, or a
// value is not finite; the factor is then invalid. It panics on a foreign
// pattern or a length mismatch. (A +1 block that is not positive definite is no
// error if −1 blocks eliminated before make it so.)
func (f *Factor) Factorize(m *sparse.Matrix, scale []float64, eps float64, policy Policy) error {
	s := f.S
	if m.P != s.P {
		panic("factor: foreign pattern")
	}
	if len(scale) != s.P.Dim() {
		panic("factor: length mismatch")
	}
	if checks {
		assertInput(m, scale, eps, policy)
	}
	f.ok = false
	f.Corrected, f.Weak, f.Contraction = 0, 0, 0
	f.policy, f.eps = policy, eps
	top := 0
	for k := range s.parent {
		top = f.assemble(k, m, top)
		if bad := f.eliminate(k, scale); bad >= 0 {
			return f.pivotError(bad)
		}
		w, mb := s.width(k), s.below(k)
		upd := f.upd[:mb*(mb+1)/2]
		update(upd, f.panels[s.pan[k]+int64(w*w):s.pan[k+1]], f.w, mb, w)
		top += copy(f.stack[top:], upd)
		if checks {
			assertWithin(top, len(f.stack))
		}
	}
	f.ok = true
	return nil
}

// pivotError builds the error for a permuted scalar.
func (f *Factor) pivotError(i int) error {
	s := f.S
	node := 0
	for int(s.off[node+1]) <= i {
		node++
	}
	return &PivotError{Node: int(s.perm[node]), Row: i - int(s.off[node]), Value: f.lost}
}

// assemble fills the front of supernode k: zeros, the matrix, and the update
// matrices of its children, which leave the stack. It returns the new top.
func (f *Factor) assemble(k int, m *sparse.Matrix, top int) int {
	s := f.S
	w, mb := s.width(k), s.below(k)
	pan := f.panels[s.pan[k]:s.pan[k+1]]
	upd := f.upd[:mb*(mb+1)/2]
	clear(pan)
	clear(upd)
	for i := s.entPtr[k]; i < s.entPtr[k+1]; i++ {
		scatter(pan, w, &s.ents[i], m)
	}
	kids := s.kids[s.kidPtr[k]:s.kidPtr[k+1]]
	for i := len(kids) - 1; i >= 0; i-- { // the last child is on top
		q := kids[i]
		mc := s.below(int(q))
		size := mc * (mc + 1) / 2
		top -= size
		f.extendAdd(int(q), w, pan, upd, f.stack[top:top+size])
	}
	return top
}

// scatter adds one block of the matrix to the panel of its front.
func scatter(pan []float64, w int, e *entry, m *sparse.Matrix) {
	nr, nc := int(e.nr), int(e.nc)
	p := int(e.row)*w + int(e.col)
	switch {
	case e.diag:
		src := m.Dia[e.src : e.src+int64(nr*nc)]
		for a := range nr {
			copy(pan[p+a*w:p+a*w+a+1], src[a*nc:a*nc+a+1])
		}
	case e.trans: // stored nc×nr
		src := m.Val[e.src : e.src+int64(nr*nc)]
		for b := range nc {
			for a, v := range src[b*nr : b*nr+nr] {
				pan[p+a*w+b] = v
			}
		}
	default:
		src := m.Val[e.src : e.src+int64(nr*nc)]
		for a := range nr {
			copy(pan[p+a*w:p+a*w+nc], src[a*nc:a*nc+nc])
		}
	}
}

// extendAdd adds the update matrix u of child c to the front (pan, upd) of its
// parent, whose pivots are w wide.
func (f *Factor) extendAdd(c, w int, pan, upd, u []float64) {
	s := f.S
	rel := f.relv[:s.below(c)]
	inPivots, k := 0, 0
	for q := s.rowPtr[c]; q < s.rowPtr[c+1]; q++ {
		r := s.rel[q]
		n := s.off[s.rows[q]+1] - s.off[s.rows[q]]
		for i := range n {
			rel[k] = r + i
			k++
		}
		if int(r) < w {
			inPivots = k
		}
	}
	for a, ra := range rel {
		row := u[a*(a+1)/2 : a*(a+1)/2+a+1]
		dst := pan[int(ra)*w : int(ra)*w+w]
		for b := range min(a+1, inPivots) {
			dst[rel[b]] += row[b]
		}
		if a < inPivots {
			continue
		}
		i := int(ra) - w
		dst = upd[i*(i+1)/2 : i*(i+1)/2+i+1]
		for b := inPivots; b <= a; b++ {
			dst[int(rel[b])-w] += row[b]
		}
	}
}

// eliminate factors the pivot block of supernode k and the rows below it. It
// returns the permuted scalar of a bad pivot, or −1.
func (f *Factor) eliminate(k int, scale []float64) int {
	s := f.S
	w := s.width(k)
	pan := f.panels[s.pan[k]:s.pan[k+1]]
	o := int(s.off[s.super[k]])
	dinv := f.dinv[o : o+w]
	wrow := f.w[:w]
	i := 0
	for node := s.super[k]; node < s.super[k+1]; node++ {
		old := int(s.oldOff[node])
		for a := range int(s.off[node+1] - s.off[node]) {
			row := pan[i*w : i*w+w]
			p := row[i]
			solveRow(row[:i], wrow[:i], pan, w, dinv)
			for j, x := range row[:i] {
				p -= x * wrow[j]
			}
			if s.sign[o+i] < 0 {
				p = f.jointPivot(p, scale[old+a])
			}
			dinv[i] = 1 / p
			if !(float64(s.sign[o+i])*p > 0) || math.IsInf(p, 0) || math.IsInf(dinv[i], 0) {
				f.lost = p
				return o + i
			}
			i++
		}
	}
	rowsBelow(pan[w*w:], f.w, s.below(k), w, pan, dinv)
	return -1
}

// redundantPivot is the ratio of a pivot to its proximal term below which the
// row counts as redundant when the contraction of refinement is estimated.
const redundantPivot = 10

// jointPivot returns the pivot of a −1 row from its Schur complement p and its
// scale.
func (f *Factor) jointPivot(p, scale float64) float64 {
	e := f.eps * scale
	if f.policy == WhereWeak {
		if -p > weakPivot*e {
			return p
		}
		e = scale
	}
	if e == 0 {
		return p
	}
	f.Weak++
	p -= e
	switch {
	case p > -0.5*e:
		f.Corrected++
		return -e
	case f.policy == Everywhere && e > -p*f.Contraction && -p > redundantPivot*e:
		f.Contraction = -e / p
	}
	return p
}
