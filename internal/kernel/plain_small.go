package kernel

// subRowsPlain is SubRows in Go.
func subRowsPlain(y, w []float64, n int, x []float64) {
	if n <= 0 {
		return
	}
	x = x[:6]
	for a := range y[:n] {
		r := w[6*a:][:6]
		y[a] -= r[0]*x[0] + r[1]*x[1] + r[2]*x[2] + (r[3]*x[3] + r[4]*x[4] + r[5]*x[5])
	}
}

// subRowsTPlain is SubRowsT in Go.
func subRowsTPlain(x, w []float64, n int, y []float64) {
	if n <= 0 {
		return
	}
	x = x[:6]
	x0, x1, x2, x3, x4, x5 := x[0], x[1], x[2], x[3], x[4], x[5]
	for a, t := range y[:n] {
		r := w[6*a:][:6]
		x0 -= r[0] * t
		x1 -= r[1] * t
		x2 -= r[2] * t
		x3 -= r[3] * t
		x4 -= r[4] * t
		x5 -= r[5] * t
	}
	x[0], x[1], x[2], x[3], x[4], x[5] = x0, x1, x2, x3, x4, x5
}

// transposePlain is Transpose in Go.
func transposePlain(dst []float64, ld int, w []float64, n int) {
	if n <= 0 {
		return
	}
	for j := range 6 {
		for i := range dst[j*ld:][:n] {
			dst[j*ld+i] = w[6*i+j]
		}
	}
}

// addLowerPlain is AddLower in Go.
func addLowerPlain(c []float64, ldc int, a []float64, lda, n, m int) {
	for j := range m {
		add(c[j+j*ldc:][:n-j], a[j+j*lda:][:n-j])
	}
}

// addBlockPlain is AddBlock in Go.
func addBlockPlain(c []float64, ldc int, a []float64, lda, n, m int) {
	if n <= 0 {
		return
	}
	for j := range m {
		add(c[j*ldc:][:n], a[j*lda:][:n])
	}
}

// add adds y to x.
func add(x, y []float64) {
	y = y[:len(x)]
	for i := range x {
		x[i] += y[i]
	}
}

// solveLowerPlain is SolveLower in Go, by columns.
func solveLowerPlain(y, l []float64, ld, n int) {
	for j := range n - 1 {
		axpy1(y[j+1:n], l[j+1+j*ld:], y[j])
	}
}

// solveLowerTPlain is SolveLowerT in Go, by columns.
func solveLowerTPlain(y, l []float64, ld, n int) {
	for j := n - 2; j >= 0; j-- {
		s := y[j]
		known := y[j+1 : n]
		for i, v := range l[j+1+j*ld:][:len(known)] {
			s -= v * known[i]
		}
		y[j] = s
	}
}
