package eigen

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Spectrum holds the singular values and vectors of matrices with up to m rows and n columns.
type Spectrum struct {
	a, u, vt, s, work []float64
	n, stride         int
}

// NewSpectrum returns a Spectrum with the memory for matrices with up to m rows and n columns.
func NewSpectrum(m, n int) *Spectrum {
	k := min(m, n)
	s := &Spectrum{a: make([]float64, m*n), u: make([]float64, m*k), vt: make([]float64, k*n), s: make([]float64, k), n: n}
	var ask [1]float64
	general := func(rows, cols int, data []float64) blas64.General {
		return blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: data}
	}
	lapack64.Gesvd(lapack.SVDStore, lapack.SVDStore, general(m, n, s.a), general(m, k, s.u), general(k, n, s.vt), s.s, ask[:], -1)
	// A matrix with fewer rows may take another branch of the routine, which needs more memory.
	s.work = make([]float64, max(int(ask[0]), 5*(m+n)+k*(m+n+k)))
	return s
}

// Factor computes the singular values and vectors of the m×n matrix A, stored by rows. It returns false if a number of A is not
// finite, the iteration does not converge, or A is empty.
//
// Cost: O(m·n·min(m, n)), no allocation.
func (s *Spectrum) Factor(A []float64, m int) bool {
	k := min(m, s.n)
	if k == 0 {
		return false
	}
	copy(s.a, A)
	s.stride = k
	return SingularTo(blas64.General{Rows: m, Cols: s.n, Stride: s.n, Data: s.a}, blas64.General{Rows: m, Cols: k, Stride: k, Data: s.u},
		blas64.General{Rows: k, Cols: s.n, Stride: s.n, Data: s.vt}, s.s[:k], s.work) == nil
}

// Values returns the singular values of the factored matrix, the largest first; m is its number of rows.
func (s *Spectrum) Values(m int) []float64 { return s.s[:min(m, s.n)] }

// Left returns the scalar product of left singular vector i with v; m is the number of rows.
func (s *Spectrum) Left(i, m int, v []float64) (t float64) {
	for r := range m {
		t += s.u[r*s.stride+i] * v[r]
	}
	return t
}

// LeftNorm returns the Euclidean norm of elements from to to−1 of left singular vector i.
func (s *Spectrum) LeftNorm(i, from, to int) float64 {
	sum := 0.0
	for r := from; r < to; r++ {
		sum += s.u[r*s.stride+i] * s.u[r*s.stride+i]
	}
	return math.Sqrt(sum)
}

// Right returns right singular vector i.
func (s *Spectrum) Right(i int) []float64 { return s.vt[i*s.n : (i+1)*s.n] }

// SymmetricTo replaces the symmetric n×n matrix A, stored by rows, by its eigenvectors, as columns, and stores the eigenvalues in w, the
// smallest first. It reads the upper triangle; the other numbers only have to be finite.
//
// Shapes: w has n entries, work 3n at least.
// Cost: O(n³), no allocation. It returns ErrNotFinite, with A as it was, or ErrNoConvergence.
func SymmetricTo(A, w, work []float64, n int) error {
	return Small(blas64.Symmetric{N: n, Stride: n, Data: A, Uplo: blas.Upper}, w, work)
}
