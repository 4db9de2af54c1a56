package algebra

import "math"

// Cholesky stores in c the lower triangle of C with C·Cᵀ = A. a has the n×n matrix A, of which
// the lower triangle is read; c may be a. It returns −1, or the row of the first pivot that is
// not positive and finite, and that pivot.
//
// Cost: n³/6 multiplications.
func Cholesky(c, a []float64, n int) (row int, pivot float64) {
	for i := range n {
		for j := range i + 1 {
			t := a[i*n+j]
			for k := range j {
				t -= c[i*n+k] * c[j*n+k]
			}
			if j < i {
				c[i*n+j] = t / c[j*n+j]
				continue
			}
			if !(t > 0) || math.IsInf(t, 1) {
				return i, t
			}
			c[i*n+i] = math.Sqrt(t)
		}
	}
	return -1, 0
}

// SolveLower replaces v by C⁻¹·v.
//
// Cost: n²/2 multiplications for n numbers v.
func SolveLower(c, v []float64) {
	n := len(v)
	for i := range v {
		v[i] = (v[i] - Dot(c[i*n:i*n+i], v)) / c[i*n+i]
	}
}

// SolveUpper replaces v by C⁻ᵀ·v.
//
// Cost: as SolveLower.
func SolveUpper(c, v []float64) {
	n := len(v)
	for i := n - 1; i >= 0; i-- {
		v[i] /= c[i*n+i]
		for k := range i {
			v[k] -= c[i*n+k] * v[i]
		}
	}
}

// MulLower replaces v by C·v.
//
// Cost: as SolveLower.
func MulLower(c, v []float64) {
	n := len(v)
	for i := n - 1; i >= 0; i-- {
		v[i] = Dot(c[i*n:i*n+i+1], v)
	}
}
