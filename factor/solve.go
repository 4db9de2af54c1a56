package factor

// SolveTo solves (K − E)·x = b with the current factor.
//
// Shapes: x and b have Dim entries in the original order; x may be b.
// Cost: 4 flops a nonzero of L, no allocation. It panics on a length mismatch
// or if there is no valid factor.
func (f *Factor) SolveTo(x, b []float64) {
	s := f.S
	if !f.ok {
		panic("factor: no valid factor")
	}
	if len(x) != len(f.x) || len(b) != len(f.x) {
		panic("factor: length mismatch")
	}
	f.load(b)
	f.sweep()
	for i, old := range s.oldOff {
		move(x[old:], f.x[s.off[i]:], int(s.off[i+1]-s.off[i]))
	}
}

// addSolution adds to x the solution of (K − E)·dx = b, and returns the largest
// magnitude of dx in the first positive entries.
func (f *Factor) addSolution(x, b []float64, positive int) (step float64) {
	s := f.S
	f.load(b)
	f.sweep()
	for i, old := range s.oldOff {
		v := f.x[s.off[i]:s.off[i+1]]
		dst := x[old : int(old)+len(v)]
		for k, t := range v {
			dst[k] += t
		}
		if int(old) < positive {
			step = max(step, maxAbs(v))
		}
	}
	return step
}

// load copies b, in the original order, to the permuted vector.
func (f *Factor) load(b []float64) {
	s := f.S
	for i, old := range s.oldOff {
		move(f.x[s.off[i]:], b[old:], int(s.off[i+1]-s.off[i]))
	}
}

// move copies the n scalars of one node, the six of a body without a call.
func move(dst, src []float64, n int) {
	if n == 6 {
		*(*[6]float64)(dst) = *(*[6]float64)(src)
		return
	}
	copy(dst[:n], src)
}

// sweep replaces the permuted vector b by the solution.
func (f *Factor) sweep() {
	for k := range f.S.parent {
		f.forward(k)
	}
	for k := len(f.S.parent) - 1; k >= 0; k-- {
		f.backward(k)
	}
}

// forward does the part of L·y = b that belongs to supernode k.
func (f *Factor) forward(k int) {
	s := f.S
	w := s.width(k)
	pan := f.panels[s.pan[k]:s.pan[k+1]]
	o := int(s.off[s.super[k]])
	y := f.x[o : o+w]
	for i := 1; i < w; i++ {
		y[i] -= dot(pan[i*w:i*w+i], y[:i])
	}
	pan = pan[w*w:]
	for q := s.rowPtr[k]; q < s.rowPtr[k+1]; q++ {
		x := f.x[s.off[s.rows[q]]:s.off[s.rows[q]+1]]
		forwardRows(x, pan, y, w)
		pan = pan[len(x)*w:]
	}
}

// backward does the part of D·Lᵀ·x = y that belongs to supernode k.
func (f *Factor) backward(k int) {
	s := f.S
	w := s.width(k)
	pan := f.panels[s.pan[k]:s.pan[k+1]]
	o := int(s.off[s.super[k]])
	y := f.x[o : o+w]
	for i, di := range f.dinv[o : o+w] {
		y[i] *= di
	}
	low := pan[w*w:]
	for q := s.rowPtr[k]; q < s.rowPtr[k+1]; q++ {
		x := f.x[s.off[s.rows[q]]:s.off[s.rows[q]+1]]
		backwardRows(y, low, x, w)
		low = low[len(x)*w:]
	}
	for i := w - 1; i > 0; i-- {
		axpy(y[:i], -y[i], pan[i*w:i*w+i])
	}
}
