package sim

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// dexpInvTo stores in dst the rate of the rotation vector theta of R = exp(theta)·R₀ for the
// angular velocity omega, world axes, theory.md (46) (Munthe-Kaas 1999):
//
//	dexp⁻¹(Θ)·ω = ω − ½ Θ×ω + κ Θ×(Θ×ω),  κ = (1 − (θ/2)·cot(θ/2))/θ².
//
// It exists for θ = |Θ| < 2π.
func dexpInvTo(dst, theta, omega *spatial.Vec3) {
	x := theta[0]*theta[0] + theta[1]*theta[1] + theta[2]*theta[2]
	var kappa float64
	if x < shortTurn {
		kappa = (1./12 + x*(1./720)) + x*x*(1./30240+x*(1./1209600)) // the first term left out is below 6e-18
	} else if x < 0.1 {
		// Bernoulli numbers; the first term left out is below 1e-17.
		kappa = 1./12 + x*(1./720+x*(1./30240+x*(1./1209600+x*(1./47900160+x*(691./1307674368000+x/74724249600)))))
	} else {
		half := math.Sqrt(x) / 2
		s, c := math.Sincos(half)
		kappa = (1 - half*c/s) / x
	}
	var a, b spatial.Vec3
	spatial.CrossTo(&a, theta, omega)
	spatial.CrossTo(&b, theta, &a)
	for i := range 3 {
		dst[i] = omega[i] - 0.5*a[i] + kappa*b[i]
	}
}

// shortTurn is the square of an angle, rad², below which a short series is exact enough.
const shortTurn = 4e-3

// anchor is a body at the start of a step: the origin of its chart.
type anchor struct {
	position    spatial.Vec3 // of the body frame
	rotation    spatial.Quat
	omega       spatial.Vec3
	arm         spatial.Vec3 // from the frame's origin to the centre of mass, world axes
	comVelocity spatial.Vec3
}

// set puts the anchor at b. com is the centre of mass in the body frame.
func (a *anchor) set(b *mechanism.BodyState, com *spatial.Vec3) {
	var E spatial.Mat3
	var v spatial.Vec3
	b.Rotation.MatTo(&E)
	E.MulVecTo(&a.arm, com)
	spatial.CrossTo(&v, &b.Omega, &a.arm)
	a.position, a.rotation, a.omega = b.Position, b.Rotation, b.Omega
	for i := range 3 {
		a.comVelocity[i] = b.Velocity[i] + v[i]
	}
}

// bodyTo stores in b the body that belongs to x and v, theory.md (45). x has the rotation
// vector and the displacement of the centre of mass from the anchor. v has the changes of
// angular velocity and of the velocity of the centre of mass; bodyTo adds to v what they were
// at the anchor. Nothing is added to a position but a displacement.
func (a *anchor) bodyTo(b *mechanism.BodyState, x, v *[6]float64, com *spatial.Vec3) {
	var E spatial.Mat3
	var arm, w spatial.Vec3
	spatial.TurnTo(&b.Rotation, (*spatial.Vec3)(x[:3]), &a.rotation)
	b.Rotation.MatTo(&E)
	E.MulVecTo(&arm, com)
	for i := range 3 {
		v[i] += a.omega[i]
		v[3+i] += a.comVelocity[i]
		b.Omega[i] = v[i]
		b.Position[i] = a.position[i] + (x[3+i] - (arm[i] - a.arm[i]))
	}
	spatial.CrossTo(&w, &b.Omega, &arm)
	for i := range 3 {
		b.Velocity[i] = v[3+i] - w[i]
	}
}
