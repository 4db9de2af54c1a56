package kernel

import "unsafe"

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
// A pivot p with F[p+p·ldf] ≤ limit[p] is taken as it is. Of any other, one that
// is not a number too, shift[p] is subtracted. If what is left is below
// −shift[p]/4, it is the pivot from then on, and limit[p] is set to +Inf, so that
// the caller can see it. Otherwise, so always at a shift that is not a number or
// +Inf, Panel leaves the pivot and its limit as they are and returns p: it has
// stopped. The columns before p are then factored and have been applied to
// columns p to w−1, and a call with from = p goes on; in between the caller may
// change the pivot and its limit, or any other element of the columns that are
// left. Panel returns w when it is done.
//
// On return a column p below w or the stop holds: F[p+p·ldf] the pivot d,
// dinv[p] = 1/d, and for p < i < n F[i+p·ldf] the element of L and ld[i+p·ldd]
// that of L·D, which is the column before it was scaled. Rows up to p of a
// column of ld are not used.
//
// Shapes: F is n×w with w ≤ n, ld is n×w, dinv, limit and shift have length w.
// Cost: about w²·(n−w/3) operations, no allocation.
func Panel(f []float64, ldf, n, w, from int, ld []float64, ldd int, dinv, limit, shift []float64) int {
	if checking {
		assertPanel(f, ldf, n, w, from, ld, ldd, dinv, limit, shift)
	}
	return panel(active, f, ldf, n, w, from, ld, ldd, dinv, limit, shift)
}

// FrontRows is the leading dimension of the products that Front takes, the largest number of rows of its fronts.
const FrontRows = 16

// HasFront reports whether there is a Front of n rows and w pivots: on processors with AVX-512, for 9 to FrontRows rows and 3 to
// 10 pivots.
func HasFront(n, w int) bool { return hasFront(active, n, w) }

// GroupRows is the number of rows of a group of Front.
const GroupRows = 3

// FrontChild is the largest number of rows of the update matrix of a child that Front adds.
const FrontChild = 8

// Front eliminates a small front at once. It is Update of a whole front by a product T·Tᵀ, Panel of its first w columns, and Update of
// the others by these. The front has n−1 columns of n rows, the last of which belongs to a right side: F has the first w of
// them, and U the rows from w on of those behind. The last row of T is in loads. Bit g
// of groups[p] says that column p of T has numbers in rows GroupRows·g to GroupRows·g + GroupRows−1; those of the other rows are zero.
//
//	F, U −= T·Tᵀ,   F = L·D·Lᵀ in its columns,   U −= L·D·Lᵀ in its own.
//
// With right, what is in F and U before does not count. The front is then right in the last row of F and, unless child is nil, an
// update matrix of below rows and one more, for its right side: its first rows are those of the front, and its last row is the front's.
//
// limit and shift are those of Panel. Front returns false where Panel stops; then what F, dinv and limit hold has no meaning, and U is
// as it was. Otherwise F, dinv and limit are as after Panel.
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
// y −= W·x, W by rows:
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
// a vector, x −= Wᵀ·y, W by rows:
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

// blocksOfRows are single blocks by their number of rows.
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
// Shapes: L is n×n, of which only what is below the diagonal is read, y has
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
// Shapes: L is n×n, of which only what is below the diagonal is read, y has
// length n.
// Cost: n·(n−1) operations, no allocation.
func SolveLowerT(y, l []float64, ld, n int) {
	if checking {
		assertSolve(y, l, ld, n)
	}
	solveLowerT(active, y, l, ld, n)
}

// leaf is the number of columns that Panel factors without Update; sets may have
// another for some sizes.
const leaf = 6

// panelHalves is Panel of the set v for more than leaf columns: the left half,
// its product subtracted from the right half, the right half. The left half has
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

// halfOf returns the column at which panelHalves begins the right half, w−1 at most.
func halfOf(leaf, w, from int) int { return from + ((w-from+2*leaf-1)/(2*leaf))*leaf }

// Half returns the column, from < Half < w, at which Panel divides a wide panel. Panel up to there, an Update of the
// columns from there on, and Panel from there on give the bits of one Panel: the two halves of a panel that takes long.
// It returns w for a panel that is not divided.
func Half(n, w, from int) int {
	if leaf := leafOf(active, n, w, from); leaf > 0 {
		return halfOf(leaf, w, from)
	}
	return w
}
