package linear

import (
	"errors"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// ritzTol is the residual of a Ritz value, relative to the value, at which iterating ends.
	// The error of a frequency is of the order of its square.
	ritzTol = 1e-9
	// lookSteps is the number of steps with each shift, and lookValues the number of
	// eigenvalues that are looked at.
	lookSteps, lookValues = 16, 3
	// freshVectors is the number of start vectors without pattern for damped modes.
	freshVectors = 4
	// nearness is the shift σ of damped modes relative to the largest |λ| that is wanted. If the least other
	// than zero is more than bandRange times as small, σ is relative to that one: a vibration λ has an error
	// of about ritzTol·|σ/λ|², relative to λ.
	nearness, bandRange = 0.2, 1e3
	// shiftGain is the part of a shift below which a lower one is taken, even with a braced
	// factor.
	shiftGain = 0.3
	// shiftFall is the least factor from a shift to the next one, as eigenvalues far below a shift are known badly. Another value costs
	// time only.
	shiftFall = 1e-4
	// shiftBeyond is a shift relative to the negative eigenvalue beyond which it has to be.
	shiftBeyond = 2
	// bands is the largest number of shifts σ. One shift shows all eigenvalues up to bandReach
	// times the distance of the nearest; farther ones may be lost at the start of the
	// iteration. For another one, a shift has to reach bandGain, relative to the one before.
	// bandEdge is the relative error of an eigenvalue at that distance.
	bands, bandReach, bandGain, bandEdge = 6, 1e4, 2, 1e-3
	// nothing is the energy of a displacement that rounding makes where the joints allow none,
	// relative to its energy without joints.
	nothing = 1e-26
	// shiftFloor is the least shift relative to a typical eigenvalue.
	shiftFloor = 1e-10
)

// sparseModes computes the lowest modes by Krylov iteration with the inverse of the
// shifted system.
func (s *System) sparseModes(o ModeOptions) (*Modes, error) {
	s.skip = 0
	for {
		if s.over() {
			return nil, s.orCause(nil)
		}
		out, err := s.shiftedModes(o)
		if err == nil && s.lost {
			return nil, s.bodyError(int(s.mech.Singular()[0].Body), ErrUnstable)
		}
		if !errors.Is(err, errDropped) {
			return out, err
		}
		// A row with this pivot has been taken for redundant.
		if s.skip++; s.skip > kkt.KeepAll {
			return nil, fault.Errorf("linear: %w", ErrSingular)
		}
	}
}

// errDropped says that a mode does not satisfy the joints.
var errDropped = errors.New("joint dropped")

// shiftedModes finds modes near zero by shift and invert, as many as o asks for.
func (s *System) shiftedModes(o ModeOptions) (*Modes, error) {
	z, err := s.splitOf(0, 1)
	if err != nil {
		return nil, err
	}
	least, err := s.leastShift(z)
	if err != nil {
		return nil, err
	}
	typical, v, err := s.typical(z, least)
	if err != nil {
		return nil, err
	}
	out := &Modes{Method: Sparse, Factors: 1}
	if typical == 0 {
		out.All = true
		return out, nil
	}
	// Later shifts may fail, and v has no factor then.
	symmetric := s.symmetricOn(v.h, s.left)
	out.Damped = !o.Undamped && (s.hasDamping() || !symmetric)
	if out.Damped {
		err = s.dampedModes(out, o, v, typical, symmetric)
	} else {
		err = s.undampedModes(out, o, v, typical)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// typical returns a typical eigenvalue of K, the quotient xᵀKx/xᵀMx of a random displacement
// that the joints allow, or 0 if they allow none. It also returns the inverse with a shift of
// that size, or of a smaller size where rounding allows no factor with it.
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
	if s.over() {
		return 0, nil, s.orCause(nil)
	}
	h := v.h
	n := s.dim()
	rng := rand.New(rand.NewPCG(2, uint64(n)))
	x, g := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	s.MassTo(g, x)
	free := floats.Dot(x, g) / (v.s * v.s) // of x without joints and stiffness
	h.solveTo(x, g)
	s.MassTo(g, x)
	m := floats.Dot(x, g)
	if !(m > nothing*free) {
		return 0, v, nil
	}
	s.StiffnessTo(g, x)
	return max(math.Abs(floats.Dot(x, g))/m, 1e-6*guess), v, nil
}

// symmetricOn reports whether K is symmetric on displacements that the joints allow, as some
// random ones show. left are unbalanced forces, nil in balance. K has half the turning of their
// moments.
func (s *System) symmetricOn(h *shifted, left []float64) bool {
	n := s.dim()
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	x, y, g := make([]float64, n), make([]float64, n), make([]float64, n)
	Kx, Ky := make([]float64, n), make([]float64, n)
	for range 3 {
		if s.over() {
			return true
		}
		for _, v := range [2][]float64{x, y} {
			for i := range g {
				g[i] = rng.NormFloat64()
			}
			s.MassTo(g, g)
			h.solveTo(v, g)
		}
		s.StiffnessTo(Kx, x)
		s.StiffnessTo(Ky, y)
		off := floats.Dot(x, Ky) - floats.Dot(y, Kx)
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
	if err = s.lower(out, v, typical); err != nil {
		return err
	}
	want := min(o.Count, s.dim())
	k, r, err := s.lowest(out, v, want)
	if err != nil {
		return err
	}
	out.Shift = v.s
	factored := true
	whole := func() bool {
		return len(r) <= o.Count && (len(r) < want || k.done == len(k.V)) && s.covers(len(r))
	}
	out.All = whole()
	for i := 1; i < bands && !out.All && len(r) > 0 && len(r) < want; i++ {
		// Other eigenvalues are far beyond the shift. The shift is next to nothing where there
		// are as many rigid modes as lower looks at.
		next := bandReach / k.largest
		if !(next > bandGain*v.s) {
			break
		}
		if factored = v.take(next) == nil; !factored {
			break
		}
		out.Factors++
		k2, r2, err := s.lowest(out, v, want)
		if err != nil || len(r2) < len(r) {
			break
		}
		k, r, out.Shift = k2, r2, v.s
		out.All = whole()
	}
	shapes, theta := make([][]float64, min(want, len(r))), make([]float64, min(want, len(r)))
	for i := range shapes {
		if s.over() {
			return s.orCause(nil)
		}
		x, _ := k.vector(r[i].y)
		if factored {
			s.purify(x, v)
		}
		if s.violates(x, algebra.MaxAbs(x)) {
			return errDropped
		}
		shapes[i], theta[i] = x, real(r[i].theta)
		out.Residual = max(out.Residual, r[i].residual/cmplx.Abs(r[i].theta))
	}
	if err := s.tellApart(shapes, theta); err != nil {
		return err
	}
	for _, x := range shapes {
		out.List = append(out.List, s.undamped(x))
	}
	out.choose(o.Count)
	return nil
}

// lowest iterates for the lowest want eigenvalues with the shift of v, and raises the shift
// where it has to.
func (s *System) lowest(out *Modes, v *inverse, want int) (*krylov, []ritz, error) {
	// Where rounding allows no factor with a larger shift, take goes back to a smaller one.
	// That could go on in a circle.
	for round := 0; ; round++ {
		k := s.newShapes(v)
		err := k.start(want)
		var r []ritz
		if err == nil {
			r, err = k.run(min(want, len(k.V)), ritzTol)
		}
		out.Products += k.products
		if err == nil {
			return k, r, nil
		}
		if round == shiftRounds {
			return nil, nil, fault.Errorf("linear: %w of the shift: %v", ErrNoConvergence, err)
		}
		if err = v.raise(out, err); err != nil {
			return nil, nil, err
		}
	}
}

// lower brings the shift of v down to the size of the lowest eigenvalues. Some steps of the
// iteration show that size.
func (s *System) lower(out *Modes, v *inverse, typical float64) error {
	for range shiftRounds {
		k := s.newShapes(v)
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
		all, err := k.ritz()
		if err != nil {
			return err
		}
		for i, r := range all {
			lambda := 1/real(r.theta) - v.s
			if i < lookValues {
				wanted = max(wanted, math.Abs(lambda))
			}
			if math.Abs(real(r.theta)) > noiseTol*k.largest { // else rounding makes its sign
				wanted = max(wanted, -shiftBeyond*lambda)
			}
		}
		next := max(wanted, shiftFloor*typical, shiftFall*v.s)
		// The shift stays where the next one is not much lower. Nor does a factor of K itself give way to a braced one for a shift that
		// is not much below the least that K itself allows, unless that is much lower than the present one.
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
//
// symmetric reports that K is symmetric on displacements that the joints allow.
func (s *System) dampedModes(out *Modes, o ModeOptions, v *inverse, typical float64, symmetric bool) error {
	// The undamped modes tell the size of the wanted eigenvalues.
	first := &Modes{}
	if err := s.undampedModes(first, o, v, typical); err != nil {
		return err
	}
	out.Products, out.Factors = out.Products+first.Products, out.Factors+first.Factors
	sigma, most := first.firstShifts(typical)
	var free [][]float64
	if symmetric {
		// Where K has no force, damping does not move a body either.
		out.List, free = first.withoutStiffness()
	}
	var seen []band
	var sure, far []Mode  // those within the reach of a band, and the others of the last one
	count, beyond := 0, 0 // their eigenvalues
	for {
		b, near, others, err := s.dampedBand(out, o, first.List, free, sigma, seen)
		limited := err != nil && (errors.Is(err, ErrNoConvergence) || unfactored(err)) // by rounding
		if limited && len(seen) == 0 && sigma < most {
			sigma = min(bandRange*sigma, most)
			continue
		}
		if limited && len(seen) > 0 {
			out.List = append(sure, far...)
			break
		}
		if err != nil {
			return err
		}
		count, beyond, seen = count+near, others, append(seen, b)
		sure, far = b.split(out.List)
		if len(sure) >= o.Count || len(seen) == bands || !b.blurred && s.covers((count+beyond)/2) {
			break
		}
		if sigma = b.reach; sigma < bandGain*b.sigma {
			break
		}
		out.List = sure // the next band knows the others better
	}
	out.All = len(out.List) <= o.Count && s.covers((count+beyond)/2)
	out.choose(o.Count)
	return nil
}

// dampedBand adds to out the modes around σ that are not known from bands before, and returns their
// band and the numbers of their eigenvalues as collect. The undamped modes are the start. free are all
// displacements without stiffness, or nil if they are not known.
func (s *System) dampedBand(out *Modes, o ModeOptions, undamped []Mode, free [][]float64, sigma float64, seen []band) (
	b band, near, beyond int, err error) {
	g, err := s.quadratic(sigma)
	if err != nil {
		return b, 0, 0, err
	}
	out.Factors++
	n := s.dim()
	k := s.newKrylov(2*n, g.apply, g.metric)
	k.warm = 1
	// The undamped shapes are a good start. Modes that damping brings down are in vectors that
	// do not depend on these shapes.
	for i := range undamped {
		k.include(append(slices.Clone(undamped[i].Shape), make([]float64, n)...))
	}
	if err := k.start(freshVectors); err != nil {
		return b, 0, 0, err
	}
	want := min(2*o.Count+max(4, o.Count/2), 2*n)
	before := out.List
	for {
		if s.over() {
			return b, 0, 0, s.orCause(nil)
		}
		r, err := k.run(want, ritzTol)
		if err != nil {
			return b, 0, 0, err
		}
		if err := k.mustHold(r, g.sigma, k.largest/bandReach); err != nil {
			return b, 0, 0, err
		}
		// Eigenvalues come in the order of their distance from σ, and all within a radius are
		// there. So the lowest are those whose size is below the radius less σ.
		all := len(r) < want || k.done == len(k.V) || len(k.V) == 0
		radius := math.Inf(1)
		if !all {
			radius = 1/cmplx.Abs(r[want-1].theta)*(1+realTol) - g.sigma
		}
		b = band{sigma: g.sigma, reach: bandReach / k.largest, other: math.Inf(1)}
		out.List = slices.Clone(before)
		if near, beyond, err = s.collect(out, k, r, free, &b, radius, seen); err != nil {
			return b, 0, 0, err
		}
		if free == nil {
			if err := s.restRigid(out, k, g, &b, len(before)); err != nil {
				return b, 0, 0, err
			}
		}
		s.settleRigid(out)
		if all || len(out.List) >= o.Count {
			break
		}
		want += max(2, want/2)
	}
	out.Shift = g.sigma * g.sigma
	out.Products += k.products
	return b, near, beyond, nil
}

// collect adds to out the modes of the eigenvalues r. It leaves out those that are known, those
// beyond a radius unless they grow, as these come first, and conjugates. It returns the numbers of
// eigenvalues, conjugates included, within the reach of b and beyond it, and brings the reach of b
// down to the first whose shape or eigenvalue is lost in rounding. Where zero may be the eigenvalue, the mode is
// rigid. But if the free displacements are known, they are in out already, and such a mode is left out if
// it is a combination of them, or else is what its eigenvalue says.
func (s *System) collect(out *Modes, k *krylov, r []ritz, free [][]float64, b *band, radius float64, seen []band) (
	near, beyond int, err error) {
	n := s.dim()
	before := out.List
	scale := b.sigma * b.sigma
	if free != nil { // shapes tell, and zero may come out as large as what their errors make
		scale = max(scale, 10*ritzTol*ritzTol/zeroTol*s.size[algebra.Largest(s.size)])
	}
	for i := range r {
		if s.over() {
			return 0, 0, s.orCause(nil)
		}
		theta := r[i].theta
		if imag(theta) > 0 { // λ is below the real axis
			continue
		}
		lambda := complex(b.sigma, 0) + 1/theta
		if cmplx.Abs(lambda) > radius && !grows(lambda) || len(seen) > 0 && known(lambda, seen, before) {
			continue
		}
		re, im := k.vector(r[i].y)
		if size := max(algebra.MaxAbs(re[:n]), algebra.MaxAbs(im[:n])); s.violates(re[:n], size) || s.violates(im[:n], size) {
			b.reach = min(b.reach, 1/cmplx.Abs(theta))
			continue
		}
		if err := k.sharpen(b, &r[i], lambda); err != nil {
			return 0, 0, err
		}
		values := 1
		if imag(theta) != 0 {
			values = 2
		}
		if cmplx.Abs(lambda) < b.reach {
			near += values
		} else {
			beyond += values
		}
		m, doubtful := s.damped(lambda, re[:n], im[:n], scale)
		if !doubtful {
			if doubtful, err = k.doubts(&r[i], lambda, b.sigma); err != nil {
				return 0, 0, err
			}
		}
		switch {
		case free == nil && doubtful:
			m.Kind, m.Lambda = Rigid, 0
		case free != nil && (doubtful || m.Kind == Rigid) && s.still(free, &m):
			continue // its directions are there, and known better
		}
		b.see(&m, cmplx.Abs(lambda))
		out.List = s.appendPair(out.List, m, theta)
		out.Residual = max(out.Residual, r[i].residual/cmplx.Abs(theta))
	}
	return near, beyond, nil
}
