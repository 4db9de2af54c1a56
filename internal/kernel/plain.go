package kernel

import "math"

// updatePlain is Update in Go. It takes two columns of C at a time, and six
// terms of the sum at a time, then three, then one.
func updatePlain(c []float64, ldc int, a []float64, lda int, b []float64, ldb, n, m, k int) {
	if k <= 0 {
		return
	}
	j := 0
	for ; j+1 < m; j += 2 {
		c0 := c[j+j*ldc:][:n-j]
		c1 := c[j+1+(j+1)*ldc:][:n-j-1]
		p := 0
		for ; p+6 <= k; p += 6 {
			pair6(c0, c1, a[j+p*lda:], lda, b[j+p*ldb:], ldb)
		}
		for ; p+3 <= k; p += 3 {
			pair3(c0, c1, a[j+p*lda:], lda, b[j+p*ldb:], ldb)
		}
		for ; p < k; p++ {
			pair1(c0, c1, a[j+p*lda:], b[j+p*ldb:])
		}
	}
	if j < m {
		c0 := c[j+j*ldc:][:n-j]
		p := 0
		for ; p+6 <= k; p += 6 {
			y := b[j+p*ldb:]
			axpy6(c0, a[j+p*lda:], lda, y[0], y[ldb], y[2*ldb], y[3*ldb], y[4*ldb], y[5*ldb])
		}
		for ; p+3 <= k; p += 3 {
			y := b[j+p*ldb:]
			axpy3(c0, a[j+p*lda:], lda, y[0], y[ldb], y[2*ldb])
		}
		for ; p < k; p++ {
			axpy1(c0, a[j+p*lda:], b[j+p*ldb])
		}
	}
}

// pair6 subtracts six terms from two columns. c0 begins one row above
// c1; a and b begin at the first row of c0.
func pair6(c0, c1, a []float64, lda int, b []float64, ldb int) {
	b00, b10 := b[0], b[1]
	b01, b11 := b[ldb], b[ldb+1]
	b02, b12 := b[2*ldb], b[2*ldb+1]
	b03, b13 := b[3*ldb], b[3*ldb+1]
	b04, b14 := b[4*ldb], b[4*ldb+1]
	b05, b15 := b[5*ldb], b[5*ldb+1]
	n := len(c1)
	c0[0] -= a[0]*b00 + a[lda]*b01 + a[2*lda]*b02 + (a[3*lda]*b03 + a[4*lda]*b04 + a[5*lda]*b05)
	c0 = c0[1:][:n]
	a0 := a[1:][:n]
	a1 := a[lda+1:][:n]
	a2 := a[2*lda+1:][:n]
	a3 := a[3*lda+1:][:n]
	a4 := a[4*lda+1:][:n]
	a5 := a[5*lda+1:][:n]
	for i := range c1 {
		v0, v1, v2, v3, v4, v5 := a0[i], a1[i], a2[i], a3[i], a4[i], a5[i]
		c0[i] -= v0*b00 + v1*b01 + v2*b02 + (v3*b03 + v4*b04 + v5*b05)
		c1[i] -= v0*b10 + v1*b11 + v2*b12 + (v3*b13 + v4*b14 + v5*b15)
	}
}

// pair3 is pair6 with three terms.
func pair3(c0, c1, a []float64, lda int, b []float64, ldb int) {
	b00, b10 := b[0], b[1]
	b01, b11 := b[ldb], b[ldb+1]
	b02, b12 := b[2*ldb], b[2*ldb+1]
	n := len(c1)
	c0[0] -= a[0]*b00 + a[lda]*b01 + a[2*lda]*b02
	c0 = c0[1:][:n]
	a0 := a[1:][:n]
	a1 := a[lda+1:][:n]
	a2 := a[2*lda+1:][:n]
	for i := range c1 {
		v0, v1, v2 := a0[i], a1[i], a2[i]
		c0[i] -= v0*b00 + v1*b01 + v2*b02
		c1[i] -= v0*b10 + v1*b11 + v2*b12
	}
}

// pair1 is pair6 with one term.
func pair1(c0, c1, a, b []float64) {
	b0, b1 := b[0], b[1]
	n := len(c1)
	c0[0] -= a[0] * b0
	c0 = c0[1:][:n]
	a = a[1:][:n]
	for i := range c1 {
		v := a[i]
		c0[i] -= v * b0
		c1[i] -= v * b1
	}
}

// axpy6 subtracts from x six columns of a, multiplied by y0 to y5.
func axpy6(x, a []float64, lda int, y0, y1, y2, y3, y4, y5 float64) {
	n := len(x)
	a0 := a[:n]
	a1 := a[lda:][:n]
	a2 := a[2*lda:][:n]
	a3 := a[3*lda:][:n]
	a4 := a[4*lda:][:n]
	a5 := a[5*lda:][:n]
	for i := range x {
		x[i] -= a0[i]*y0 + a1[i]*y1 + a2[i]*y2 + (a3[i]*y3 + a4[i]*y4 + a5[i]*y5)
	}
}

// axpy3 is axpy6 with three columns.
func axpy3(x, a []float64, lda int, y0, y1, y2 float64) {
	n := len(x)
	a0 := a[:n]
	a1 := a[lda:][:n]
	a2 := a[2*lda:][:n]
	for i := range x {
		x[i] -= a0[i]*y0 + a1[i]*y1 + a2[i]*y2
	}
}

// axpy1 is axpy6 with one column.
func axpy1(x, a []float64, y float64) {
	a = a[:len(x)]
	for i := range x {
		x[i] -= a[i] * y
	}
}

// panelPlain is Panel in Go, for few columns. Each factored column is immediately subtracted
// from all columns to its right.
func panelPlain(f []float64, ldf, n, w, from int, ld []float64, ldd int, dinv, limit, shift []float64) int {
	for p := from; p < w; p++ {
		d := f[p+p*ldf]
		if !(d <= limit[p]) {
			q := d - shift[p]
			if !(q < -0.25*shift[p]) {
				return p
			}
			d, f[p+p*ldf], limit[p] = q, q, math.Inf(1)
		}
		r := 1 / d
		dinv[p] = r
		rest := n - p - 1
		if rest == 0 {
			continue
		}
		column := f[p+1+p*ldf:][:rest]
		unscaled := ld[p+1+p*ldd:][:rest]
		for i, v := range column {
			unscaled[i] = v
			column[i] = v * r
		}
		if p+1 < w {
			updatePlain(f[p+1+(p+1)*ldf:], ldf, column, ldf, unscaled, ldd, rest, w-p-1, 1)
		}
	}
	return w
}

// subMulPlain is SubMul in Go.
func subMulPlain(x, a []float64, lda, n, k int, y []float64) {
	if n <= 0 {
		return
	}
	x = x[:n]
	p := 0
	for ; p+6 <= k; p += 6 {
		z := y[p:][:6]
		axpy6(x, a[p*lda:], lda, z[0], z[1], z[2], z[3], z[4], z[5])
	}
	for ; p+3 <= k; p += 3 {
		z := y[p:][:3]
		axpy3(x, a[p*lda:], lda, z[0], z[1], z[2])
	}
	for ; p < k; p++ {
		axpy1(x, a[p*lda:], y[p])
	}
}

// subMulTPlain is SubMulT in Go: three columns of A at a time, then one.
func subMulTPlain(y, a []float64, lda, n, k int, x []float64) {
	if n <= 0 {
		return
	}
	x = x[:n]
	p := 0
	for ; p+3 <= k; p += 3 {
		a0 := a[p*lda:][:n]
		a1 := a[(p+1)*lda:][:n]
		a2 := a[(p+2)*lda:][:n]
		var s0, s1, s2 float64
		for i, v := range x {
			s0 += a0[i] * v
			s1 += a1[i] * v
			s2 += a2[i] * v
		}
		z := y[p:][:3]
		z[0] -= s0
		z[1] -= s1
		z[2] -= s2
	}
	for ; p < k; p++ {
		s := 0.0
		for i, v := range a[p*lda:][:n] {
			s += v * x[i]
		}
		y[p] -= s
	}
}
