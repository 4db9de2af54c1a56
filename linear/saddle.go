package linear

import (
	"errors"
	"math"
	"sort"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/sparse"
)

// ErrSingular is wrapped where no factorization gives a solution that satisfies the
// joints.
var ErrSingular = errors.New("linear: system is singular to working precision")

// saddle is a system
//
//	⎡ A  Bᵀ ⎤ ⎡ x ⎤   ⎡ b ⎤
//	⎣ B  0  ⎦ ⎣ y ⎦ = ⎣ 0 ⎦
//
// with A of positive definite blocks and B whose rows may depend on each other,
// and its factorization.
type saddle struct {
	*kkt.Factored         // scales are the diagonal of B·A⁻¹·Bᵀ
	floor         float64 // least size of x to which its errors are relative
	skip          kkt.Way // first way to factor that is tried
}

// newSaddle returns a saddle of a matrix and scales that are filled in before each use.
func newSaddle(p *kkt.Plan, f *factor.Factor, m *sparse.Matrix, scale []float64) saddle {
	return saddle{Factored: kkt.NewFactored(f, m, nil, scale, p.Options().Epsilon, kkt.KeepAll, nil)}
}

const (
	// holdTol is the largest residual of a row of B, relative to its terms, with which a
	// factorization is accepted at once. If no way to factor gives one, the way with the least residual is accepted up to
	// holdLoose: in long chains that are stiff in some direction, pivots of independent rows are
	// as small as pivots of redundant rows.
	holdTol, holdLoose = 1e-10, 1e-7
	// solveTol is the largest predicted relative error of x.
	solveTol = 1e-8
)

// errLoose says that no way to factor gives a solution that is accepted at once.
var errLoose = errors.New("linear: no way to factor is good enough at once")

// solveError is ErrSingular with the node of a row that the solution violates.
type solveError struct{ node int }

// Error is the text of ErrSingular.
func (e *solveError) Error() string { return ErrSingular.Error() }

// Unwrap returns ErrSingular.
func (e *solveError) Unwrap() error { return ErrSingular }

// overflowError is ErrNotFinite with the node at which numbers overflow.
type overflowError struct{ node int }

// Error is the text of ErrNotFinite.
func (e *overflowError) Error() string { return ErrNotFinite.Error() }

// Unwrap returns ErrNotFinite.
func (e *overflowError) Unwrap() error { return ErrNotFinite }

// nodeOf returns the node of a PivotError, solveError or overflowError that err wraps, or −1.
func nodeOf(err error) int {
	if p := new(factor.PivotError); errors.As(err, &p) {
		return p.Node
	}
	if p := new(solveError); errors.As(err, &p) {
		return p.node
	}
	if p := new(overflowError); errors.As(err, &p) {
		return p.node
	}
	return -1
}

// solveFirst factors the matrix and solves for b, in the first way to factor, from k.skip on, whose residuals are at most holdTol, or else
// in the way with the least residuals; r is scratch. holds may be nil. If it returns false for the factorization of a way, that way is
// not taken.
//
// Cost: up to four factorizations. It returns the first error of a way, an ErrSingular, *factor.PivotError or *overflowError, if no way has
// residuals up to holdLoose, and the cause if the context ends.
func (k *saddle) solveFirst(x, r, b []float64, holds func() bool) error {
	k.floor = k.freeSize(b)
	best, at := math.Inf(1), kkt.Way(0)
	var first error
	err := kkt.Try(k.skip, kkt.KeepAll, errLoose, func(w kkt.Way) (done bool, err error) {
		if err := k.Watched().Err(); err != nil {
			return true, err
		}
		residual, err := k.try(x, r, b, w)
		if err == nil && holds != nil && !holds() {
			err = ErrSingular
		}
		if err == nil && residual <= holdTol {
			return true, nil
		}
		if err == nil && residual < best {
			best, at = residual, w
		}
		if first == nil {
			first = err
		}
		return false, errLoose
	})
	if err != errLoose {
		return err
	}
	if best <= holdLoose {
		_, err := k.try(x, r, b, at)
		return err
	}
	if first == nil {
		first = ErrSingular
	}
	return first
}

// try factors in the way w and solves for b. It returns the largest residual of a row of B
// relative to its terms, or an error: ErrSingular if a pivot is lost or the predicted error of x is above solveTol, a *solveError if the
// residual is above holdLoose, or an *overflowError.
func (k *saddle) try(x, r, b []float64, w kkt.Way) (residual float64, err error) {
	switch err := k.Factorize(w); {
	case err == kkt.ErrLostPivot:
		return 0, ErrSingular
	case err != nil:
		return 0, err
	}
	ref := k.SolveRefinedTo(x, r, b, k.Matrix, k.floor)
	if i := firstInfinite(x); i >= 0 {
		return 0, &overflowError{k.nodeAt(i)}
	}
	switch {
	case !(ref.Worst.Ratio <= holdLoose):
		return 0, &solveError{ref.Worst.Node}
	case !(ref.Error <= solveTol) && k.floor > 0:
		return 0, ErrSingular
	}
	return ref.Worst.Ratio, nil
}

// nodeAt returns the node of the pattern that has row i of the system.
func (k *saddle) nodeAt(i int) int {
	off := k.Matrix.Pattern.Off
	return sort.Search(k.Matrix.Pattern.Len()-1, func(n int) bool { return int(off[n+1]) > i })
}

// solve solves for another b with the factorization of solveFirst, and stores the solution in x; r is scratch.
//
// Cost: a few solves, no allocation. It panics unless solveFirst has made the factor.
func (k *saddle) solve(x, r, b []float64) {
	if !k.Current() {
		panic("linear: no factor")
	}
	k.SolveRefinedTo(x, r, b, k.Matrix, 0)
}

// freeSize returns the largest √(bᵀA⁻¹b) of a block of A: the size of x, in the metric A, without the rows B. Blocks that are not positive
// definite are left out.
func (k *saddle) freeSize(b []float64) (size float64) {
	p := k.Matrix.Pattern
	var c [sparse.MaxBlock * sparse.MaxBlock]float64
	var w [sparse.MaxBlock]float64
	for i := range p.Positive() {
		if k.Watched().Every(i) {
			break
		}
		n, o := int(p.Size[i]), int(p.Off[i])
		if r, _ := algebra.Cholesky(c[:n*n], k.Matrix.Dia[p.Dia[i]:p.Dia[i+1]], n); r >= 0 {
			continue // the factorization reports it
		}
		v := w[:copy(w[:n], b[o:])]
		algebra.SolveLower(c[:n*n], v)
		size = max(size, algebra.Dot(v, v))
	}
	return math.Sqrt(size)
}

// allZero reports whether all numbers of v are zero.
func allZero(v []float64) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}
