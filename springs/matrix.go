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

// Tolerances for the matrix of a bushing, scaled to a diagonal of ones.
const (
	symmetricTol    = 1e-12                // largest difference of two mirrored entries that counts as rounding
	semidefiniteTol = 1e-12                // largest magnitude of a pivot that counts as zero
	besideTol       = 10 * semidefiniteTol // largest magnitude that counts as zero of an entry in the row of such a pivot
)

// MatrixFaults calls report for the first fault of m, if it is not finite, symmetric and positive
// semidefinite, with the entry, such as [0][1], the value and the rule.
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
				a[i][i] = -1 // an entry in the row of a zero on the diagonal: not semidefinite
			}
		}
	}
	if !semidefinite(&a) {
		report("", "", "is not positive semidefinite")
	}
}

// semidefinite reports whether a symmetric matrix with ones or zeros on its diagonal is positive semidefinite, by elimination with
// complete pivoting. It returns false if an entry of the diagonal is −1, with which MatrixFaults marks a row. It overwrites the matrix.
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

// vanishes reports whether the rows and columns of a that are not done are zero up to rounding, with no diagonal entry below
// −semidefiniteTol.
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
