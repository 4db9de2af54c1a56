package linear

import (
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
	// shiftFloor is the least shift relative to a typical eigenvalue.
	shiftFloor = 1e-10
)

// sparseModes computes the lowest modes by Krylov iteration with the inverse of the
// shifted system.
func (s *System) sparseModes(o ModeOptions) (*Modes, error) {
	z := s.splitOf(0, 1)
	least := s.leastShift(z)
	typical, h, err := s.typical(z, least)
	if err != nil {
		return nil, err
	}
	out := &Modes{Method: Sparse, Factors: 1}
	out.Damped = !o.Undamped && (s.hasDamping() || !s.symmetricOn(h, nil))
	if out.Damped {
		err = s.dampedModes(out, o, z, h, least, typical)
	} else {
		err = s.undampedModes(out, o, z, h, least, typical)
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
// displacement that the joints allow, and the inverse with a shift of that size.
func (s *System) typical(z *split, least float64) (float64, *shifted, error) {
	guess := s.meanSize()
	h, err := s.shift(z, max(shiftMargin*least, guess), nil)
	if err != nil {
		return 0, nil, err
	}
	n := s.dim()
	rng := rand.New(rand.NewPCG(2, uint64(n)))
	x, g := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	s.MassTo(g, x)
	h.solveTo(x, g)
	s.MassTo(g, x)
	m := dot(x, g)
	if m == 0 {
		return guess, h, nil // the joints allow nothing
	}
	s.StiffnessTo(g, x)
	return max(math.Abs(dot(x, g))/m, 1e-6*guess), h, nil
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
func (s *System) undampedModes(out *Modes, o ModeOptions, z *split, h *shifted, least, typical float64) error {
	h, err := s.lower(out, z, h, least, typical)
	if err != nil {
		return err
	}
	want := min(o.Count, s.dim())
	k := newKrylov(s.dim(), h.applyMass, s.MassTo)
	k.symmetric = true
	if err := k.start(want); err != nil {
		return err
	}
	r, err := k.run(min(want, len(k.V)), ritzTol)
	if err != nil {
		return err
	}
	out.All = (k.all || len(k.V) == 0) && len(r) <= o.Count
	for i := range min(want, len(r)) {
		x, _ := k.vector(r[i].y)
		out.List = append(out.List, s.undamped(x))
		out.Residual = max(out.Residual, r[i].residual/cmplx.Abs(r[i].theta))
	}
	out.Shift = h.s
	out.Products += k.products
	all := out.All
	out.choose(o.Count)
	out.All = all
	return nil
}

// lower brings the shift of h down to the size of the lowest eigenvalues, as some
// steps show them, and returns the new solver.
func (s *System) lower(out *Modes, z *split, h *shifted, least, typical float64) (*shifted, error) {
	for range shiftRounds {
		k := newKrylov(s.dim(), h.applyMass, s.MassTo)
		k.symmetric = true
		if err := k.start(1); err != nil {
			return nil, err
		}
		for range lookSteps {
			if more, err := k.step(); err != nil {
				return nil, err
			} else if !more {
				break
			}
		}
		out.Products += k.products
		wanted := 0.0
		for i, r := range k.ritz() {
			if i < lookValues {
				wanted = max(wanted, math.Abs(1/real(r.theta)-h.s))
			}
		}
		next := max(shiftMargin*least, wanted, shiftFloor*typical, h.s*1e-4)
		if !(next < 0.3*h.s) {
			break
		}
		var err error
		if h, err = s.shift(z, next, h); err != nil {
			return nil, err
		}
		out.Factors++
	}
	return h, nil
}

// applyMass stores (K+sM)⁻¹·M·x in dst.
func (h *shifted) applyMass(dst, x []float64) error {
	h.sys.MassTo(dst, x)
	h.solveTo(dst, dst)
	return nil
}

// dampedModes computes modes with C and an unsymmetric K from the eigenvalues θ of
// (A − σB)⁻¹B for z = (x, ẋ), with A·z = λB·z the first-order form and λ = σ + 1/θ:
//
//	x' = −(σ²M + σC + K)⁻¹·(M·ẋ + (C + σM)·x),   ẋ' = x + σ·x'.
func (s *System) dampedModes(out *Modes, o ModeOptions, z *split, h *shifted, least, typical float64) error {
	// The undamped modes tell the size of the wanted eigenvalues.
	first := &Modes{}
	if err := s.undampedModes(first, o, z, h, least, typical); err != nil {
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
		if s.violates(re[:n]) || s.violates(im[:n]) {
			continue // made by rounding
		}
		out.List = append(out.List, s.damped(lambda, re[:n], im[:n], sigma*sigma))
		out.Residual = max(out.Residual, r[i].residual/cmplx.Abs(theta))
	}
}

// violateTol is what a shape may violate a joint by, relative to its size; others are
// no solutions.
const violateTol = 1e-4

// violates reports whether a shape does not satisfy the joints.
func (s *System) violates(x []float64) bool {
	J := make([]float64, s.Rows())
	s.JacobianTo(J, x)
	return maxAbs(J) > violateTol*max(1, s.longest())*maxAbs(x)
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

// quadratic prepares σ or, where blocks are not positive definite with it, the next
// larger one that serves.
func (s *System) quadratic(sigma float64) (*quadratic, error) {
	for range shiftRounds {
		z := s.splitOf(sigma, 1)
		least := s.leastShift(z)
		if need := math.Sqrt(shiftMargin * least); sigma < need {
			sigma = need
			continue
		}
		h, err := s.shift(z, sigma*sigma, nil)
		if err != nil {
			return nil, err
		}
		n := s.dim()
		return &quadratic{sys: s, sigma: sigma, h: h, b: make([]float64, n), g: make([]float64, n), r: make([]float64, n)}, nil
	}
	return nil, fmt.Errorf("linear: %w: no shift makes all blocks positive definite", ErrNoConvergence)
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
