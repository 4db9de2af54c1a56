package kernel

// variant names a set of kernels.
type variant uint8

// The sets, each faster than the one before it where there are both.
const (
	plain variant = iota
	avx2
	avx512
)

// String returns the name of the set.
func (v variant) String() string {
	return [...]string{"plain", "avx2", "avx512"}[v]
}

// active is the set in use, chosen once.
var active = best()

// variants returns the sets that this processor can run.
func variants() []variant {
	all := []variant{plain, avx2, avx512}
	return all[:best()+1]
}

// Update subtracts a product of two panels from a lower trapezoid, C −= A·Bᵀ:
//
//	C[i+j·ldc] −= Σ_p A[i+p·lda]·B[j+p·ldb],  0 ≤ j < m, j ≤ i < n, 0 ≤ p < k.
//
// Shapes: C is n×m with m ≤ n, A is n×k, B has at least m rows and k columns.
// Cost: k·m·(2n−m+1) operations, no allocation.
func Update(c []float64, ldc int, a []float64, lda int, b []float64, ldb, n, m, k int) {
	if checking {
		assertUpdate(c, ldc, a, lda, b, ldb, n, m, k)
	}
	update(active, c, ldc, a, lda, b, ldb, n, m, k)
}

// Panel factors the first w columns of a lower trapezoid, F = L·D·Lᵀ, with L
// unit lower and D diagonal, from column from on: the columns before it are
// factored and have been applied to the others.
//
// It stops before a pivot p with !(F[p+p·ldf] ≤ limit[p]), so at one that is
// not a number too, and returns p. The columns before p are then factored and
// have been applied to columns p to w−1, and a call with from = p goes on; in
// between the caller may change the pivot and its limit, or any other element
// of the columns that are left. It returns w when it is done.
//
// On return a column p below w or the stop holds: F[p+p·ldf] the pivot d,
// dinv[p] = 1/d, and for p < i < n F[i+p·ldf] the element of L and ld[i+p·ldd]
// that of L·D, which is the column before it was scaled. Rows up to p of a
// column of ld are not used.
//
// Shapes: F is n×w with w ≤ n, ld is n×w, dinv and limit have length w.
// Cost: about w²·(n−w/3) operations, no allocation.
func Panel(f []float64, ldf, n, w, from int, ld []float64, ldd int, dinv, limit []float64) int {
	if checking {
		assertPanel(f, ldf, n, w, from, ld, ldd, dinv, limit)
	}
	return panel(active, f, ldf, n, w, from, ld, ldd, dinv, limit)
}

// SubMul subtracts the product of a matrix and a vector, x −= A·y:
//
//	x[i] −= Σ_p A[i+p·lda]·y[p],  0 ≤ i < n, 0 ≤ p < k.
//
// Shapes: A is n×k, x has length n, y has length k.
// Cost: 2·n·k operations, no allocation.
func SubMul(x, a []float64, lda, n, k int, y []float64) {
	if checking {
		assertProduct(x, a, lda, n, k, y)
	}
	subMul(active, x, a, lda, n, k, y)
}

// SubMulT subtracts the product of a transposed matrix and a vector,
// y −= Aᵀ·x:
//
//	y[p] −= Σ_i A[i+p·lda]·x[i],  0 ≤ i < n, 0 ≤ p < k.
//
// Shapes: A is n×k, x has length n, y has length k.
// Cost: 2·n·k operations, no allocation.
func SubMulT(y, a []float64, lda, n, k int, x []float64) {
	if checking {
		assertProduct(x, a, lda, n, k, y)
	}
	subMulT(active, y, a, lda, n, k, x)
}

// leaf is the number of columns that Panel factors without Update.
const leaf = 6

// panel factors columns from to w−1 by halves: the left half, its product
// subtracted from the right half, the right half.
func panel(v variant, f []float64, ldf, n, w, from int, ld []float64, ldd int, dinv, limit []float64) int {
	if w-from <= leaf {
		return panelLeaf(v, f, ldf, n, w, from, ld, ldd, dinv, limit)
	}
	half := from + ((w-from+2*leaf-1)/(2*leaf))*leaf // a multiple of leaf columns, w−1 at most
	stop := panel(v, f, ldf, n, half, from, ld, ldd, dinv, limit)
	if stop > from {
		update(v, f[half+half*ldf:], ldf, f[half+from*ldf:], ldf, ld[half+from*ldd:], ldd, n-half, w-half, stop-from)
	}
	if stop < half {
		return stop
	}
	return panel(v, f, ldf, n, w, half, ld, ldd, dinv, limit)
}
