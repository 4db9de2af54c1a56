package tree

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/team"
)

// elimination is the factorization of a dense matrix by Gaussian elimination
// with complete pivoting,
//
//	P·A·Q = ⎡ L  0 ⎤ ⎡ U  V ⎤
//	        ⎣ M  1 ⎦ ⎣ 0  R ⎦
//
// with R below the tolerance in the first lead columns, from which alone pivots are taken.
type elimination struct {
	watch            *team.Watch
	rows, cols, lead int
	a                []float64 // rows×cols by rows: first A; after factor U with L below it, M, V and R; after explicit W = U⁻¹·V for V
	rowPerm, colPerm []int32   // by place: row and column of A
	rank             int
	x                []float64 // right sides of callers
	best             []float64 // by row from rank on: largest magnitude in the lead columns from rank on

	smallest, dropped float64 // smallest pivot, and largest magnitude of R in the lead columns
	rest              float64 // largest magnitude of R in the other columns
}

// newElimination allocates an elimination of a rows×cols matrix, all columns of which are lead columns.
func newElimination(rows, cols int) *elimination {
	return &elimination{
		rows: rows, cols: cols, lead: cols, a: pages.Make[float64](rows * cols),
		rowPerm: make([]int32, rows), colPerm: make([]int32, cols), x: make([]float64, max(rows, cols)),
		best: make([]float64, rows),
	}
}

// row returns row i.
func (e *elimination) row(i int) []float64 { return e.a[i*e.cols : (i+1)*e.cols] }

// factor replaces A by its factors, with pivots larger than tol.
//
// Cost: rows·cols·rank multiplications and comparisons at most, no allocation. A
// row with a zero in the column of the pivot is neither changed nor searched
// again.
func (e *elimination) factor(tol float64) {
	for i := range e.rowPerm {
		if e.watch.Every(i) {
			return
		}
		e.rowPerm[i] = int32(i)
		e.best[i] = largestIn(e.row(i)[:e.lead])
	}
	for j := range e.colPerm {
		e.colPerm[j] = int32(j)
	}
	e.smallest, e.dropped, e.rest = math.Inf(1), 0, 0
	for e.rank = 0; e.rank < e.rows && !e.watch.Up(); e.rank++ {
		i := e.largest()
		if v := e.best[i]; e.rank == e.lead || !(v > tol) {
			e.dropped = v
			break
		}
		e.smallest = min(e.smallest, e.best[i])
		j := e.rank + findIn(e.row(i)[e.rank:e.lead], e.best[i])
		e.swap(e.rank, i, j)
		e.eliminate(e.rank)
	}
	for i := e.rank; i < e.rows && !e.watch.Every(i); i++ {
		for _, x := range e.row(i)[e.lead:] {
			e.rest = max(e.rest, math.Abs(x))
		}
	}
}

// largest returns the row, from rank on, with the largest entry in the lead columns.
func (e *elimination) largest() int {
	row := e.rank
	for i := row + 1; i < e.rows; i++ {
		if e.best[i] > e.best[row] {
			row = i
		}
	}
	return row
}

// eliminate subtracts multiples of row k from the rows below so that their entries in column k vanish. It stores the multiples there, as
// entries of L, and updates best of the changed rows.
func (e *elimination) eliminate(k int) {
	pivot := e.row(k)
	inv := 1 / pivot[k]
	for i := k + 1; i < e.rows && !e.watch.Every(i); i++ {
		row := e.row(i)
		if row[k] == 0 {
			continue
		}
		row[k] *= inv
		axpy(-row[k], pivot[k+1:], row[k+1:])
		e.best[i] = largestIn(row[k+1 : e.lead])
	}
}

// swap brings row i and column j to place k. It leaves best as it is where the largest entry of a row comes to column k: eliminate computes
// best of such a row again, as the entry is not zero.
func (e *elimination) swap(k, i, j int) {
	if i != k {
		a, b := e.row(i), e.row(k)
		for c := range a {
			a[c], b[c] = b[c], a[c]
		}
		e.rowPerm[i], e.rowPerm[k] = e.rowPerm[k], e.rowPerm[i]
		e.best[i] = e.best[k]
	}
	if j == k {
		return
	}
	for r := range e.rows {
		row := e.row(r)
		row[j], row[k] = row[k], row[j]
	}
	e.colPerm[j], e.colPerm[k] = e.colPerm[k], e.colPerm[j]
}

// explicit replaces V by W = U⁻¹·V: where A·x = 0, the dependent entries of x are −W times the independent ones.
//
// Cost: rank²·(cols − rank)/2, no allocation.
func (e *elimination) explicit() {
	r := e.rank
	for i := r - 1; i >= 0 && !e.watch.Up(); i-- {
		row := e.row(i)
		for j := i + 1; j < r && !e.watch.Every(j); j++ {
			axpy(-row[j], e.row(j)[r:], row[r:])
		}
		inv := 1 / row[i]
		for j := r; j < e.cols; j++ {
			row[j] *= inv
		}
	}
}

// solve replaces the first rank entries of x, which hold a right side b by place, by the solution of L·U·x = b.
func (e *elimination) solve(x []float64) {
	for i := 1; i < e.rank && !e.watch.Every(i); i++ {
		x[i] -= floats.Dot(e.row(i)[:i], x[:i])
	}
	for i := e.rank - 1; i >= 0 && !e.watch.Every(i); i-- {
		row := e.row(i)
		x[i] = (x[i] - floats.Dot(row[i+1:e.rank], x[i+1:e.rank])) / row[i]
	}
}

// solveTrans replaces the first rank entries of x, which hold a right side b by place, by the solution of (L·U)ᵀ·x = b.
func (e *elimination) solveTrans(x []float64) {
	for i := 0; i < e.rank && !e.watch.Every(i); i++ {
		row := e.row(i)
		x[i] /= row[i]
		axpy(-x[i], row[i+1:e.rank], x[i+1:e.rank])
	}
	for i := e.rank - 1; i > 0 && !e.watch.Every(i); i-- {
		axpy(-x[i], e.row(i)[:i], x[:i])
	}
}

// largestIn returns the largest magnitude in x, 0 if x is empty. NaN counts as
// larger than all.
//
// Magnitudes are compared by their bits, which have the same order and need no
// branches.
func largestIn(x []float64) float64 {
	const magnitude = 1<<63 - 1
	var a, b uint64
	i := 0
	for ; i+2 <= len(x); i += 2 {
		u, v := math.Float64bits(x[i])&magnitude, math.Float64bits(x[i+1])&magnitude
		a, b = max(a, u), max(b, v)
	}
	if i < len(x) {
		a = max(a, math.Float64bits(x[i])&magnitude)
	}
	return math.Float64frombits(max(a, b))
}

// findIn returns the first place of the magnitude v in x.
func findIn(x []float64, v float64) int {
	for i := range x {
		if math.Abs(x[i]) == v {
			return i
		}
	}
	return 0 // v is NaN
}
