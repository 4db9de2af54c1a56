package motion

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// rattleWork is the largest difference between the change of the kinetic energy over a step and the integral of the power of the forces,
// relative to the kinetic energy.
const rattleWork = 0.1

// balance stores the kinetic energy and its rate at the end of the step. It returns an error if the change of the energy differs by much
// from the integral of the rate by the trapezoidal rule. It sets r.uneven if the two differ by more than they do where no pose is
// singular.
func (r *Rattle) balance(h float64) error {
	was, now := r.tail(r.kept), r.tail(r.next)
	now[rattleKinetic], now[rattlePower] = r.energy(&r.end, r.next)
	off := now[rattleKinetic] - was[rattleKinetic] - h/2*(now[rattlePower]+was[rattlePower])
	speed := 10 * r.opts.Tolerance * r.dyn.drift.unit / h // m/s, which errors within the tolerance may cause
	most, noise := max(was[rattleKinetic], now[rattleKinetic]), r.mass*speed*speed
	r.uneven = r.loops && !r.springs && !(math.Abs(off) <= max(passPart, r.turned*r.turned/4)*most+noise)
	if !(math.Abs(off) <= rattleWork*most+noise) {
		return fault.Errorf("motion: step from t = %v: %w: %.2g J of %.2g J", r.from.Time, errRattleEnergy, off, now[rattleKinetic])
	}
	return nil
}

// energy returns the kinetic energy of the bodies at st, J, and its rate with accelerations a, W.
func (r *Rattle) energy(st *mechanism.State, a []float64) (kinetic, power float64) {
	for i := range st.Bodies {
		b, body := &st.Bodies[i], &r.mech.Bodies[i]
		var E spatial.Mat3
		var arm spatial.Vec3
		b.Rotation.MatTo(&E)
		E.MulVecTo(&arm, &body.Com)
		var v, p [6]float64
		b.ComVelocityTo(&v, &arm)
		body.AddMomentumTo(&p, &E, &v, 1)
		kinetic += algebra.Dot(p[:], v[:]) / 2
		power += algebra.Dot(p[:], a[6*i:][:6])
	}
	return kinetic, power
}

// total returns the kinetic energy at st, armature included, J. It stores the kinematics of a mechanism with armature in r.kin.
func (r *Rattle) total(st *mechanism.State) (float64, error) {
	e, _ := r.energy(st, r.next)
	if r.mech.Geared() == nil {
		return e, nil
	}
	if err := r.mech.KinematicsTo(r.kin, st); err != nil {
		return 0, err
	}
	return e + r.mech.ArmatureEnergy(r.kin, st), nil
}

// boundEnergy scales down the velocities at the end of a damped step of the time h, s, if the kinetic energy has grown by more than the
// work of the applied forces: next to singular poses, small position errors cause large velocities by the joints' forces, which should do
// no work. The work is h times the power of the forces at the start, with the velocities of the start or of the end, whichever is larger,
// and at least 0. With prescribed motions, which do work, nothing is scaled. It stores the energy lost in the step, J, in r.loss.
func (r *Rattle) boundEnergy(h float64) error {
	r.loss = 0
	if r.driven {
		return nil
	}
	k := r.kin
	if err := r.mech.KinematicsTo(k, &r.from); err != nil {
		return err
	}
	if err := r.mech.ForcesTo(r.load, k, &r.from); err != nil {
		return err
	}
	var work [2]float64 // of the forces at the start, at the velocities of the start and of the end
	for i := range r.load {
		var v [2][6]float64
		r.from.Bodies[i].ComVelocityTo(&v[0], &k.Bodies[i].Com)
		r.end.Bodies[i].ComVelocityTo(&v[1], &r.arm[i])
		for j, f := range r.load[i] {
			work[0] += h * f * v[0][j]
			work[1] += h * f * v[1][j]
		}
	}
	before, err := r.total(&r.from)
	if err != nil {
		return err
	}
	after, err := r.total(&r.end)
	if err != nil {
		return err
	}
	r.loss = before + work[0] - after
	if after <= before+max(0, work[0], work[1]) {
		return nil
	}
	// The larger s of two: s²·after = before + s·work₁, as the work at the end is in proportion to its velocities, and before + work₀.
	w := max(0, work[1])
	s := max((w+math.Sqrt(w*w+4*after*before))/(2*after), math.Sqrt((before+max(0, work[0]))/after))
	r.stats.Calmed++
	r.loss += (1 - s*s) * after
	for i := range r.end.Bodies {
		b := &r.end.Bodies[i]
		b.Velocity, b.Omega = b.Velocity.Scale(s), b.Omega.Scale(s)
	}
	return nil
}
