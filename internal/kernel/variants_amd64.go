//go:build !noasm && !purego

package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// best returns the set of kernels of this processor and operating system.
func best() variant {
	x := cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA:
		return plain
	case !x.HasAVX512F || !x.HasAVX512DQ || !x.HasAVX512VL:
		return avx2
	}
	return avx512
}

// A large Update goes by blocks of C of at most blockRows rows and columns and
// of the sum blockTerms terms, so that a block of C and its parts of A and B stay
// in the second cache, and the columns of A and B, which may be a page apart,
// are few enough for the first table of pages.
const (
	blockRows  = 192
	blockTerms = 64
)

// update is Update of the set v.
func update(v variant, c []float64, ldc int, a []float64, lda int, b []float64, ldb, n, m, k int) {
	if m == 0 || k == 0 {
		return
	}
	if v == plain {
		updatePlain(c, ldc, a, lda, b, ldb, n, m, k)
		return
	}
	if n > 2*blockRows || k > 2*blockTerms {
		updateBlocks(v, c, ldc, a, lda, b, ldb, n, m, k)
		return
	}
	pc, pa, pb := unsafe.SliceData(c), unsafe.SliceData(a), unsafe.SliceData(b)
	if v == avx512 {
		updateAVX512(pc, ldc, pa, lda, pb, ldb, n, m, k, 1)
	} else {
		updateAVX2(pc, ldc, pa, lda, pb, ldb, n, m, k, 1)
	}
}

// updateBlocks is update by blocks of C, of which those on the diagonal are
// trapezoids; all terms of one before the next.
func updateBlocks(v variant, c []float64, ldc int, a []float64, lda int, b []float64, ldb, n, m, k int) {
	for i := 0; i < n; i += blockRows {
		rows := min(blockRows, n-i)
		for j := 0; j < m && j <= i; j += blockRows {
			width, step := min(blockRows, m-j), 0
			if i == j {
				width, step = min(width, rows), 1
			}
			for p := 0; p < k; p += blockTerms {
				terms := min(blockTerms, k-p)
				pc, pa, pb := &c[i+j*ldc], &a[i+p*lda], &b[j+p*ldb]
				if v == avx512 {
					updateAVX512(pc, ldc, pa, lda, pb, ldb, rows, width, terms, step)
				} else {
					updateAVX2(pc, ldc, pa, lda, pb, ldb, rows, width, terms, step)
				}
			}
		}
	}
}

// panelRows is the largest number of rows at which AVX2 factors a panel not
// slower than AVX-512, whose kernel is for more than 8.
const panelRows = 12

// panelLeaf is Panel of the set v for at most leaf columns.
func panelLeaf(v variant, f []float64, ldf, n, w, from int, ld []float64, ldd int, dinv, limit []float64) int {
	if w == from {
		return w
	}
	switch {
	case v == avx512 && n-from > panelRows:
		return from + panelAVX512(&f[from+from*ldf], ldf, n-from, w-from, after(ld, from+from*ldd), ldd, &dinv[from], &limit[from])
	case v != plain:
		return from + panelAVX2(&f[from+from*ldf], ldf, n-from, w-from, after(ld, from+from*ldd), ldd, &dinv[from], &limit[from])
	}
	return panelPlain(f, ldf, n, w, from, ld, ldd, dinv, limit)
}

// after returns a pointer to x[i], which need not be there if it is not used.
func after(x []float64, i int) *float64 {
	if i < len(x) {
		return &x[i]
	}
	return unsafe.SliceData(x)
}

// subMul is SubMul of the set v.
func subMul(v variant, x, a []float64, lda, n, k int, y []float64) {
	switch v {
	case avx512:
		subMulAVX512(unsafe.SliceData(x), unsafe.SliceData(a), lda, n, k, unsafe.SliceData(y))
		return
	case avx2:
		subMulAVX2(unsafe.SliceData(x), unsafe.SliceData(a), lda, n, k, unsafe.SliceData(y))
		return
	}
	subMulPlain(x, a, lda, n, k, y)
}

// subMulT is SubMulT of the set v.
func subMulT(v variant, y, a []float64, lda, n, k int, x []float64) {
	switch v {
	case avx512:
		subMulTAVX512(unsafe.SliceData(y), unsafe.SliceData(a), lda, n, k, unsafe.SliceData(x))
		return
	case avx2:
		subMulTAVX2(unsafe.SliceData(y), unsafe.SliceData(a), lda, n, k, unsafe.SliceData(x))
		return
	}
	subMulTPlain(y, a, lda, n, k, x)
}
