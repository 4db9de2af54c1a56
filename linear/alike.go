package linear

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/eigen/full"
)

// rigidTol is the part of a shape that has to be in another direction than the shapes before it; shapes have unit modal mass.
const rigidTol = 1e-4

// widen appends to an orthonormal basis the direction of x that is new in it, if rounding has not made it.
func (s *System) widen(basis [][]float64, x []float64) [][]float64 {
	orthogonalize(x, basis, s.MassTo, make([]float64, s.dim()), nil, s.space.Watched())
	size := math.Sqrt(max(floats.Dot(x, s.massTimes(x)), 0))
	if !(size > rigidTol) {
		return basis
	}
	floats.Scale(1/size, x)
	return append(basis, x)
}

// appendPair appends m to list, the mode of an eigenvalue that came out as lambda. A pair λ, λ̄ that is real but for rounding, as those
// of a multiple decay are, stands for two modes: the real and the imaginary part of its shape are one each. Of a double eigenvalue with
// one shape both have that shape.
func (s *System) appendPair(list []Mode, m Mode, lambda complex128) []Mode {
	if imag(lambda) == 0 || imag(m.Lambda) != 0 || m.Kind == Rigid {
		return append(list, m)
	}
	one, other := m, m
	one.Imag, other.Imag = nil, nil
	other.Shape = slices.Clone(one.Shape)
	if m.Imag != nil {
		// The part is a shape up to the imaginary part of λ over its size, realTol/rigidTol.
		if basis := s.widen(s.widen(nil, slices.Clone(m.Shape)), slices.Clone(m.Imag)); len(basis) == 2 {
			other.Shape = basis[1]
			orient(other.Shape, nil)
		}
	}
	s.finish(&one)
	s.finish(&other)
	return append(list, one, other)
}

const (
	// alikeTol is the difference of two eigenvalues of an inverse, relative to these, up to which their vectors are any two of their space.
	// A larger value costs time only.
	alikeTol = 1e-3
	// smallTol is a square of a frequency, relative to the largest of a space, up to which the largest makes the rounding of its shape.
	// A larger value costs time only.
	smallTol = 1e-6
)

// tellApart replaces the shapes x of runs of the eigenvalues theta that are alike by those of K in the space of a run. A shift tells
// squares of frequencies apart down to its rounding; products with K do so down to their own.
//
// Cost: as tell, of each run; allocates.
func (s *System) tellApart(x [][]float64, theta []float64) error {
	for from, to := 0, 1; from < len(x); from, to = to, to+1 {
		for to < len(x) && math.Abs(theta[to-1]-theta[to]) <= alikeTol*math.Abs(theta[to-1]) {
			to++
		}
		if err := s.tell(x[from:to]); err != nil {
			return err
		}
	}
	return nil
}

// tell replaces shapes by those of K in their space, of unit modal mass, as Rayleigh and Ritz do.
//
// Cost: a product with K a shape, and O(shapes) operations for each number of a shape; allocates.
func (s *System) tell(x [][]float64) error {
	n := len(x)
	if n < 2 {
		return nil
	}
	var basis [][]float64
	for _, v := range x {
		basis = s.widen(basis, slices.Clone(v))
	}
	if len(basis) < n {
		return nil // not independent: there is nothing to tell
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
