package factor

import "math"

// PivotsTo stores the pivots of the current factor in dst, original scalar
// order: positive in rows of sign +1, negative in rows of sign −1.
//
// It panics on a length mismatch or without a valid factor.
func (f *Factor) PivotsTo(dst []float64) {
	if !f.ok {
		panic("factor: no valid factor")
	}
	if len(dst) != len(f.dinv) {
		panic("factor: length mismatch")
	}
	for i, old := range f.S.oldOff {
		for k, t := range f.dinv[f.S.off[i]:f.S.off[i+1]] {
			dst[int(old)+k] = 1 / t
		}
	}
}

// GrowthTo stores in dst, original scalar order, the diagonal of |L|·|D|·|Lᵀ|.
// Its size relative to the diagonal that was factored bounds the growth of
// rounding errors (Higham 2002, ch. 11).
//
// Cost: O(nonzeros of L); it overwrites nothing of the factor and does not
// allocate. It panics on a length mismatch or without a valid factor.
func (f *Factor) GrowthTo(dst []float64) {
	s := f.S
	f.PivotsTo(dst)
	for i, t := range f.dinv {
		f.x[i] = math.Abs(1 / t)
	}
	for k := range s.parent {
		w := s.width(k)
		pan := f.panels[s.pan[k]:s.pan[k+1]]
		o := int(s.off[s.super[k]])
		d := f.dinv[o : o+w]
		for i := 1; i < w; i++ {
			f.x[o+i] += growth(pan[i*w:i*w+i], d)
		}
		pan = pan[w*w:]
		for q := s.rowPtr[k]; q < s.rowPtr[k+1]; q++ {
			for r := s.off[s.rows[q]]; r < s.off[s.rows[q]+1]; r++ {
				f.x[r] += growth(pan[:w], d)
				pan = pan[w:]
			}
		}
	}
	for i, old := range s.oldOff {
		copy(dst[old:], f.x[s.off[i]:s.off[i+1]])
	}
}

// growth returns Σ l²/|d|, d the reciprocal pivots.
func growth(l, d []float64) (t float64) {
	d = d[:len(l)]
	for k, x := range l {
		t += x * x / math.Abs(d[k])
	}
	return t
}
