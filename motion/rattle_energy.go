package motion

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// rattleWork is the part of the kinetic energy by which its change over a step may differ from the integral of the power of the forces.
const rattleWork = 0.1

// balance stores the kinetic energy and the power at the end of the step. It returns an error if the energy does not
// change by the integral of the power of the forces, by the trapezoidal rule. It is uneven if it does so less well than
// where no pose is singular.
func (r *Rattle) balance(h float64) error {
	was, now := r.tail(r.kept), r.tail(r.next)
	now[rattleKinetic], now[rattlePower] = r.energy(&r.end, r.next)
	off := now[rattleKinetic] - was[rattleKinetic] - h/2*(now[rattlePower]+was[rattlePower])
	noise := 10 * r.opts.Tolerance * r.dyn.drift.unit / h // m/s, of joints that hold to the tolerance
	most, blur := max(was[rattleKinetic], now[rattleKinetic]), r.mass*noise*noise
	r.uneven = r.loops && !r.springs && !(math.Abs(off) <= max(passPart, r.turned*r.turned/4)*most+blur)
	if !(math.Abs(off) <= rattleWork*most+blur) {
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

// calm scales the velocities at the end of a damped step where the joints' forces, which do no work, have added energy:
// next to singular poses, where small errors of poses are large velocities. What is left is the energy at the start and
// the work of the other forces, at the velocities of either end, whichever is more. Prescribed motions do work, and
// with them nothing is scaled.
func (r *Rattle) calm(h float64) error {
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
	var work [2]float64
	for i := range r.load {
		var v [2][6]float64
		r.from.Bodies[i].ComVelocityTo(&v[0], &k.Bodies[i].Com)
		r.end.Bodies[i].ComVelocityTo(&v[1], &r.arm[i])
		for j, f := range r.load[i] {
			work[0] += h * f * v[0][j]
			work[1] += h * f * v[1][j]
		}
	}
	was, err := r.total(&r.from)
	if err != nil {
		return err
	}
	now, err := r.total(&r.end)
	if err != nil {
		return err
	}
	r.loss = was + work[0] - now
	if now <= was+max(0, work[0], work[1]) {
		return nil
	}
	// s²·now = was + s·work₁, or was + work₀.
	w := max(0, work[1])
	s := max((w+math.Sqrt(w*w+4*now*was))/(2*now), math.Sqrt((was+max(0, work[0]))/now))
	r.stats.Calmed++
	r.loss += (1 - s*s) * now
	for i := range r.end.Bodies {
		b := &r.end.Bodies[i]
		b.Velocity, b.Omega = b.Velocity.Scale(s), b.Omega.Scale(s)
	}
	return nil
}
