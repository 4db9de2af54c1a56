package kkt

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/algebra"
)

// orthogonalTol is the largest residual, predicted error and inconsistency of a solution by orthogonal
// factorization that is accepted.
const orthogonalTol = 1e-10

// orthogonal solves the assembled whole system by an orthogonal factorization of its rows, after all attempts have failed with
// err. It is for systems whose constraints are known to more digits than their products are: long masts, whose smallest pivots
// are below rounding. It reports whether there is a solution.
//
// Cost: two to four factorizations, as long each as the ordinary one on masts; allocates.
func (s *Solver) orthogonal(err error) bool {
	if !errors.Is(err, ErrInaccurate) || !isFinite(s.sys.B) {
		return false
	}
	q := s.plan.rowSpanPlan().NewRowSpan()
	if !s.factorRowSpan(q) {
		return false
	}
	how := q.SolveTo(s.x, s.sys.B)
	s.ref = factor.Refinement{Steps: how.Steps, Error: how.Error, Size: algebra.MaxAbs(s.x[:6*s.plan.mech.NumBodies()])}
	s.ref.Worst = s.worstRow()
	s.inconsistency = s.ref.Worst.Ratio
	return how.Residual <= orthogonalTol && how.Error <= orthogonalTol && s.inconsistency <= orthogonalTol
}

// rowSpanTols are the parts of a row up to which it counts as dependent, in the order in which they are tried. Rounding
// leaves more of rows than of columns where bodies are many: 1e-9 in a mast of 1e5 stages.
var rowSpanTols = [...]float64{1e-9, 2e-9, 5e-9, 1e-8, 1e-7, 1e-6, 1e-5}

// factorRowSpan finds the basis of the rows with a tolerance that makes its rank that of the columns, which is clear. It reports
// whether there is one.
func (s *Solver) factorRowSpan(q *factor.RowSpan) bool {
	length := make([]float64, s.plan.mech.NumBodies())
	s.plan.layout.LengthsTo(length)
	columns := s.plan.spanPlan().NewSpan()
	if !s.factorSpan(columns, s.sys.Scale, 0, s.violation(length)) {
		return false
	}
	for _, tol := range rowSpanTols {
		if q.Factorize(s.sys.W, tol); q.Rank() == columns.Rank() {
			return true
		}
	}
	return false
}

// worstRow returns the largest residual of a constraint row relative to what its terms amount to, as factor.Worst
// does.
func (s *Solver) worstRow() factor.Worst {
	s.sys.W.ResidualTo(s.r, s.sys.B, s.x)
	p := s.plan.layout.Pattern
	worst := factor.Worst{Node: -1, Row: -1}
	for node := s.plan.mech.NumBodies(); node < p.Len(); node++ {
		terms := restTerm * s.ref.Size
		for _, b := range p.Ind[p.Ptr[node]:p.Ptr[node+1]] {
			sum := 0.0
			for _, x := range s.x[p.Off[b]:p.Off[b+1]] {
				sum += x * x
			}
			terms += math.Sqrt(sum)
		}
		for i := p.Off[node]; i < p.Off[node+1]; i++ {
			size := math.Abs(s.sys.B[i]) + math.Sqrt(s.sys.Scale[i])*terms
			if e := math.Abs(s.r[i]); e > roundingTerm*size && e > worst.Ratio*size {
				worst = factor.Worst{Ratio: e / size, Node: node, Row: int(i - p.Off[node])}
			}
		}
	}
	return worst
}

// Terms of worstRow and of precise.judge, as in package factor: the part of the whole that counts in each row, and the ratio
// of a residual to its terms that counts as zero.
const (
	restTerm     = 1e-4
	roundingTerm = 1e-14
)

func isFinite(v []float64) bool {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
