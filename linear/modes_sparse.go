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
	// nearness is the shift σ of damped modes relative to the largest |λ| that is wanted.
	nearness = 0.2
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
		// A pivot has been taken for that of a redundant row.
		if s.skip++; s.skip > kkt.KeepAll {
			return nil, fault.Errorf("linear: %w", ErrSingular)
		}
	}
}

// errDropped says that a mode does not satisfy the joints.
var errDropped = errors.New("joint dropped")

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

// hasDamping reports whether C is not zero.
func (s *System) hasDamping() bool {
	for i := range s.rows {
		if s.rows[i].d != 0 {
			return true
		}
	}
	for i := range s.pairs {
		if C := s.pairs[i].C; C != nil && !allZero(C[:]) {
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
	whole := func() bool {
		return len(r) <= o.Count && (len(r) < want || k.done == len(k.V)) && s.covers(len(r))
	}
	out.All = whole()
	for i := 1; i < bands && !out.All && len(r) > 0 && len(r) < want; i++ {
		// Other eigenvalues are far beyond the shift. The shift is next to nothing where there
		// are as many rigid modes as lower looks at.
		next := bandReach / k.largest
		if !(next > bandGain*v.s) || v.take(next) != nil {
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
	for i := range min(want, len(r)) {
		if s.over() {
			return s.orCause(nil)
		}
		x, _ := k.vector(r[i].y)
		if s.violates(x, algebra.MaxAbs(x)) {
			return errDropped
		}
		out.List = append(out.List, s.undamped(x))
		out.Residual = max(out.Residual, r[i].residual/cmplx.Abs(r[i].theta))
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
		k := s.newKrylov(s.dim(), v.applyMass, s.MassTo)
		k.symmetric = true
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
		k := s.newKrylov(s.dim(), v.applyMass, s.MassTo)
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
		all, err := k.ritz()
		if err != nil {
			return err
		}
		for i, r := range all {
			lambda := 1/real(r.theta) - v.s
			if i < lookValues {
				wanted = max(wanted, math.Abs(lambda))
			}
			wanted = max(wanted, -shiftBeyond*lambda)
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
	sigma := math.Sqrt(shiftFloor * typical)
	for i := range first.List {
		sigma = max(sigma, nearness*first.List[i].AngularFrequency())
	}
	if symmetric {
		// Where K has no force, damping does not move a body either.
		for i := range first.List {
			if first.List[i].Kind == Rigid {
				out.List = append(out.List, first.List[i])
			}
		}
	}
	var seen []band
	count := 0 // eigenvalues
	for {
		b, n, err := s.dampedBand(out, o, first.List, sigma, seen)
		if err != nil && (len(seen) == 0 || !errors.Is(err, ErrNoConvergence) && !unfactored(err)) {
			return err
		}
		count += n
		if seen = append(seen, b); err != nil || len(out.List) >= o.Count || len(seen) == bands || s.covers(count/2) {
			break
		}
		if sigma = b.reach; sigma < bandGain*b.sigma {
			break
		}
	}
	out.All = len(out.List) <= o.Count && s.covers(count/2)
	out.choose(o.Count)
	return nil
}

// band says what has been seen with a shift: all eigenvalues nearer to sigma than reach.
type band struct{ sigma, reach float64 }

// known reports whether the eigenvalue λ has been seen in a band or is that of a mode of list.
func known(lambda complex128, seen []band, list []Mode) bool {
	for i := range seen {
		if cmplx.Abs(lambda-complex(seen[i].sigma, 0)) < (1-bandEdge)*seen[i].reach {
			return true
		}
	}
	for i := range list {
		if cmplx.Abs(lambda-list[i].Lambda) <= bandEdge*cmplx.Abs(lambda) {
			return true
		}
	}
	return false
}

// dampedBand adds to out the modes around σ that are not known from bands before, and returns their
// band and the number of their eigenvalues. The undamped modes are the start.
func (s *System) dampedBand(out *Modes, o ModeOptions, undamped []Mode, sigma float64, seen []band) (b band, count int, err error) {
	g, err := s.quadratic(sigma)
	if err != nil {
		return b, 0, err
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
		return b, 0, err
	}
	want := min(2*o.Count+max(4, o.Count/2), 2*n)
	before := out.List
	for {
		if s.over() {
			return b, 0, s.orCause(nil)
		}
		r, err := k.run(want, ritzTol)
		if err != nil {
			return b, 0, err
		}
		// Eigenvalues come in the order of their distance from σ, and all within a radius are
		// there. So the lowest are those whose size is below the radius less σ.
		all := len(r) < want || k.done == len(k.V) || len(k.V) == 0
		radius := math.Inf(1)
		if !all {
			radius = 1/cmplx.Abs(r[want-1].theta)*(1+realTol) - g.sigma
		}
		b = band{g.sigma, bandReach / k.largest}
		out.List = slices.Clone(before)
		count = s.collect(out, k, r, &b, radius, seen)
		if all || len(out.List) >= o.Count {
			break
		}
		want += max(2, want/2)
	}
	out.Shift = g.sigma * g.sigma
	out.Products += k.products
	return b, count, nil
}

// collect adds to out the modes of the eigenvalues r. It leaves out those that are known, those
// beyond a radius unless they grow, as these come first, and conjugates. It returns the number of eigenvalues, conjugates included,
// and brings the reach of b down to the first whose shape is lost in rounding.
func (s *System) collect(out *Modes, k *krylov, r []ritz, b *band, radius float64, seen []band) (count int) {
	n := s.dim()
	before := out.List
	for i := range r {
		if s.over() {
			return count
		}
		theta := r[i].theta
		if imag(theta) > 0 { // λ is below the real axis
			continue
		}
		lambda := complex(b.sigma, 0) + 1/theta
		if cmplx.Abs(lambda) > radius && real(lambda) < 0 || len(seen) > 0 && known(lambda, seen, before) {
			continue
		}
		re, im := k.vector(r[i].y)
		if size := max(algebra.MaxAbs(re[:n]), algebra.MaxAbs(im[:n])); s.violates(re[:n], size) || s.violates(im[:n], size) {
			b.reach = min(b.reach, 1/cmplx.Abs(theta))
			continue
		}
		count++
		if imag(theta) != 0 {
			count++
		}
		m, doubtful := s.damped(lambda, re[:n], im[:n], b.sigma*b.sigma)
		if doubtful {
			m.Kind, m.Lambda = Rigid, 0
		}
		out.List = append(out.List, m)
		out.Residual = max(out.Residual, r[i].residual/cmplx.Abs(theta))
	}
	s.settleRigid(out)
	return count
}

// covers reports whether the joints allow no more than count independent motions. It returns
// false where rounding leaves the rank of the joints open.
//
// Cost: two factorizations and a solver, but none where the number of rows decides.
func (s *System) covers(count int) bool {
	mobility := s.dim() - s.Rows()
	if count < mobility {
		return false
	}
	solver := s.plan.NewSolver()
	defer solver.Watch(s.space.Watched().Context())()
	rank, err := solver.RankAt(s.st)
	if err != nil {
		return false
	}
	for _, n := range rank.RedundantRows {
		mobility += n
	}
	return count >= mobility
}

// violateTol is the largest violation of a joint by a shape, relative to its size. Shapes with
// more are no solutions.
const violateTol = 1e-6

// violates reports whether the part x of a shape of the given size does not satisfy the
// joints.
func (s *System) violates(x []float64, size float64) bool {
	J := make([]float64, s.Rows())
	s.JacobianTo(J, x)
	return algebra.MaxAbs(J) > violateTol*max(1, s.longest())*size
}
