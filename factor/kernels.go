package factor

//go:generate go run gen.go

// rowsBelow turns n rows of a front, in l with stride w, into rows of L, and
// stores L·D in ld; p is the unit lower pivot block. Widths of a single node are
// written out.
func rowsBelow(l, ld []float64, n, w int, p, dinv []float64) {
	switch w {
	case 1:
		rows1(l, ld, n, (*[1]float64)(p), (*[1]float64)(dinv))
	case 2:
		rows2(l, ld, n, (*[4]float64)(p), (*[2]float64)(dinv))
	case 3:
		rows3(l, ld, n, (*[9]float64)(p), (*[3]float64)(dinv))
	case 4:
		rows4(l, ld, n, (*[16]float64)(p), (*[4]float64)(dinv))
	case 5:
		rows5(l, ld, n, (*[25]float64)(p), (*[5]float64)(dinv))
	case 6:
		rows6(l, ld, n, (*[36]float64)(p), (*[6]float64)(dinv))
	default:
		for r := range n {
			solveRow(l[r*w:r*w+w], ld[r*w:r*w+w], p, w, dinv)
		}
	}
}

// solveRow replaces one row of the front by its row of L: on return wr holds
// L·D and row holds L, for the first len(row) pivots; lower is the unit lower
// pivot block with rows of stride w.
func solveRow(row, wr, lower []float64, w int, dinv []float64) {
	wr = wr[:len(row)]
	for k := range row {
		t := row[k]
		l := lower[k*w : k*w+k]
		for j, x := range wr[:len(l)] {
			t -= x * l[j]
		}
		wr[k] = t
	}
	dinv = dinv[:len(row)]
	for k, t := range wr {
		row[k] = t * dinv[k]
	}
}

// update subtracts L·D·Lᵀ from the packed lower update matrix u of m rows.
func update(u, l, ld []float64, m, w int) {
	switch w {
	case 1:
		update1(u, l, ld, m)
	case 2:
		update2(u, l, ld, m)
	case 3:
		update3(u, l, ld, m)
	case 4:
		update4(u, l, ld, m)
	case 5:
		update5(u, l, ld, m)
	case 6:
		update6(u, l, ld, m)
	default:
		updateWide(u, l, ld, m, w)
	}
}

// updateWide is update for any width, in tiles of two rows by two columns.
func updateWide(u, l, ld []float64, m, w int) {
	i := 0
	for ; i+1 < m; i += 2 {
		a0 := l[i*w : i*w+w]
		a1 := l[i*w+w : i*w+2*w]
		u0 := u[i*(i+1)/2 : i*(i+1)/2+i+1]
		u1 := u[(i+1)*(i+2)/2 : (i+1)*(i+2)/2+i+2]
		for j := 0; j < i; j += 2 {
			s00, s01, s10, s11 := tile(a0, a1, ld[j*w:j*w+w], ld[j*w+w:j*w+2*w])
			u0[j] -= s00
			u0[j+1] -= s01
			u1[j] -= s10
			u1[j+1] -= s11
		}
		s00, _, s10, s11 := tile(a0, a1, ld[i*w:i*w+w], ld[i*w+w:i*w+2*w])
		u0[i] -= s00
		u1[i] -= s10
		u1[i+1] -= s11
	}
	if i < m {
		a := l[i*w : i*w+w]
		for j, r := 0, u[i*(i+1)/2:i*(i+1)/2+i+1]; j < len(r); j++ {
			r[j] -= dot(a, ld[j*w:j*w+w])
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

// forwardRows subtracts L·y from x, one row of stride w for each entry of x.
func forwardRows(x, l, y []float64, w int) {
	switch w {
	case 1:
		forward1(x, l, (*[1]float64)(y))
	case 2:
		forward2(x, l, (*[2]float64)(y))
	case 3:
		forward3(x, l, (*[3]float64)(y))
	case 4:
		forward4(x, l, (*[4]float64)(y))
	case 5:
		forward5(x, l, (*[5]float64)(y))
	case 6:
		forward6(x, l, (*[6]float64)(y))
	default:
		for r := range x {
			x[r] -= dot(l[r*w:r*w+w], y)
		}
	}
}

// backwardRows subtracts Lᵀ·x from y, one row of stride w for each entry of x.
func backwardRows(y, l, x []float64, w int) {
	switch w {
	case 1:
		backward1((*[1]float64)(y), l, x)
	case 2:
		backward2((*[2]float64)(y), l, x)
	case 3:
		backward3((*[3]float64)(y), l, x)
	case 4:
		backward4((*[4]float64)(y), l, x)
	case 5:
		backward5((*[5]float64)(y), l, x)
	case 6:
		backward6((*[6]float64)(y), l, x)
	default:
		for r, v := range x {
			axpy(y, -v, l[r*w:r*w+w])
		}
	}
}

// dot returns aᵀb; len(b) ≥ len(a).
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s float64
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// axpy adds t·a to y; len(y) ≥ len(a).
func axpy(y []float64, t float64, a []float64) {
	y = y[:len(a)]
	for i, x := range a {
		y[i] += t * x
	}
}
