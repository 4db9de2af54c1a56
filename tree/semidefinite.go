package tree

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/team"
)

// semidefinite is the factorization PᵀAP = LLᵀ of a dense positive semidefinite matrix with diagonal pivoting. It ends where no pivot above
// the tolerance is left; the number of pivots is the rank of A.
type semidefinite struct {
	watch *team.Watch
	n     int
	a     []float64 // n×n by rows, lower triangle: A, then the columns of L below rank
	perm  []int32   // by place: index in A
	rank  int
	col   []float64 // present column of L
	x     []float64

	smallest, dropped float64 // smallest pivot, largest one left
	flops             int64   // of the factorization, as Counts has them
}

func newSemidefinite(n int) *semidefinite {
	return &semidefinite{
		n: n, a: pages.Make[float64](n * n), perm: make([]int32, n), col: make([]float64, n), x: make([]float64, n),
	}
}

// row returns row i of the lower triangle.
func (f *semidefinite) row(i int) []float64 { return f.a[i*f.n : i*f.n+i+1] }

// factor replaces A by its factor, with pivots larger than tol. The next pivot is always the largest remaining diagonal entry.
//
// Cost: n·rank² multiplications at most; zeros in a column of L save its row. No
// allocation.
func (f *semidefinite) factor(tol float64) {
	for i := range f.perm {
		f.perm[i] = int32(i)
	}
	f.flops, f.smallest, f.dropped = 0, math.Inf(1), 0
	for f.rank = 0; f.rank < f.n && !f.watch.Up(); f.rank++ {
		k := f.rank
		p, pivot := k, f.row(k)[k]
		for i := k + 1; i < f.n; i++ {
			if d := f.row(i)[i]; d > pivot {
				p, pivot = i, d
			}
		}
		if !(pivot > tol) {
			f.dropped = pivot
			return
		}
		if p != k {
			swapSymmetric(f.a, f.n, k, p)
			f.perm[k], f.perm[p] = f.perm[p], f.perm[k]
		}
		f.smallest = min(f.smallest, pivot)
		f.eliminate(k, math.Sqrt(pivot))
	}
}

// eliminate makes column k a column of L and subtracts its products from the rows below. root is the square root of the pivot.
func (f *semidefinite) eliminate(k int, root float64) {
	f.row(k)[k] = root
	first := f.n // row of the first entry below the pivot that is not zero
	for i := k + 1; i < f.n; i++ {
		v := f.a[i*f.n+k]
		if v != 0 {
			v /= root
			first = min(first, i)
		}
		f.a[i*f.n+k], f.col[i] = v, v
	}
	for i := first; i < f.n && !f.watch.Every(i); i++ {
		if l := f.col[i]; l != 0 {
			axpy(-l, f.col[first:i+1], f.row(i)[first:])
			f.flops += 1 + 2*int64(i-first+1)
		}
	}
}

// solve replaces the right side b by the solution for the indices with a pivot;
// the others are zero.
//
// Cost: O(rank²), no allocation.
func (f *semidefinite) solve(b []float64) {
	x, r := f.x, f.rank
	for i, p := range f.perm[:r] {
		x[i] = b[p]
	}
	for i := 0; i < r && !f.watch.Every(i); i++ {
		row := f.row(i)
		x[i] = (x[i] - floats.Dot(row[:i], x[:i])) / row[i]
	}
	clear(b)
	for i := r - 1; i >= 0 && !f.watch.Every(i); i-- {
		row := f.row(i)
		x[i] /= row[i]
		axpy(-x[i], row[:i], x[:i])
		b[f.perm[i]] = x[i]
	}
}

// left returns the indices without a pivot.
func (f *semidefinite) left() []int32 { return f.perm[f.rank:] }
