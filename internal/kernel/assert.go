package kernel

// Panics of the build tag check.
const (
	badSize   = "kernel: negative size or more columns than rows"
	badLead   = "kernel: leading dimension below the number of rows"
	badLength = "kernel: slice too short"
)

// assertMatrix panics if x cannot hold rows rows and columns columns at the
// leading dimension ld.
func assertMatrix(x []float64, ld, rows, columns int) {
	if rows <= 0 || columns <= 0 {
		return
	}
	if ld < rows {
		panic(badLead)
	}
	if len(x) < rows+(columns-1)*ld {
		panic(badLength)
	}
}

// assertUpdate panics if Update may not be called with these arguments.
func assertUpdate(c []float64, ldc int, a []float64, lda int, b []float64, ldb, n, m, k int) {
	if m < 0 || k < 0 || n < m {
		panic(badSize)
	}
	if m == 0 || k == 0 {
		return
	}
	assertMatrix(c, ldc, n, m)
	assertMatrix(a, lda, n, k)
	assertMatrix(b, ldb, m, k)
}

// assertPanel panics if Panel may not be called with these arguments. If n = w, the last column of LD
// is empty below the diagonal, and ld may end before it.
func assertPanel(f []float64, ldf, n, w, from int, ld []float64, ldd int, dinv, limit, shift []float64) {
	if from < 0 || w < from || n < w {
		panic(badSize)
	}
	if w == from {
		return
	}
	assertMatrix(f, ldf, n, w)
	assertMatrix(ld, ldd, n, min(w, n-1))
	if len(dinv) < w || len(limit) < w || len(shift) < w {
		panic(badLength)
	}
}

// assertFront panics if Front may not be called with these arguments.
func assertFront(
	f, u []float64, n, w int, t, loads []float64, groups []uint8, dinv, limit, shift, right, child []float64, below int,
) {
	if !HasFront(n, w) || child != nil && (right == nil || below < 1 || below > FrontChild || below >= n) {
		panic(badSize)
	}
	assertMatrix(f, n, n, w)
	assertMatrix(u, n-w, n-w, n-w-1)
	assertMatrix(t, FrontRows, FrontRows, len(loads))
	if child != nil {
		assertMatrix(child, below+1, below+1, below)
	}
	if len(groups) < len(loads) || right != nil && len(right) < w || len(dinv) < w || len(limit) < w || len(shift) < w {
		panic(badLength)
	}
}

// assertProduct panics if SubMul or SubMulT may not be called with these arguments. The vector rows has
// n numbers, the length of a column of a, and the vector columns has k, the length of a row.
func assertProduct(rows, a []float64, lda, n, k int, columns []float64) {
	if n < 0 || k < 0 {
		panic(badSize)
	}
	if n == 0 || k == 0 {
		return
	}
	assertMatrix(a, lda, n, k)
	if len(rows) < n || len(columns) < k {
		panic(badLength)
	}
}

// assertAdd panics if AddLower or AddBlock may not be called with these arguments; most is the largest
// number of columns m.
func assertAdd(c []float64, ldc int, a []float64, lda, n, m, most int) {
	if n < 0 || m < 0 || m > most {
		panic(badSize)
	}
	assertMatrix(c, ldc, n, m)
	assertMatrix(a, lda, n, m)
}

// assertSolve panics if SolveLower or SolveLowerT may not be called with these arguments. The last
// column of L is not read, and l may end before it.
func assertSolve(y, l []float64, ld, n int) {
	if n < 0 {
		panic(badSize)
	}
	assertMatrix(l, ld, n, n-1)
	if len(y) < n {
		panic(badLength)
	}
}

// assertBlocks panics if SubBlocks or SubBlocksT may not be called with these arguments. y is nil for SubBlocks, and r is nil for
// SubBlocksT.
func assertBlocks(x, w, y, r []float64, blocks []Block) {
	if len(x) < 6 {
		panic(badLength)
	}
	for _, b := range blocks {
		n := int(b.N)
		switch {
		case n < 0:
			panic(badSize)
		case y == nil && b.Res < 0:
		case len(w) < int(b.W)+6*n || y != nil && len(y) < int(b.Row)+n || r != nil && len(r) < int(b.Res)+n:
			panic(badLength)
		}
	}
}

// assertPairs panics if FirstLarge may not be called with these arguments.
func assertPairs(b, w, x []float64, to *Bound, pairs []Pair) {
	for _, p := range pairs {
		n, last := int(p.N), int(max(p.X1, p.X2))
		switch {
		case n < 1:
			panic(badSize)
		case len(w) < int(max(p.W1, p.W2))+6*n || len(x) < 6*last+6 || len(to.Squares) <= last,
			min(len(b), len(to.Scale)) < int(p.Row)+n:
			panic(badLength)
		}
	}
}

// assertSpread panics if SpreadBlocks may not be called with these arguments.
func assertSpread(dst []float64, ld int, w []float64, blocks []Block) {
	for _, b := range blocks {
		n := int(b.N)
		if n < 0 {
			panic(badSize)
		}
		if len(w) < int(b.W)+6*n {
			panic(badLength)
		}
		assertMatrix(dst, ld, int(b.Row)+n, 6)
	}
}

// assertEights panics if SubMul8 may not be called with these arguments.
func assertEights(x, a []float64, row, column, n, k int, y []float64) {
	if n < 0 || k < 0 || row < 0 || column < 0 {
		panic(badSize)
	}
	if n == 0 || k == 0 {
		return
	}
	if len(x) < Eight*n || len(y) < Eight*k || len(a) <= (n-1)*row+(k-1)*column {
		panic(badLength)
	}
}
