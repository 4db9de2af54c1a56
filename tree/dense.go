package tree

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// This file holds the dense elimination of general.go.

// absolute returns a matrix of the magnitudes of K.
func absolute(K mat.Matrix) *mat.Dense {
	var A mat.Dense
	A.Apply(func(_, _ int, x float64) float64 { return math.Abs(x) }, K)
	return &A
}

// largest returns the place of the largest magnitude in the first n columns, not
// before row and column k.
func largest(A *mat.Dense, k, n int) (row, col int) {
	rows, _ := A.Dims()
	row, col = k, k
	worst := -1.0
	for i := k; i < rows; i++ {
		for j, x := range A.RawRowView(i)[k:n] {
			if a := math.Abs(x); a > worst {
				worst, row, col = a, i, k+j
			}
		}
	}
	return row, col
}

func swapRows(A *mat.Dense, i, j int) {
	if i != j {
		blas64.Swap(vector(A.RawRowView(i)), vector(A.RawRowView(j)))
	}
}

func swapCols(A *mat.Dense, i, j int) {
	if i == j {
		return
	}
	rows, _ := A.Dims()
	for r := range rows {
		row := A.RawRowView(r)
		row[i], row[j] = row[j], row[i]
	}
}

// eliminateColumn scales row k to a pivot of one and clears column k in all
// other rows (Gauss-Jordan).
func eliminateColumn(A *mat.Dense, k int) {
	rows, _ := A.Dims()
	pivot := A.RawRowView(k)
	blas64.Scal(1/pivot[k], vector(pivot))
	for i := range rows {
		if row := A.RawRowView(i); i != k && row[k] != 0 {
			blas64.Axpy(-row[k], vector(pivot), vector(row))
			row[k] = 0
		}
	}
}

func vector(x []float64) blas64.Vector {
	return blas64.Vector{N: len(x), Inc: 1, Data: x}
}
