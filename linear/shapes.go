package linear

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/rung-mbd/rung/internal/algebra"
)

const (
	// violateTol is the largest violation of a joint by a shape, relative to its size. Shapes with more are no solutions.
	violateTol = 1e-6
	// pureTol is the violation up to which a shape stays as it is. Joints react to more, and λ² is off by their work to the first order.
	pureTol = 1e-12
	// strayViolation is the violation from which on a vector of an iteration is no displacement that the joints allow. Rounding
	// violates joints as much as any vector does, by about 1.
	strayViolation = 1e-2
)

// violates reports whether the part x of a shape of the given size does not satisfy the joints.
func (s *System) violates(x []float64, size float64) bool { return s.violation(x, size) > violateTol }

// violation returns the largest |J·x| of a row of a joint, relative to the size of the shape that x is a part of.
func (s *System) violation(x []float64, size float64) float64 {
	J := make([]float64, s.Rows())
	s.JacobianTo(J, x)
	return algebra.MaxAbs(J) / (max(1, s.longest()) * size)
}

// purify takes rounding out of a shape x that violates joints. A product with the operator of v leaves displacements that the
// joints allow, and shapes are its eigenvectors whatever its shift (Nour-Omid et al. 1987). Where the product fails, x stays.
func (s *System) purify(x []float64, v *inverse) {
	size := algebra.MaxAbs(x)
	if off := s.violation(x, size); !(off > pureTol && off <= strayViolation) {
		return
	}
	y := slices.Clone(x)
	if v.applyMass(y, x) == nil {
		floats.Scale(size/algebra.MaxAbs(y), y)
		copy(x, y)
	}
}

// newShapes returns an iteration with v on displacements that the joints allow.
func (s *System) newShapes(v *inverse) *krylov {
	k := s.newKrylov(s.dim(), v.applyMass, s.MassTo)
	k.symmetric = true
	k.clean = func(v []float64) { s.projectTo(v, v) }
	return k
}
