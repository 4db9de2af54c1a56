package kkt

import (
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/algebra"
)

// orthogonalTol is the largest residual, predicted error and inconsistency of a solution by orthogonal
// factorization that is accepted.
const orthogonalTol = 1e-10

// orthogonal solves the assembled whole system by an orthogonal factorization of its rows,
// theory.md (31). It is for systems whose constraints determine the solution, while rounding in products of rows
// loses it: long masts, whose smallest
// pivots are below rounding. It reports whether there is a solution.
//
// Cost: two to four factorizations, each as long as the ordinary one on masts; allocates.
func (s *core) orthogonal() bool {
	q := s.newRowSpan()
	if q == nil || !s.factorRowSpan(q) {
		return false
	}
	s.dependent = len(s.x) - s.plan.first() - q.Rank()
	how := q.SolveTo(s.x, s.sys.Right)
	s.ref = factor.Refinement{Steps: how.Steps, Error: how.Error, Size: algebra.MaxAbs(s.x[:s.plan.first()])}
	s.sys.Matrix.ResidualTo(s.whole.r, s.sys.Right, s.x)
	s.ref.Worst = worstOf(s.plan.layout.Pattern, s.whole.r, s.sys.Right, s.x, s.sys.Scale, s.ref.Size)
	s.inconsistency, s.way = s.ref.Worst.Ratio, Orthogonal
	return orthogonalHolds(how.Residual, how.Error, s.inconsistency)
}

// orthogonalHolds reports whether a solution with the given residual, predicted error and inconsistency is accepted.
func orthogonalHolds(residual, error, inconsistency float64) bool {
	return residual <= orthogonalTol && error <= orthogonalTol && inconsistency <= orthogonalTol
}

// rowSpanTols are the remainders of a row, relative to its length, up to which it counts as dependent, in the order in which
// they are tried. In large mechanisms rounding leaves larger remainders of rows than of columns: 1e-9 in
// a mast of 1e5 stages.
var rowSpanTols = [...]float64{1e-9, 2e-9, 5e-9, 1e-8, 1e-7, 1e-6, 1e-5}

// factorRowSpan finds a basis of the rows with the first tolerance that makes their rank equal to the rank of the
// columns. It reports false if the rank of the columns is not clear, or no tolerance does.
func (s *core) factorRowSpan(q *factor.RowSpan) bool {
	columns := s.newSpan()
	if columns == nil || !s.factorSpan(columns, s.sys.Scale, 0, s.violation()) {
		return false
	}
	for _, tol := range rowSpanTols {
		if s.work.watch.Up() {
			return false
		}
		if q.Factorize(s.sys.Matrix, tol); q.Rank() == columns.Rank() {
			return true
		}
	}
	return false
}
