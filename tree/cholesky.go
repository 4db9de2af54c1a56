package tree

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/rung-mbd/rung/team"
)

// choleskyRows replaces the lower triangle of A, n×n in rows of the given
// stride, by L of LLᵀ. It returns the row of a pivot that is not positive, with
// the pivot on the diagonal, or −1.
//
// Cost: n³/6 multiplications, no allocation. It is not finished if the context of watch ends.
func choleskyRows(A []float64, n, stride int, watch *team.Watch) int {
	for i := 0; i < n && !watch.Up(); i++ {
		row := A[i*stride : i*stride+i+1]
		for j := range i {
			if watch.Every(j) {
				return -1
			}
			up := A[j*stride : j*stride+j+1]
			row[j] = (row[j] - floats.Dot(row[:j], up[:j])) / up[j]
		}
		row[i] -= floats.Dot(row[:i], row[:i])
		if !(row[i] > 0) || math.IsInf(row[i], 1) {
			return i
		}
		row[i] = math.Sqrt(row[i])
	}
	return -1
}

// solveCholeskyRows replaces x by the solution of LLᵀx = b.
//
// Cost: n² multiplications, no allocation.
func solveCholeskyRows(A []float64, n, stride int, x []float64, watch *team.Watch) {
	for i := 0; i < n && !watch.Every(i); i++ {
		row := A[i*stride : i*stride+i+1]
		x[i] = (x[i] - floats.Dot(row[:i], x[:i])) / row[i]
	}
	for i := n - 1; i >= 0 && !watch.Every(i); i-- {
		row := A[i*stride : i*stride+i+1]
		x[i] /= row[i]
		axpy(-x[i], row[:i], x[:i])
	}
}
