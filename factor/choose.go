package factor

import (
	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/sparse"
)

// clearlyLarger is by how much a pivot has to be larger than that of an earlier row, relative to their scales, to be taken
// first. Rows that are equal by symmetry stay in their order, whatever their rounding.
const clearlyLarger = 1 + 1e-6

// ChooseRows stores in kept which rows of sign −1 to keep such that the others depend on them and no row that is kept depends
// on others: theory.md, "Spare rows". Rows count as dependent as under WhereWeak. In a front the row with the largest pivot,
// relative to its scale, is kept first. So a row that closes a short loop is kept before one that closes the same loop through
// a long part of the mechanism, whose inertia makes its pivot small. Entries of rows of sign +1 become true.
//
// Shapes and panics are those of Factorize; kept has Dim entries. There is no factor afterwards.
// Cost: that of Factorize in loops without vectors, some ten times as long; allocates. It returns a *PivotError as Factorize does,
// and the cause for which a context has ended.
func (f *Factor) ChooseRows(kept []bool, m *sparse.Matrix, scale []float64, eps float64) error {
	f.mustBe()
	p := f.Symbolic.Pattern
	if len(kept) != p.Dim() {
		panic("factor: length mismatch")
	}
	first := p.Off[p.Positive()]
	for i := range kept {
		kept[i] = i < int(first)
	}
	f.kept = kept
	err := f.Factorize(m, scale, eps, WhereWeak)
	f.kept, f.ok = nil, false
	return err
}

// choosing is the elimination of one front by ChooseRows, column by column from the left.
type choosing struct {
	w        *worker
	pan, l   []float64 // both triangles of the front's columns, and the columns of L by order of elimination
	n        int       // rows
	original []int     // by pivot
	positive []bool    // by pivot
	scale    []float64 // by pivot
	diagonal []float64 // by pivot: what is left
	done     []bool    // by pivot
	d        []float64 // pivots by order of elimination
	ld       []float64 // of one row
}

// choose eliminates a front with the largest pivots first, and leaves out rows that depend on these.
func (w *worker) choose(fr *front, pan, upd []float64, n int) {
	p := int(fr.width)
	c := w.newChoosing(fr, pan, n)
	for q := c.next(); q >= 0; q = c.next() {
		if w.f.watch.Up() {
			return
		}
		v := c.eliminate(q)
		if c.positive[q] && !(v > 0) || v-v != 0 {
			w.bad, w.lost = c.original[q], v
			return
		}
		w.f.kept[c.original[q]] = true
	}
	k := len(c.d)
	w.Weak += p - k
	m := int(fr.below)
	if m == 0 || k == 0 {
		return
	}
	for i, d := range c.d { // the columns of the front become L·D
		to, from := pan[i*n:(i+1)*n], c.l[i*n:(i+1)*n]
		for j, v := range from {
			to[j] = d * v
		}
	}
	w.subtract(upd, m+1, c.l[p:], pan[p:], n, m+1, m, k)
}

func (w *worker) newChoosing(fr *front, pan []float64, n int) *choosing {
	f, s, p := w.f, w.f.Symbolic, int(fr.width)
	c := &choosing{w: w, pan: pan, l: w.ld[:n*p], n: n, done: make([]bool, p), diagonal: make([]float64, p), ld: make([]float64, p)}
	for j := range p {
		for i := j + 1; i < p; i++ {
			pan[i*n+j] = pan[j*n+i]
		}
		c.diagonal[j] = pan[j*n+j]
	}
	for node := fr.super; node < fr.last; node++ {
		for k := range int(s.off[node+1] - s.off[node]) {
			o := int(s.oldOff[node]) + k
			c.original = append(c.original, o)
			c.positive = append(c.positive, s.sign[node] > 0)
			c.scale = append(c.scale, f.scale[o])
		}
	}
	return c
}

// next returns the pivot to eliminate next: the first of sign +1, else the largest one, or −1 if all rows that are left are
// weak.
func (c *choosing) next() int {
	q, best, weak := -1, 0.0, weakPivot*c.w.f.eps
	for i, v := range c.diagonal {
		if c.done[i] {
			continue
		}
		if c.positive[i] || v != v {
			return i
		}
		if scale := c.scale[i]; -v > weak*scale && -v > best*scale*clearlyLarger {
			q, best = i, -v/scale
		}
	}
	return q
}

// eliminate computes the column of pivot q of L, and returns the pivot.
func (c *choosing) eliminate(q int) float64 {
	n, k := c.n, len(c.d)
	col := c.l[k*n : (k+1)*n]
	copy(col, c.pan[q*n:(q+1)*n])
	for i, d := range c.d {
		c.ld[i] = d * c.l[i*n+q]
	}
	if k > 0 {
		kernel.SubMul(col, c.l, n, n, k, c.ld[:k])
	}
	v := col[q]
	inverse := 1 / v
	for i := range col {
		col[i] *= inverse
	}
	c.done[q], c.d = true, append(c.d, v)
	for i := range c.diagonal {
		c.diagonal[i] -= v * col[i] * col[i]
	}
	return v
}
