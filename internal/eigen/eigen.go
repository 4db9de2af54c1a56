package eigen

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

var (
	// ErrNotFinite is returned for a matrix with an infinite or undefined number.
	ErrNotFinite = errors.New("eigen: numbers overflow")
	// ErrNoConvergence is returned where a routine ends without a result.
	ErrNoConvergence = errors.New("eigen: eigenvalues do not converge")
)

// Finite reports whether all numbers of v are finite.
func Finite(v []float64) bool {
	// The product with zero is zero, or not a number.
	sum := 0.0
	for _, x := range v {
		sum += 0 * x
	}
	return sum == 0
}

// finite reports whether all entries of A are.
func finite(A mat.Matrix) bool {
	rows, cols := A.Dims()
	for i := range rows {
		for j := range cols {
			if x := A.At(i, j); math.IsNaN(x) || math.IsInf(x, 0) {
				return false
			}
		}
	}
	return true
}

// verdict returns the error of a routine that has ended with ok.
func verdict(ok bool) error {
	if !ok {
		return ErrNoConvergence
	}
	return nil
}

// Symmetric stores in e the eigenvalues of A and the eigenvectors.
//
// Cost: O(n³); allocates. It returns ErrNotFinite or ErrNoConvergence.
func Symmetric(e *mat.EigenSym, A mat.Symmetric) error {
	if !finite(A) {
		return ErrNotFinite
	}
	return verdict(e.Factorize(A, true))
}

// General stores in e the eigenvalues of the square matrix A and the right eigenvectors.
//
// Cost: O(n³); allocates. It returns ErrNotFinite or ErrNoConvergence.
func General(e *mat.Eigen, A mat.Matrix) error {
	if !finite(A) {
		return ErrNotFinite
	}
	return verdict(factorize(e, A))
}

// factorize is e.Factorize, but returns false where that panics. Dlaln2 of gonum 0.17 indexes x
// by the stride of b. It panics where a pair of eigenvalues is equal to another pair up to
// rounding, and all but real. This is the one recover of the module: whether there is such a
// pair shows only in the middle of the routine. What the routine leaves in e is not used.
func factorize(e *mat.Eigen, A mat.Matrix) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return e.Factorize(A, mat.EigenRight)
}

// Singular stores in s the singular values of A, and the vectors that kind asks for.
//
// Cost: O(rows·cols·min(rows, cols)); allocates. It returns ErrNotFinite or
// ErrNoConvergence.
func Singular(s *mat.SVD, A mat.Matrix, kind mat.SVDKind) error {
	if !finite(A) {
		return ErrNotFinite
	}
	return verdict(s.Factorize(A, kind))
}

// Orthogonal stores in q the factors QR of A.
//
// Cost: O(rows·cols²); allocates. It returns ErrNotFinite.
func Orthogonal(q *mat.QR, A mat.Matrix) error {
	if !finite(A) {
		return ErrNotFinite
	}
	q.Factorize(A)
	return nil
}

// Small replaces the square symmetric matrix A, of which one triangle is read, by its
// eigenvectors, as columns, and stores the eigenvalues in w, the least first. It reads
// numbers beyond the triangle only to see whether they are finite.
//
// Shapes: w has n entries, work 3n at least.
// Cost: O(n³), no allocation. It returns ErrNotFinite, with A as it was, or ErrNoConvergence.
func Small(A blas64.Symmetric, w, work []float64) error {
	for i := range A.N {
		if !Finite(A.Data[i*A.Stride : i*A.Stride+A.N]) {
			return ErrNotFinite
		}
	}
	return verdict(lapack64.Syev(lapack.EVCompute, A, w, work, len(work)))
}

// SingularTo stores in s, u and vt the singular values of A, the largest first, and the
// vectors of as many. It destroys A.
//
// Shapes: with k the least of rows and columns, s has k entries, u k columns, vt k rows;
// work is as long as lapack64.Gesvd asks for.
// Cost: O(rows·cols·k), no allocation. It returns ErrNotFinite, with A as it was, or
// ErrNoConvergence.
func SingularTo(A, u, vt blas64.General, s, work []float64) error {
	for i := range A.Rows {
		if !Finite(A.Data[i*A.Stride : i*A.Stride+A.Cols]) {
			return ErrNotFinite
		}
	}
	return verdict(lapack64.Gesvd(lapack.SVDStore, lapack.SVDStore, A, u, vt, s, work, len(work)))
}

// Inverse stores in dst the inverse of A, ill-conditioned or not.
//
// Cost: O(n³); allocates. It returns ErrNotFinite if A, or its inverse, is not finite.
func Inverse(dst *mat.Dense, A mat.Matrix) error {
	if !finite(A) {
		return ErrNotFinite
	}
	condition := mat.Condition(0)
	if err := dst.Inverse(A); errors.As(err, &condition) && math.IsInf(float64(condition), 1) || !finite(dst) {
		return ErrNotFinite
	}
	return nil
}
