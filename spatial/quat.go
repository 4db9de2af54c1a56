package spatial

import "math"

// Quat is a quaternion w x y z. A unit quaternion rotates local vectors into
// the outer frame; q and −q are the same rotation.
type Quat [4]float64

// IdentityQuat returns the identity rotation.
func IdentityQuat() Quat { return Quat{1, 0, 0, 0} }

// Norm returns the Euclidean length, without overflow or underflow.
func (q Quat) Norm() float64 {
	if s := q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]; s > 1e-280 && s < 1e300 {
		return math.Sqrt(s)
	}
	return math.Hypot(q[0], Vec3{q[1], q[2], q[3]}.Norm())
}

// Normalize returns q/|q|. The zero quaternion has no direction and gives NaN.
func (q Quat) Normalize() Quat {
	n := q.Norm()
	return Quat{q[0] / n, q[1] / n, q[2] / n, q[3] / n}
}

// Conj returns the conjugate, for a unit quaternion the inverse rotation.
func (q Quat) Conj() Quat { return Quat{q[0], -q[1], -q[2], -q[3]} }

// Mul returns the product q·p: first the rotation p, then q, both in outer
// axes.
func (q Quat) Mul(p Quat) Quat {
	return Quat{
		q[0]*p[0] - q[1]*p[1] - q[2]*p[2] - q[3]*p[3],
		q[0]*p[1] + q[1]*p[0] + q[2]*p[3] - q[3]*p[2],
		q[0]*p[2] - q[1]*p[3] + q[2]*p[0] + q[3]*p[1],
		q[0]*p[3] + q[1]*p[2] - q[2]*p[1] + q[3]*p[0],
	}
}

// Rotate returns v, given in local axes, in outer axes. q is unit.
func (q Quat) Rotate(v Vec3) Vec3 {
	// v + 2w(u×v) + 2u×(u×v) with u the vector part.
	u := Vec3{q[1], q[2], q[3]}
	c := u.Cross(v).Scale(2)
	return v.Add(c.Scale(q[0])).Add(u.Cross(c))
}

// Mat returns the rotation matrix of the unit quaternion q.
func (q Quat) Mat() (E Mat3) {
	q.MatTo(&E)
	return E
}

// MatTo stores in E the rotation matrix of the unit quaternion q; its columns
// are the local axes in the outer frame (RBDA §4.5,
// transposed).
func (q *Quat) MatTo(E *Mat3) {
	w, x, y, z := q[0], q[1], q[2], q[3]
	x2, y2, z2 := x+x, y+y, z+z
	xx, yy, zz := x*x2, y*y2, z*z2
	xy, xz, yz := x*y2, x*z2, y*z2
	wx, wy, wz := w*x2, w*y2, w*z2
	E[0], E[1], E[2] = 1-(yy+zz), xy-wz, xz+wy
	E[3], E[4], E[5] = xy+wz, 1-(xx+zz), yz-wx
	E[6], E[7], E[8] = xz-wy, yz+wx, 1-(xx+yy)
}

// FromMat returns the unit quaternion with w ≥ 0 of the rotation matrix E. The
// result is accurate to rounding, near rotations by π too, where E is orthogonal
// to rounding.
func FromMat(E Mat3) Quat {
	// Divide by the largest component, which is at least 1/2.
	tr := E[0] + E[4] + E[8]
	var q Quat
	switch {
	case tr >= E[0] && tr >= E[4] && tr >= E[8]:
		q = Quat{1 + tr, E[7] - E[5], E[2] - E[6], E[3] - E[1]}
	case E[0] >= E[4] && E[0] >= E[8]:
		q = Quat{E[7] - E[5], 1 + E[0] - E[4] - E[8], E[1] + E[3], E[2] + E[6]}
	case E[4] >= E[8]:
		q = Quat{E[2] - E[6], E[1] + E[3], 1 + E[4] - E[0] - E[8], E[5] + E[7]}
	default:
		q = Quat{E[3] - E[1], E[2] + E[6], E[5] + E[7], 1 + E[8] - E[0] - E[4]}
	}
	if q[0] < 0 {
		q = Quat{-q[0], -q[1], -q[2], -q[3]}
	}
	return q.Normalize()
}

// FromAxisAngle returns the rotation by angle (rad) about axis, which need not
// be unit. A zero axis gives NaN unless angle is 0.
func FromAxisAngle(axis Vec3, angle float64) Quat {
	if angle == 0 {
		return IdentityQuat()
	}
	s, c := math.Sincos(angle / 2)
	s /= axis.Norm()
	return Quat{c, s * axis[0], s * axis[1], s * axis[2]}
}

// Exp returns the rotation about v by the angle |v| (rad), for any v.
func Exp(v Vec3) Quat {
	a := v.Norm()
	s, c := math.Sincos(a / 2)
	if a < tinyAngle {
		s = 0.5
	} else {
		s /= a
	}
	return Quat{c, s * v[0], s * v[1], s * v[2]}
}

// Log returns the rotation vector of the unit quaternion q, of length in
// [0, π]. It is accurate to rounding for small angles and near π; at π exactly
// one of the two answers is taken.
func (q Quat) Log() Vec3 {
	if q[0] < 0 {
		q = Quat{-q[0], -q[1], -q[2], -q[3]}
	}
	u := Vec3{q[1], q[2], q[3]}
	n := u.Norm()
	if n < tinyAngle {
		return u.Scale(2)
	}
	return u.Scale(2 * math.Atan2(n, q[0]) / n)
}

// tinyAngle is the angle below which sine and argument are equal to all digits
// and the quotient of the two may lose them to underflow.
const tinyAngle = 1e-150

// LogMat returns the rotation vector of the rotation matrix E, as Quat.Log.
func LogMat(E Mat3) Vec3 { return FromMat(E).Log() }

// Integrate returns the unit quaternion after a rotation with the constant
// angular velocity omega (outer axes, rad/s) for the time h (s).
func (q Quat) Integrate(omega Vec3, h float64) Quat {
	return Exp(omega.Scale(h)).Mul(q).Normalize()
}

// Derivative returns dq/dt for the angular velocity omega in outer axes:
// ½·(0, ω)·q (RBDA §4.5 has the local-axes form).
func (q Quat) Derivative(omega Vec3) Quat {
	return Quat{0, omega[0] / 2, omega[1] / 2, omega[2] / 2}.Mul(q)
}
