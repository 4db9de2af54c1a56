package factor

import (
	"math"

	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/sparse"
)

// An anchor is a joint between one leaf and the world. It is eliminated together with
// its body: with W̄ its rows (c×6, weighted, so of full rank c), P = W̄ᵀ(W̄W̄ᵀ)⁻¹ its
// pseudoinverse and the columns of N an orthonormal basis of the motions it allows,
//
//	⎡ 1  W̄ᵀ ⎤ ⎡ x ⎤   ⎡ v ⎤        x = P·c̄ + N·Nᵀv
//	⎣ W̄  0  ⎦ ⎣ y ⎦ = ⎣ c̄ ⎦  ⇒     y = Pᵀ(v − P·c̄)
//
// So what the body adds to the Schur complement of its other joints W is
// −(W·N)(W·N)ᵀ, of rank 6 − c in place of 6, and neither the rows of the anchor nor
// their columns of L stand in a front. The rows hold by construction, as those of a
// leaf do; they get no proximal term.

// anchor is an anchor with its leaf.
type anchor struct {
	block int64 // W̄ in Matrix.Val
	row   int32 // first original scalar of the joint
	n     int8  // rows
}

// spanSize is the number of scalars that the factor keeps of an anchor: the n rows
// of Pᵀ, then the 6 − n of Nᵀ.
const spanSize = 36

// leastAnchor is the ratio of a pivot of an anchor to the square of its row below
// which there is none.
const leastAnchor = 1e-10

// span stores the rows of Pᵀ and Nᵀ for the n×6 rows w, and the pivots of W̄W̄ᵀ in
// pivot. It returns the first row that depends on those before, or n.
func span(v []float64, pivot *[6]float64, w []float64, n int) int {
	var q, r [6][6]float64 // W̄ = R·Q, R lower, the rows of Q orthonormal
	for i := range n {
		q[i] = [6]float64(w[6*i:])
		size := square(q[i][:])
		for range 2 { // once more, to be orthogonal to rounding
			for j := range i {
				h := dot(q[j][:], q[i][:])
				r[i][j] += h
				axpy(&q[i], -h, &q[j])
			}
		}
		pivot[i] = square(q[i][:])
		if !(pivot[i] > leastAnchor*size) || pivot[i] > math.MaxFloat64 {
			return i
		}
		r[i][i] = math.Sqrt(pivot[i])
		scale(&q[i], 1/r[i][i])
	}
	for i := n; i < 6; i++ {
		complete(&q, i)
	}
	for i := n - 1; i >= 0; i-- { // Rᵀ·Pᵀ = Q
		for j := i + 1; j < n; j++ {
			axpy(&q[i], -r[j][i], &q[j])
		}
		scale(&q[i], 1/r[i][i])
	}
	for i := range q {
		copy(v[6*i:6*i+6], q[i][:])
	}
	return n
}

// complete makes row i of q a unit vector orthogonal to the orthonormal rows before.
func complete(q *[6][6]float64, i int) {
	axis, most := 0, -1.0
	for k := range 6 { // the axis that is farthest from them
		left := 1.0
		for _, p := range q[:i] {
			left -= p[k] * p[k]
		}
		if left > most {
			axis, most = k, left
		}
	}
	q[i] = [6]float64{}
	q[i][axis] = 1
	for range 2 {
		for j := range i {
			axpy(&q[i], -dot(q[j][:], q[i][:]), &q[j])
		}
	}
	scale(&q[i], 1/math.Sqrt(square(q[i][:])))
}

// axpy adds a·x to y.
func axpy(y *[6]float64, a float64, x *[6]float64) {
	for k := range y {
		y[k] += a * x[k]
	}
}

// scale multiplies v by a.
func scale(v *[6]float64, a float64) {
	for k := range v {
		v[k] *= a
	}
}

// withAnchors returns perm with every anchor right after its body, and which nodes are
// anchors or their bodies: those joints of list, of one body, whose body is a leaf of six
// scalars with another joint and no anchor yet. It changes neither fill nor what may be
// factored without pivoting. Both are nil if there is none.
func withAnchors(p *sparse.Pattern, perm []int32, list []int32) (order []int32, anchored []bool) {
	if len(list) == 0 {
		return nil, nil
	}
	inv := inverse(p, perm)
	joints, first := make([]int32, p.Positive()), make([]int32, p.Positive())
	for i := range first {
		first[i] = int32(p.Len())
	}
	for i := p.Positive(); i < p.Len(); i++ {
		for _, b := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
			joints[b]++
			first[b] = min(first[b], inv[i])
		}
	}
	of := make([]int32, p.Positive()) // anchor of each body, 0 for none
	anchored = make([]bool, p.Len())
	found := 0
	for _, i := range list {
		if int(i) < p.Positive() || int(i) >= p.Len() || p.Ptr[i+1]-p.Ptr[i] != 1 {
			panic("factor: not a joint of one body")
		}
		b := p.Ind[p.Ptr[i]]
		if of[b] == 0 && p.Size[b] == 6 && p.Size[i] <= 6 && joints[b] > 1 && inv[b] < first[b] {
			of[b], anchored[b], anchored[i] = i, true, true
			found++
		}
	}
	if found == 0 {
		return nil, nil
	}
	order = make([]int32, 0, len(perm))
	for _, v := range perm {
		switch body := int(v) < p.Positive(); {
		case !anchored[v]:
			order = append(order, v)
		case body:
			order = append(order, v, of[v])
		}
	}
	return order, anchored
}

// Anchors returns the joints that are eliminated together with their bodies, in order.
//
// Cost: O(nodes); allocates.
func (s *Symbolic) Anchors() []int32 {
	var list []int32
	for i, is := range s.anchored {
		if is && s.P.Sign[i] < 0 {
			list = append(list, int32(i))
		}
	}
	return list
}

// setSpan computes span for the anchor of a leaf, unless it stands already. It reports
// whether there is one.
func (w *worker) setSpan(k int32) bool {
	f := w.f
	if f.anchored {
		return true
	}
	a, n := &f.S.anchors[k], int(f.S.anchors[k].n)
	var pivot [6]float64
	if i := span(f.spans[spanSize*k:][:spanSize], &pivot, f.unit.Val[a.block:], n); i < n {
		w.bad, w.lost = int(a.row)+i, -pivot[i]
		return false
	}
	return true
}

// particular stores −P·c in z, c the right side of an anchor in b.
func (f *Factor) particular(z *[6]float64, k int32, b []float64) {
	a := &f.S.anchors[k]
	*z = [6]float64{}
	n := int(a.n)
	kernel.SubRowsT(z[:], f.spans[spanSize*k:], n, b[a.row:int(a.row)+n])
}

// loadAnchored subtracts from the core vector W·(P·c̄ + N·Nᵀb) of an anchored leaf.
func (f *Factor) loadAnchored(l *leaf, b []float64) {
	var z [6]float64
	n := int(f.S.anchors[l.anchor].n)
	v := f.spans[spanSize*l.anchor+6*int32(n):][:6*(6-n)]
	f.particular(&z, l.anchor, b)
	for k := range z {
		z[k] = -z[k]
	}
	var t [6]float64
	kernel.SubRows(t[:], v, 6-n, b[l.first:l.first+6])
	kernel.SubRowsT(z[:], v, 6-n, t[:])
	blocks := f.S.blocks[l.lo:l.hi]
	for i := range blocks {
		c := &blocks[i]
		kernel.SubRows(f.x[f.S.off[c.Node]:][:c.N], f.unit.Val[c.W:], int(c.N), z[:])
	}
}

// spanTo is spreadTo for an anchored leaf: it stores W·N in the columns of t, and Nᵀb in
// the last row, both with the opposite sign, which their products do not show.
func (w *worker) spanTo(t []float64, n int, l *leaf, spread bool) {
	f := w.f
	null := f.spans[spanSize*l.anchor:][:spanSize][6*(6-l.columns):]
	blocks := f.S.blocks[l.lo:l.hi]
	if !spread {
		clear(t)
	}
	for ; len(null) > 0; null = null[6:] {
		o := 0
		for i := range blocks {
			b := &blocks[i]
			if spread {
				o = int(b.Row)
			}
			kernel.SubRows(t[o:o+int(b.N)], f.unit.Val[b.W:], int(b.N), null[:6])
			o += int(b.N)
		}
		if f.b != nil {
			t[n-1] = -dot(null[:6], f.b[l.first:l.first+6])
		}
		t = t[n:]
	}
}

// addParticular subtracts W·P·c̄ of an anchored leaf from the right side of its front.
func (w *worker) addParticular(d *dest, l *leaf) {
	f := w.f
	if f.b == nil {
		return
	}
	var z [6]float64
	f.particular(&z, l.anchor, f.b)
	blocks := f.S.blocks[l.lo:l.hi]
	for i := range blocks {
		b := &blocks[i]
		var y [sparse.MaxBlock]float64
		kernel.SubRows(y[:b.N], f.unit.Val[b.W:], int(b.N), z[:])
		right, ld := d.at(d.w+d.m-1, int(b.Row))
		for k, v := range y[:b.N] {
			right[k*ld] -= v
		}
	}
}

// storeAnchored is storeLeaf for an anchored leaf: with v = b − Wᵀy for its other joints
// it stores x = P·c̄ + N·Nᵀv and the multipliers Pᵀ(v − P·c̄) of the anchor.
func (w *worker) storeAnchored(l *leaf, y []float64) {
	f, s, to := w.f, w.f.S, &w.f.to
	a, n := &s.anchors[l.anchor], int(s.anchors[l.anchor].n)
	span := f.spans[spanSize*l.anchor:][:spanSize]
	blocks := s.blocks[l.lo:l.hi]
	var x, v, t [6]float64 // t = −(Pᵀ(v − P·c̄), Nᵀv), as Nᵀ·P = 0
	if !to.add {
		f.particular(&x, l.anchor, to.b)
		for k, q := range to.b[l.first : l.first+6] {
			v[k], x[k] = q+x[k], -x[k]
		}
	}
	kernel.SubBlocksT(v[:], f.unit.Val, y, blocks)
	kernel.SubRows(t[:], span, 6, v[:])
	kernel.SubRowsT(x[:], span[6*n:], 6-n, t[n:])
	dst, multipliers := to.x[l.first:l.first+6], to.x[a.row:int(a.row)+n]
	q := square(x[:])
	keep(&w.step, q)
	if to.add {
		addTo(dst, x[:])
		q = square(dst)
		for k := range multipliers {
			multipliers[k] -= t[k]
		}
	} else {
		copy(dst, x[:])
		for k := range multipliers {
			multipliers[k] = -t[k]
		}
	}
	keep(&w.size, q)
	w.leave(l, dst, q)
}

const (
	// anchorPivot is the least pivot of an anchor relative to the square of its row, along
	// the axes of CanAnchor, and anchorCondition the largest ‖W̄‖·‖P‖.
	anchorPivot, anchorCondition = 1e-4, 3e4
)

// CanAnchor reports whether rows w, six weighted numbers each, may be those of an anchor:
// each pivot of w·wᵀ is at least anchorPivot of the square of its row, and the condition
// ‖w‖·‖P‖ (Frobenius norms) at most anchorCondition. By the second the rows may turn into each other,
// as they do along other axes, and no pivot comes below 1e-9 of the square of its row,
// which Factorize would refuse; by the first, errors of P are at rounding level row by row.
//
// It panics unless there are one to six rows.
func CanAnchor(w []float64) bool {
	n := len(w) / 6
	if n < 1 || n > 6 || len(w) != 6*n {
		panic("factor: length mismatch")
	}
	var v [spanSize]float64
	var pivot [6]float64
	if span(v[:], &pivot, w, n) < n {
		return false
	}
	for i, p := range pivot[:n] {
		if p < anchorPivot*square(w[6*i:6*i+6]) {
			return false
		}
	}
	return dot(w, w)*dot(v[:6*n], v[:6*n]) <= anchorCondition*anchorCondition
}
