package sim

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/team"
)

// GeneralizedAlphaOptions choose a generalized-α method. The zero value is the default.
type GeneralizedAlphaOptions struct {
	// Rho is the spectral radius ρ∞ at infinite frequency, in (0, 1): what a step leaves of
	// the fastest vibrations. 0 stands for DefaultRho.
	Rho float64

	// Annihilate says that a step leaves nothing of the fastest vibrations: ρ∞ = 0. Rho has
	// to be 0.
	Annihilate bool

	// Tolerance is the tolerance of error control; Fixed leaves the estimate out. A Relative
	// below rounding counts as that much: 5e-14 times 1 + the largest distance of a body from
	// the origin in units of Length.
	Tolerance Tolerance

	// Fixed says that steps are fixed: no errors are estimated, at two solves a step less.
	Fixed bool

	// RawVelocities leaves velocities as the method makes them, with an error
	// of order 2 in the directions of the joints, instead of projecting them on
	// the joints. The motion is the same up to rounding while steps are fixed.
	RawVelocities bool
}

// DefaultRho is a ρ∞ that damps fast vibrations within some ten steps and slow ones
// little.
const DefaultRho = 0.8

// alphas are the coefficients of Chung & Hulbert (1993), theory.md (53), with their error
// constants.
type alphas struct {
	M, F, Beta, Gamma float64 // αm, αf, β, γ

	Shift float64 // αm − αf: a is the acceleration at t + Shift·h
	Gain  float64 // ∂a/∂u = (1 − αf)/(1 − αm)

	// Local errors of positions, Position·h³·v̈, and of velocities, Velocity·h³·d³v/dt³.
	Position, Velocity float64
}

// chungHulbert returns the coefficients that make the method of order 2 with the
// spectral radius rho at infinite frequency and the least damping below, theory.md (53) (Chung &
// Hulbert 1993, eqs. 17, 20, 25), and the constants of the local errors, (59).
func chungHulbert(rho float64) alphas {
	c := alphas{M: (2*rho - 1) / (rho + 1), F: rho / (rho + 1)}
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
// Two things keep the multipliers at that order from the first step on, and when steps change.
// The first is a, the acceleration at t + (αm − αf)·h. It starts there (Arnold & Brüls 2007),
// and moves when h changes. The second is the offset, theory.md (55): in the directions of the
// joints the velocities of the method differ by it, of order h², from those that the joints
// allow. With it the errors of the positions agree with the joints. The offset is there from
// the start (Arnold, Brüls & Cardona 2015), is kept beside the projected velocities, and
// changes with h².
type GeneralizedAlpha struct {
	halt team.Watch
	mech *mechanism.Mechanism
	dyn  ImplicitDynamics
	o    GeneralizedAlphaOptions
	c    alphas

	// What the next step takes over: kept is all of it.
	kept    []float64
	head    []float64 // kept of the indices headStep …
	offset  []float64 // of the method's velocities from those of the state
	u, a    []float64
	change  []float64 // of a in the last step
	lambda  []float64
	swing   []float64 // change of lambda
	pose    []float64 // thirteen a body: the state for which the matrix has been factored
	eager   bool      // a matrix is given up early
	valid   bool      // kept is of the state from which the next step starts
	factors bool      // the matrix is that of head and pose

	// At the start of a step, and at its end.
	start                []anchor
	u0, a0, w0, lambda0  []float64 // w: offset
	u1, a1, w1, lambda1  []float64
	x                    []float64 // exponential coordinates of the end
	v1                   []float64 // velocities of the end, angular and of centres of mass
	du, dlambda, e       []float64
	end, lin             mechanism.State
	mix                  anderson
	t0, h                float64
	corrected, roundings float64 // size of the last Newton correction, and the size up to which a correction is rounding

	load       []float64 // kept: reactions of bearings
	kinked     bool      // forces have kinks: contacts, stops, friction
	inner      *internals
	inA, inB   []float64 // rates of internal states at the start are inA + inB·state
	inA1, inB1 []float64 // at the end

	theta          float64 // what a correction with the matrix left of the error when last seen; 1 if it has not been
	rate           float64 // the smallest change of velocities by a correction of the iteration
	restless       int     // corrections of the iteration that were no smaller
	bent           float64 // the smallest change by a correction of what bristles hold
	unbent         int     // corrections of the iteration in which that was no smaller
	turned         float64 // largest angle of a body in the step, rad
	relative       float64 // tolerance of the step last tried
	tried          bool
	evaluations    int64
	factorizations int64
}

// Indices of GeneralizedAlpha.head.
const (
	headStep     = iota // the last step, s
	headChanged         // 1 if change is of a step
	headMatrix          // 1 if the matrix has been factored
	headPosition        // the arguments of the matrix besides pose
	headVelocity
	headLevel
	headTime
	headSize
)

// NewGeneralizedAlpha returns an integrator with its memory.
//
// Zeros in o.Tolerance stand for the defaults. It panics if an option is out
// of range, or without a mechanism or dynamics.
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
	k.kept = make([]float64, headSize+4*6*nb+2*nr+13*nb+na+ni+2*nl)
	rest := k.kept
	cut := func(n int) (v []float64) {
		v, rest = rest[:n:n], rest[n:]
		return v
	}
	k.head, k.offset, k.u, k.a, k.change = cut(headSize), cut(6*nb), cut(6*nb), cut(6*nb), cut(6*nb)
	k.lambda, k.swing, k.pose, k.lin.Angles, k.lin.Internal = cut(nr), cut(nr), cut(13*nb), cut(na), cut(ni)
	k.lin.Bearings, k.load, k.end.Bearings = cut(nl), cut(nl), make([]float64, nl)
	k.inner, k.end.Internal = newInternals(m), make([]float64, ni)
	for _, v := range []*[]float64{&k.inA, &k.inB, &k.inA1, &k.inB1} {
		*v = make([]float64, ni)
	}
	for _, v := range []*[]float64{&k.u0, &k.a0, &k.w0, &k.u1, &k.a1, &k.w1, &k.x, &k.v1, &k.du, &k.e} {
		*v = make([]float64, 6*nb)
	}
	for _, v := range []*[]float64{&k.lambda0, &k.lambda1, &k.dlambda} {
		*v = make([]float64, nr)
	}
	if k.kinked = m.NumContacts()+m.NumResistors() > 0; k.kinked {
		k.mix.allocate(6*nb, nr, o.Tolerance.Length)
	}
	k.end.Bodies, k.lin.Bodies = make([]mechanism.BodyState, nb), make([]mechanism.BodyState, nb)
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

// Factorizations returns how often the Newton matrix has been factored.
func (k *GeneralizedAlpha) Factorizations() int64 { return k.factorizations }

// Settings implements Stepper.
func (k *GeneralizedAlpha) Settings() string {
	t := &k.o.Tolerance
	return fmt.Sprintf("generalized-alpha, rho %v, relative tolerance %v, length %v, rate %v, fixed %t, raw velocities %t",
		k.o.Rho, t.Relative, t.Length, t.Rate, k.o.Fixed, k.o.RawVelocities)
}

// CloseStages implements Stepper: every step closes the joints.
func (k *GeneralizedAlpha) CloseStages(Projector) {}

// ClosesJoints tells a Simulation that steps close the joints, and that a fixed step that fails can be tried halved.
func (k *GeneralizedAlpha) ClosesJoints() {}

// Restart implements Stepper.
func (k *GeneralizedAlpha) Restart() {
	k.valid, k.factors, k.tried = false, false, false
	k.head[headMatrix] = 0
}

// Kept implements Stepper.
func (k *GeneralizedAlpha) Kept() []float64 {
	if !k.valid {
		return nil
	}
	return k.kept
}

// Keep implements Stepper.
func (k *GeneralizedAlpha) Keep() []float64 {
	k.valid, k.factors, k.tried = true, false, false
	return k.kept
}

// Multipliers returns the multipliers of ImplicitDynamics at the end of the last accepted
// step. They are the stepper's own.
//
// Where they are not unique they are some of those that fit the motion.
func (k *GeneralizedAlpha) Multipliers() []float64 { return k.lambda }

// Accelerations returns u at the end of the last accepted step, six numbers a body.
// It is the stepper's own.
func (k *GeneralizedAlpha) Accelerations() []float64 { return k.u }

// Relative returns the relative tolerance of the step last tried: that of the options, unless that is below rounding.
func (k *GeneralizedAlpha) Relative() float64 { return k.relative }

// Try implements Stepper.
//
// Cost: a few corrections of Newton's method, a few solves, and a factorization where the
// matrix of an earlier step is not good enough. The first step from a state, or after Restart,
// is done twice, to find where a and the offset start. No allocation but for errors. It returns
// what wraps ErrHalfTurn or ErrNewton, and errors of the dynamics. It panics if st is of
// another mechanism.
func (k *GeneralizedAlpha) Try(st *mechanism.State, t float64) (float64, error) {
	if len(st.Bodies) != len(k.start) {
		panic("sim" + fault.ForeignState)
	}
	k.tried = false
	k.t0, k.h = st.Time, t-st.Time
	k.end.Time, k.end.Angles = t, st.Angles
	k.anchor(st)
	if err := k.halt.Err(); err != nil {
		return 0, err
	}
	k.inner.start(st)
	if err := k.inner.coefficientsTo(k.inA, k.inB, st); err != nil {
		return 0, fault.Errorf("sim: at t = %v: %w", st.Time, err)
	}
	k.inner.coordinatesTo(k.inner.from, st)
	if err := k.prepare(st); err != nil {
		return 0, err
	}
	if err := k.solve(st); err != nil {
		return 0, err
	}
	if err := k.settle(); err != nil {
		return 0, err
	}
	e, err := k.estimate()
	k.tried = err == nil
	return e, err
}

// anchor sets the charts at st, and the size of rounding there.
func (k *GeneralizedAlpha) anchor(st *mechanism.State) {
	far := 0.0
	for i := range k.start {
		k.start[i].set(&st.Bodies[i], &k.mech.Bodies[i].Com)
		p := &st.Bodies[i].Position
		far = max(far, math.Abs(p[0]), math.Abs(p[1]), math.Abs(p[2]))
	}
	k.roundings = newtonRounding * (1 + far/k.o.Tolerance.Length)
}

// prepare sets what a step of k.h starts from.
func (k *GeneralizedAlpha) prepare(st *mechanism.State) error {
	if !k.valid || k.h > restartRatio*k.head[headStep] {
		k.valid = false
		return k.begin(st)
	}
	copy(k.u0, k.u)
	copy(k.lambda0, k.lambda)
	copy(k.a0, k.a)
	copy(k.w0, k.offset)
	if k.h == k.head[headStep] {
		return nil
	}
	r := k.h / k.head[headStep]
	for i, c := range k.change {
		k.a0[i] += k.c.Shift * (r - 1) * c
		k.w0[i] *= r * r
	}
	return nil
}

// restartRatio is a ratio of a step to the last one, which was cut short. Above it, differences
// over the last step tell less than a new start.
const restartRatio = 16

// begin finds u, a and the offset at a state without history, theory.md (54), (55). A step from
// a = u without offset ends near enough to the solution to give the derivative of u. The
// derivative is taken between accelerations of the index-1 equations, which do not suffer from
// the wrong start. The states are those on either side of the step, where a fast vibration is
// as damped as the method will have it.
func (k *GeneralizedAlpha) begin(st *mechanism.State) error {
	clear(k.lambda0)
	clear(k.w0)
	if err := k.evaluate(k.u0, st); err != nil {
		return err
	}
	if err := k.bear(st); err != nil {
		return err
	}
	copy(k.a0, k.u0)
	if err := k.solve(st); err != nil {
		return err
	}
	copy(k.lambda0, k.lambda1)
	if err := k.settle(); err != nil {
		return err
	}
	if err := k.evaluate(k.u1, &k.end); err != nil {
		return err
	}
	for i, u := range k.u1 {
		k.e[i] = u - k.u0[i]
		k.a0[i] = k.u0[i] + k.c.Shift*k.e[i]
	}
	// J·w = J·l/h with l the local error of the positions.
	k.positionErrorTo(k.e, k.h, k.e)
	for i := range k.e {
		k.e[i] /= k.h
		k.w0[i] = k.e[i]
	}
	if err := k.dyn.Soften(k.e, st); err != nil {
		return err
	}
	for i, e := range k.e {
		k.w0[i] -= e
	}
	return nil
}

// bear stores the reactions at st that the matrix of the first step has.
func (k *GeneralizedAlpha) bear(st *mechanism.State) error {
	clear(k.load)
	b, ok := k.dyn.(Bearer)
	if len(k.load) == 0 || !ok {
		return nil
	}
	if err := b.BearingsTo(k.load, st); err != nil {
		return fault.Errorf("sim: reactions at t = %v: %w", st.Time, err)
	}
	return nil
}

func (k *GeneralizedAlpha) evaluate(u []float64, st *mechanism.State) error {
	k.evaluations++
	if err := k.dyn.Accelerations(u, st); err != nil {
		return fault.Errorf("sim: accelerations at t = %v: %w", st.Time, err)
	}
	return nil
}

// place makes k.end the end of the step for the accelerations k.u1, theory.md (51). It returns a
// HalfTurnError if a rotation does not stay below half a turn.
func (k *GeneralizedAlpha) place() error {
	c, h := &k.c, k.h
	body, square := 0, 0.0
	for i := range k.start {
		s := &k.start[i]
		o := 6 * i
		x, w := (*[6]float64)(k.x[o:]), (*[6]float64)(k.w0[o:])
		u0, u1, a0, a1 := (*[6]float64)(k.u0[o:]), (*[6]float64)(k.u1[o:]), (*[6]float64)(k.a0[o:]), (*[6]float64)(k.a1[o:])
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
		return &HalfTurnError{At: *k.mech.AtBody(body, ErrHalfTurn), Time: k.t0, Angle: k.turned, Span: h}
	}
	return k.bend()
}

// furthest returns the largest angle of a body in the step last tried, at its end.
func (k *GeneralizedAlpha) furthest() float64 { return k.turned }

// bend makes the internal states of k.end those at the end of the step: the solution of ξ̇ = a + b·ξ with the means of
// a and b over the ends of the step,
//
//	ξ₁ = e^(hb)·ξ₀ + h·φ(hb)·a,   φ(z) = (e^z − 1)/z,
//
// which is of order 2, and stable however fast the states settle. To a is added the next term of Magnus' series for states
// that do not settle within the step, h/12·(b₁a₀ − b₀a₁)/(1 + (hb)²): in slips a and b·ξ nearly cancel, and without it this
// would be most of the error. So they need no unknowns of their own. For bristles of
// joints h·a is the exact travel of the freedom over the step, and |h·b| is at most that of a sliding by this travel:
// with the means of the velocities at the ends alone, bristles would creep.
func (k *GeneralizedAlpha) bend() error {
	if len(k.inner.at) == 0 {
		return nil
	}
	copy(k.end.Internal, k.inner.at)
	if err := k.inner.coefficientsTo(k.inA1, k.inB1, &k.end); err != nil {
		return fault.Errorf("sim: at t = %v: %w", k.end.Time, err)
	}
	copy(k.inner.a, k.inA1)
	copy(k.inner.b, k.inB1)
	k.inner.coordinatesTo(k.inner.to, &k.end)
	for i := range k.inner.bristles {
		at := k.inner.bristles[i].state
		went := k.inner.travel(i) / k.h
		if speed := (math.Abs(k.inA[at]) + math.Abs(k.inA1[at])) / 2; speed > math.Abs(went) {
			part := math.Abs(went) / speed // what does not get anywhere does not slide
			k.inB1[at] = part*(k.inB[at]+k.inB1[at]) - k.inB[at]
		}
		k.inA1[at] = 2*went - k.inA[at]
	}
	for i, x := range k.inner.at {
		a, z := (k.inA[i]+k.inA1[i])/2, k.h*(k.inB[i]+k.inB1[i])/2
		a += k.h / 12 * (k.inner.b[i]*k.inA[i] - k.inB[i]*k.inner.a[i]) / (1 + z*z)
		phi := 1.0
		if math.Abs(z) > 1e-300 {
			phi = math.Expm1(z) / z
		}
		k.end.Internal[i] = math.Exp(z)*x + k.h*phi*a
	}
	k.inner.holdAt(k.end.Internal)
	return nil
}

// settle projects the velocities of k.end and keeps their offset.
func (k *GeneralizedAlpha) settle() error {
	if k.o.RawVelocities {
		clear(k.w1)
		return nil
	}
	copy(k.w1, k.v1)
	left, err := k.dyn.Allow(k.v1, &k.end)
	if err == nil && left > allowedRate { // the matrix is too old; without a new one there is none
		if err = k.linearize(&k.end, int(k.head[headLevel])); err == nil {
			_, err = k.dyn.Allow(k.v1, &k.end)
		}
	}
	if err != nil {
		return fault.Errorf("sim: step to t = %v: %w", k.end.Time, err)
	}
	for i := range k.start {
		v := (*[6]float64)(k.v1[6*i:])
		for j := range 6 {
			k.w1[6*i+j] -= v[j]
		}
		b := &k.end.Bodies[i]
		arm := b.Rotation.Rotate(k.mech.Bodies[i].Com)
		b.SetComVelocity(v, &arm)
	}
	return nil
}

// allowedRate is the relative error of velocities for which a matrix is not renewed.
const allowedRate = 1e-12

// AtTo implements Stepper. Between the ends, rotation vectors and displacements are the cubic
// Hermite polynomials of their values and rates, theory.md (60). Velocities are those of
// velocities and accelerations. Both are of higher order than the method.
//
// Cost: O(bodies), no allocation. It panics without a step, or if theta is not in [0, 1].
func (k *GeneralizedAlpha) AtTo(dst *mechanism.State, theta float64) {
	k.mustHave()
	if !(theta >= 0 && theta <= 1) {
		panic("sim: theta out of range")
	}
	if theta == 1 {
		copyTo(dst, &k.end)
		return
	}
	if len(dst.Bodies) != len(k.start) {
		panic("sim" + fault.ForeignState)
	}
	h, t2 := k.h, theta*theta
	one := t2 * (3 - 2*theta) // weight of the value at the end
	r0, r1 := h*theta*(1-theta)*(1-theta), h*t2*(theta-1)
	dst.Time, dst.Angles = k.end.Time-(1-theta)*h, k.end.Angles
	dst.Internal = append(dst.Internal[:0], k.end.Internal...)
	for i, x := range k.inner.at {
		dst.Internal[i] = x + theta*(dst.Internal[i]-x)
	}
	for i := range k.start {
		s, v1 := &k.start[i], (*[6]float64)(k.v1[6*i:])
		v0 := &s.velocity
		end, u0, u1 := (*[6]float64)(k.x[6*i:]), (*[6]float64)(k.u0[6*i:]), (*[6]float64)(k.u1[6*i:])
		rate := *v1
		angle, omega := spatial.Vec3{end[0], end[1], end[2]}, spatial.Vec3{v1[0], v1[1], v1[2]}
		spatial.DexpInvTo((*spatial.Vec3)(rate[:3]), &angle, &omega)
		var x, v [6]float64
		for j := range 6 {
			x[j] = one*end[j] + r0*v0[j] + r1*rate[j]
			v[j] = one*(v1[j]-v0[j]) + r0*u0[j] + r1*u1[j]
		}
		s.bodyTo(&dst.Bodies[i], &x, &v, &k.mech.Bodies[i].Com)
	}
}

// Lead implements Stepper. Where next has been moved, the velocities of the method stay what
// they were.
func (k *GeneralizedAlpha) Lead(next *mechanism.State, changed bool) error {
	k.mustHave()
	if !changed {
		return nil
	}
	for i := range next.Bodies {
		var s anchor
		s.set(&next.Bodies[i], &k.mech.Bodies[i].Com)
		v, w := (*[6]float64)(k.v1[6*i:]), (*[6]float64)(k.w1[6*i:])
		for j := range 6 {
			w[j] += v[j] - s.velocity[j]
		}
	}
	return nil
}

// Accept implements Stepper. It panics without a step.
func (k *GeneralizedAlpha) Accept() {
	k.mustHave()
	for i, a := range k.a1 {
		k.change[i] = a - k.a0[i]
	}
	for i, l := range k.lambda1 {
		k.swing[i] = l - k.lambda0[i]
	}
	copy(k.u, k.u1)
	copy(k.a, k.a1)
	copy(k.offset, k.w1)
	copy(k.lambda, k.lambda1)
	copy(k.load, k.end.Bearings)
	k.head[headStep], k.head[headChanged] = k.h, 1
	k.valid, k.tried = true, false
}

func (k *GeneralizedAlpha) mustHave() {
	if !k.tried {
		panic("sim: no step")
	}
}
