package full

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen"
)

// finite reports whether all entries of A are finite.
func finite(A mat.Matrix) bool {
	rows, cols := A.Dims()
	for i := range rows {
		for j := range cols {
			if x := A.At(i, j); !algebra.Finite(x) {
				return false
			}
		}
	}
	return true
}

// Symmetric stores in e the eigenvalues and the eigenvectors of A.
//
// Cost: O(n³); allocates. It returns ErrNotFinite or ErrNoConvergence.
func Symmetric(e *mat.EigenSym, A mat.Symmetric) error {
	if !finite(A) {
		return eigen.ErrNotFinite
	}
	return eigen.Verdict(e.Factorize(A, true))
}

// General stores in e the eigenvalues of the square matrix A and the right eigenvectors.
//
// Cost: O(n³); allocates. It returns ErrNotFinite or ErrNoConvergence.
func General(e *mat.Eigen, A mat.Matrix) error {
	if !finite(A) {
		return eigen.ErrNotFinite
	}
	return eigen.Verdict(factorize(e, A, mat.EigenRight))
}

// Both is General, but also stores the left eigenvectors.
func Both(e *mat.Eigen, A mat.Matrix) error {
	if !finite(A) {
		return eigen.ErrNotFinite
	}
	return eigen.Verdict(factorize(e, A, mat.EigenBoth))
}

// factorize is e.Factorize, but returns false if e.Factorize panics. Dlaln2 of gonum 0.17 indexes x
// by the stride of b. It panics if a pair of eigenvalues is equal to another pair up to
// rounding, and almost real. This is the only recover of the module, because such a
// pair is found only in the middle of the routine. The caller does not use e after a panic.
func factorize(e *mat.Eigen, A mat.Matrix, kind mat.EigenKind) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return e.Factorize(A, kind)
}

// Singular stores in s the singular values of A, and the singular vectors that kind asks for.
//
// Cost: O(rows·cols·min(rows, cols)); allocates. It returns ErrNotFinite or
// ErrNoConvergence.
func Singular(s *mat.SVD, A mat.Matrix, kind mat.SVDKind) error {
	if !finite(A) {
		return eigen.ErrNotFinite
	}
	return eigen.Verdict(s.Factorize(A, kind))
}

// Orthogonal stores in q the QR factorization of A.
//
// Cost: O(rows·cols²); allocates. It returns ErrNotFinite.
func Orthogonal(q *mat.QR, A mat.Matrix) error {
	if !finite(A) {
		return eigen.ErrNotFinite
	}
	q.Factorize(A)
	return nil
}

// Inverse stores in dst the inverse of A, even if A is ill-conditioned.
//
// Cost: O(n³); allocates. It returns ErrNotFinite if A, or its inverse, is not finite.
func Inverse(dst *mat.Dense, A mat.Matrix) error {
	if !finite(A) {
		return eigen.ErrNotFinite
	}
	condition := mat.Condition(0)
	if err := dst.Inverse(A); errors.As(err, &condition) && math.IsInf(float64(condition), 1) || !finite(dst) {
		return eigen.ErrNotFinite
	}
	return nil
}
