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

// NewSpectrum allocates for matrices with up to m rows and n columns.
func NewSpectrum(m, n int) *Spectrum {
	k := min(m, n)
	s := &Spectrum{a: make([]float64, m*n), u: make([]float64, m*k), vt: make([]float64, k*n), s: make([]float64, k), n: n}
	var ask [1]float64
	general := func(rows, cols int, data []float64) blas64.General {
		return blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: data}
	}
	lapack64.Gesvd(lapack.SVDStore, lapack.SVDStore, general(m, n, s.a), general(m, k, s.u), general(k, n, s.vt), s.s, ask[:], -1)
	// A block of fewer rows may take another way through the routine.
	s.work = make([]float64, max(int(ask[0]), 5*(m+n)+k*(m+n+k)))
	return s
}

// Factor computes the singular values and vectors of A, m×n by rows, and reports whether that went well: its numbers are finite, and
// the iteration has ended.
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

// Values returns the singular values of a matrix with m rows, the largest first.
func (s *Spectrum) Values(m int) []float64 { return s.s[:min(m, s.n)] }

// Left returns the scalar product of left vector i with v.
func (s *Spectrum) Left(i, m int, v []float64) (t float64) {
	for r := range m {
		t += s.u[r*s.stride+i] * v[r]
	}
	return t
}

// LeftNorm returns the length of a piece of left vector i.
func (s *Spectrum) LeftNorm(i, from, to int) float64 {
	sum := 0.0
	for r := from; r < to; r++ {
		sum += s.u[r*s.stride+i] * s.u[r*s.stride+i]
	}
	return math.Sqrt(sum)
}

// Right returns right vector i.
func (s *Spectrum) Right(i int) []float64 { return s.vt[i*s.n : (i+1)*s.n] }

// SymmetricTo replaces the symmetric matrix A, n×n by rows, by its eigenvectors, as columns, and stores the eigenvalues in w, the
// least first. It reads the upper triangle.
//
// Shapes: w has n entries, work 3n at least.
// Cost: O(n³), no allocation. It returns ErrNotFinite, with A as it was, or ErrNoConvergence.
func SymmetricTo(A, w, work []float64, n int) error {
	return Small(blas64.Symmetric{N: n, Stride: n, Data: A, Uplo: blas.Upper}, w, work)
}
