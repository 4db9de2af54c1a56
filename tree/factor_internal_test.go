package tree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/check"
)

const (
	denseTol = 1e-12 // scaled residual of a dense solution
	denseCut = 1e-10 // what counts as zero in the factorizations
)

// gaussian returns a rows×cols matrix of normal numbers.
func gaussian(rows, cols int, rng *rand.Rand) *mat.Dense {
	A := mat.NewDense(max(rows, 1), max(cols, 1), nil)
	A.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, A)
	return A
}

// deficient returns a rows×cols matrix of the given rank.
func deficient(rows, cols, rank int, rng *rand.Rand) *mat.Dense {
	var A mat.Dense
	A.Mul(gaussian(rows, rank, rng), gaussian(rank, cols, rng))
	return &A
}

// saddle returns [H Kᵀ; K 0] with H positive definite and K of the given rank.
func saddle(n, rows, rank int, rng *rand.Rand) *mat.Dense {
	B := gaussian(n, n, rng)
	K := deficient(rows, n, rank, rng)
	A := mat.NewDense(n+rows, n+rows, nil)
	var H mat.Dense
	H.Mul(B, B.T())
	for i := range n {
		H.Set(i, i, H.At(i, i)+1)
	}
	A.Slice(0, n, 0, n).(*mat.Dense).Copy(&H)
	A.Slice(n, n+rows, 0, n).(*mat.Dense).Copy(K)
	A.Slice(0, n, n, n+rows).(*mat.Dense).Copy(K.T())
	return A
}

// inRange returns A·x for a random x.
func inRange(A *mat.Dense, rng *rand.Rand) []float64 {
	_, n := A.Dims()
	var b mat.Dense
	b.Mul(A, gaussian(n, 1, rng))
	return mat.Col(nil, 0, &b)
}

func TestIndefinite(t *testing.T) {
	for seed := range uint64(5) {
		for _, c := range []struct{ n, rows, rank int }{{1, 1, 1}, {5, 2, 2}, {6, 9, 4}, {20, 12, 12}, {30, 40, 17}} {
			t.Run(fmt.Sprintf("%+v/seed=%d", c, seed), func(t *testing.T) {
				rng := check.Rand(seed)
				A := saddle(c.n, c.rows, c.rank, rng)
				f := newIndefinite(c.n + c.rows)
				for i := range f.n {
					copy(f.row(i), A.RawRowView(i))
				}
				f.factor(denseCut)
				require.Equal(t, c.n+c.rank, f.rank)
				require.Greater(t, f.smallest, 1e3*f.dropped)
				for _, i := range f.left() {
					require.GreaterOrEqual(t, int(i), c.n, "only multipliers are left")
				}
				b := inRange(A, rng)
				x := append([]float64(nil), b...)
				f.solve(x)
				require.LessOrEqual(t, check.Residual(A, x, b), denseTol)
			})
		}
	}
}

// TestIndefinitePairs factors a matrix without a diagonal, which takes pivots of
// two rows only.
func TestIndefinitePairs(t *testing.T) {
	const n = 8
	A := mat.NewDense(n, n, nil)
	rng := check.Rand(1)
	for i := range n {
		for j := range i {
			v := rng.NormFloat64()
			A.Set(i, j, v)
			A.Set(j, i, v)
		}
	}
	f := newIndefinite(n)
	for i := range n {
		copy(f.row(i), A.RawRowView(i))
	}
	f.factor(denseCut)
	require.Equal(t, n, f.rank)
	require.True(t, f.two[0])
	b := inRange(A, rng)
	x := append([]float64(nil), b...)
	f.solve(x)
	require.LessOrEqual(t, check.Residual(A, x, b), denseTol)
}

func TestSemidefinite(t *testing.T) {
	for seed := range uint64(5) {
		for _, c := range []struct{ n, rank int }{{1, 1}, {6, 6}, {9, 4}, {40, 25}} {
			rng := check.Rand(seed)
			Y := deficient(c.n, c.n+3, c.rank, rng)
			A := mat.NewDense(c.n, c.n, nil)
			A.Mul(Y, Y.T())
			f := newSemidefinite(c.n)
			for i := range c.n {
				copy(f.row(i), A.RawRowView(i))
			}
			f.factor(denseCut)
			require.Equal(t, c.rank, f.rank)
			require.Len(t, f.left(), c.n-c.rank)
			b := inRange(A, rng)
			x := append([]float64(nil), b...)
			f.solve(x)
			require.LessOrEqual(t, check.Residual(A, x, b), denseTol)
			for _, i := range f.left() {
				require.Zero(t, x[i], "no value without a pivot")
			}
		}
	}
}

func TestElimination(t *testing.T) {
	for seed := range uint64(5) {
		for _, c := range []struct{ rows, cols, rank int }{{1, 1, 1}, {3, 7, 3}, {9, 6, 4}, {20, 30, 11}, {4, 1, 1}} {
			rng := check.Rand(seed)
			A := deficient(c.rows, c.cols, c.rank, rng)
			e := newElimination(c.rows, c.cols)
			copy(e.a, A.RawMatrix().Data)
			e.factor(denseCut)
			require.Equal(t, c.rank, e.rank)
			require.LessOrEqual(t, e.dropped, denseCut)
			requireSolutions(t, e, A, rng)
			e.explicit()
			requireNullSpace(t, e, A)
		}
	}
}

// requireSolutions solves with the square matrix of the pivots and its transpose.
func requireSolutions(t *testing.T, e *elimination, A *mat.Dense, rng *rand.Rand) {
	t.Helper()
	B := mat.NewDense(e.rank, e.rank, nil)
	for i, r := range e.rowPerm[:e.rank] {
		for j, c := range e.colPerm[:e.rank] {
			B.Set(i, j, A.At(int(r), int(c)))
		}
	}
	b := inRange(B, rng)
	x := append([]float64(nil), b...)
	e.solve(x)
	require.LessOrEqual(t, check.Residual(B, x, b), denseTol)
	copy(x, b)
	e.solveTrans(x)
	require.LessOrEqual(t, check.Residual(mat.DenseCopyOf(B.T()), x, b), denseTol)
}

// requireNullSpace checks A·(−W; 1) = 0 in the order of the columns.
func requireNullSpace(t *testing.T, e *elimination, A *mat.Dense) {
	t.Helper()
	for j := e.rank; j < e.cols; j++ {
		x := make([]float64, e.cols)
		x[e.colPerm[j]] = 1
		for i := range e.rank {
			x[e.colPerm[i]] = -e.row(i)[j]
		}
		var y mat.VecDense
		y.MulVec(A, mat.NewVecDense(e.cols, x))
		assert.LessOrEqual(t, check.MaxAbs(y.RawVector().Data), 100*denseCut*check.MaxAbs(x))
	}
}

// TestEliminationOfSome takes pivots from the first columns only.
func TestEliminationOfSome(t *testing.T) {
	e := newElimination(2, 3)
	copy(e.a, []float64{1, 2, 9, 0, 0, 5})
	e.lead = 2
	e.factor(denseCut)
	require.Equal(t, 1, e.rank)
	require.Zero(t, e.dropped)
	require.Equal(t, 5.0, e.rest, "a relation among the last columns")
}

func TestCholeskyRows(t *testing.T) {
	rng := check.Rand(1)
	const n, stride = 7, 9
	Y := gaussian(n, n, rng)
	A := mat.NewDense(n, n, nil)
	A.Mul(Y, Y.T())
	a := make([]float64, n*stride)
	for i := range n {
		copy(a[i*stride:], A.RawRowView(i))
	}
	require.Equal(t, -1, choleskyRows(a, n, stride, nil))
	b := inRange(A, rng)
	x := append([]float64(nil), b...)
	solveCholeskyRows(a, n, stride, x, nil)
	require.LessOrEqual(t, check.Residual(A, x, b), denseTol)
	require.Equal(t, 1, choleskyRows([]float64{1, 0, 2, 3}, 2, 2, nil), "3 − 2² is negative")
}

// TestIndefiniteWork: a matrix without a diagonal takes pivots of two rows only, each of which costs 4 flops more a row
// below than two pivots of one row.
func TestIndefiniteWork(t *testing.T) {
	const n = 8
	rng := check.Rand(1)
	f := newIndefinite(n)
	for i := range n {
		for j := range i {
			f.row(i)[j] = rng.NormFloat64()
		}
	}
	f.factor(denseCut)
	assert.Equal(t, n, f.rank)
	assert.LessOrEqual(t, f.flops, denseWork(n, n)+4*(6+4+2))
	assert.Greater(t, f.flops, denseWork(n, n), "pairs")
}

// TestIndefiniteNotANumber: NaN ends the factorization, and dropped is NaN. On the diagonal it once caused an index out of range,
// and elsewhere it was ignored.
func TestIndefiniteNotANumber(t *testing.T) {
	for n := 1; n <= 3; n++ {
		for i := range n {
			for j := range i + 1 {
				f := newIndefinite(n)
				for k := range n {
					f.row(k)[k] = 1
				}
				f.row(i)[j] = math.NaN()
				f.factor(denseCut)
				require.True(t, math.IsNaN(f.dropped), "%d rows, entry %d, %d", n, i, j)
				require.Less(t, f.rank, n)
			}
		}
	}
}
