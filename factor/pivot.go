package factor

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/kernel"
)

// SetLeast sets for each row of sign −1 the pivot, relative to its scale, below which Factorize takes the row for weak under WhereWeak, by
// original scalar. Nil, the default, stands for WeakPivot·eps in all rows. Own limits are for orders in which a long part is eliminated
// before its last rows: their pivots are as small as the mobility of the part that remains. The slice is kept.
//
// It panics unless there is one number a scalar.
func (f *Factor) SetLeast(least []float64) {
	if least != nil && len(least) != f.Symbolic.Pattern.Dim() {
		panic("factor: length mismatch")
	}
	f.least = least
}

// WeakPivot is the ratio of a pivot to eps·scale above which the pivot stands without proximal
// term. Where the rows of one loop differ widely in scale, rounding makes pivots of redundant
// rows up to the size of eps·scale.
const WeakPivot = 1e3

// eliminate factors the panel of a front with n rows. Pivots above their limit are replaced by w.pivot. A bad pivot is stored in w.bad.
func (w *worker) eliminate(fr *front, pan []float64, n int) {
	p := int(fr.width)
	dinv := w.f.dinv[fr.first : int(fr.first)+p]
	limit := w.limit[:p]
	w.limits(fr, limit)
	ld, shift := w.ld[:n*p], w.shift[:p]
	repaired := 0
	for q := 0; ; repaired++ {
		if n > widePanel {
			q = w.panelLarge(fr, pan, n, q)
		} else {
			q = kernel.Panel(pan, n, n, p, q, ld, n, dinv, limit, shift)
		}
		if q == p {
			break
		}
		v, ok := w.pivot(fr, q, pan[q*n+q])
		if !ok {
			w.bad, w.lost = w.original(fr, q), v
			return
		}
		pan[q*n+q], limit[q] = v, math.Inf(1)
	}
	if n > widePanel && w.f.watch.Up() {
		return
	}
	w.Weak -= repaired // pivot has counted these
	w.note(fr, pan, n, dinv, limit)
}

// pivot returns the pivot to use in column q of a front in place of its Schur complement v, and false if its
// sign is wrong.
func (w *worker) pivot(fr *front, q int, v float64) (float64, bool) {
	i := w.original(fr, q)
	if p := w.f.Symbolic.Pattern; i < int(p.Off[p.Positive()]) {
		return v, v > 0
	}
	v = w.jointPivot(v, w.f.scale[i])
	return v, v < 0
}

// original returns the original scalar of pivot q of a front.
func (w *worker) original(fr *front, q int) int {
	s := w.f.Symbolic
	c, i := fr.super, fr.first+int32(q)
	for s.off[c+1] <= i {
		c++
	}
	return int(s.oldOff[c] + i - s.off[c])
}

// positiveLimit is the limit of all pivots of sign +1, so that kernel.Panel takes them as they are. note checks their sign.
const positiveLimit = math.MaxFloat64

// limits stores a limit and, in w.shift, a shift for each pivot of a front. The limit is the value up to which
// kernel.Panel takes the pivot as it is: a −1 row with such a pivot is not weak. The shift is
// the term that kernel.Panel subtracts from the pivot of a weak row; where it is NaN, kernel.Panel stops at the pivot. A row of scale
// zero has to have a negative pivot.
func (w *worker) limits(fr *front, limit []float64) {
	f, s := w.f, w.f.Symbolic
	shift := w.shift[:len(limit)]
	weak := -WeakPivot * f.eps
	i := 0
	for c := fr.super; c < fr.last; c++ {
		n := int(s.off[c+1] - s.off[c])
		scale := f.scale[s.oldOff[c]:][:n]
		lim, sh := limit[i:][:n], shift[i:][:n]
		switch {
		case s.sign[c] > 0:
			for k := range scale {
				lim[k], sh[k] = positiveLimit, math.NaN()
			}
		case f.policy == WhereWeak:
			weakLimits(lim, sh, scale, weak)
			if f.least != nil {
				ownLimits(lim, scale, f.least[s.oldOff[c]:])
			}
		default:
			for k := range scale {
				lim[k], sh[k] = math.Inf(-1), math.NaN()
			}
		}
		i += n
	}
}

// weakLimits stores the limits and the shifts of −1 rows of the given scale under WhereWeak; weak is −WeakPivot·eps. No limit is zero, so
// that a pivot of zero is above it.
func weakLimits(limit, shift, scale []float64, weak float64) {
	limit, shift = limit[:len(scale)], shift[:len(scale)]
	for k, d := range scale {
		l := weak * d
		if l > -math.SmallestNonzeroFloat64 {
			l = -math.SmallestNonzeroFloat64
		}
		limit[k], shift[k] = l, d
	}
}

// ownLimits stores the limits of rows with least pivots of their own (SetLeast).
func ownLimits(limit, scale, least []float64) {
	for k, d := range scale {
		limit[k] = min(-least[k]*d, -math.SmallestNonzeroFloat64)
	}
}

// redundantPivot is the ratio of a pivot to its proximal term below which the
// row counts as redundant when the contraction of refinement is estimated.
const redundantPivot = 10

// jointPivot returns the pivot of a −1 row from its Schur complement p and its
// scale. It counts weak and corrected rows, and records the largest ε/t of theory.md (20) in w.Contraction.
func (w *worker) jointPivot(p, scale float64) float64 {
	f := w.f
	e := f.eps * scale
	if f.policy == WhereWeak {
		if -p > WeakPivot*e {
			return p
		}
		e = scale
	}
	if e == 0 {
		return p
	}
	w.Weak++
	p -= e
	switch {
	case p > -0.5*e:
		w.Corrected++
		return -e
	case f.policy == Everywhere && e > -p*w.Contraction && -p > redundantPivot*e:
		w.Contraction = -e / p
	}
	return p
}

// clearlyLarger is the factor by which a pivot has to exceed the pivot of an earlier row, each relative to its scale, to be taken
// first. So rows that are equal by symmetry stay in their order, whatever their rounding.
const clearlyLarger = 1 + 1e-6

// choosing is the elimination of one front by ChooseRows, column by column from the left.
type choosing struct {
	w        *worker
	pan      []float64 // columns of the front, with both triangles of the pivots' square
	l        []float64 // columns of L in the order of elimination
	n        int       // rows of a column
	original []int     // by pivot: its original scalar
	positive []bool    // by pivot: it has sign +1
	scale    []float64 // by pivot
	diagonal []float64 // by pivot: its current Schur complement
	done     []bool    // by pivot: eliminated or left out
	d        []float64 // pivots in the order of elimination
	ld       []float64 // a row of L·D
}

// choose eliminates a front with the largest pivots first. It leaves out the rows that depend on these, and counts them in w.Weak.
func (w *worker) choose(fr *front, pan, upd []float64, n int) {
	p := int(fr.width)
	c := w.newChoosing(fr, pan, n)
	for q := c.next(); q >= 0; q = c.next() {
		if w.f.watch.Up() {
			return
		}
		v := c.eliminate(q)
		if c.positive[q] && !(v > 0) || !algebra.Finite(v) {
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

// newChoosing returns the state of choose for a front whose panel has columns of n numbers. It fills the upper triangle of the pivots'
// square, which is not assembled, from the lower one.
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

// next returns the pivot to eliminate next, or −1 if there is none. It is the largest one, relative to its scale, before the next pivot of
// sign +1. If only weak rows are left before that pivot, they are left out, and the pivot of sign +1 is next. A pivot that is NaN is
// returned at once.
func (c *choosing) next() int {
	q, best, weak := -1, 0.0, WeakPivot*c.w.f.eps
	for i, v := range c.diagonal {
		switch {
		case c.done[i]:
		case v != v:
			return i
		case c.positive[i]:
			if q >= 0 {
				return q
			}
			for k := range i {
				c.done[k] = true
			}
			return i
		case -v > weak*c.scale[i] && -v > best*c.scale[i]*clearlyLarger:
			q, best = i, -v/c.scale[i]
		}
	}
	return q
}

// eliminate computes the column of L for pivot q, updates the diagonal, and returns the pivot.
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
