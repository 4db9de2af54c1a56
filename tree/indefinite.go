package tree

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/team"
)

// indefinite is the factorization PᵀAP = LDLᵀ of a dense symmetric matrix with blocks of one and two rows in D and complete pivoting (Bunch
// and Parlett 1971). It ends where no entry above the tolerance is left.
type indefinite struct {
	watch *team.Watch
	n     int
	a     []float64 // n×n by rows, lower triangle: A, then L below D
	perm  []int32   // by place: index in A
	two   []bool    // by place: a block of two rows begins there
	rank  int
	col   []float64 // present columns of L
	col2  []float64
	x     []float64
	best  []float64 // by row from rank on: largest magnitude left of the diagonal, from column rank on

	smallest, dropped float64 // magnitudes of the smallest pivot and of the largest entry left
	flops             int64   // of the factorization, as Counts has them
}

// newIndefinite allocates a factorization of an n×n matrix.
func newIndefinite(n int) *indefinite {
	return &indefinite{
		n: n, a: pages.Make[float64](n * n), perm: make([]int32, n), two: make([]bool, n),
		col: make([]float64, n), col2: make([]float64, n), x: make([]float64, n),
		best: make([]float64, n),
	}
}

// row returns row i of the lower triangle.
func (f *indefinite) row(i int) []float64 { return f.a[i*f.n : i*f.n+i+1] }

// left returns the indices without a pivot.
func (f *indefinite) left() []int32 { return f.perm[f.rank:] }

// bunchParlett is the ratio of the largest diagonal entry to the largest entry off the diagonal from which a pivot of one row is taken.
// With it entries grow in a step of two rows no more than in two steps of one row.
const bunchParlett = 0.6403882032022076 // (1 + √17)/8

// factor replaces A by its factors, with pivots larger than tol. If a remaining entry is not a number, it ends there, and dropped is not a
// number.
//
// Cost: n³/6 multiplications and comparisons at most, no allocation. Rows with
// zeros in the columns of a pivot are neither changed nor searched again.
func (f *indefinite) factor(tol float64) {
	f.rank, f.flops, f.smallest, f.dropped = 0, 0, math.Inf(1), 0
	for i := range f.perm {
		if f.perm[i], f.two[i] = int32(i), false; !f.watch.Every(i) {
			f.search(i, 0)
		}
	}
	for f.rank < f.n && !f.watch.Up() {
		d, p, q := f.largest()
		k := f.rank
		diag, off := math.Abs(f.row(d)[d]), 0.0
		if p != q {
			off = f.best[p]
		}
		if !(max(diag, off) > tol) {
			f.dropped = max(diag, off)
			return
		}
		if diag >= bunchParlett*off {
			f.swap(k, d)
			f.smallest = min(f.smallest, diag)
			f.one(k)
			f.rank++
			continue
		}
		// q < p, so the first exchange leaves p in its place.
		f.swap(k, q)
		f.swap(k+1, p)
		f.smallest = min(f.smallest, off)
		f.two[k] = true
		f.pair(k)
		f.rank += 2
	}
}

// search stores in best the largest entry of row i left of the diagonal, from column k on.
func (f *indefinite) search(i, k int) {
	f.best[i] = largestIn(f.a[i*f.n+k : i*f.n+max(i, k)])
}

// largest returns the place d of the largest remaining magnitude on the diagonal, and row p and column q < p of the largest one off the
// diagonal; p = q if those are all zero. An entry that is not a number counts as the largest.
func (f *indefinite) largest() (d, p, q int) {
	d, p, q = f.rank, f.rank, f.rank
	diag, off := -1.0, 0.0
	for i := f.rank; i < f.n; i++ {
		if v := f.best[i]; v > off || math.IsNaN(v) {
			off, p = v, i
		}
		if v := math.Abs(f.a[i*f.n+i]); v > diag || math.IsNaN(v) {
			diag, d = v, i
		}
	}
	if off != 0 {
		q = f.rank + findIn(f.a[p*f.n+f.rank:p*f.n+p], off)
	}
	return d, p, q
}

// swap exchanges the places i ≤ j. All places before i have been eliminated.
func (f *indefinite) swap(i, j int) {
	if i == j {
		return
	}
	swapSymmetric(f.a, f.n, i, j)
	f.perm[i], f.perm[j] = f.perm[j], f.perm[i]
	// A row between i and j exchanges an entry with row j. A row below j exchanges two of its own entries, so its best stays.
	for k := i + 1; k < j; k++ {
		if v := math.Abs(f.a[j*f.n+k]); v == f.best[k] && v > 0 { // row k has lost its largest entry to row j
			f.search(k, i)
		} else {
			f.best[k] = max(f.best[k], math.Abs(f.a[k*f.n+i]))
		}
	}
	f.search(i, i)
	f.search(j, i)
}

// swapSymmetric exchanges the indices i < j of a symmetric n×n matrix of which
// the lower triangle is stored by rows.
func swapSymmetric(a []float64, n, i, j int) {
	ri, rj := a[i*n:i*n+n], a[j*n:j*n+n]
	for k := range i {
		ri[k], rj[k] = rj[k], ri[k]
	}
	ri[i], rj[j] = rj[j], ri[i]
	for k := i + 1; k < j; k++ {
		a[k*n+i], rj[k] = rj[k], a[k*n+i]
	}
	for k := j + 1; k < n; k++ {
		a[k*n+i], a[k*n+j] = a[k*n+j], a[k*n+i]
	}
}

// one eliminates place k.
func (f *indefinite) one(k int) {
	inv := 1 / f.row(k)[k]
	for i := k + 1; i < f.n; i++ {
		f.col[i] = f.a[i*f.n+k]
	}
	for i := k + 1; i < f.n && !f.watch.Every(i); i++ {
		l := f.col[i] * inv
		if l == 0 {
			continue
		}
		row := f.row(i)
		row[k] = l
		axpy(-l, f.col[k+1:i+1], row[k+1:])
		f.flops += 1 + 2*int64(i-k)
		f.search(i, k+1)
	}
}

// pair eliminates the places k and k+1 together.
func (f *indefinite) pair(k int) {
	a, b, c := f.row(k)[k], f.row(k + 1)[k], f.row(k + 1)[k+1]
	// Inverse of the block, scaled by its entry off the diagonal.
	u, v := a/b, c/b
	inv := 1 / (b * (u*v - 1))
	for i := k + 2; i < f.n; i++ {
		f.col[i], f.col2[i] = f.a[i*f.n+k], f.a[i*f.n+k+1]
	}
	for i := k + 2; i < f.n && !f.watch.Every(i); i++ {
		x, y := f.col[i], f.col2[i]
		if x == 0 && y == 0 {
			continue
		}
		lx, ly := (v*x-y)*inv, (u*y-x)*inv
		row := f.row(i)
		row[k], row[k+1] = lx, ly
		axpy(-lx, f.col[k+2:i+1], row[k+2:])
		axpy(-ly, f.col2[k+2:i+1], row[k+2:])
		f.flops += 6 + 4*int64(i-k-1)
		f.search(i, k+2)
	}
}

// solve replaces the right side b by the solution of L·D·Lᵀ·x = b, permuted, with zero for the indices
// without a pivot.
//
// Cost: O(n·rank), no allocation.
func (f *indefinite) solve(b []float64) {
	x, r := f.x, f.rank
	for i, p := range f.perm {
		x[i] = b[p]
	}
	for i := 0; i < r && !f.watch.Every(i); i++ {
		lo := i
		if i > 0 && f.two[i-1] {
			lo-- // entry i−1 of the row is the off-diagonal of a 2×2 block of D
		}
		x[i] -= floats.Dot(f.row(i)[:lo], x[:lo])
	}
	for i := 0; i < r; i++ {
		if !f.two[i] {
			x[i] /= f.row(i)[i]
			continue
		}
		a, o, c := f.row(i)[i], f.row(i + 1)[i], f.row(i + 1)[i+1]
		u, v := a/o, c/o
		inv := 1 / (o * (u*v - 1))
		x[i], x[i+1] = (v*x[i]-x[i+1])*inv, (u*x[i+1]-x[i])*inv
		i++
	}
	for i := r - 1; i >= 0 && !f.watch.Every(i); i-- {
		lo := i
		if i > 0 && f.two[i-1] {
			lo--
		}
		axpy(-x[i], f.row(i)[:lo], x[:lo])
	}
	for i, p := range f.perm {
		if i < r {
			b[p] = x[i]
		} else {
			b[p] = 0
		}
	}
}

// axpy adds a·x to the beginning of y.
func axpy(a float64, x, y []float64) {
	if len(x) > 0 {
		blas64.Implementation().Daxpy(len(x), a, x, 1, y, 1)
	}
}

// sqrt returns the root of x, 0 if rounding has made x negative, and +Inf for +Inf.
func sqrt(x float64) float64 { return math.Sqrt(max(x, 0)) }
