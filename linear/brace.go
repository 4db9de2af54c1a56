package linear

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/rung-mbd/rung/internal/eigen"
	"github.com/rung-mbd/rung/spatial"
)

// brace is the metric in which a search for an equilibrium measures its steps. In the metric of
// the inertias it takes much to turn a long chain as a whole and little to bend it at a joint. But
// the forces on it, and the moments that turn it, grow with its length. So a step is measured by the
// forces.
//
// The weight of a rotation is the moment of the loads on the body at its longest arm, and of
// the reactions that are in K. The weight of a travel is the stiffness that K has for it. It is
// next to nothing where bodies travel only because others turn.
type brace struct {
	turn, travel []float64 // by body, N m/rad² and N/m
	length       float64   // of the longest body, m
	light, part  float64   // see braceLight, bracePart
}

// newBrace allocates the metric.
func newBrace(s *System) *brace {
	n := s.mech.NumBodies()
	square := float64(max(n*n, 1))
	return &brace{
		turn: make([]float64, n), travel: make([]float64, n), length: s.longest(),
		light: braceLight / square, part: bracePart / square,
	}
}

const (
	// braceLight is the weight of a travel that meets no stiffness, relative to a rotation
	// at the longest arm and to the square of the number of bodies.
	braceLight = 1e-2
	// braceFloor is the least weight of a rotation relative to the mean.
	braceFloor = 1e-3
	// braceNone is the mean of weights, N m, that counts as none: reciprocals of smaller ones overflow.
	braceNone = 1e-200
	// bracePart is the least part of the metric in a braced K, relative to the square of the
	// number of bodies.
	bracePart = 1e-3
	// braceMost is the largest such part. braceRaise is the factor to a larger part, and to
	// larger weights of travels, where rounding allows no factor.
	braceMost, braceRaise = 1e-2, 1e3
	// braceSlack is the part of a spring that pushes that is kept.
	braceSlack = 1e-6
)

// loads stores in b the weights of the loads f alone, six numbers a body.
func (b *brace) loads(f []float64) {
	for i := range b.turn {
		b.turn[i] = spatial.Vec3(f[6*i:6*i+3]).Norm() + b.length*spatial.Vec3(f[6*i+3:6*i+6]).Norm()
		b.travel[i] = 0
	}
	b.settle()
}

// stiffen adds the terms of K.
func (b *brace) stiffen(s *System) {
	for i := range s.stiff {
		for r := range 3 {
			for c := range 3 {
				b.turn[i] += math.Abs(s.stiff[i][6*r+c])
				b.travel[i] += math.Abs(s.stiff[i][6*(r+3)+c+3])
			}
		}
	}
	// Springs count at their bodies only for travels. In K they are together with what they
	// hold together.
	for i := range s.rows {
		r := &s.rows[i]
		if r.far != nil {
			for e, body := range r.far.bodies {
				v := spatial.Vec3(r.far.v[6*e+3 : 6*e+6])
				b.travel[body] += math.Abs(r.k) * v.Dot(v)
			}
			continue
		}
		for e, body := range r.body {
			if body >= 0 {
				v := spatial.Vec3(r.v[6*e+3 : 6*e+6])
				b.travel[body] += math.Abs(r.k) * v.Dot(v)
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
					b.turn[body] += math.Abs(p.K[12*(6*e+r)+6*e+c])
				}
			}
		}
	}
	b.settle()
}

// settle raises weights to the least values that they may have.
func (b *brace) settle() {
	mean := 0.0
	for i := range b.turn {
		mean += max(b.turn[i], b.length*b.length*b.travel[i]) / float64(len(b.turn))
	}
	if mean < braceNone {
		mean = 1
	}
	for i := range b.turn {
		b.turn[i] = max(b.turn[i], braceFloor*mean)
		b.travel[i] = max(b.travel[i], b.light*b.turn[i]/(b.length*b.length))
	}
}

// raise makes the least weights larger, and reports whether it does.
func (b *brace) raise() bool {
	if b.light >= 1 && b.part >= braceMost {
		return false
	}
	b.light, b.part = min(braceRaise*b.light, 1), min(braceRaise*b.part, braceMost)
	b.settle()
	return true
}

// solver returns the solver with the given shift of the split that splitOf makes with b. Where rounding allows no factor, it raises the
// least weights of b and asks splitOf again. old is as for System.shift.
func (b *brace) solver(sys *System, shift float64, old *shifted, splitOf func() (*split, error)) (*shifted, error) {
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

// split returns the metric itself as a split.
func (b *brace) split() (*split, error) {
	z := &split{block: make([][36]float64, len(b.turn))}
	b.addTo(z, 1)
	return z, nil
}

// addTo adds t times the metric.
func (b *brace) addTo(z *split, t float64) {
	for i := range z.block {
		for k := range 3 {
			z.block[i][7*k] += t * b.turn[i]
			z.block[i][7*k+21] += t * b.travel[i]
		}
	}
}

// ownBrace returns the metric of K alone.
func (s *System) ownBrace() *brace {
	b := newBrace(s)
	b.stiffen(s)
	return b
}

// braced returns aC·C + K without negative terms, and with the least part of the metric that makes all blocks positive definite. Negative
// terms are springs that push, and the parts of bodies' blocks with negative eigenvalues in the metric. They are left out, or with
// turned their signs are changed. So the result is not below K, and equals K on displacements that negative terms do not feel.
//
// Cost: O(bodies + rows), each an eigenvalue problem of order 6, and of order 12 for a pair;
// allocates. It returns ErrNotFinite with the name of a body or joint.
func (s *System) braced(aC float64, b *brace, turned bool) (*split, error) {
	z, err := s.splitTerms(aC, 1, true)
	if err != nil {
		return nil, err
	}
	sign := 0.0
	if turned {
		sign = -1
		for i := range z.terms {
			z.terms[i].k = z.terms[i].full
		}
	}
	for i := range z.block {
		A := &z.block[i]
		var root [6]float64
		for k := range 3 {
			root[k] = math.Sqrt(max(b.turn[i], math.Abs(A[7*k])))
			root[3+k] = math.Sqrt(max(b.travel[i], math.Abs(A[7*k+21])))
		}
		if err := clampBlock(A, &root, sign); err != nil {
			return nil, s.bodyError(i, err)
		}
		for k := range 6 {
			A[7*k] *= 1 + braceRounding
		}
	}
	b.addTo(z, b.part)
	return z, nil
}

// braceRounding keeps blocks positive definite that rounding would make indefinite.
const braceRounding = 1e-12

// clampBlock multiplies the parts of negative eigenvalues of A, in the metric of the
// diagonal root², by keep.
func clampBlock(A *[36]float64, root *[6]float64, keep float64) error {
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
