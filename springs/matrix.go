package springs

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
)

// Matrix is a symmetric 6×6 matrix, row by row.
type Matrix [36]float64

// NewMatrix returns the symmetric part of m.
func NewMatrix(m *[6][6]float64) (out Matrix) {
	for i := range m {
		for j := range m {
			out[6*i+j] = (m[i][j] + m[j][i]) / 2
		}
	}
	return out
}

// MulTo stores M·x in y, which is not x.
func (m *Matrix) MulTo(y, x *[6]float64) {
	for i := range y {
		r := m[6*i : 6*i+6]
		y[i] = r[0]*x[0] + r[1]*x[1] + r[2]*x[2] + r[3]*x[3] + r[4]*x[4] + r[5]*x[5]
	}
}

// What counts as rounding in a bushing's matrix that is scaled to a diagonal of ones: a difference symmetricTol of two mirrored entries,
// a pivot semidefiniteTol below zero, and besides pivots that count as zero an entry of besideTol.
const (
	symmetricTol    = 1e-12
	semidefiniteTol = 1e-12
	besideTol       = 10 * semidefiniteTol
)

// MatrixFaults calls report where m is not finite, symmetric and positive
// semidefinite, with the place, as [0][1], the value and the rule.
func MatrixFaults(m *[6][6]float64, report func(entry, value, rule string)) {
	var scale [6]float64
	for i := range m {
		for j, x := range m[i] {
			if !algebra.Finite(x) {
				report(document.Entry(document.Entry("", i), j), document.Number(x), document.RuleNotFinite)
				return
			}
		}
		if m[i][i] < 0 {
			report(document.Entry("", i), document.Number(m[i][i]), "is negative")
			return
		}
		scale[i] = math.Sqrt(m[i][i])
	}
	var a [6][6]float64
	for i := range m {
		for j := range m {
			s := scale[i] * scale[j]
			if math.Abs(m[i][j]-m[j][i]) > symmetricTol*max(s, math.Abs(m[i][j])) {
				rule := fmt.Sprintf("is not that of row %d, %v: the matrix is not symmetric", j, m[j][i])
				report(document.Entry(document.Entry("", i), j), document.Number(m[i][j]), rule)
				return
			}
			switch {
			case s > 0:
				a[i][j] = m[i][j] / s
			case m[i][j] != 0:
				a[i][i] = -1 // no entry stands beside a diagonal of zero
			}
		}
	}
	if !semidefinite(&a) {
		report("", "", "is not positive semidefinite")
	}
}

// semidefinite reports whether a symmetric matrix with ones or zeros on its diagonal is positive semidefinite, by
// elimination with complete pivoting. A diagonal below zero, with which MatrixFaults marks a row, is refused. The matrix is used up.
func semidefinite(a *[6][6]float64) bool {
	var done [6]bool
	for range a {
		p := -1
		for i := range a {
			if !done[i] && (p < 0 || a[i][i] > a[p][p]) {
				p = i
			}
		}
		pivot := a[p][p]
		if !(pivot > semidefiniteTol) {
			return vanishes(a, &done)
		}
		for i := range a {
			for j := range a {
				if i != p && j != p && !done[i] && !done[j] {
					a[i][j] -= a[i][p] / pivot * a[p][j]
				}
			}
		}
		done[p] = true
	}
	return true
}

// vanishes reports whether what is left of a matrix beside the rows that are done, with no pivot above zero, is zero up to rounding.
func vanishes(a *[6][6]float64, done *[6]bool) bool {
	for i := range a {
		for j := range a {
			if x := a[i][j]; !done[i] && !done[j] && (i == j && x < -semidefiniteTol || math.Abs(x) > besideTol) {
				return false
			}
		}
	}
	return true
}
