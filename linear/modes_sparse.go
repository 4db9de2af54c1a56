package linear

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"

	"github.com/rung-mbd/rung/spatial"
)

const (
	// ritzTol is the residual of a Ritz value relative to it at which iterating ends;
	// the error of a frequency is of its square.
	ritzTol = 1e-9
	// shiftRounds is the largest number of shifts tried.
	shiftRounds = 12
	// lookSteps and lookValues are the steps with each, and the eigenvalues that are
	// looked at.
	lookSteps, lookValues = 16, 3
	// shiftMargin keeps blocks positive definite.
	shiftMargin = 1.05
	// freshVectors is the number of start vectors without pattern for damped modes.
	freshVectors = 4
	// nearness is the shift σ of damped modes relative to the largest |λ| that is wanted.
	nearness = 0.2
	// shiftGain is the part of a shift below which a lower one is taken, be it with a
	// braced factor.
	shiftGain = 0.3
	// shiftDrop is the factor of a shift where there is no factor, and shiftDrops how often
	// it is applied.
	shiftDrop, shiftDrops = 1e-4, 3
	// shiftBeyond is a shift relative to the negative eigenvalue that it has to be beyond.
	shiftBeyond = 2
	// farther is the factor on σ up to which a larger one is taken instead of a braced
	// factor.
	farther = 30
	// nothing is the energy of a displacement relative to that without joints which rounding
	// makes where the joints allow nothing.
	nothing = 1e-26
	// shiftFloor is the least shift relative to a typical eigenvalue.
	shiftFloor = 1e-10
)

// sparseModes computes the lowest modes by Krylov iteration with the inverse of the
// shifted system.
func (s *System) sparseModes(o ModeOptions) (*Modes, error) {
	s.skip = 0
	for {
		out, err := s.shiftedModes(o)
		if !errors.Is(err, errDropped) {
			return out, err
		}
		// A pivot has been taken for that of a redundant row.
		if s.skip++; s.skip == len(ways) {
			return nil, fmt.Errorf("linear: %w", ErrSingular)
		}
	}
}

// errDropped says that a mode does not satisfy the joints.
var errDropped = errors.New("joint dropped")

func (s *System) shiftedModes(o ModeOptions) (*Modes, error) {
	z := s.splitOf(0, 1)
	least := s.leastShift(z)
	typical, v, err := s.typical(z, least)
	if err != nil {
		return nil, err
	}
	out := &Modes{Method: Sparse, Factors: 1}
	if typical == 0 {
		out.All = true
		return out, nil
	}
	out.Damped = !o.Undamped && (s.hasDamping() || !s.symmetricOn(v.h, nil))
	if out.Damped {
		err = s.dampedModes(out, o, v, typical)
	} else {
		err = s.undampedModes(out, o, v, typical)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// hasDamping reports whether C is not zero.
func (s *System) hasDamping() bool {
	for i := range s.rows {
		if s.rows[i].d != 0 {
			return true
		}
	}
	for i := range s.damp {
		if !allZero(s.damp[i][:]) {
			return true
		}
	}
	return false
}

// typical returns a typical eigenvalue of K, the quotient xᵀKx/xᵀMx of a random
// displacement that the joints allow, 0 if they allow none, and the inverse with a shift of that size or, where
// rounding allows no factor with it, of a smaller one.
func (s *System) typical(z *split, least float64) (float64, *inverse, error) {
	guess := s.meanSize()
	v := &inverse{sys: s, z: z, least: shiftMargin * least}
	err := v.exact(max(v.least, guess))
	for i := 0; i < shiftDrops && unfactored(err); i++ {
		err = v.take(v.s * shiftDrop)
	}
	if err != nil {
		return 0, nil, err
	}
	h := v.h
	n := s.dim()
	rng := rand.New(rand.NewPCG(2, uint64(n)))
	x, g := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	s.MassTo(g, x)
	free := dot(x, g) / (v.s * v.s) // of x without joints and stiffness
	h.solveTo(x, g)
	s.MassTo(g, x)
	m := dot(x, g)
	if !(m > nothing*free) {
		return 0, v, nil
	}
	s.StiffnessTo(g, x)
	return max(math.Abs(dot(x, g))/m, 1e-6*guess), v, nil
}

// meanSize returns the mean size of the terms of K at the bodies; 1 if there is no
// stiffness.
func (s *System) meanSize() float64 {
	sum := 0.0
	for _, x := range s.size {
		sum += x
	}
	if sum == 0 {
		return 1
	}
	return sum / float64(len(s.size))
}

// symmetricOn reports whether K is symmetric on displacements that the joints allow, as
// some random ones show. left, nil in balance, are unbalanced forces, of whose
// moments K has half the turning.
func (s *System) symmetricOn(h *shifted, left []float64) bool {
	n := s.dim()
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	x, y, g := make([]float64, n), make([]float64, n), make([]float64, n)
	Kx, Ky := make([]float64, n), make([]float64, n)
	for range 3 {
		for _, v := range [2][]float64{x, y} {
			for i := range g {
				g[i] = rng.NormFloat64()
			}
			s.MassTo(g, g)
			h.solveTo(v, g)
		}
		s.StiffnessTo(Kx, x)
		s.StiffnessTo(Ky, y)
		off := dot(x, Ky) - dot(y, Kx)
		for i := 0; i < len(left); i += 6 {
			off -= spatial.Vec3(x[i : i+3]).Dot(spatial.Vec3(left[i : i+3]).Cross(spatial.Vec3(y[i : i+3])))
		}
		size := math.Sqrt(s.termsOf(x) * s.termsOf(y))
		if math.Abs(off) > symmetricTol*size/math.Sqrt(float64(n)) {
			return false
		}
	}
	return true
}

// undampedModes computes the modes of M and the symmetric part of K. With θ an
// eigenvalue of (K+sM)⁻¹M, λ² = s − 1/θ.
func (s *System) undampedModes(out *Modes, o ModeOptions, v *inverse, typical float64) (err error) {
	if err := s.lower(out, v, typical); err != nil {
		return err
	}
	want := min(o.Count, s.dim())
	var k *krylov
	var r []ritz
	for {
		k = newKrylov(s.dim(), v.applyMass, s.MassTo)
		k.symmetric = true
		if err = k.start(want); err == nil {
			r, err = k.run(min(want, len(k.V)), ritzTol)
		}
		out.Products += k.products
		if err == nil {
			break
		}
		if err = v.raise(out, err); err != nil {
			return err
		}
	}
	out.All = (k.all || len(k.V) == 0) && len(r) <= o.Count
	for i := range min(want, len(r)) {
		x, _ := k.vector(r[i].y)
		if s.violates(x, maxAbs(x)) {
			return errDropped
		}
		out.List = append(out.List, s.undamped(x))
		out.Residual = max(out.Residual, r[i].residual/cmplx.Abs(r[i].theta))
	}
	out.Shift = v.s
	all := out.All
	out.choose(o.Count)
	out.All = all
	return nil
}

// lower brings the shift of v down to the size of the lowest eigenvalues, as some
// steps show them.
func (s *System) lower(out *Modes, v *inverse, typical float64) error {
	for range shiftRounds {
		k := newKrylov(s.dim(), v.applyMass, s.MassTo)
		k.symmetric = true
		err := k.start(1)
		for range lookSteps {
			if err != nil {
				break
			}
			var more bool
			if more, err = k.step(); !more {
				break
			}
		}
		out.Products += k.products
		if err != nil {
			return v.raise(out, err)
		}
		wanted := 0.0
		for i, r := range k.ritz() {
			lambda := 1/real(r.theta) - v.s
			if i < lookValues {
				wanted = max(wanted, math.Abs(lambda))
			}
			wanted = max(wanted, -shiftBeyond*lambda)
		}
		next := max(wanted, shiftFloor*typical, v.s*1e-4)
		if !(next < shiftGain*v.s) || v.metric == nil && next > shiftGain*v.least && !(v.least < shiftGain*v.s) {
			return nil
		}
		if err := v.take(next); err != nil {
			return err
		}
		out.Factors++
	}
	return nil
}

// dampedModes computes modes with C and an unsymmetric K from the eigenvalues θ of
// (A − σB)⁻¹B for z = (x, ẋ), with A·z = λB·z the first-order form and λ = σ + 1/θ:
//
//	x' = −(σ²M + σC + K)⁻¹·(M·ẋ + (C + σM)·x),   ẋ' = x + σ·x'.
func (s *System) dampedModes(out *Modes, o ModeOptions, v *inverse, typical float64) error {
	// The undamped modes tell the size of the wanted eigenvalues.
	first := &Modes{}
	if err := s.undampedModes(first, o, v, typical); err != nil {
		return err
	}
	out.Products, out.Factors = out.Products+first.Products, out.Factors+first.Factors
	sigma := math.Sqrt(shiftFloor * typical)
	for i := range first.List {
		sigma = max(sigma, nearness*first.List[i].AngularFrequency())
	}
	g, err := s.quadratic(sigma)
	if err != nil {
		return err
	}
	out.Factors++
	n := s.dim()
	k := newKrylov(2*n, g.apply, g.metric)
	k.warm = 1
	// The undamped shapes are a good start; others that damping brings down are in
	// what does not depend on them.
	for i := range first.List {
		k.include(append(slices.Clone(first.List[i].Shape), make([]float64, n)...))
	}
	if err := k.start(freshVectors); err != nil {
		return err
	}
	want := min(2*o.Count+max(4, o.Count/2), 2*n)
	for {
		r, err := k.run(want, ritzTol)
		if err != nil {
			return err
		}
		// Eigenvalues come by their distance from σ: all within a radius are there, so
		// those are the lowest whose size is below the radius less σ.
		all := len(r) < want || k.done == len(k.V) || len(k.V) == 0
		radius := math.Inf(1)
		if !all {
			radius = 1/cmplx.Abs(r[want-1].theta)*(1+realTol) - g.sigma
		}
		s.collect(out, k, r, g.sigma, radius)
		if all || len(out.List) >= o.Count {
			out.All = all && len(out.List) <= o.Count
			break
		}
		want += max(2, want/2)
	}
	out.Shift = g.sigma * g.sigma
	out.Products += k.products
	all := out.All
	out.choose(o.Count)
	out.All = all
	return nil
}

// collect makes the list of out of the eigenvalues of r, but for those beyond a radius
// and conjugates.
func (s *System) collect(out *Modes, k *krylov, r []ritz, sigma, radius float64) {
	n := s.dim()
	out.List, out.Residual = nil, 0
	for i := range r {
		theta := r[i].theta
		if imag(theta) > 0 { // λ is below the real axis
			continue
		}
		lambda := complex(sigma, 0) + 1/theta
		if cmplx.Abs(lambda) > radius && real(lambda) < 0 {
			continue
		}
		re, im := k.vector(r[i].y)
		if size := max(maxAbs(re[:n]), maxAbs(im[:n])); s.violates(re[:n], size) || s.violates(im[:n], size) {
			continue // made by rounding
		}
		out.List = append(out.List, s.damped(lambda, re[:n], im[:n], sigma*sigma))
		out.Residual = max(out.Residual, r[i].residual/cmplx.Abs(theta))
	}
	s.settleRigid(out)
}

// violateTol is what a shape may violate a joint by, relative to its size; others are
// no solutions.
const violateTol = 1e-6

// violates reports whether the part x of a shape of the given size does not satisfy the
// joints.
func (s *System) violates(x []float64, size float64) bool {
	J := make([]float64, s.Rows())
	s.JacobianTo(J, x)
	return maxAbs(J) > violateTol*max(1, s.longest())*size
}

// quadratic applies the inverse of the first-order form at σ.
type quadratic struct {
	sys   *System
	sigma float64
	h     *shifted // the symmetric part of σ²M + σC + K
	cut   float64  // directions relatively weaker than this are left out of solutions

	b, g, r []float64
	basis   [][]float64
}

// quadratic prepares σ or, where blocks are not positive definite with it, a larger one
// that serves; if that is much larger, the factor is that of the braced matrix.
func (s *System) quadratic(sigma float64) (*quadratic, error) {
	n := s.dim()
	q := &quadratic{sys: s, sigma: sigma, b: make([]float64, n), g: make([]float64, n), r: make([]float64, n)}
	var z *split
	for range shiftRounds {
		z = s.splitOf(q.sigma, 1)
		need := math.Sqrt(shiftMargin * s.leastShift(z))
		if need <= q.sigma {
			break
		}
		z = nil
		if need > farther*sigma {
			break
		}
		q.sigma = need
	}
	var err error
	if z != nil {
		q.h, err = s.shift(z, q.sigma*q.sigma, nil)
		if !unfactored(err) {
			return q, err
		}
	}
	q.sigma = sigma
	b := s.ownBrace()
	q.h, err = b.solver(s, sigma*sigma, nil, func() *split { return s.braced(sigma, b, true) })
	return q, err
}

// metric is diag(σ²M, M).
func (q *quadratic) metric(dst, x []float64) {
	n := q.sys.dim()
	q.sys.MassTo(dst[:n], x[:n])
	q.sys.MassTo(dst[n:], x[n:])
	scale(dst[:n], q.sigma*q.sigma)
}

// apply is (A − σB)⁻¹B.
func (q *quadratic) apply(dst, z []float64) error {
	n := q.sys.dim()
	x, v := z[:n], z[n:]
	for i := range q.b {
		q.b[i] = v[i] + q.sigma*x[i]
	}
	q.sys.MassTo(q.b, q.b)
	q.sys.DampingTo(q.g, x)
	addScaled(q.b, 1, q.g)
	if err := q.solveTo(dst[:n], q.b); err != nil {
		return err
	}
	for i := range n {
		dst[i] = -dst[i]
		dst[n+i] = x[i] + q.sigma*dst[i]
	}
	return nil
}

// productTo stores (σ²M + σC + K)·x in dst.
func (q *quadratic) productTo(dst, x []float64) {
	q.sys.StiffnessTo(dst, x)
	q.sys.DampingTo(q.g, x)
	addScaled(dst, q.sigma, q.g)
	q.sys.MassTo(q.g, x)
	addScaled(dst, q.sigma*q.sigma, q.g)
}
