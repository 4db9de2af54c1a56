//go:build !noasm && !purego

package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// best returns the fastest set of kernels that this processor and operating system can run.
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

// Sizes of the blocks in updateBlocks: at most blockRows rows and columns of C,
// and at most blockTerms terms of the sum. A block of C and its
// parts of A and B fit in the second-level cache. The columns of A and B may be
// in different pages; blockTerms columns are few enough for the first-level translation cache.
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

// updateBlocks is update by blocks of C. Blocks on the diagonal are
// trapezoids. All terms of a block are done before the next block.
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

// Largest sizes of a panel that panelAVX512 factors.
const (
	panelRows    = 16 // rows of a panel with up to shortColumns columns
	panelColumns = 8  // columns of a panel with more than panelRows rows
	shortColumns = 10 // columns of a panel with up to panelRows rows
)

// panel is Panel of the set v. It calls the assembly directly, because with so many arguments
// a further call would take a noticeable part of the time of a small panel.
func panel(v variant, f []float64, ldf, n, w, from int, ld []float64, ldd int, dinv, limit, shift []float64) int {
	switch {
	case w == from:
		return w
	case w-from <= leaf && v != plain:
		return from + panelAVX2(&f[from+from*ldf], ldf, n-from, w-from, after(ld, from+from*ldd), ldd, &dinv[from], &limit[from], &shift[from])
	case w-from <= leaf:
		return panelPlain(f, ldf, n, w, from, ld, ldd, dinv, limit, shift)
	}
	if leaf := leafOf(v, n, w, from); leaf > 0 {
		return panelHalves(v, leaf, f, ldf, n, w, from, ld, ldd, dinv, limit, shift)
	}
	q := from + panelAVX512(&f[from+from*ldf], ldf, n-from, w-from, &ld[from+from*ldd], ldd, &dinv[from], &limit[from], &shift[from])
	if from < q && q < w {
		panelStopped(v, f, ldf, n, w, from, q, ld, ldd)
	}
	return q
}

// leafOf returns the argument leaf of panelHalves, or 0 if panel does not divide the panel.
func leafOf(v variant, n, w, from int) int {
	switch {
	case w-from <= leaf:
		return 0
	case v != avx512:
		return leaf
	case w-from > panelColumns && n-from > panelRows:
		return panelColumns
	case w-from > shortColumns: // halves of equal size
		return leaf
	}
	return 0
}

// Sizes of a front in frontAVX512.
const (
	leastFront     = 9  // smallest number of rows
	narrowestFront = 3  // smallest number of pivots
	widestFront    = 10 // largest number of pivots
)

// hasFront is HasFront of the set v.
func hasFront(v variant, n, w int) bool {
	return v == avx512 && n >= leastFront && n <= FrontRows && w >= narrowestFront && w <= widestFront && w < n
}

// frontAt is Front with pointers; k is the length of loads.
func frontAt(f, u *float64, n, w int, t, loads *float64, groups *byte, k int, dinv, limit, shift, right, child *float64, below int) bool {
	return frontAVX512(f, u, n, w, t, loads, groups, k, dinv, limit, shift, right, child, below) != 0
}

// panelStopped applies columns from to q−1, which panelAVX512 has factored before
// it stopped at q, to the columns from q on. Pivot q already has its final value.
func panelStopped(v variant, f []float64, ldf, n, w, from, q int, ld []float64, ldd int) {
	pivot := f[q+q*ldf]
	update(v, f[q+q*ldf:], ldf, f[q+from*ldf:], ldf, ld[q+from*ldd:], ldd, n-q, w-q, q-from)
	f[q+q*ldf] = pivot
}

// after returns a pointer to x[i], or to the beginning of x if x ends before i and the kernel does not use x[i].
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

// From here on the kernels for small sizes take pointers. Slices would not fit
// in the registers of a call, which would take as long as the kernel. The functions that
// turn slices into pointers are inlined in the exported functions.

// addLower is AddLower of the set v.
func addLower(v variant, c []float64, ldc int, a []float64, lda, n, m int) {
	addLowerAt(v, unsafe.SliceData(c), ldc, unsafe.SliceData(a), lda, n, m)
}

// addLowerAt is AddLower of the set v, with pointers.
func addLowerAt(v variant, c *float64, ldc int, a *float64, lda, n, m int) {
	if v == plain {
		addLowerPlain(matrixAt(c, ldc, n, m), ldc, matrixAt(a, lda, n, m), lda, n, m)
		return
	}
	addLowerAVX2(c, ldc, a, lda, n, m)
}

// addBlock is AddBlock of the set v.
func addBlock(v variant, c []float64, ldc int, a []float64, lda, n, m int) {
	addBlockAt(v, unsafe.SliceData(c), ldc, unsafe.SliceData(a), lda, n, m)
}

// addBlockAt is AddBlock of the set v, with pointers.
func addBlockAt(v variant, c *float64, ldc int, a *float64, lda, n, m int) {
	if v == plain {
		addBlockPlain(matrixAt(c, ldc, n, m), ldc, matrixAt(a, lda, n, m), lda, n, m)
		return
	}
	addBlockAVX2(c, ldc, a, lda, n, m)
}

// matrixAt returns the numbers of a matrix that begins at p as a slice, nil if the matrix is empty.
func matrixAt(p *float64, ld, rows, columns int) []float64 {
	if rows <= 0 || columns <= 0 {
		return nil
	}
	return unsafe.Slice(p, rows+(columns-1)*ld)
}

// triangle is the largest order of a triangle in solveLowerAVX2 and
// solveLowerTAVX2. Larger triangles are solved in blocks of triangleBlock columns.
const (
	triangle      = 15
	triangleBlock = 12
)

// solveLower is SolveLower of the set v.
func solveLower(v variant, y, l []float64, ld, n int) {
	solveLowerAt(v, unsafe.SliceData(y), unsafe.SliceData(l), ld, n)
}

// solveLowerAt is SolveLower of the set v, with pointers.
func solveLowerAt(v variant, y, l *float64, ld, n int) {
	switch {
	case v == plain:
		solveLowerPlain(unsafe.Slice(y, n), matrixAt(l, ld, n, n-1), ld, n)
	case n <= triangle:
		solveLowerAVX2(y, l, ld, n)
	default:
		solveLowerBlocks(v, unsafe.Slice(y, n), matrixAt(l, ld, n, n-1), ld, n)
	}
}

// solveLowerBlocks is solveLower of more than triangle unknowns.
func solveLowerBlocks(v variant, y, l []float64, ld, n int) {
	const k = triangleBlock
	for ; n > triangle; n -= k {
		solveLowerAVX2(&y[0], &l[0], ld, k)
		subMul(v, y[k:], l[k:], ld, n-k, k, y)
		y, l = y[k:], l[k+k*ld:]
	}
	solveLowerAVX2(&y[0], &l[0], ld, n)
}

// solveLowerT is SolveLowerT of the set v.
func solveLowerT(v variant, y, l []float64, ld, n int) {
	solveLowerTAt(v, unsafe.SliceData(y), unsafe.SliceData(l), ld, n)
}

// solveLowerTAt is SolveLowerT of the set v, with pointers.
func solveLowerTAt(v variant, y, l *float64, ld, n int) {
	switch {
	case v == plain:
		solveLowerTPlain(unsafe.Slice(y, n), matrixAt(l, ld, n, n-1), ld, n)
	case n <= triangle:
		solveLowerTAVX2(y, l, ld, n)
	default:
		solveLowerTBlocks(v, unsafe.Slice(y, n), matrixAt(l, ld, n, n-1), ld, n)
	}
}

// solveLowerTBlocks is solveLowerT of more than triangle unknowns.
func solveLowerTBlocks(v variant, y, l []float64, ld, n int) {
	const k = triangleBlock
	at := (n - triangle + k - 1) / k * k // the last block has at most triangle columns
	solveLowerTAVX2(&y[at], &l[at+at*ld], ld, n-at)
	for at > 0 {
		at -= k
		subMulT(v, y[at:], l[at+k+at*ld:], ld, n-at-k, k, y[at+k:])
		solveLowerTAVX2(&y[at], &l[at+at*ld], ld, k)
	}
}

// subRows is SubRows of the set v.
func subRows(v variant, y, w []float64, n int, x []float64) {
	subRowsAt(v, unsafe.SliceData(y), unsafe.SliceData(w), n, unsafe.SliceData(x))
}

// subRowsAt is SubRows of the set v, with pointers.
func subRowsAt(v variant, y, w *float64, n int, x *float64) {
	switch {
	case n <= 0:
	case v == plain:
		subRowsPlain(unsafe.Slice(y, n), unsafe.Slice(w, 6*n), n, unsafe.Slice(x, 6))
	default:
		subBlocksAVX2(y, w, x, (*byte)(unsafe.Pointer(rowsAsBlock(n))), 1)
	}
}

// subRowsT is SubRowsT of the set v.
func subRowsT(v variant, x, w []float64, n int, y []float64) {
	subRowsTAt(v, unsafe.SliceData(x), unsafe.SliceData(w), n, unsafe.SliceData(y))
}

// subRowsTAt is SubRowsT of the set v, with pointers.
func subRowsTAt(v variant, x, w *float64, n int, y *float64) {
	switch {
	case n <= 0:
	case v == plain:
		subRowsTPlain(unsafe.Slice(x, 6), unsafe.Slice(w, 6*n), n, unsafe.Slice(y, n))
	default:
		subBlocksTAVX2(x, w, y, (*byte)(unsafe.Pointer(rowsAsBlock(n))), 1)
	}
}

// transpose is Transpose of the set v.
func transpose(v variant, dst []float64, ld int, w []float64, n int) {
	transposeAt(v, unsafe.SliceData(dst), ld, unsafe.SliceData(w), n)
}

// transposeAt is Transpose of the set v, with pointers.
func transposeAt(v variant, dst *float64, ld int, w *float64, n int) {
	switch {
	case n <= 0:
	case v == plain:
		transposePlain(matrixAt(dst, ld, n, 6), ld, unsafe.Slice(w, 6*n), n)
	default:
		spreadBlocksAVX2(dst, ld, w, (*byte)(unsafe.Pointer(rowsAsBlock(n))), 1)
	}
}

// subBlocksT is SubBlocksT of the set v.
func subBlocksT(v variant, x, w, y []float64, blocks []Block) {
	if len(blocks) == 0 {
		return
	}
	if v == plain {
		subBlocksTPlain(x, w, y, blocks)
		return
	}
	subBlocksTAVX2(unsafe.SliceData(x), unsafe.SliceData(w), unsafe.SliceData(y), (*byte)(unsafe.Pointer(&blocks[0])), len(blocks))
}

// subBlocks is SubBlocks of the set v.
func subBlocks(v variant, r, w, x []float64, blocks []Block) {
	if len(blocks) == 0 {
		return
	}
	if v == plain {
		subBlocksPlain(r, w, x, blocks)
		return
	}
	subBlocksAVX2(unsafe.SliceData(r), unsafe.SliceData(w), unsafe.SliceData(x), (*byte)(unsafe.Pointer(&blocks[0])), len(blocks))
}

// solveLeaf is SolveLeaf of the set v.
func solveLeaf(v variant, x, b, w, y, r, squares []float64, blocks []Block) float64 {
	if v == plain || len(blocks) == 0 {
		return solveLeafPlain(x, b, w, y, r, squares, blocks)
	}
	return solveLeafAVX2(
		unsafe.SliceData(x), unsafe.SliceData(b), unsafe.SliceData(w), unsafe.SliceData(y), unsafe.SliceData(r), unsafe.SliceData(squares),
		(*byte)(unsafe.Pointer(&blocks[0])), len(blocks))
}

// correctLeaf is CorrectLeaf of the set v.
func correctLeaf(v variant, x, w, y, r, squares []float64, blocks []Block) (step, size float64) {
	if v == plain || len(blocks) == 0 {
		return correctLeafPlain(x, w, y, r, squares, blocks)
	}
	return correctLeafAVX2(
		unsafe.SliceData(x), unsafe.SliceData(w), unsafe.SliceData(y), unsafe.SliceData(r), unsafe.SliceData(squares),
		(*byte)(unsafe.Pointer(&blocks[0])), len(blocks))
}

// firstLarge is FirstLarge of the set v.
func firstLarge(v variant, b, w, x []float64, to *Bound, pairs []Pair) int {
	if v == plain || len(pairs) == 0 {
		return firstLargePlain(b, w, x, to, pairs)
	}
	return firstLargeAVX2(
		unsafe.SliceData(b), unsafe.SliceData(w), unsafe.SliceData(x), unsafe.SliceData(to.Squares), unsafe.SliceData(to.Scale),
		to.Rest, to.Limit, (*byte)(unsafe.Pointer(&pairs[0])), len(pairs))
}

// spreadBlocks is SpreadBlocks of the set v.
func spreadBlocks(v variant, dst []float64, ld int, w []float64, blocks []Block) {
	if len(blocks) == 0 {
		return
	}
	if v == plain {
		spreadBlocksPlain(dst, ld, w, blocks)
		return
	}
	spreadBlocksAVX2(unsafe.SliceData(dst), ld, unsafe.SliceData(w), (*byte)(unsafe.Pointer(&blocks[0])), len(blocks))
}

// subMul8 is SubMul8 of the set v.
func subMul8(v variant, x, a []float64, row, column, n, k int, y []float64) {
	switch v {
	case avx512:
		subMul8AVX512(unsafe.SliceData(x), unsafe.SliceData(a), row, column, n, k, unsafe.SliceData(y))
	case avx2:
		subMul8AVX2(unsafe.SliceData(x), unsafe.SliceData(a), row, column, n, k, unsafe.SliceData(y))
	default:
		subMul8Plain(x, a, row, column, n, k, y)
	}
}

// triangle8 is triangle8Plain of the set v.
func triangle8(v variant, y, l []float64, first, step, row, column, n int) {
	if n <= 1 {
		return
	}
	if v == plain {
		triangle8Plain(y, l, first, step, row, column, n)
		return
	}
	source, coefficient := &y[Eight*first], &l[(first+step)*row+first*column]
	if v == avx512 {
		triangle8AVX512(source, coefficient, Eight*step, step*row, step*(row+column), n)
	} else {
		triangle8AVX2(source, coefficient, Eight*step, step*row, step*(row+column), n)
	}
}
