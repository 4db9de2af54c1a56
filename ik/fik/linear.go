package fik

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Linear is a linear map from the rates u of n freedoms to the rates of m rows of targets: the product with the
// Jacobian J at a pose, which its owner may change.
type Linear interface {
	// Dims returns the numbers m of rows and n of freedoms, both at least 1. They do not change.
	Dims() (m, n int)
	// MulTo stores J·u in dst. The two do not overlap.
	MulTo(dst, u []float64)
	// MulTransTo stores Jᵀ·f in dst. The two do not overlap.
	MulTransTo(dst, f []float64)
}

// Dense is a Linear stored as a matrix.
type Dense struct {
	Rows, Cols int
	Data       []float64 // Rows·Cols numbers, row by row
}

// NewDense returns an m×n matrix with the given numbers, row by row, or of zeros if data is nil. It keeps data.
//
// It panics unless m and n are at least 1, m·n is at most 2³⁷ and data is nil or has m·n numbers.
func NewDense(m, n int, data []float64) *Dense {
	if m < 1 || n < 1 || m > mostNumbers/n {
		panic("ik/fik: size out of range")
	}
	if data == nil {
		data = make([]float64, m*n)
	}
	if len(data) != m*n {
		panic("ik/fik: length mismatch")
	}
	return &Dense{m, n, data}
}

// mostNumbers is the largest number of numbers of a matrix.
const mostNumbers = min(1<<37, math.MaxInt)

// Dims implements Linear.
func (a *Dense) Dims() (m, n int) { return a.Rows, a.Cols }

// Row returns the numbers of row i, in memory of a.
func (a *Dense) Row(i int) []float64 { return a.Data[i*a.Cols : (i+1)*a.Cols : (i+1)*a.Cols] }

// MulTo implements Linear.
//
// Cost: m·n multiplications, no allocation. It panics on a length mismatch.
func (a *Dense) MulTo(dst, u []float64) { a.mul(blas.NoTrans, dst, u, a.Rows, a.Cols) }

// MulTransTo implements Linear.
//
// Cost: m·n multiplications, no allocation. It panics on a length mismatch.
func (a *Dense) MulTransTo(dst, f []float64) { a.mul(blas.Trans, dst, f, a.Cols, a.Rows) }

// mul stores in dst, rows numbers, the product of a or its transpose, as t says, with x, cols numbers.
func (a *Dense) mul(t blas.Transpose, dst, x []float64, rows, cols int) {
	if len(dst) != rows || len(x) != cols {
		panic("ik/fik: length mismatch")
	}
	blas64.Gemv(t, 1, a.general(), vector(x), 0, vector(dst))
}

// general returns the matrix for routines of gonum. It shares a.Data.
func (a *Dense) general() blas64.General {
	return blas64.General{Rows: a.Rows, Cols: a.Cols, Stride: a.Cols, Data: a.Data}
}

// vector returns x for routines of gonum. It shares x.
func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// DenseOf returns the matrix of a linear map at its present pose.
//
// Cost: m products with the transpose, or n with the map if that is less; allocates.
func DenseOf(j Linear) *Dense {
	m, n := j.Dims()
	a := NewDense(m, n, nil)
	unit := make([]float64, max(m, n))
	if m <= n {
		for i := range m {
			unit[i] = 1
			j.MulTransTo(a.Row(i), unit[:m])
			unit[i] = 0
		}
		return a
	}
	col := make([]float64, m)
	for k := range n {
		unit[k] = 1
		j.MulTo(col, unit[:n])
		unit[k] = 0
		for i, x := range col {
			a.Data[i*n+k] = x
		}
	}
	return a
}
