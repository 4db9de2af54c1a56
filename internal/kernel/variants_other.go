//go:build !amd64 || noasm || purego

package kernel

// best returns the only set of kernels.
func best() variant { return plain }

// update is Update of the set v.
func update(_ variant, c []float64, ldc int, a []float64, lda int, b []float64, ldb, n, m, k int) {
	updatePlain(c, ldc, a, lda, b, ldb, n, m, k)
}

// panel is Panel of the set v.
func panel(v variant, f []float64, ldf, n, w, from int, ld []float64, ldd int, dinv, limit, shift []float64) int {
	if leaf := leafOf(v, n, w, from); leaf > 0 {
		return panelHalves(v, leaf, f, ldf, n, w, from, ld, ldd, dinv, limit, shift)
	}
	return panelPlain(f, ldf, n, w, from, ld, ldd, dinv, limit, shift)
}

// hasFront is HasFront of the set v.
func hasFront(variant, int, int) bool { return false }

// frontAt is never called without assembly, since hasFront is false.
func frontAt(_, _ *float64, _, _ int, _, _ *float64, _ *byte, _ int, _, _, _, _, _ *float64, _ int) bool {
	panic(badSize)
}

// leafOf returns the argument leaf of panelHalves, or 0 if panel does not divide the panel.
func leafOf(_ variant, _, w, from int) int {
	if w-from > leaf {
		return leaf
	}
	return 0
}

// subMul is SubMul of the set v.
func subMul(_ variant, x, a []float64, lda, n, k int, y []float64) {
	subMulPlain(x, a, lda, n, k, y)
}

// subMulT is SubMulT of the set v.
func subMulT(_ variant, y, a []float64, lda, n, k int, x []float64) {
	subMulTPlain(y, a, lda, n, k, x)
}

// addLower is AddLower of the set v.
func addLower(_ variant, c []float64, ldc int, a []float64, lda, n, m int) {
	addLowerPlain(c, ldc, a, lda, n, m)
}

// addBlock is AddBlock of the set v.
func addBlock(_ variant, c []float64, ldc int, a []float64, lda, n, m int) {
	addBlockPlain(c, ldc, a, lda, n, m)
}

// solveLower is SolveLower of the set v.
func solveLower(_ variant, y, l []float64, ld, n int) {
	solveLowerPlain(y, l, ld, n)
}

// solveLowerT is SolveLowerT of the set v.
func solveLowerT(_ variant, y, l []float64, ld, n int) {
	solveLowerTPlain(y, l, ld, n)
}

// subRows is SubRows of the set v.
func subRows(_ variant, y, w []float64, n int, x []float64) { subRowsPlain(y, w, n, x) }

// subRowsT is SubRowsT of the set v.
func subRowsT(_ variant, x, w []float64, n int, y []float64) { subRowsTPlain(x, w, n, y) }

// transpose is Transpose of the set v.
func transpose(_ variant, dst []float64, ld int, w []float64, n int) { transposePlain(dst, ld, w, n) }

// subBlocksT is SubBlocksT of the set v.
func subBlocksT(_ variant, x, w, y []float64, blocks []Block) { subBlocksTPlain(x, w, y, blocks) }

// subBlocks is SubBlocks of the set v.
func subBlocks(_ variant, r, w, x []float64, blocks []Block) { subBlocksPlain(r, w, x, blocks) }

// solveLeaf is SolveLeaf of the set v.
func solveLeaf(_ variant, x, b, w, y, r, squares []float64, blocks []Block) float64 {
	return solveLeafPlain(x, b, w, y, r, squares, blocks)
}

// correctLeaf is CorrectLeaf of the set v.
func correctLeaf(_ variant, x, w, y, r, squares []float64, blocks []Block) (step, size float64) {
	return correctLeafPlain(x, w, y, r, squares, blocks)
}

// firstLarge is FirstLarge of the set v.
func firstLarge(_ variant, b, w, x []float64, to *Bound, pairs []Pair) int {
	return firstLargePlain(b, w, x, to, pairs)
}

// spreadBlocks is SpreadBlocks of the set v.
func spreadBlocks(_ variant, dst []float64, ld int, w []float64, blocks []Block) {
	spreadBlocksPlain(dst, ld, w, blocks)
}

// subMul8 is SubMul8 of the set v.
func subMul8(_ variant, x, a []float64, row, column, n, k int, y []float64) {
	subMul8Plain(x, a, row, column, n, k, y)
}

// triangle8 is triangle8Plain of the set v.
func triangle8(_ variant, y, l []float64, first, step, row, column, n int) {
	triangle8Plain(y, l, first, step, row, column, n)
}
