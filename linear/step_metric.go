package linear

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/rung-mbd/rung/internal/eigen"
	"github.com/rung-mbd/rung/spatial"
)

// stepMetric is the diagonal metric G in which a search for an equilibrium measures its steps. In the metric of the inertias, the rotation
// of a long chain as a whole is a long step, and a bend at a joint a short one. But the forces on the chain, and the moments that
// rotate it, grow with its length. So G measures a step by the forces.
//
// The weight of a rotation is the moment of the loads on the body, at the arm of the longest body, and of the reactions that K
// has. The weight of a translation is the stiffness of K for it. It is nearly zero where bodies translate only because others rotate.
type stepMetric struct {
	rotation, translation []float64 // weight of each body's rotation, N m/rad², and translation, N/m
	length                float64   // of the longest body, m
	floor, part           float64   // translationFloor and metricPart over the square of the number of bodies, raised as needed
}

// newStepMetric allocates the metric, with all weights zero.
func newStepMetric(s *System) *stepMetric {
	n := s.mech.NumBodies()
	square := float64(max(n*n, 1))
	return &stepMetric{
		rotation: make([]float64, n), translation: make([]float64, n), length: s.longest(),
		floor: translationFloor / square, part: metricPart / square,
	}
}

const (
	// translationFloor, over the square of the number of bodies, is the least weight of a translation, relative to the body's weight of a
	// rotation over the square of the length.
	translationFloor = 1e-2
	// rotationFloor is the least weight of a rotation relative to the mean weight.
	rotationFloor = 1e-3
	// zeroWeight is the mean weight, N m, below which all weights count as zero: reciprocals of smaller ones overflow.
	zeroWeight = 1e-200
	// metricPart, over the square of the number of bodies, is the first factor on the metric in a modified K.
	metricPart = 1e-3
	// metricPartMost is the largest factor on the metric in a modified K. metricRaise multiplies that factor, and the least weights of
	// translations, where rounding allows no factorization.
	metricPartMost, metricRaise = 1e-2, 1e3
	// negativeKept is the part of a spring of negative stiffness that stays in a modified K, with the sign changed.
	negativeKept = 1e-6
)

// setLoads sets the weights by the loads f alone, six numbers a body, moment (N m) before force (N).
func (b *stepMetric) setLoads(f []float64) {
	for i := range b.rotation {
		b.rotation[i] = spatial.Vec3(f[6*i:6*i+3]).Norm() + b.length*spatial.Vec3(f[6*i+3:6*i+6]).Norm()
		b.translation[i] = 0
	}
	b.applyFloors()
}

// addStiffness adds the magnitudes of the terms of K to the weights.
func (b *stepMetric) addStiffness(s *System) {
	for i := range s.stiff {
		for r := range 3 {
			for c := range 3 {
				b.rotation[i] += math.Abs(s.stiff[i][6*r+c])
				b.translation[i] += math.Abs(s.stiff[i][6*(r+3)+c+3])
			}
		}
	}
	// Rows are springs. They add to the weights of translations only: the modified K has a spring as one term, which
	// resists relative motions of its bodies alone, and a weight of rotations would also resist their common rotation.
	for i := range s.rows {
		r := &s.rows[i]
		if r.far != nil {
			for e, body := range r.far.bodies {
				v := spatial.Vec3(r.far.v[6*e+3 : 6*e+6])
				b.translation[body] += math.Abs(r.k) * v.Dot(v)
			}
			continue
		}
		for e, body := range r.body {
			if body >= 0 {
				v := spatial.Vec3(r.v[6*e+3 : 6*e+6])
				b.translation[body] += math.Abs(r.k) * v.Dot(v)
			}
		}
	}
	for i := range s.pairs {
		p := &s.pairs[i]
		for e, body := range p.body {
			if body < 0 {
				continue
			}
			for r := range 3 {
				for c := range 3 {
					b.rotation[body] += math.Abs(p.K[12*(6*e+r)+6*e+c])
				}
			}
		}
	}
	b.applyFloors()
}

// applyFloors raises weights to the least values that they may have.
func (b *stepMetric) applyFloors() {
	mean := 0.0
	for i := range b.rotation {
		mean += max(b.rotation[i], b.length*b.length*b.translation[i]) / float64(len(b.rotation))
	}
	if mean < zeroWeight {
		mean = 1
	}
	for i := range b.rotation {
		b.rotation[i] = max(b.rotation[i], rotationFloor*mean)
		b.translation[i] = max(b.translation[i], b.floor*b.rotation[i]/(b.length*b.length))
	}
}

// raise raises the least weights of translations and the part of the metric in a modified K. It returns false if both are at their
// largest values already.
func (b *stepMetric) raise() bool {
	if b.floor >= 1 && b.part >= metricPartMost {
		return false
	}
	b.floor, b.part = min(metricRaise*b.floor, 1), min(metricRaise*b.part, metricPartMost)
	b.applyFloors()
	return true
}

// solver returns the solver with the given shift, 1/s², of the split that splitOf makes with b. Where rounding allows no
// factorization, it raises b and asks splitOf again. old is as for System.shift. It returns the errors of splitOf and of System.shift.
func (b *stepMetric) solver(sys *System, shift float64, old *shifted, splitOf func() (*split, error)) (*shifted, error) {
	for {
		z, err := splitOf()
		if err != nil {
			return nil, err
		}
		h, err := sys.shift(z, shift, old)
		if !unfactored(err) || !b.raise() {
			return h, err
		}
	}
}

// split returns the metric itself as a split. The error is always nil.
func (b *stepMetric) split() (*split, error) {
	z := &split{block: make([][36]float64, len(b.rotation))}
	b.addTo(z, 1)
	return z, nil
}

// addTo adds t times the metric to the blocks of z.
func (b *stepMetric) addTo(z *split, t float64) {
	for i := range z.block {
		for k := range 3 {
			z.block[i][7*k] += t * b.rotation[i]
			z.block[i][7*k+21] += t * b.translation[i]
		}
	}
}

// stiffnessMetric returns the metric of K alone, without loads.
func (s *System) stiffnessMetric() *stepMetric {
	b := newStepMetric(s)
	b.addStiffness(s)
	return b
}

// negativeTerms says what becomes of negative terms in a modified K.
type negativeTerms bool

const (
	dropNegative negativeTerms = false // they are left out
	flipNegative negativeTerms = true  // their signs are changed
)

// modified returns the modified aC·C + K: without negative terms, and with b.part times the metric b added, so that all blocks are
// positive definite. Negative terms are springs of negative stiffness, and the parts of bodies' blocks with negative eigenvalues. They are
// left out, or their signs are changed, as negative says. So the result minus K is positive semidefinite, and it equals K plus the
// part of the metric on displacements that negative terms do no work on.
//
// Cost: O(bodies + rows), each an eigenvalue problem of order 6, and of order 12 for a pair;
// allocates. It returns ErrNotFinite with the name of a body or joint.
func (s *System) modified(aC float64, b *stepMetric, negative negativeTerms) (*split, error) {
	z, err := s.splitTerms(aC, 1, modified)
	if err != nil {
		return nil, err
	}
	keep := 0.0
	if negative == flipNegative {
		keep = -1
		for i := range z.terms {
			z.terms[i].k = z.terms[i].full
		}
	}
	for i := range z.block {
		A := &z.block[i]
		var root [6]float64
		for k := range 3 {
			root[k] = math.Sqrt(max(b.rotation[i], math.Abs(A[7*k])))
			root[3+k] = math.Sqrt(max(b.translation[i], math.Abs(A[7*k+21])))
		}
		if err := scaleNegative(A, &root, keep); err != nil {
			return nil, s.bodyError(i, err)
		}
		for k := range 6 {
			A[7*k] *= 1 + diagonalRise
		}
	}
	b.addTo(z, b.part)
	return z, nil
}

// diagonalRise raises the diagonals of blocks, relative to them: rounding would make some blocks indefinite otherwise.
const diagonalRise = 1e-12

// scaleNegative multiplies by keep the spectral parts of the symmetric 6×6 block A that have negative eigenvalues in the metric of the
// diagonal matrix root². It returns the error of the eigenvalue problem.
func scaleNegative(A *[36]float64, root *[6]float64, keep float64) error {
	var B [36]float64
	var w [6]float64
	var work [64]float64
	for r := range 6 {
		for c := range 6 {
			B[6*r+c] = A[6*r+c] / (root[r] * root[c])
		}
	}
	// Columns of B become eigenvectors.
	if err := eigen.Small(blas64.Symmetric{N: 6, Stride: 6, Uplo: blas.Upper, Data: B[:]}, w[:], work[:]); err != nil {
		return err
	}
	for k := range 6 {
		t := w[k]
		if t >= 0 {
			continue
		}
		for r := range 6 {
			for c := range 6 {
				A[6*r+c] += (keep - 1) * t * B[6*r+k] * B[6*c+k] * root[r] * root[c]
			}
		}
	}
	return nil
}
