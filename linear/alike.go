package linear

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/eigen/full"
)

// rigidTol is the least norm, in M, of the part of a shape that is orthogonal to the shapes before it: less counts as rounding. Shapes have
// unit modal mass.
const rigidTol = 1e-4

// appendDirection appends to a basis, orthonormal in M, the normalized part of x that is orthogonal to it. It returns the basis
// as it is if that part has a norm of rigidTol or less, which may be rounding. It overwrites x.
func (s *System) appendDirection(basis [][]float64, x []float64) [][]float64 {
	orthogonalize(x, basis, s.MassTo, make([]float64, s.dim()), nil, s.space.Watched())
	size := math.Sqrt(max(floats.Dot(x, s.massTimes(x)), 0))
	if !(size > rigidTol) {
		return basis
	}
	floats.Scale(1/size, x)
	return append(basis, x)
}

// appendPair appends to list the mode m of a computed eigenvalue lambda, 1/s (or the reciprocal of one: only a zero imaginary part
// matters). If lambda is complex by rounding alone, so that m.Lambda is real, the pair λ, λ̄ stands for two modes, and both are appended:
// one has the real part of the shape of m, and the other the imaginary part. Where the two parts are parallel, the double eigenvalue has
// one shape, and both modes have it.
func (s *System) appendPair(list []Mode, m Mode, lambda complex128) []Mode {
	if imag(lambda) == 0 || imag(m.Lambda) != 0 || m.Kind == Rigid {
		return append(list, m)
	}
	first, second := m, m
	first.Imag, second.Imag = nil, nil
	second.Shape = slices.Clone(first.Shape)
	if m.Imag != nil {
		// The imaginary part has a norm of at least rigidTol, and Im λ is at most realTol·|λ|: as a shape its error is about realTol/rigidTol.
		if basis := s.appendDirection(s.appendDirection(nil, slices.Clone(m.Shape)), slices.Clone(m.Imag)); len(basis) == 2 {
			second.Shape = basis[1]
			orient(second.Shape, nil)
		}
	}
	s.finish(&first)
	s.finish(&second)
	return append(list, first, second)
}

const (
	// alikeTol is the relative difference of two eigenvalues of the inverse up to which they count as equal: their eigenvectors may then be
	// any two vectors of their common space. A larger value costs time only.
	alikeTol = 1e-3
	// smallTol is the eigenvalue of K, relative to the largest, up to which the rounding of the largest eigenvalues may mix its
	// shape with others. A larger value costs time only.
	smallTol = 1e-6
)

// separateAlike replaces the shapes x of each run of nearly equal eigenvalues theta (alikeTol) of the shifted inverse by the Ritz vectors
// of K in the space of the run. The inverse separates squares of frequencies only down to rounding relative to the shift; products with K
// separate smaller ones.
//
// Shapes: theta has one entry for each x, sorted. Cost: as rayleighRitz, of each run; allocates. It returns the errors of rayleighRitz.
func (s *System) separateAlike(x [][]float64, theta []float64) error {
	for from, to := 0, 1; from < len(x); from, to = to, to+1 {
		for to < len(x) && math.Abs(theta[to-1]-theta[to]) <= alikeTol*math.Abs(theta[to-1]) {
			to++
		}
		if err := s.rayleighRitz(x[from:to]); err != nil {
			return err
		}
	}
	return nil
}

// rayleighRitz replaces the shapes x by the Ritz vectors of K in the space that they span, with unit modal mass, by increasing
// Rayleigh quotient. It leaves dependent shapes as they are.
//
// Cost: a product with K a shape, and O(shapes) operations for each number of a shape; allocates. It returns the error of the eigenvalue
// problem, or the cause if the context ends.
func (s *System) rayleighRitz(x [][]float64) error {
	n := len(x)
	if n < 2 {
		return nil
	}
	var basis [][]float64
	for _, v := range x {
		basis = s.appendDirection(basis, slices.Clone(v))
	}
	if len(basis) < n {
		return nil // they do not span a space of their number
	}
	A, g := mat.NewDense(n, n, nil), make([]float64, s.dim())
	for j, v := range basis {
		if s.over() {
			return s.orCause(nil)
		}
		s.StiffnessTo(g, v)
		for i, u := range basis {
			A.Set(i, j, floats.Dot(u, g))
		}
	}
	K, _ := symmetric(A, 1)
	var e mat.EigenSym
	if err := apart(s.space.Watched(), func() error { return full.Symmetric(&e, K) }); err != nil {
		return err
	}
	var U mat.Dense
	e.VectorsTo(&U)
	for i := range x {
		x[i] = make([]float64, s.dim())
		for k, v := range basis {
			floats.AddScaled(x[i], U.At(k, i), v)
		}
	}
	return nil
}
