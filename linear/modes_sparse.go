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
	// The relative error of a frequency is of the order of ritzTol².
	ritzTol = 1e-9
	// probeSteps is the number of steps of the iteration by which lowerShift estimates the lowest eigenvalues, and probeValues the number of
	// eigenvalues that the next shift follows.
	probeSteps, probeValues = 16, 3
	// freshVectors is the number of random start vectors for damped modes.
	freshVectors = 4
	// nearness is the shift σ of damped modes relative to the largest wanted |λ|. If the least |λ| other
	// than zero is more than bandRange times smaller, σ is relative to the least one: the error of a vibration λ is
	// about ritzTol·|σ/λ|², relative to λ.
	nearness, bandRange = 0.2, 1e3
	// shiftGain is the factor from a shift to the next one below which it is worth a new factorization, even of the modified
	// matrix.
	shiftGain = 0.3
	// shiftFall is the least factor from a shift to the next one, as eigenvalues far below a shift have large errors. Another value costs
	// time only.
	shiftFall = 1e-4
	// shiftBeyond is the factor from the magnitude of a negative eigenvalue to the shift that makes K positive definite.
	shiftBeyond = 2
	// bands is the largest number of shifts σ.
	bands = 6
	// bandReach is the distance from the shift, relative to the nearest eigenvalue's distance, up to which the iteration finds all
	// eigenvalues. Eigenvalues beyond may be lost in the start vectors.
	bandReach = 1e4
	// bandGain is the least factor from a shift to the next one that is worth another band.
	bandGain = 2
	// bandEdge is the relative error of an eigenvalue at the reach of a band.
	bandEdge = 1e-3
	// immobileTol is the largest energy of a displacement that is rounding, relative to its energy without joints, where the joints allow no
	// motion.
	immobileTol = 1e-26
	// shiftFloor is the least shift relative to a typical eigenvalue.
	shiftFloor = 1e-10
)

// sparseModes computes the lowest modes by Krylov iteration with the inverse of the
// shifted system. If some mode violates a joint, it starts again with the next way to factor (s.skip), which keeps more
// rows, and returns ErrSingular after the last. It returns ErrUnstable if the shifted system is not positive definite without held inertia.
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
		// This way to factor has dropped a row with a small pivot that was not redundant.
		if s.skip++; s.skip > kkt.KeepAll {
			return nil, fault.Errorf("linear: %w", ErrSingular)
		}
	}
}

// errDropped says that a mode does not satisfy the joints, because a factorization has dropped a row.
var errDropped = errors.New("joint dropped")

// shiftedModes computes the modes nearest to zero, as many as o asks for, by shift and invert. It returns errDropped if one violates the
// joints.
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
	// The test of symmetry comes before later shifts, which may fail and leave v without a factorization.
	symmetric := s.symmetricOn(v.h, s.imbalance)
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

// typical returns a typical eigenvalue of K, 1/s²: the quotient xᵀKx/xᵀMx of a random displacement
// that the joints allow, or 0 if they allow none. It also returns the inverse with a shift of the mean size of the terms of
// K (meanSize), at least the least shift, or with a smaller shift where rounding allows no factorization. least is the least shift with
// which the blocks of z are positive semidefinite.
func (s *System) typical(z *split, least float64) (float64, *inverse, error) {
	guess := s.meanSize()
	v := &inverse{sys: s, z: z, least: shiftMargin * least}
	err := v.useExact(max(v.least, guess))
	for i := 0; i < shiftDrops && unfactored(err); i++ {
		err = v.setShift(v.s * shiftDrop)
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
	free := floats.Dot(x, g) / (v.s * v.s) // xᵀMx of the solution without joints and stiffness
	h.solveTo(x, g)
	s.MassTo(g, x)
	m := floats.Dot(x, g)
	if !(m > immobileTol*free) {
		return 0, v, nil
	}
	s.StiffnessTo(g, x)
	return max(math.Abs(floats.Dot(x, g))/m, 1e-6*guess), v, nil
}

// symmetricOn reports whether K is symmetric on displacements that the joints allow, by a test with three pairs of random ones that h
// solves for. unbalanced are the unbalanced forces, six numbers a body, nil in balance: the skew part that they give K (subtractSkew) does
// not count. It returns true if the context ends.
func (s *System) symmetricOn(h *shifted, unbalanced []float64) bool {
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
		difference := floats.Dot(x, Ky) - floats.Dot(y, Kx)
		for i := 0; i < len(unbalanced); i += 6 {
			difference -= spatial.Vec3(x[i : i+3]).Dot(spatial.Vec3(unbalanced[i : i+3]).Cross(spatial.Vec3(y[i : i+3])))
		}
		size := math.Sqrt(s.termsOf(x) * s.termsOf(y))
		if math.Abs(difference) > symmetricTol*size/math.Sqrt(float64(n)) {
			return false
		}
	}
	return true
}

// undampedModes stores in out the o.Count lowest modes of M and the symmetric part of K. With θ an
// eigenvalue of (K+sM)⁻¹M, λ² = s − 1/θ. v is the inverse, whose shift it changes, and typical a typical eigenvalue of K, 1/s².
func (s *System) undampedModes(out *Modes, o ModeOptions, v *inverse, typical float64) error {
	if err := s.lowerShift(out, v, typical); err != nil {
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

// undampedLowest stores the lowest want modes in out, of which count are asked for. cut reports that want is too small: with this shift
// the last eigenvalue, and perhaps eigenvalues after it, cannot be distinguished from zero, and some mode is not rigid. The vectors then
// span only a part of the space of nearly zero eigenvalues, which need not contain the shapes of K.
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
		// All other eigenvalues are far beyond the shift. It is nearly zero if there are at least probeValues rigid modes.
		next := bandReach / k.largest
		if !(next > bandGain*v.s) {
			break
		}
		if factored = v.setShift(next) == nil; !factored {
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

// addShapes adds to out the undamped modes of the eigenvalues r of k. factored says that v has a factorization, with which shapes are
// purified. It returns errDropped if a shape violates the joints, the errors of separateAlike, or the cause if the context ends.
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
	if err := s.separateAlike(shapes, theta); err != nil {
		return err
	}
	for _, x := range shapes {
		out.List = append(out.List, s.undamped(x))
	}
	return nil
}

// lowest computes the lowest want eigenvalues, or fewer if the others are rounding, with the shift of v. It raises the shift
// where conjugate gradients fail, and returns ErrNoConvergence after shiftRounds of that.
func (s *System) lowest(out *Modes, v *inverse, want int) (*krylov, []ritz, error) {
	// The rounds are limited because setShift returns to a smaller shift where rounding allows no factorization with the raised one, and
	// the two could alternate for ever.
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
		if err = v.raiseShift(out, err); err != nil {
			return nil, nil, err
		}
	}
}

// lowerShift lowers the shift of v to the size of the lowest eigenvalues, which some steps of the iteration estimate. If they fail, it
// raises the shift once and ends.
func (s *System) lowerShift(out *Modes, v *inverse, typical float64) error {
	for range shiftRounds {
		k := s.newShapes(v)
		err := k.start(1)
		for range probeSteps {
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
			return v.raiseShift(out, err)
		}
		wanted := 0.0
		all, err := k.ritz()
		if err != nil {
			return err
		}
		for i, r := range all {
			lambda := 1/real(r.theta) - v.s
			if i < probeValues {
				wanted = max(wanted, math.Abs(lambda))
			}
			if math.Abs(real(r.theta)) > noiseTol*k.largest { // smaller ones may have the sign of rounding
				wanted = max(wanted, -shiftBeyond*lambda)
			}
		}
		next := max(wanted, shiftFloor*typical, shiftFall*v.s)
		// The shift stays if the next one is not much lower. It also stays if v has a factorization of K itself and the next shift would need
		// the modified K, unless it is much lower than the least shift of K itself, or that is much lower than the present one.
		if !(next < shiftGain*v.s) || v.metric == nil && next > shiftGain*v.least && !(v.least < shiftGain*v.s) {
			return nil
		}
		if err := v.setShift(next); err != nil {
			return err
		}
		out.Factors++
	}
	return nil
}
