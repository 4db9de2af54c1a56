package spatial

import "math"

const (
	// shortTurn and longTurn are squares of angles, rad². Below them short and long power series
	// are accurate to rounding.
	shortTurn, longTurn = 4e-3, 0.25
	// longInverse takes the place of longTurn for dexp⁻¹, whose series converges more slowly.
	longInverse = 0.1
	// nearUnit is the error of the squared norm up to which one step of Newton's method finds 1/|q| to
	// rounding: the step leaves the square of the error.
	nearUnit = 1e-8
)

// TurnTo stores in dst the unit quaternion of exp(theta)·q, docs/theory.md (45): q turned about theta by its
// length, rad, outer axes. q is unit; dst may be q.
//
// The cosine of half the angle, and the sine of half the angle over the angle, are power series
// for small angles.
// Cost: O(1), no allocation.
func TurnTo(dst *Quat, theta *Vec3, q *Quat) {
	x := theta[0]*theta[0] + theta[1]*theta[1] + theta[2]*theta[2] // θ²
	var c, s float64                                               // cos θ/2, (sin θ/2)/θ
	if y := x * 0.25; x < shortTurn {                              // the first terms left out are below 3e-17
		c = (1 - y*(1./2)) + y*y*(1./24-y*(1./720))
		s = (0.5 - y*(1./12)) + y*y*(1./240-y*(1./10080))
	} else if x < longTurn { // the first terms left out are below 1e-18
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
	// 1/|q| by one step of Newton's method from 1, as q is unit to rounding; by the root where it is not.
	n := (w*w + i*i) + (j*j + k*k)
	r := 1.5 - 0.5*n
	if math.Abs(n-1) > nearUnit {
		r = 1 / math.Sqrt(n)
	}
	dst[0], dst[1], dst[2], dst[3] = r*w, r*i, r*j, r*k
}

// DexpInvTo stores in dst the rate of the rotation vector theta (rad) for which exp(theta)·q has the angular velocity
// omega, outer axes, docs/theory.md (46) (Munthe-Kaas 1999):
//
//	dexp⁻¹(Θ)·ω = ω − ½ Θ×ω + κ Θ×(Θ×ω),  κ = (1 − (θ/2)·cot(θ/2))/θ².
//
// The transpose of dexp⁻¹(Θ) is dexp⁻¹(−Θ), which is the map for angular velocities in the rotating axes. dexp⁻¹ exists
// for θ = |Θ| < 2π. dst may be omega, not theta. κ is a power series for small angles.
// Cost: O(1), no allocation.
func DexpInvTo(dst, theta, omega *Vec3) {
	x := theta[0]*theta[0] + theta[1]*theta[1] + theta[2]*theta[2] // θ²
	// κ, with coefficients as in dexpInvSeries. Each way is accurate to rounding.
	var kappa float64
	if x < shortTurn { // the first term left out is below 6e-18
		kappa = (1./12 + x*(1./720)) + x*x*(1./30240+x*(1./1209600))
	} else if x < longInverse { // the first term left out is below 1e-17
		kappa = 1./12 + x*(1./720+x*(1./30240+x*(1./1209600+x*(1./47900160+x*(691./1307674368000+x/74724249600)))))
	} else {
		half := math.Sqrt(x) / 2
		s, c := math.Sincos(half)
		kappa = (1 - half*c/s) / x
	}
	var a, b Vec3 // Θ×ω, Θ×(Θ×ω)
	CrossTo(&a, theta, omega)
	CrossTo(&b, theta, &a)
	for i := range 3 {
		dst[i] = omega[i] - 0.5*a[i] + kappa*b[i]
	}
}
