package factor

import (
	"math"

	"github.com/rung-mbd/rung/internal/kernel"
)

// weakPivot is the ratio of a pivot to eps·scale above which the pivot stands without proximal
// term. Where the rows of one loop differ widely in scale, rounding makes pivots of redundant
// rows up to the size of eps·scale.
const weakPivot = 1e3

// eliminate factors the panel of a front with n rows.
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
	for i, d := range dinv {
		if d == 0 || d-d != 0 {
			w.bad, w.lost = w.original(fr, i), pan[i*n+i]
			return
		}
		if limit[i] > 0 { // infinite: the kernel has added the term, or pivot has decided
			w.Weak++
		}
	}
	if w.f.weak != nil {
		weak := w.f.weak[fr.first:]
		for i, l := range limit {
			weak[i] = l > 0 && w.f.policy == WhereWeak
		}
	}
	w.Weak -= repaired // pivot has counted these
}

// pivot returns the pivot q of a front to use for its Schur complement v, and
// whether there is one.
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

// limits stores two numbers for each pivot of a front. The limit is the value up to which
// kernel.Panel takes the pivot as it is: a −1 row with such a pivot is not weak. The shift is
// the term that kernel.Panel puts on a weak row. A pivot of a row of scale zero has to be negative.
func (w *worker) limits(fr *front, limit []float64) {
	f, s := w.f, w.f.Symbolic
	shift := w.shift[:len(limit)]
	weak := -weakPivot * f.eps
	i := 0
	for c := fr.super; c < fr.last; c++ {
		n := int(s.off[c+1] - s.off[c])
		scale := f.scale[s.oldOff[c]:][:n]
		lim, sh := limit[i:][:n], shift[i:][:n]
		if f.policy == WhereWeak && s.sign[c] < 0 {
			for k, d := range scale {
				lim[k], sh[k] = min(weak*d, -math.SmallestNonzeroFloat64), d
			}
		} else {
			for k := range scale {
				lim[k], sh[k] = math.Inf(-1), math.NaN()
			}
		}
		i += n
	}
}

// redundantPivot is the ratio of a pivot to its proximal term below which the
// row counts as redundant when the contraction of refinement is estimated.
const redundantPivot = 10

// jointPivot returns the pivot of a −1 row from its Schur complement p and its
// scale. It records the largest ε/t of theory.md (20) in w.Contraction.
func (w *worker) jointPivot(p, scale float64) float64 {
	f := w.f
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
