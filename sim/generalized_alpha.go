package sim

import (
	"context"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/team"
)

// GeneralizedAlphaOptions choose a generalized-α method. The zero value is the default.
type GeneralizedAlphaOptions struct {
	// Rho is the spectral radius ρ∞ at infinite frequency, in (0, 1): the factor by which a step reduces
	// the fastest vibrations. 0 stands for DefaultRho.
	Rho float64
	// Annihilate sets ρ∞ = 0: a step removes the fastest vibrations. Rho has
	// to be 0.
	Annihilate bool
	// Tolerance is the tolerance of error control. The least Relative is 5e-14 times 1 + the
	// largest distance of a body from the origin in units of Length; a smaller one counts as that.
	Tolerance Tolerance
	// Fixed says that steps are fixed: no errors are estimated, which saves two solves a step.
	Fixed bool
	// Quick makes steps cheaper by not solving their equations to rounding: the error left is a small
	// part of the tolerance, as with contacts in any case. The matrix of a step is then factored at its end, and a matrix of earlier
	// steps is tried only if that has succeeded before. With Fixed, which has no tolerance, the error left is as with contacts.
	Quick bool
	// RawVelocities keeps the velocities of the method, with an error
	// of order 2 in the directions of the joints, instead of projecting them on
	// the joints. With fixed steps the motion is the same up to rounding.
	RawVelocities bool
}

// DefaultRho is a ρ∞ that damps fast vibrations within some ten steps, and slow ones
// only a little.
const DefaultRho = 0.8

// Alphas are the coefficients of a generalized-α method of Chung & Hulbert (1993), theory.md (53).
type Alphas struct {
	M, F, Beta, Gamma float64 // αm, αf, β, γ

	Shift float64 // αm − αf: a is the acceleration at t + Shift·h
	Gain  float64 // ∂a/∂u = (1 − αf)/(1 − αm)

	// Position and Velocity are the constants of the local errors: of positions Position·h³·v̈, of velocities Velocity·h³·d³v/dt³.
	Position, Velocity float64
}

// chungHulbert returns the coefficients of order 2 with the
// spectral radius rho at infinite frequency and the least damping of low frequencies, theory.md (53) (Chung &
// Hulbert 1993, eqs. 17, 20, 25), and the constants of the local errors, (59).
func chungHulbert(rho float64) Alphas {
	c := Alphas{M: (2*rho - 1) / (rho + 1), F: rho / (rho + 1)}
	c.Shift = c.M - c.F
	c.Gain = (1 - c.F) / (1 - c.M)
	c.Gamma = 0.5 - c.Shift
	c.Beta = (c.Gamma + 0.5) * (c.Gamma + 0.5) / 4
	c.Position = 1./6 - c.Beta - c.Shift/2
	c.Velocity = -(1./12 + c.Shift*(c.F-0.5))
	return c
}

// GeneralizedAlpha is the generalized-α method on the Lie group of poses, for the equations of
// motion with the joints at position level, which is index 3 (Brüls, Cardona & Arnold 2012). It
// is a Stepper. With u the accelerations, a step is, theory.md (51), (52),
//
//	x  = h·v₀ + h²·((½ − β)·a₀ + β·a₁),   R₁ = exp(x_ω)·R₀
//	v₁ = v₀ + h·((1 − γ)·a₀ + γ·a₁)
//	(1 − αm)·a₁ + αm·a₀ = (1 − αf)·u₁ + αf·u₀
//	M·u₁ = f₁ + J₁ᵀ·λ₁,   δ(q₁, t₁) = 0
//
// in the exponential coordinates of this package. Positions, velocities and multipliers
// converge with order 2, and the joints hold to the tolerance of Newton's method.
//
// Two measures keep the multipliers at that order from the first step on, and when the step changes.
// The first is a start of a at t + (αm − αf)·h, where it approximates the acceleration (Arnold & Brüls 2007);
// a is moved when h changes. The second is the offset, theory.md (55): in the directions of the
// joints the velocities of the method differ by it, of order h², from velocities that the joints
// allow. With the offset the errors of the positions agree with the joints. It is computed at
// the start (Arnold, Brüls & Cardona 2015), kept beside the projected velocities, and
// changed with h².
type GeneralizedAlpha struct {
	halt team.Watch
	mech *mechanism.Mechanism
	dyn  ImplicitDynamics
	o    GeneralizedAlphaOptions
	c    Alphas

	kept     alphaKept
	start    []anchor // bodies at the start of the step
	from, to alphaEnd // start and end of the step
	newton   alphaNewton
	inner    *internals
	x        []float64 // exponential coordinates of the end
	v1       []float64 // velocities of the end, angular and of centres of mass
	e        []float64 // scratch
	end      mechanism.State
	t0, h    float64

	turned         float64 // largest angle by which a body turns in the step, rad
	relative       float64 // tolerance of the step last tried
	tried          bool
	anew           bool // the step last tried has no history
	evaluations    int64
	factorizations int64
}

// alphaKept has the numbers of a step that the next step needs.
type alphaKept struct {
	all    []float64 // memory of the lists below, and of the angles, internal states and reactions of alphaNewton.lin
	head   []float64 // single numbers, with the indices headStep …
	offset []float64 // velocities of the method less the velocities of the state
	u, a   []float64
	change []float64 // change of a in the last step
	lambda []float64
	swing  []float64 // change of lambda in the last step
	pose   []float64 // state for which the matrix has been factored, thirteen numbers for each body
	load   []float64 // reactions of bearings
	valid  bool      // the numbers belong to the state from which the next step starts
}

// alphaEnd is one end of a step.
type alphaEnd struct {
	u, a     []float64
	w        []float64 // offset
	lambda   []float64
	inA, inB []float64 // rates of internal states are inA + inB·state
}

// alphaNewton is the memory of the Newton iteration of a step.
type alphaNewton struct {
	lin         mechanism.State // state for which the matrix has been factored
	factors     bool            // the factors belong to kept.head and kept.pose
	eager       bool            // the iteration gives a slow matrix up early
	kinked      bool            // forces have kinks (contacts, stops, friction), or Quick is set
	du, dlambda []float64       // correction
	mix         anderson
	corrected   float64 // size of the last correction
	roundings   float64 // size up to which a correction is rounding
	theta       float64 // ratio of the last two corrections with the matrix; 1 before the second one
	rate        float64 // smallest change of velocities by a correction of the iteration
	restless    int     // number of corrections of the iteration with no smaller change
	bent        float64 // smallest change of the forces of bristles by a correction of the iteration (internals.shift)
	unbent      int     // number of corrections of the iteration with no smaller such change
}

// Indices of alphaKept.head.
const (
	headStep     = iota // length of the last step, s
	headChanged         // changed if there has been a step, changedAnew if that had no history
	headMatrix          // 0 if no matrix has been factored; else 1, with Quick plus the number of consecutive steps that needed a new matrix
	headPosition        // from here on the arguments of Linearize, and the time, besides pose
	headVelocity
	headLevel
	headTime
	headSize
)

// Values of alphaKept.head[headChanged] after a step.
const (
	changed     = 1
	changedAnew = 2
)

// NewGeneralizedAlpha returns an integrator with its memory.
//
// Zeros in o.Tolerance stand for the defaults. It panics if an option is out
// of range, or if m or d is nil.
func NewGeneralizedAlpha(m *mechanism.Mechanism, d ImplicitDynamics, o GeneralizedAlphaOptions) *GeneralizedAlpha {
	mustHave(m, d == nil)
	if !(o.Rho >= 0 && o.Rho < 1) || o.Annihilate && o.Rho != 0 {
		panic("sim: rho out of range")
	}
	if o.Rho == 0 && !o.Annihilate {
		o.Rho = DefaultRho
	}
	if t := o.Tolerance; !(t.Relative >= 0 && t.Length >= 0 && t.Rate >= 0) {
		panic("sim: tolerance out of range")
	}
	o.Tolerance = o.Tolerance.withDefaults(m.TypicalLength())
	nb, nr := m.NumBodies(), d.Rows()
	k := &GeneralizedAlpha{mech: m, dyn: d, o: o, c: chungHulbert(o.Rho), start: make([]anchor, nb), relative: o.Tolerance.Relative}
	na, ni, nl := m.NumSprung(), m.NumInternal(), m.NumBearings()
	k.kept.all = make([]float64, headSize+4*6*nb+2*nr+13*nb+na+ni+2*nl)
	rest := k.kept.all
	cut := func(n int) (v []float64) {
		v, rest = rest[:n:n], rest[n:]
		return v
	}
	k.kept.head, k.kept.offset, k.kept.u, k.kept.a, k.kept.change = cut(headSize), cut(6*nb), cut(6*nb), cut(6*nb), cut(6*nb)
	k.kept.lambda, k.kept.swing, k.kept.pose, k.newton.lin.Angles, k.newton.lin.Internal = cut(nr), cut(nr), cut(13*nb), cut(na), cut(ni)
	k.newton.lin.Bearings, k.kept.load, k.end.Bearings = cut(nl), cut(nl), make([]float64, nl)
	k.inner, k.end.Internal = newInternals(m), make([]float64, ni)
	for _, v := range []*[]float64{&k.from.inA, &k.from.inB, &k.to.inA, &k.to.inB} {
		*v = make([]float64, ni)
	}
	for _, v := range []*[]float64{&k.from.u, &k.from.a, &k.from.w, &k.to.u, &k.to.a, &k.to.w, &k.x, &k.v1, &k.newton.du, &k.e} {
		*v = make([]float64, 6*nb)
	}
	for _, v := range []*[]float64{&k.from.lambda, &k.to.lambda, &k.newton.dlambda} {
		*v = make([]float64, nr)
	}
	if k.newton.kinked = o.Quick || m.NumContacts()+m.NumResistors() > 0; k.newton.kinked {
		k.newton.mix.allocate(6*nb, nr, o.Tolerance.Length)
	}
	k.end.Bodies, k.newton.lin.Bodies = make([]mechanism.BodyState, nb), make([]mechanism.BodyState, nb)
	return k
}

// Order implements Stepper.
func (k *GeneralizedAlpha) Order() (order, embedded int) {
	if k.o.Fixed {
		return 2, 0
	}
	return 2, 2
}

// Evaluations implements Stepper: it counts Newton corrections too.
func (k *GeneralizedAlpha) Evaluations() int64 { return k.evaluations }

// Factorizations returns the number of factorizations of the matrix of Newton's method.
func (k *GeneralizedAlpha) Factorizations() int64 { return k.factorizations }

// Settings implements Stepper.
func (k *GeneralizedAlpha) Settings() string {
	t := &k.o.Tolerance
	text := fmt.Sprintf("generalized-alpha, rho %v, relative tolerance %v, length %v, rate %v, fixed %t, raw velocities %t",
		k.o.Rho, t.Relative, t.Length, t.Rate, k.o.Fixed, k.o.RawVelocities)
	if k.o.Quick {
		text += ", quick"
	}
	return text
}

// CloseStages implements Stepper: every step closes the joints.
func (k *GeneralizedAlpha) CloseStages(Projector) {}

// ClosesJoints tells a Simulation that steps close the joints, and that a fixed step that fails can be tried halved.
func (k *GeneralizedAlpha) ClosesJoints() {}

// Restart implements Stepper.
func (k *GeneralizedAlpha) Restart() {
	k.kept.valid, k.newton.factors, k.tried = false, false, false
	k.kept.head[headMatrix] = 0
}

// Kept implements Stepper.
func (k *GeneralizedAlpha) Kept() []float64 {
	if !k.kept.valid {
		return nil
	}
	return k.kept.all
}

// Keep implements Stepper.
func (k *GeneralizedAlpha) Keep() []float64 {
	k.kept.valid, k.newton.factors, k.tried = true, false, false
	return k.kept.all
}

// Multipliers returns the multipliers of ImplicitDynamics at the end of the last accepted
// step. The list belongs to the stepper.
//
// Where multipliers are not unique, it has one of the solutions.
func (k *GeneralizedAlpha) Multipliers() []float64 { return k.kept.lambda }

// Accelerations returns u at the end of the last accepted step, six numbers for each body.
// The list belongs to the stepper.
func (k *GeneralizedAlpha) Accelerations() []float64 { return k.kept.u }

// Relative returns the relative tolerance of the step last tried: the larger of Tolerance.Relative and the bound of rounding.
func (k *GeneralizedAlpha) Relative() float64 { return k.relative }

// place computes k.end, the end of the step for the accelerations k.to.u, theory.md (51). It returns a
// HalfTurnError if a body turns by turnBound or more.
func (k *GeneralizedAlpha) place() error {
	c, h := &k.c, k.h
	body, square := 0, 0.0
	for i := range k.start {
		s := &k.start[i]
		o := 6 * i
		x, w := (*[6]float64)(k.x[o:]), (*[6]float64)(k.from.w[o:])
		u0, u1, a0, a1 := (*[6]float64)(k.from.u[o:]), (*[6]float64)(k.to.u[o:]), (*[6]float64)(k.from.a[o:]), (*[6]float64)(k.to.a[o:])
		var v [6]float64
		for j := range 6 {
			x[j] = h * (s.velocity[j] + w[j])
			a1[j] = ((1-c.F)*u1[j] + c.F*u0[j] - c.M*a0[j]) / (1 - c.M)
			x[j] += h * h * ((0.5-c.Beta)*a0[j] + c.Beta*a1[j])
			v[j] = w[j] + h*((1-c.Gamma)*a0[j]+c.Gamma*a1[j])
		}
		if s := x[0]*x[0] + x[1]*x[1] + x[2]*x[2]; !(s <= square) && square == square { // a NaN stays
			body, square = i, s
		}
		s.bodyTo(&k.end.Bodies[i], x, &v, &k.mech.Bodies[i].Com)
		copy(k.v1[o:o+6], v[:])
	}
	k.turned = math.Sqrt(square)
	if most := turnBound(k.mech); !(square < most*most) {
		return &HalfTurnError{At: *k.mech.AtBody(body, errHalfTurn), Time: k.t0, Angle: k.turned, Span: h}
	}
	return k.bend()
}

// furthest returns the largest angle by which a body turns in the step last tried, at its end, rad.
func (k *GeneralizedAlpha) furthest() float64 { return k.turned }

// bend computes the internal states of k.end: the solution of ξ̇ = a + b·ξ with the means of
// a and b over the ends of the step,
//
//	ξ₁ = e^(hb)·ξ₀ + h·φ(hb)·a,   φ(z) = (e^z − 1)/z,
//
// which is of order 2, and stable however fast the states settle. So the states need no unknowns. For states
// that do not settle within the step, the next term of Magnus' series, h/12·(b₁a₀ − b₀a₁)/(1 + (hb)²), is added to a: a and b·ξ nearly
// cancel for slips, and without it this term would be most of the error. For bristles of
// joints h·a is the exact travel of the freedom over the step, and |h·b| at most the value for sliding by this travel:
// with the means of the velocities at the ends alone, bristles would creep.
func (k *GeneralizedAlpha) bend() error {
	if len(k.inner.at) == 0 {
		return nil
	}
	copy(k.end.Internal, k.inner.at)
	if err := k.inner.coefficientsTo(k.to.inA, k.to.inB, &k.end); err != nil {
		return fault.Errorf("sim: at t = %v: %w", k.end.Time, err)
	}
	copy(k.inner.a, k.to.inA)
	copy(k.inner.b, k.to.inB)
	k.inner.coordinatesTo(k.inner.to, &k.end)
	for i := range k.inner.bristles {
		at := k.inner.bristles[i].state
		went := k.inner.travel(i) / k.h
		if speed := (math.Abs(k.from.inA[at]) + math.Abs(k.to.inA[at])) / 2; speed > math.Abs(went) {
			part := math.Abs(went) / speed // motion to and fro does not count as sliding
			k.to.inB[at] = part*(k.from.inB[at]+k.to.inB[at]) - k.from.inB[at]
		}
		k.to.inA[at] = 2*went - k.from.inA[at]
	}
	for i, x := range k.inner.at {
		a, z := (k.from.inA[i]+k.to.inA[i])/2, k.h*(k.from.inB[i]+k.to.inB[i])/2
		a += k.h / 12 * (k.inner.b[i]*k.from.inA[i] - k.from.inB[i]*k.inner.a[i]) / (1 + z*z)
		phi := 1.0
		if math.Abs(z) > 1e-300 {
			phi = math.Expm1(z) / z
		}
		k.end.Internal[i] = math.Exp(z)*x + k.h*phi*a
	}
	k.inner.holdAt(k.end.Internal)
	return nil
}

// Watch implements Watcher. It also watches the dynamics, if they are a Watcher.
func (k *GeneralizedAlpha) Watch(ctx context.Context) (end func()) {
	return watchBoth(ctx, &k.halt, k.dyn)
}

func (k *GeneralizedAlpha) dynamics() any { return k.dyn }

// poseSize returns the size of a change e of the poses, six numbers for each body: the largest rotation, rad,
// or displacement over Tolerance.Length. It is NaN if e has a NaN.
func (k *GeneralizedAlpha) poseSize(e []float64) (size float64) {
	for i := 0; i < len(e); i += 6 {
		size = max(size, length(e[i:i+3]), length(e[i+3:i+6])/k.o.Tolerance.Length)
	}
	return size
}

// speedSize returns the size of a change e of the velocities, six numbers for each body, relative to the velocities as in
// Tolerance. It is NaN if e has a NaN.
func (k *GeneralizedAlpha) speedSize(e []float64) (size float64) {
	L, rate := k.o.Tolerance.Length, k.o.Tolerance.Rate
	for i := range k.start {
		v := &k.start[i].velocity
		size = max(size, length(e[6*i:6*i+3])/(rate+length(v[:3])), length(e[6*i+3:6*i+6])/(L*rate+length(v[3:])))
	}
	return size
}
