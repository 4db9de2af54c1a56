package kernel

// Eight is the number of vectors that SubMul8, SolveLower8 and SolveLowerT8 take at a time. They are side by side: element i of vector v
// is x[Eight*i+v]. The bits of a vector's result do not depend on the other vectors.
const Eight = 8

// SubMul8 subtracts the products of a matrix and eight vectors, x −= A·y. The distance between rows of A is row, and the distance between
// columns is column, so it also multiplies by a transposed matrix:
//
//	x[i] −= Σ_p A[i·row+p·column]·y[p],  0 ≤ i < n, 0 ≤ p < k.
//
// Shapes: x has n rows, y has k rows, of Eight numbers each.
// Cost: 16·n·k operations, no allocation.
func SubMul8(x, a []float64, row, column, n, k int, y []float64) {
	if checking {
		assertEights(x, a, row, column, n, k, y)
	}
	subMul8(active, x, a, row, column, n, k, y)
}

// SolveLower8 is SolveLower for eight vectors.
//
// Shapes: L is n×n, and only its elements below the diagonal are read; y has n rows of Eight numbers.
// Cost: 8·n·(n−1) operations, no allocation.
func SolveLower8(y, l []float64, ld, n int) {
	if checking {
		assertSolve(eighth(y), l, ld, n)
	}
	solveLower8(active, y, l, ld, n)
}

// SolveLowerT8 is SolveLowerT for eight vectors.
//
// Shapes and cost are those of SolveLower8.
func SolveLowerT8(y, l []float64, ld, n int) {
	if checking {
		assertSolve(eighth(y), l, ld, n)
	}
	solveLowerT8(active, y, l, ld, n)
}

// eighth returns a part of y with one number for each whole row of y, for assertSolve, which checks lengths.
func eighth(y []float64) []float64 { return y[:len(y)/Eight] }

// wideTriangle is the largest order of a triangle that triangle8 solves for eight vectors. It reads and writes all later rows for each
// unknown. Larger triangles are solved in blocks by SubMul8, which keeps sums in registers. Another value costs time only.
const wideTriangle = 12

// nextRow is the distance between the rows of L, whose columns are ld apart.
const nextRow = 1

// solveLower8 is SolveLower8 of the set v. It solves with a triangle of wideTriangle rows, subtracts its columns from the rows below, and
// goes on with these.
func solveLower8(v variant, y, l []float64, ld, n int) {
	for ; n > wideTriangle; n -= wideTriangle {
		const k = wideTriangle
		lower8(v, y, l, ld, k)
		subMul8(v, y[Eight*k:], l[k:], nextRow, ld, n-k, k, y)
		y, l = y[Eight*k:], l[k+k*ld:]
	}
	lower8(v, y, l, ld, n)
}

// lower8 is SolveLower8 by triangle8, for a small n.
func lower8(v variant, y, l []float64, ld, n int) {
	const first, down = 0, 1
	triangle8(v, y, l, first, down, nextRow, ld, n)
}

// solveLowerT8 is SolveLowerT8 of the set v. From the last rows of L up, it subtracts what is solved below from wideTriangle unknowns, and
// solves for these.
func solveLowerT8(v variant, y, l []float64, ld, n int) {
	for lo := (n - 1) / wideTriangle * wideTriangle; lo >= 0; lo -= wideTriangle {
		k := min(wideTriangle, n-lo)
		if below := n - lo - k; below > 0 {
			subMul8(v, y[Eight*lo:], l[lo+k+lo*ld:], ld, nextRow, k, below, y[Eight*(lo+k):])
		}
		lowerT8(v, y[Eight*lo:], l[lo+lo*ld:], ld, k)
	}
}

// lowerT8 is SolveLowerT8 by triangle8, for a small n. The rows of Lᵀ are the columns of L.
func lowerT8(v variant, y, l []float64, ld, n int) {
	const up = -1
	triangle8(v, y, l, n-1, up, ld, nextRow, n)
}

// triangle8Plain solves with a unit triangle for eight vectors. The rows of y are eliminated in the order first, first+step and so on, n
// in all: row j is multiplied by l[i·row+j·column] and subtracted from row i, for each i behind j in this order.
func triangle8Plain(y, l []float64, first, step, row, column, n int) {
	for j := first; n > 1; n-- {
		source := (*[Eight]float64)(y[Eight*j:])
		for i, left := j+step, n-1; left > 0; left-- {
			axpyEight((*[Eight]float64)(y[Eight*i:]), l[i*row+j*column], source)
			i += step
		}
		j += step
	}
}

// subMul8Plain is SubMul8 in Go.
func subMul8Plain(x, a []float64, row, column, n, k int, y []float64) {
	for i := range n {
		sum := (*[Eight]float64)(x[Eight*i:])
		for p := range k {
			axpyEight(sum, a[i*row+p*column], (*[Eight]float64)(y[Eight*p:]))
		}
	}
}

// axpyEight subtracts a·y from x.
func axpyEight(x *[Eight]float64, a float64, y *[Eight]float64) {
	for v := range x {
		x[v] -= a * y[v]
	}
}
