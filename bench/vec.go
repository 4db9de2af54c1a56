package bench

import "math"

// vec is a 3-vector.
type vec [3]float64

func (a vec) add(b vec) vec { return vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

func (a vec) sub(b vec) vec { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func (a vec) mul(s float64) vec { return vec{a[0] * s, a[1] * s, a[2] * s} }

func (a vec) dot(b vec) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func (a vec) norm() float64 { return math.Sqrt(a.dot(a)) }

func (a vec) unit() vec { return a.mul(1 / a.norm()) }

func (a vec) cross(b vec) vec {
	return vec{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// across returns a unit vector perpendicular to a ≠ 0.
func (a vec) across() vec {
	k := 0
	for i := range a {
		if math.Abs(a[i]) < math.Abs(a[k]) {
			k = i
		}
	}
	var e vec
	e[k] = 1
	return a.cross(e).unit()
}

// quat is a unit quaternion w x y z.
type quat [4]float64

// one is the identity.
var one = quat{1}

// turn returns the rotation by an angle, rad, about the unit vector axis.
func turn(axis vec, angle float64) quat {
	s, c := math.Sincos(angle / 2)
	return quat{c, s * axis[0], s * axis[1], s * axis[2]}
}

// then returns the product p·q: the rotation by q about the axes of a frame that is rotated by p.
func (p quat) then(q quat) quat {
	return quat{
		p[0]*q[0] - p[1]*q[1] - p[2]*q[2] - p[3]*q[3],
		p[0]*q[1] + p[1]*q[0] + p[2]*q[3] - p[3]*q[2],
		p[0]*q[2] - p[1]*q[3] + p[2]*q[0] + p[3]*q[1],
		p[0]*q[3] + p[1]*q[2] - p[2]*q[1] + p[3]*q[0],
	}.unit()
}

func (p quat) unit() quat {
	s := 1 / math.Sqrt(p[0]*p[0]+p[1]*p[1]+p[2]*p[2]+p[3]*p[3])
	return quat{p[0] * s, p[1] * s, p[2] * s, p[3] * s}
}

func (p quat) inv() quat { return quat{p[0], -p[1], -p[2], -p[3]} }

// apply rotates a local vector into the outer frame.
func (p quat) apply(a vec) vec {
	u := vec{p[1], p[2], p[3]}
	t := u.cross(a).mul(2)
	return a.add(t.mul(p[0])).add(u.cross(t))
}

// axes returns the rotation whose matrix has the right-handed orthonormal vectors x, y, z as columns.
func axes(x, y, z vec) quat {
	switch t := x[0] + y[1] + z[2]; {
	case t > 0:
		return quat{1 + t, y[2] - z[1], z[0] - x[2], x[1] - y[0]}.unit()
	case x[0] >= y[1] && x[0] >= z[2]:
		return quat{y[2] - z[1], 1 + x[0] - y[1] - z[2], y[0] + x[1], z[0] + x[2]}.unit()
	case y[1] >= z[2]:
		return quat{z[0] - x[2], y[0] + x[1], 1 + y[1] - x[0] - z[2], z[1] + y[2]}.unit()
	default:
		return quat{x[1] - y[0], z[0] + x[2], z[1] + y[2], 1 + z[2] - x[0] - y[1]}.unit()
	}
}

// alongZ returns a rotation that takes the z axis to the unit vector z.
func alongZ(z vec) quat {
	x := z.across()
	return axes(x, z.cross(x), z)
}

// place is the pose of a local frame in an outer one.
type place struct {
	p vec
	q quat
}

// origin is the outer frame itself.
var origin = place{q: one}

// at returns a frame at the point p with the axes of the outer frame.
func at(p vec) place { return place{p, one} }

// then returns the frame b, given in the frame a, in the outer frame of a.
func (a place) then(b place) place { return place{a.point(b.p), a.q.then(b.q)} }

// point returns the point p, given in the frame a, in the outer frame of a.
func (a place) point(p vec) vec { return a.p.add(a.q.apply(p)) }

// inv returns the outer frame in the frame a.
func (a place) inv() place {
	q := a.q.inv()
	return place{q.apply(a.p).mul(-1), q}
}

// in returns the frame a in the frame b; both are given in the same outer frame.
func (a place) in(b place) place {
	q := b.q.inv()
	return place{q.apply(a.p.sub(b.p)), q.then(a.q)}
}

// twist is the motion of a frame: angular velocity and velocity of the origin,
// both in outer axes.
type twist struct{ w, v vec }

// shift returns the velocity of the point of the frame's body that is at r from the origin of the frame, outer axes.
func (t twist) shift(r vec) vec { return t.v.add(t.w.cross(r)) }
