package eigen

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	lapackgonum "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/rung-mbd/rung/internal/algebra"
)

// Values stores in re and im the real and imaginary parts of the eigenvalues of the square matrix A. It destroys A.
//
// Shapes: re and im have n entries.
// Cost: O(n³); allocates. It returns ErrNotFinite, with A as it was, or ErrNoConvergence.
func Values(A blas64.General, re, im []float64) error {
	for i := range A.Rows {
		if !algebra.AllFinite(A.Data[i*A.Stride : i*A.Stride+A.Cols]...) {
			return ErrNotFinite
		}
	}
	none, size := blas64.General{Stride: 1}, make([]float64, 1)
	lapack64.Geev(lapack.LeftEVNone, lapack.RightEVNone, A, re, im, none, none, size, -1)
	work := make([]float64, int(size[0]))
	return Verdict(lapack64.Geev(lapack.LeftEVNone, lapack.RightEVNone, A, re, im, none, none, work, len(work)) == 0)
}

// StableSubspace stores in Q an orthogonal matrix whose first stable columns span the invariant subspace of A for the
// eigenvalues with a negative real part. They come from a real Schur form with these eigenvalues first. gap is the smallest
// distance of an eigenvalue from the imaginary axis, relative to the largest magnitude of an eigenvalue. It destroys A.
//
// Shapes: A and Q are n×n, without gaps between rows. Cost: O(n³); allocates. It returns ErrNotFinite, with A as it
// was, or ErrNoConvergence if the Schur form is not found or two eigenvalues are too close to be exchanged.
func StableSubspace(Q, A blas64.General) (stable int, gap float64, err error) {
	n := A.Rows
	if !algebra.AllFinite(A.Data[:n*n]...) {
		return 0, 0, ErrNotFinite
	}
	re, im, ok := schur(Q, A)
	if !ok {
		return 0, 0, ErrNoConvergence
	}
	most, least := 0.0, math.Inf(1)
	for i := range n {
		most, least = max(most, math.Hypot(re[i], im[i])), min(least, math.Abs(re[i]))
	}
	if most > 0 {
		gap = least / most
	}
	if stable, ok = lead(Q, A, func(re, _ float64) bool { return re < 0 }); !ok {
		return 0, gap, ErrNoConvergence
	}
	return stable, gap, nil
}

// Subspace stores in Q an orthogonal matrix whose first columns span the invariant subspace of A for the eigenvalues re ± i·im
// for which takes returns true. They come from a real Schur form with these eigenvalues first. It returns the number of these
// columns. If two eigenvalues are too close to be exchanged, one that should be in the subspace is left out; the subspace is
// still invariant. It destroys A.
//
// Shapes: A and Q are n×n, without gaps between rows. Cost: O(n³); allocates. It returns ErrNotFinite, with A as it
// was, or ErrNoConvergence if the Schur form is not found.
func Subspace(Q, A blas64.General, takes func(re, im float64) bool) (columns int, err error) {
	if !algebra.AllFinite(A.Data[:A.Rows*A.Rows]...) {
		return 0, ErrNotFinite
	}
	if _, _, ok := schur(Q, A); !ok {
		return 0, ErrNoConvergence
	}
	columns, _ = lead(Q, A, takes)
	return columns, nil
}

// lead moves the diagonal blocks of the real Schur form A whose eigenvalues takes accepts to the beginning. It returns the number of
// columns of Q that belong to them. A block that could not be moved is left out, and ok is then false.
func lead(Q, A blas64.General, takes func(re, im float64) bool) (columns int, ok bool) {
	var impl lapackgonum.Implementation
	work := make([]float64, A.Rows)
	ok = true
	for i := 0; i < A.Rows; {
		size, im := 1, 0.0
		if i+1 < A.Rows && A.Data[(i+1)*A.Stride+i] != 0 {
			size = 2
			im = math.Sqrt(math.Abs(A.Data[(i+1)*A.Stride+i])) * math.Sqrt(math.Abs(A.Data[i*A.Stride+i+1]))
		}
		if takes(A.Data[i*A.Stride+i], im) {
			moved := i == columns
			if !moved {
				_, _, moved = impl.Dtrexc(lapack.UpdateSchur, A.Rows, A.Data, A.Stride, Q.Data, Q.Stride, i, columns, work)
			}
			if ok = ok && moved; moved {
				columns += size
			}
		}
		i += size
	}
	return columns, ok
}

// schur replaces A by its real Schur form T, and stores in Q the orthogonal matrix with A = Q·T·Qᵀ. It returns the real and
// imaginary parts of the eigenvalues, and false if the iteration does not converge.
func schur(Q, A blas64.General) (re, im []float64, ok bool) {
	n := A.Rows
	if n == 0 {
		return nil, nil, true
	}
	var impl lapackgonum.Implementation
	re, im = make([]float64, n), make([]float64, n)
	tau, work := make([]float64, max(n-1, 1)), make([]float64, max(16*n, 64))
	impl.Dgehrd(n, 0, n-1, A.Data, A.Stride, tau[:n-1], work, len(work))
	for i := range n { // the Householder vectors are below the subdiagonal
		row := A.Data[i*A.Stride : i*A.Stride+n]
		copy(Q.Data[i*Q.Stride:], row)
		clear(row[:max(i-1, 0)])
	}
	impl.Dorghr(n, 0, n-1, Q.Data, Q.Stride, tau[:n-1], work, len(work))
	left := impl.Dhseqr(lapack.EigenvaluesAndSchur, lapack.SchurOrig, n, 0, n-1, A.Data, A.Stride, re, im, Q.Data, Q.Stride, work, len(work))
	return re, im, left == 0
}

// Solve returns X with A·X = B. It destroys A and B; X is stored in B.
//
// Cost: O(n³); allocates. It returns ErrNotFinite if A is singular or a number is not finite.
func Solve(A, B blas64.General) (X blas64.General, err error) {
	pivots := make([]int, A.Rows)
	if !algebra.AllFinite(A.Data...) || !algebra.AllFinite(B.Data...) || !lapack64.Getrf(A, pivots) {
		return X, ErrNotFinite
	}
	lapack64.Getrs(blas.NoTrans, A, B, pivots)
	if !algebra.AllFinite(B.Data...) {
		return X, ErrNotFinite
	}
	return B, nil
}

// SingularValues stores in s the singular values of A, the largest first. It destroys A.
//
// Shapes: s has as many entries as the smaller of the numbers of rows and columns.
// Cost: O(rows·cols·min(rows, cols)); allocates. It returns ErrNotFinite or ErrNoConvergence.
func SingularValues(A blas64.General, s []float64) error {
	if !algebra.AllFinite(A.Data...) {
		return ErrNotFinite
	}
	none, size := blas64.General{Stride: 1}, make([]float64, 1)
	lapack64.Gesvd(lapack.SVDNone, lapack.SVDNone, A, none, none, s, size, -1)
	work := make([]float64, int(size[0]))
	return Verdict(lapack64.Gesvd(lapack.SVDNone, lapack.SVDNone, A, none, none, s, work, len(work)))
}

// SingularValuesOf is SingularValues for a matrix stored by rows in data, with cols columns. It serves packages that do not import
// gonum.
func SingularValuesOf(data []float64, cols int, s []float64) error {
	if len(data) == 0 {
		return nil
	}
	return SingularValues(blas64.General{Rows: len(data) / cols, Cols: cols, Stride: cols, Data: data}, s)
}
