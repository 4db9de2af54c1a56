package sim

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Try implements Stepper.
//
// Cost: a few corrections of Newton's method, a few solves, and a factorization where the
// matrix of an earlier step is not good enough. The first step from a state, or after Restart,
// is done twice, to find the start of a and of the offset. It allocates for errors only. It returns
// a HalfTurnError, an error that wraps ErrNewton, and the errors of the dynamics. It panics if st is of
// another mechanism.
func (k *GeneralizedAlpha) Try(st *mechanism.State, t float64) (float64, error) {
	if err := k.depart(st, t); err != nil {
		return 0, err
	}
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

// depart sets the start of a step from st to the time t.
func (k *GeneralizedAlpha) depart(st *mechanism.State, t float64) error {
	if len(st.Bodies) != len(k.start) {
		panic("sim" + fault.ForeignState)
	}
	k.tried = false
	k.t0, k.h = st.Time, t-st.Time
	k.end.Time, k.end.Angles = t, st.Angles
	k.startAt(st)
	if err := k.halt.Err(); err != nil {
		return err
	}
	k.inner.start(st)
	if err := k.inner.coefficientsTo(k.from.inA, k.from.inB, st); err != nil {
		return fault.Errorf("sim: at t = %v: %w", st.Time, err)
	}
	k.inner.coordinatesTo(k.inner.from, st)
	return nil
}

// startAt sets the anchors to st, and the size of rounding there.
func (k *GeneralizedAlpha) startAt(st *mechanism.State) {
	far := 0.0
	for i := range k.start {
		k.start[i].set(&st.Bodies[i], &k.mech.Bodies[i].Com)
		p := &st.Bodies[i].Position
		far = max(far, math.Abs(p[0]), math.Abs(p[1]), math.Abs(p[2]))
	}
	k.newton.roundings = newtonRounding * (1 + far/k.o.Tolerance.Length)
}

// prepare sets u, a, offset and multipliers at the start of a step of k.h from st: from the last step, or by begin if there is no
// history.
func (k *GeneralizedAlpha) prepare(st *mechanism.State) error {
	if !k.kept.valid || k.h > restartRatio*k.kept.head[headStep] {
		k.kept.valid, k.anew = false, true
		return k.begin(st)
	}
	k.anew = false
	copy(k.from.u, k.kept.u)
	copy(k.from.lambda, k.kept.lambda)
	copy(k.from.a, k.kept.a)
	copy(k.from.w, k.kept.offset)
	if k.h == k.kept.head[headStep] {
		return nil
	}
	r := k.h / k.kept.head[headStep]
	for i, c := range k.kept.change {
		k.from.a[i] += k.c.Shift * (r - 1) * c
		k.from.w[i] *= r * r
	}
	return nil
}

// restartRatio is a ratio of a step to the last one, which the end of a run or the like has shortened. Above it, a new start is more
// accurate than differences over the last step.
const restartRatio = 16

// begin computes u, a and the offset at a state st without history, theory.md (54), (55). A step from
// a = u without offset ends near enough to the solution to give the derivative of u. It is the
// difference of the accelerations of the index-1 equations at both ends of that step, which the
// wrong start does not affect. Between these states, the method has damped fast vibrations as it does
// later.
func (k *GeneralizedAlpha) begin(st *mechanism.State) error {
	if err := k.try(st); err != nil {
		return err
	}
	copy(k.from.lambda, k.to.lambda)
	if err := k.evaluate(k.to.u, &k.end); err != nil {
		return err
	}
	for i, u := range k.to.u {
		k.e[i] = u - k.from.u[i]
		k.from.a[i] = k.from.u[i] + k.c.Shift*k.e[i]
	}
	// J·w = J·l/h with l the local error of the positions.
	k.positionErrorTo(k.e, k.h, k.e)
	for i := range k.e {
		k.e[i] /= k.h
		k.from.w[i] = k.e[i]
	}
	if err := k.dyn.Soften(k.e, st); err != nil {
		return err
	}
	for i, e := range k.e {
		k.from.w[i] -= e
	}
	return nil
}

// try does the step of begin, from a = u without offset.
func (k *GeneralizedAlpha) try(st *mechanism.State) error {
	clear(k.from.lambda)
	clear(k.from.w)
	if err := k.evaluate(k.from.u, st); err != nil {
		return err
	}
	if err := k.bear(st); err != nil {
		return err
	}
	copy(k.from.a, k.from.u)
	if err := k.solve(st); err != nil {
		return err
	}
	return k.settle()
}

// bear stores in k.kept.load the reactions at st, for the matrix of the first step.
func (k *GeneralizedAlpha) bear(st *mechanism.State) error {
	clear(k.kept.load)
	b, ok := k.dyn.(Bearer)
	if len(k.kept.load) == 0 || !ok {
		return nil
	}
	if err := b.BearingsTo(k.kept.load, st); err != nil {
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

// settle projects the velocities of k.end and keeps their offset.
func (k *GeneralizedAlpha) settle() error {
	if k.o.RawVelocities {
		clear(k.to.w)
		return nil
	}
	copy(k.to.w, k.v1)
	left, err := k.dyn.Allow(k.v1, &k.end)
	if err == nil && left > allowedRate { // the matrix is too old
		if err = k.linearize(&k.end, int(k.kept.head[headLevel])); err == nil {
			_, err = k.dyn.Allow(k.v1, &k.end)
		}
	}
	if err != nil {
		return fault.Errorf("sim: step to t = %v: %w", k.end.Time, err)
	}
	for i := range k.start {
		v := (*[6]float64)(k.v1[6*i:])
		for j := range 6 {
			k.to.w[6*i+j] -= v[j]
		}
		b := &k.end.Bodies[i]
		arm := b.Rotation.Rotate(k.mech.Bodies[i].Com)
		b.SetComVelocity(v, &arm)
	}
	return nil
}

// allowedRate is the largest relative error of velocities for which settle keeps the matrix.
const allowedRate = 1e-12

// AtTo implements Stepper. Between the ends, rotation vectors and displacements are the cubic
// Hermite polynomials of their values and rates at the ends, theory.md (60), and velocities are the Hermite polynomials of
// velocities and accelerations. Both are of higher order than the method.
//
// Cost: O(bodies), no allocation. It panics without a step, or if theta is not in [0, 1].
func (k *GeneralizedAlpha) AtTo(dst *mechanism.State, theta float64) {
	k.mustHaveTried()
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
		end, u0, u1 := (*[6]float64)(k.x[6*i:]), (*[6]float64)(k.from.u[6*i:]), (*[6]float64)(k.to.u[6*i:])
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

// Lead implements Stepper. If next has been changed, it corrects the offset w of the velocities of the method from the velocities of
// the state, so that the velocities of the method do not change.
func (k *GeneralizedAlpha) Lead(next *mechanism.State, changed bool) error {
	k.mustHaveTried()
	if !changed {
		return nil
	}
	for i := range next.Bodies {
		var s anchor
		s.set(&next.Bodies[i], &k.mech.Bodies[i].Com)
		v, w := (*[6]float64)(k.v1[6*i:]), (*[6]float64)(k.to.w[6*i:])
		for j := range 6 {
			w[j] += v[j] - s.velocity[j]
		}
	}
	return nil
}

// Accept implements Stepper. It panics without a step.
func (k *GeneralizedAlpha) Accept() {
	k.mustHaveTried()
	for i, a := range k.to.a {
		k.kept.change[i] = a - k.from.a[i]
	}
	for i, l := range k.to.lambda {
		k.kept.swing[i] = l - k.from.lambda[i]
	}
	copy(k.kept.u, k.to.u)
	copy(k.kept.a, k.to.a)
	copy(k.kept.offset, k.to.w)
	copy(k.kept.lambda, k.to.lambda)
	copy(k.kept.load, k.end.Bearings)
	k.kept.head[headStep], k.kept.head[headChanged] = k.h, changed
	if k.anew {
		k.kept.head[headChanged] = changedAnew
	}
	k.kept.valid, k.tried = true, false
}

func (k *GeneralizedAlpha) mustHaveTried() {
	if !k.tried {
		panic("sim: no step")
	}
}

// estimate returns the estimated local error of the step in units of the tolerance. It is the larger of the error of the
// positions (Hulbert & Jang 1995), theory.md (54), and, from the second step on, the error of the
// velocities, theory.md (59), h³·Velocity·d²v̇/dt² with the second difference of the
// accelerations.
//
// Both are multiplied by the inverse of the matrix of Newton's method (Hairer & Wanner 1996 §IV.8): with joints
// and stiff springs the true errors are less than the differences. Errors of velocities that come
// from rounding of the positions do not count, as shorter steps would make them larger.
func (k *GeneralizedAlpha) estimate() (float64, error) {
	if k.o.Fixed {
		return 0, nil
	}
	k.relative = max(k.o.Tolerance.Relative, leastTolerance*k.newton.roundings)
	if err := k.halt.Err(); err != nil {
		return 0, err
	}
	for i, a := range k.to.a {
		k.e[i] = a - k.from.a[i]
	}
	k.positionErrorTo(k.e, k.h, k.e)
	if err := k.dyn.Soften(k.e, &k.end); err != nil {
		return 0, err
	}
	worst := k.poseSize(k.e)
	if k.kept.valid && k.kept.head[headChanged] != 0 {
		r := k.h / k.kept.head[headStep]
		s := k.c.Velocity * k.h * 2 * r / (1 + r)
		for i := range k.e {
			k.e[i] = s * (k.to.a[i] - k.from.a[i] - r*k.kept.change[i])
		}
		if err := k.dyn.Soften(k.e, &k.end); err != nil {
			return 0, err
		}
		worst = max(worst, k.speedSize(k.e)-velocityRounding*k.newton.roundings/(k.h*k.o.Tolerance.Rate))
	}
	return worst / k.relative, nil
}

// leastTolerance times the rounding of the positions is the smallest relative tolerance. Below
// it rounding shows in the estimates, and steps would become shorter without end.
const leastTolerance = 100

// velocityRounding times the rounding of positions, over the step, is the error of velocities that
// the rounding causes.
const velocityRounding = 10

// positionErrorTo stores in e the local error of the positions of a step h, exact less
// computed, theory.md (54): h³·(Position·dv̇/dt − ω×ω̇/12), the second term for rotations
// only, with ω and ω̇ at the start of the step. change is the change of u over the step, h·dv̇/dt, and may be e.
func (k *GeneralizedAlpha) positionErrorTo(e []float64, h float64, change []float64) {
	for i := range k.start {
		o := 6 * i
		w, u := &k.start[i].velocity, (*[6]float64)(k.from.u[o:])
		for j := range 6 {
			e[o+j] = k.c.Position * h * h * change[o+j]
		}
		s := h * h * h / 12
		e[o] -= s * (w[1]*u[2] - w[2]*u[1])
		e[o+1] -= s * (w[2]*u[0] - w[0]*u[2])
		e[o+2] -= s * (w[0]*u[1] - w[1]*u[0])
	}
}
