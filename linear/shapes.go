package linear

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/rung-mbd/rung/internal/algebra"
)

const (
	// violateTol is the largest violation of a joint by a shape, relative to its size. A shape with a larger one does not satisfy the joint.
	violateTol = 1e-6
	// pureTol is the violation up to which a shape is not purified. The reactions do work on a larger one, which is an error of λ²
	// of first order.
	pureTol = 1e-12
	// strayViolation is the largest violation of a shape that purify corrects. A vector with a larger one is no displacement that the joints
	// allow: a vector of rounding alone violates joints by about 1.
	strayViolation = 1e-2
)

// violates reports whether x, the real or imaginary part of a shape of the given size, violates a joint by more than violateTol.
func (s *System) violates(x []float64, size float64) bool { return s.violation(x, size) > violateTol }

// violation returns the largest |J·x| of a row, over the length of the longest body if that is above 1 m, and relative to size, the largest
// entry of the shape of which x is the real or imaginary part.
func (s *System) violation(x []float64, size float64) float64 {
	J := make([]float64, s.Rows())
	s.JacobianTo(J, x)
	return algebra.MaxAbs(J) / (max(1, s.longest()) * size)
}

// purify corrects a shape x whose violation of joints is above pureTol by a product with the operator of v. Products are displacements that
// the joints allow, and shapes are eigenvectors of the operator for any shift (Nour-Omid et al. 1987). x keeps its largest entry. Where
// the product fails, x stays.
func (s *System) purify(x []float64, v *inverse) {
	size := algebra.MaxAbs(x)
	if violation := s.violation(x, size); !(violation > pureTol && violation <= strayViolation) {
		return
	}
	y := slices.Clone(x)
	if v.applyMass(y, x) == nil {
		floats.Scale(size/algebra.MaxAbs(y), y)
		copy(x, y)
	}
}

// newShapes returns a Krylov iteration with the operator of v, in the metric M. Its eigenvectors are the shapes of undamped modes.
func (s *System) newShapes(v *inverse) *krylov {
	k := s.newKrylov(s.dim(), v.applyMass, s.MassTo)
	k.symmetric = true
	k.clean = func(v []float64) { s.projectTo(v, v) }
	return k
}
