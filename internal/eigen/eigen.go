package eigen

import (
	"errors"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/rung-mbd/rung/internal/algebra"
)

var (
	// ErrNotFinite is returned for a matrix with an infinite number or a NaN.
	ErrNotFinite = errors.New("eigen: numbers overflow")
	// ErrNoConvergence is returned if a routine ends without a result.
	ErrNoConvergence = errors.New("eigen: eigenvalues do not converge")
)

// Verdict returns nil if ok is true, and ErrNoConvergence otherwise. ok is the result of a routine.
func Verdict(ok bool) error {
	if !ok {
		return ErrNoConvergence
	}
	return nil
}

// Small replaces the square symmetric matrix A by its eigenvectors, as columns, and stores
// the eigenvalues in w, the smallest first. It reads the triangle A.Uplo; the numbers of the
// other triangle only have to be finite.
//
// Shapes: w has n entries, work 3n at least.
// Cost: O(n³), no allocation. It returns ErrNotFinite, with A as it was, or ErrNoConvergence.
func Small(A blas64.Symmetric, w, work []float64) error {
	for i := range A.N {
		if !algebra.AllFinite(A.Data[i*A.Stride : i*A.Stride+A.N]...) {
			return ErrNotFinite
		}
	}
	if A.N == 0 {
		return nil // the routine would ask for work of one number
	}
	return Verdict(lapack64.Syev(lapack.EVCompute, A, w, work, len(work)))
}

// SingularTo stores in s the singular values of A, the largest first, in the columns of u the left
// singular vectors, and in the rows of vt the right ones. It destroys A.
//
// Shapes: let k be the smaller of the numbers of rows and columns. s has k entries, u k columns, and vt k rows;
// work is as long as lapack64.Gesvd asks for.
// Cost: O(rows·cols·k), no allocation. It returns ErrNotFinite, with A as it was, or
// ErrNoConvergence.
func SingularTo(A, u, vt blas64.General, s, work []float64) error {
	if A.Cols == 0 {
		return nil
	}
	for i := range A.Rows {
		if !algebra.AllFinite(A.Data[i*A.Stride : i*A.Stride+A.Cols]...) {
			return ErrNotFinite
		}
	}
	return Verdict(lapack64.Gesvd(lapack.SVDStore, lapack.SVDStore, A, u, vt, s, work, len(work)))
}
