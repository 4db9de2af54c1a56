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
func (s *System) undampedModes(out *Modes, o ModeOptions, v *inverse, typical float64) error {
	if err := s.lower(out, v, typical); err != nil {
		return err
	}
	for want := min(o.Count, s.dim()); ; want = min(2*want, s.dim()) {
		out.List, out.Residual = nil, 0
		cut, err := s.undampedLowest(out, o.Count, v, want)
		if err != nil {
			return err
		}
		if !cut || want == s.dim() {
			break
		}
	}
	out.choose(o.Count)
	return nil
}

// undampedLowest stores the lowest want modes in out, of which count are asked for. cut reports that there may be others that the shift
// does not tell from zero, as it does not the last ones: K has no shapes in a part of their space, unless it is zero there.
func (s *System) undampedLowest(out *Modes, count int, v *inverse, want int) (cut bool, err error) {
	k, r, err := s.lowest(out, v, want)
	if err != nil {
		return false, err
	}
	out.Shift = v.s
	factored := true
	whole := func() bool { return (len(r) < want || k.done == len(k.V)) && s.covers(len(r)) }
	all := whole()
	for i := 1; i < bands && !all && len(r) > 0 && len(r) < want; i++ {
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
		all = whole()
	}
	out.All = all && len(r) <= count
	r = r[:min(want, len(r))]
	if err := s.addShapes(out, k, r, v, factored); err != nil {
		return false, err
	}
	cut = factored && len(r) == want && math.Abs(real(r[want-1].theta)*out.Shift-1) <= noiseTol
	return cut && slices.ContainsFunc(out.List, func(m Mode) bool { return m.Kind != Rigid }), nil
}

// addShapes adds the modes of the eigenvalues r of k to out. factored says that v has the factor of the shift.
func (s *System) addShapes(out *Modes, k *krylov, r []ritz, v *inverse, factored bool) error {
	shapes, theta := make([][]float64, len(r)), make([]float64, len(r))
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
