package sim

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// dexpInvTo stores in dst the rate of the rotation vector theta of
// R = exp(theta)·R₀ for the angular velocity omega, world axes (Munthe-Kaas
// 1999):
//
//	dexp⁻¹(Θ)·ω = ω − ½ Θ×ω + κ Θ×(Θ×ω),  κ = (1 − (θ/2)·cot(θ/2))/θ².
//
// It exists for θ = |Θ| < 2π.
func dexpInvTo(dst, theta, omega *spatial.Vec3) {
	x := theta[0]*theta[0] + theta[1]*theta[1] + theta[2]*theta[2]
	var kappa float64
	if x < 0.1 {
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

// turnTo stores in dst the unit quaternion of exp(theta)·q, with q unit: the half angle's cosine
// and sine, divided by the angle, as power series where it is short.
func turnTo(dst *spatial.Quat, theta *spatial.Vec3, q *spatial.Quat) {
	x := theta[0]*theta[0] + theta[1]*theta[1] + theta[2]*theta[2]
	var c, s float64
	if x < 0.25 {
		y := x / 4 // the first terms left out are below 1e-18
		c = 1 + y*(-1./2+y*(1./24+y*(-1./720+y*(1./40320+y*(-1./3628800+y/479001600)))))
		s = 0.5 * (1 + y*(-1./6+y*(1./120+y*(-1./5040+y*(1./362880-y/39916800)))))
	} else {
		angle := math.Sqrt(x)
		s, c = math.Sincos(angle / 2)
		s /= angle
	}
	ux, uy, uz := s*theta[0], s*theta[1], s*theta[2]
	w := c*q[0] - ux*q[1] - uy*q[2] - uz*q[3]
	i := c*q[1] + ux*q[0] + uy*q[3] - uz*q[2]
	j := c*q[2] - ux*q[3] + uy*q[0] + uz*q[1]
	k := c*q[3] + ux*q[2] - uy*q[1] + uz*q[0]
	r := 1 / math.Sqrt(w*w+i*i+j*j+k*k)
	dst[0], dst[1], dst[2], dst[3] = r*w, r*i, r*j, r*k
}

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

// bodyTo stores in b the body that the chart gives for the rotation vector and
// displacement of the centre of mass x and the change v of angular velocity and
// velocity of the centre of mass, and adds to v what they were at the anchor.
// Nothing is added to a position but a displacement.
func (a *anchor) bodyTo(b *mechanism.BodyState, x, v *[6]float64, com *spatial.Vec3) {
	var E spatial.Mat3
	var arm, w spatial.Vec3
	turnTo(&b.Rotation, (*spatial.Vec3)(x[:3]), &a.rotation)
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
