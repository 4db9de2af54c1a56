//go:build !amd64 || noasm || purego

package kernel

// best returns the only set of kernels.
func best() variant { return plain }

// update is Update of the set v.
func update(_ variant, c []float64, ldc int, a []float64, lda int, b []float64, ldb, n, m, k int) {
	updatePlain(c, ldc, a, lda, b, ldb, n, m, k)
}

// panelLeaf is Panel of the set v for at most leaf columns.
func panelLeaf(_ variant, f []float64, ldf, n, w, from int, ld []float64, ldd int, dinv, limit []float64) int {
	return panelPlain(f, ldf, n, w, from, ld, ldd, dinv, limit)
}

// subMul is SubMul of the set v.
func subMul(_ variant, x, a []float64, lda, n, k int, y []float64) {
	subMulPlain(x, a, lda, n, k, y)
}

// subMulT is SubMulT of the set v.
func subMulT(_ variant, y, a []float64, lda, n, k int, x []float64) {
	subMulTPlain(y, a, lda, n, k, x)
}
