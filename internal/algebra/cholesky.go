package algebra

import "math"

// Cholesky stores in c the lower triangle of the n×n Cholesky factor C with C·Cᵀ = A. The slice a holds the n×n matrix A,
// of which only the lower triangle is read; c may be a. It returns row −1 and pivot 0 if all pivots are positive and finite.
// Otherwise it returns the row and the value of the first pivot that is not.
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

// SolveLower replaces v by C⁻¹·v, where c holds the factor C of Cholesky.
//
// Cost: n²/2 multiplications for n numbers v.
func SolveLower(c, v []float64) {
	n := len(v)
	for i := range v {
		v[i] = (v[i] - Dot(c[i*n:i*n+i], v)) / c[i*n+i]
	}
}

// SolveUpper replaces v by C⁻ᵀ·v, where c holds the factor C of Cholesky.
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

// MulLower replaces v by C·v, where c holds the factor C of Cholesky.
//
// Cost: as SolveLower.
func MulLower(c, v []float64) {
	n := len(v)
	for i := n - 1; i >= 0; i-- {
		v[i] = Dot(c[i*n:i*n+i+1], v)
	}
}
