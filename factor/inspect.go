package factor

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

// PivotsTo stores the pivots of the current factor in dst, original scalar
// order: positive in rows of sign +1, negative in rows of sign −1.
//
// It panics on a length mismatch or without a valid factor.
func (f *Factor) PivotsTo(dst []float64) {
	if !f.ok {
		panic("factor: no valid factor")
	}
	f.mustBeWhole()
	if len(dst) != f.Symbolic.Pattern.Dim() {
		panic("factor: length mismatch")
	}
	s, p := f.Symbolic, f.Symbolic.Pattern
	for i := range dst[:p.Off[p.Positive()]] {
		dst[i] = 1 // leaves
	}
	for c, o := range s.oldOff {
		for k, t := range f.dinv[s.off[c]:s.off[c+1]] {
			dst[int(o)+k] = 1 / t
		}
	}
	if w := f.weighted(); w != nil {
		w.each(dst, func(c, v []float64) {
			for i := range v {
				v[i] *= c[i*len(v)+i] * c[i*len(v)+i]
			}
		})
	}
}

// Weakest returns the row of sign −1 that depends most on those before it, as a node and a row
// within the node. It is the row whose pivot is smallest relative to its scale, and ratio is
// pivot over scale. Under Everywhere rows that count as redundant are left out.
// The node is −1 if no row is left.
//
// Cost: O(rows), no allocation. It panics without a valid factor.
func (f *Factor) Weakest() (node, row int, ratio float64) {
	if !f.ok {
		panic("factor: no valid factor")
	}
	f.mustBeWhole()
	s := f.Symbolic
	node, most := -1, 0.0 // most is the largest scale over |pivot|
	for c, o := range s.oldOff {
		if s.sign[c] > 0 {
			continue
		}
		dinv := f.dinv[s.off[c]:s.off[c+1]]
		scale := f.scale[o:][:len(dinv)]
		for k, t := range dinv {
			r := math.Abs(t * scale[k])
			if r > most && (f.policy != Everywhere || !(1/r <= redundantPivot*f.eps)) {
				node, row, most = int(s.node[c]), k, r
			}
		}
	}
	return node, row, 1 / most
}

// GrowthTo stores in dst, original scalar order, the diagonal of |L|·|D|·|Lᵀ|.
// Its size relative to the diagonal that was factored bounds the growth of
// rounding errors (Higham 2002, ch. 11). With +1 blocks M = C·Cᵀ that are not
// units, L and D are the factors of the matrix with W = J·C⁻ᵀ in place of J.
//
// Cost: O(nonzeros of L); it overwrites nothing of the factor and does not
// allocate. It panics on a length mismatch or without a valid factor.
func (f *Factor) GrowthTo(dst []float64) {
	if !f.ok {
		panic("factor: no valid factor")
	}
	f.mustBeWhole()
	if len(dst) != f.Symbolic.Pattern.Dim() {
		panic("factor: length mismatch")
	}
	s, p := f.Symbolic, f.Symbolic.Pattern
	for i := range dst[:p.Off[p.Positive()]] {
		dst[i] = 1 // leaves
	}
	for i, t := range f.dinv {
		f.x[i] = math.Abs(1 / t)
	}
	for k := range s.fronts {
		if f.watch.Every(k) {
			return
		}
		f.addGrowth(&s.fronts[k])
	}
	for c, old := range s.node {
		if f.watch.Every(c) {
			return
		}
		o := p.Off[old]
		y := dst[o:p.Off[old+1]]
		copy(y, f.x[s.off[c]:s.off[c+1]])
		for k := p.Ptr[old]; k < p.Ptr[old+1]; k++ {
			if n := int(p.Size[p.Ind[k]]); s.leaf[p.Ind[k]] {
				for a := range y {
					v := f.unit.Val[int(p.Pos[k])+a*n:][:n]
					y[a] += algebra.Dot(v, v)
				}
			}
		}
	}
}

// addGrowth adds l²·|d| of the entries of a front to their rows in f.x.
func (f *Factor) addGrowth(fr *front) {
	n, w := fr.ld(), int(fr.width)
	pan := f.panels[fr.panel : fr.panel+int64(n*w)]
	for q := range w {
		d := math.Abs(1 / f.dinv[int(fr.first)+q])
		col := pan[q*n : (q+1)*n-1]
		for i := q + 1; i < w; i++ {
			f.x[int(fr.first)+i] += col[i] * col[i] * d
		}
		col = col[w:]
		for _, r := range f.Symbolic.runs[fr.rowLo:fr.rowHi] {
			for i := range r.n {
				f.x[r.dst+i] += col[i] * col[i] * d
			}
			col = col[r.n:]
		}
	}
}
