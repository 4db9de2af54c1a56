package factor

// update subtracts L·D·Lᵀ of the pivots of supernode k from its update
// matrix, in tiles of two rows by two columns.
func (f *Factor) update(k, m int) {
	s := f.S
	w := s.width(k)
	l := f.panels[s.pan[k]+int64(w*w) : s.pan[k+1]]
	for i := 0; i+1 < m; i += 2 {
		a0 := l[i*w : i*w+w]
		a1 := l[i*w+w : i*w+2*w]
		u0 := f.upd[i*(i+1)/2 : i*(i+1)/2+i+1]
		u1 := f.upd[(i+1)*(i+2)/2 : (i+1)*(i+2)/2+i+2]
		for j := 0; j < i; j += 2 {
			s00, s01, s10, s11 := tile(a0, a1, f.w[j*w:j*w+w], f.w[j*w+w:j*w+2*w])
			u0[j] -= s00
			u0[j+1] -= s01
			u1[j] -= s10
			u1[j+1] -= s11
		}
		s00, _, s10, s11 := tile(a0, a1, f.w[i*w:i*w+w], f.w[i*w+w:i*w+2*w])
		u0[i] -= s00
		u1[i] -= s10
		u1[i+1] -= s11
	}
	if m%2 == 1 {
		i := m - 1
		a := l[i*w : i*w+w]
		u := f.upd[i*(i+1)/2 : i*(i+1)/2+i+1]
		for j := range u {
			u[j] -= dot(a, f.w[j*w:j*w+w])
		}
	}
}

// tile returns the four products of rows a0, a1 with rows b0, b1.
func tile(a0, a1, b0, b1 []float64) (s00, s01, s10, s11 float64) {
	a1, b0, b1 = a1[:len(a0)], b0[:len(a0)], b1[:len(a0)]
	for k, x := range a0 {
		y, p, q := a1[k], b0[k], b1[k]
		s00 += x * p
		s01 += x * q
		s10 += y * p
		s11 += y * q
	}
	return
}
