package kernel

import "unsafe"

// variant names a set of kernels.
type variant uint8

// The sets, from the slowest to the fastest.
const (
	plain variant = iota
	avx2
	avx512
)

// String returns the name of the set.
func (v variant) String() string {
	return [...]string{"plain", "avx2", "avx512"}[v]
}

// active is the set in use, chosen when the program starts.
var active = best()

// variants returns the sets that this processor can run, the slowest first.
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
// unit lower and D diagonal. It begins at column from; the columns before it have been
// factored and applied to the columns behind them.
//
// A pivot p with F[p+p·ldf] ≤ limit[p] is taken as it is. From any other pivot, also from
// a NaN, shift[p] is subtracted. If the difference is below
// −shift[p]/4, it becomes the pivot, and limit[p] is set to +Inf, so that
// the caller can see the shift. Otherwise, which includes every shift that is NaN or
// +Inf, Panel stops: it leaves the pivot and its limit unchanged and returns p. The
// columns before p are then factored and have been applied to
// columns p to w−1. A call with from = p continues. Before this call, the caller may
// change the pivot and its limit, or any other element of the columns from p
// on. Panel returns w when all columns are factored.
//
// On return, for each factored column p, F[p+p·ldf] is the pivot d,
// dinv[p] = 1/d, and for p < i < n, F[i+p·ldf] is the element of L and ld[i+p·ldd]
// is the element of L·D, the column before it was scaled. Rows up to p of a
// column p of ld are not used.
//
// Shapes: F is n×w with w ≤ n, ld is n×w, dinv, limit and shift have length w.
// Cost: about w²·(n−w/3) operations, no allocation.
func Panel(f []float64, ldf, n, w, from int, ld []float64, ldd int, dinv, limit, shift []float64) int {
	if checking {
		assertPanel(f, ldf, n, w, from, ld, ldd, dinv, limit, shift)
	}
	return panel(active, f, ldf, n, w, from, ld, ldd, dinv, limit, shift)
}

// FrontRows is the largest number of rows of a front in Front, and the leading dimension of its matrix T.
const FrontRows = 16

// HasFront reports whether Front can be called for n rows and w pivots. It can on processors with AVX-512, for 9 to FrontRows rows and 3
// to 10 pivots.
func HasFront(n, w int) bool { return hasFront(active, n, w) }

// GroupRows is the number of rows of a group of Front.
const GroupRows = 3

// FrontChild is the largest number of rows of the update matrix of a child that Front adds.
const FrontChild = 8

// Front eliminates the w pivots of a small front. It is Update of the whole front by a product T·Tᵀ, then Panel of its first w
// columns, then Update of the other columns by the factored ones:
//
//	F, U −= T·Tᵀ,   F = L·D·Lᵀ,   U −= L·D·Lᵀ.
//
// The front has n−1 columns of n rows, and its last row is the transposed right side. F holds the first w columns. U holds the other
// columns, from row w on. Row n−1 of T is in loads. If bit g of groups[p] is not set, rows GroupRows·g to GroupRows·g + GroupRows−1 of
// column p of T are zero.
//
// If right is not nil, the elements of F and U are not read. The front then begins with zeros, except that right is in the last
// row of F. Unless child is nil, an update matrix with below+1 rows is added. Its first below rows and columns belong to the
// first ones of the front, and its last row belongs to the last row of the front.
//
// For limit and shift see Panel. If Panel would stop, Front returns false; F, dinv and limit then have no meaning, and U is
// unchanged. Otherwise F, dinv and limit are as after Panel.
//
// Shapes: HasFront(n, w); F is n×w with leading dimension n, U is (n−w)×(n−w−1) with leading dimension n−w. T is FrontRows×k with
// leading dimension FrontRows and any finite numbers from row n−1 on, loads and groups have length k. dinv, limit, shift and right
// have length w, the child is (below+1)×below with leading dimension below+1, 0 < below ≤ FrontChild, below < n.
// Cost: k·n² + w²·(n−w/3) + w·(n−w)² operations, no allocation.
func Front(f, u []float64, n, w int, t, loads []float64, groups []uint8, dinv, limit, shift, right, child []float64, below int) bool {
	if checking {
		assertFront(f, u, n, w, t, loads, groups, dinv, limit, shift, right, child, below)
	}
	return frontAt(
		unsafe.SliceData(f), unsafe.SliceData(u), n, w, unsafe.SliceData(t), unsafe.SliceData(loads), unsafe.SliceData(groups), len(loads),
		&dinv[0], &limit[0], &shift[0], unsafe.SliceData(right), unsafe.SliceData(child), below)
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

// SubRows subtracts from y the product of n rows of six numbers and a vector,
// y −= W·x, where W is stored by rows:
//
//	y[a] −= Σ_c w[6a+c]·x[c],  0 ≤ a < n, 0 ≤ c < 6.
//
// Shapes: w has length 6·n, x has length 6, y has length n.
// Cost: 12·n operations, no allocation.
func SubRows(y, w []float64, n int, x []float64) {
	if checking && n > 0 {
		assertBlocks(x, w, nil, y, []Block{{N: int32(n)}})
	}
	subRows(active, y, w, n, x)
}

// SubRowsT subtracts from x the product of n transposed rows of six numbers and
// a vector, x −= Wᵀ·y, where W is stored by rows:
//
//	x[c] −= Σ_a w[6a+c]·y[a],  0 ≤ a < n, 0 ≤ c < 6.
//
// Shapes: w has length 6·n, x has length 6, y has length n.
// Cost: 12·n operations, no allocation.
func SubRowsT(x, w []float64, n int, y []float64) {
	if checking && n > 0 {
		assertBlocks(x, w, y, nil, []Block{{N: int32(n)}})
	}
	subRowsT(active, x, w, n, y)
}

// Transpose stores n rows of six numbers by columns,
//
//	dst[i+j·ld] = w[6i+j],  0 ≤ i < n, 0 ≤ j < 6.
//
// Shapes: dst is n×6, w has length 6·n.
// Cost: 6·n copies, no allocation.
func Transpose(dst []float64, ld int, w []float64, n int) {
	if checking {
		assertSpread(dst, ld, w, []Block{{N: int32(n)}})
	}
	transpose(active, dst, ld, w, n)
}

// blocksOfRows holds blocks with 0 to 6 rows, by this number.
var blocksOfRows = func() (list [7]Block) {
	for n := range list {
		list[n].N = int32(n)
	}
	return list
}()

// rowsAsBlock returns n rows as one block at the beginning of all vectors.
func rowsAsBlock(n int) *Block {
	if uint(n) < uint(len(blocksOfRows)) {
		return &blocksOfRows[n]
	}
	return &Block{N: int32(n)}
}

// AddLower adds a lower trapezoid to another, C += A:
//
//	C[i+j·ldc] += A[i+j·lda],  0 ≤ j < m, j ≤ i < n.
//
// Shapes: C and A are n×m with m ≤ n.
// Cost: m·(2n−m+1)/2 operations, no allocation.
func AddLower(c []float64, ldc int, a []float64, lda, n, m int) {
	if checking {
		assertAdd(c, ldc, a, lda, n, m, n)
	}
	addLower(active, c, ldc, a, lda, n, m)
}

// AddBlock adds a matrix to another, C += A:
//
//	C[i+j·ldc] += A[i+j·lda],  0 ≤ i < n, 0 ≤ j < m.
//
// Shapes: C and A are n×m.
// Cost: n·m operations, no allocation.
func AddBlock(c []float64, ldc int, a []float64, lda, n, m int) {
	if checking {
		assertAdd(c, ldc, a, lda, n, m, m)
	}
	addBlock(active, c, ldc, a, lda, n, m)
}

// SolveLower solves with a unit lower triangle, y := L⁻¹·y:
//
//	y[i] −= Σ_{j<i} L[i+j·ld]·y[j],  i = 0, 1, …, n−1.
//
// Shapes: L is n×n, and only its elements below the diagonal are read; y has
// length n.
// Cost: n·(n−1) operations, no allocation.
func SolveLower(y, l []float64, ld, n int) {
	if checking {
		assertSolve(y, l, ld, n)
	}
	solveLower(active, y, l, ld, n)
}

// SolveLowerT solves with a transposed unit lower triangle, y := L⁻ᵀ·y:
//
//	y[j] −= Σ_{i>j} L[i+j·ld]·y[i],  j = n−1, n−2, …, 0.
//
// Shapes: L is n×n, and only its elements below the diagonal are read; y has
// length n.
// Cost: n·(n−1) operations, no allocation.
func SolveLowerT(y, l []float64, ld, n int) {
	if checking {
		assertSolve(y, l, ld, n)
	}
	solveLowerT(active, y, l, ld, n)
}

// leaf is the largest number of columns that Panel factors without Update. For some sizes, a set
// has a larger number.
const leaf = 6

// panelHalves is Panel of the set v for more than leaf columns. It factors the left half,
// subtracts its product from the right half, and factors the right half. The left half has
// a multiple of leaf columns.
func panelHalves(v variant, leaf int, f []float64, ldf, n, w, from int, ld []float64, ldd int, dinv, limit, shift []float64) int {
	half := halfOf(leaf, w, from)
	stop := panel(v, f, ldf, n, half, from, ld, ldd, dinv, limit, shift)
	if stop > from {
		update(v, f[half+half*ldf:], ldf, f[half+from*ldf:], ldf, ld[half+from*ldd:], ldd, n-half, w-half, stop-from)
	}
	if stop < half {
		return stop
	}
	return panel(v, f, ldf, n, w, half, ld, ldd, dinv, limit, shift)
}

// halfOf returns the first column of the right half in panelHalves. It is at most w−1.
func halfOf(leaf, w, from int) int { return from + ((w-from+2*leaf-1)/(2*leaf))*leaf }

// Half returns the column, from < Half < w, at which Panel divides a wide panel, and w for a panel that is not divided. A caller can
// do the two halves of a panel separately: Panel up to this column, Update of the columns from there on, and Panel of these columns
// give the same bits as one Panel.
func Half(n, w, from int) int {
	if leaf := leafOf(active, n, w, from); leaf > 0 {
		return halfOf(leaf, w, from)
	}
	return w
}
