package usd

import (
	"math"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// affine is the map x → A·x + t.
type affine struct {
	A spatial.Mat3
	t spatial.Vec3
}

// orthogonal is the largest cosine of the angle between two axes of a frame: matrices in files have at least six digits.
const orthogonal = 1e-5

// identity returns the identity map.
func identity() affine { return affine{A: spatial.Identity3()} }

// mul returns the map x → a(b(x)).
func (a affine) mul(b affine) affine {
	return affine{A: a.A.Mul(b.A), t: a.A.MulVec(b.t).Add(a.t)}
}

// inverse returns the inverse of a, and reports false if there is none.
func (a affine) inverse() (affine, bool) {
	x, y, z := a.A.Col(0), a.A.Col(1), a.A.Col(2)
	d := a.A.Det()
	if d == 0 || math.IsNaN(d) || math.IsInf(d, 0) {
		return a, false
	}
	u, v, w := y.Cross(z).Scale(1/d), z.Cross(x).Scale(1/d), x.Cross(y).Scale(1/d)
	B := spatial.Mat3{u[0], u[1], u[2], v[0], v[1], v[2], w[0], w[1], w[2]}
	return affine{A: B, t: B.MulVec(a.t).Neg()}, true
}

// rigid returns the rigid part of a, as a frame, and the scale along its axes. It returns false if a is sheared,
// mirrored or flat.
func (a affine) rigid() (assembly.Pose, spatial.Vec3, bool) {
	var s spatial.Vec3
	var E spatial.Mat3
	for j := range 3 {
		c := a.A.Col(j)
		s[j] = c.Norm()
		if !(s[j] > 0) || math.IsInf(s[j], 0) {
			return assembly.Identity(), s, false
		}
		for i := range 3 {
			E[3*i+j] = c[i] / s[j]
		}
	}
	for j := range 3 {
		if !(math.Abs(E.Col(j).Dot(E.Col((j+1)%3))) <= orthogonal) {
			return assembly.Identity(), s, false
		}
	}
	if E.Det() < 0 || !a.t.IsFinite() {
		return assembly.Identity(), s, false
	}
	return assembly.Pose{R: a.t, Q: spatial.FromMat(E).Normalize()}, s, true
}

// transform returns the transformation of p relative to its parent: the product of its operations, of which the last is applied to points
// first. reset is true if the transformation of the parent does not apply.
func (r *reader) transform(p *prim) (out affine, reset bool) {
	out = identity()
	x, v := r.get(p, "xformOpOrder")
	if v == nil || v.kind == other {
		return out, false
	}
	if v.kind != texts {
		r.bad(x, "is no list of names")
		return out, false
	}
	for _, name := range v.texts {
		if name == "!resetXformStack!" {
			out, reset = identity(), true
			continue
		}
		op, inverse := strings.CutPrefix(name, "!invert!")
		a, ok := r.operation(p, op)
		if ok && inverse {
			if a, ok = a.inverse(); !ok {
				r.bad(x, "inverts "+fault.Name(op)+", which has no inverse")
			}
		} else if !ok {
			r.bad(x, "there is no such operation with a value that can be read: "+fault.Name(op))
		}
		if ok {
			out = out.mul(a)
		}
	}
	return out, reset
}

// operation returns the map of one operation of p, whose angles are in degrees; false if it is unknown or has no valid value.
func (r *reader) operation(p *prim, name string) (affine, bool) {
	out := identity()
	rest, ok := strings.CutPrefix(name, "xformOp:")
	kind, _, _ := strings.Cut(rest, ":")
	if !ok || p.prop(name) == nil {
		return out, false
	}
	switch kind {
	case "translate", "scale":
		v := r.numbers(p, name, 3)
		switch {
		case v == nil:
			return out, false
		case kind == "translate":
			out.t = spatial.Vec3(v)
		default:
			out.A = spatial.Diag3(v[0], v[1], v[2]).Mat()
		}
		return out, true
	case "translateX", "translateY", "translateZ":
		out.t[kind[len(kind)-1]-'X'] = r.finite(p, name, 0)
		return out, true
	case "scaleX", "scaleY", "scaleZ":
		out.A[4*(kind[len(kind)-1]-'X')] = r.finite(p, name, 1)
		return out, true
	case "orient":
		q, ok := r.quaternion(p, name)
		out.A = q.Mat()
		return out, ok
	case "transform":
		return r.matrix(p, name)
	case "rotateX", "rotateY", "rotateZ":
		out.A = turn(kind[6], r.finite(p, name, 0))
		return out, true
	case "rotateXYZ", "rotateXZY", "rotateYXZ", "rotateYZX", "rotateZXY", "rotateZYX":
		v := r.numbers(p, name, 3)
		if v == nil {
			return out, false
		}
		for _, axis := range []byte(kind[6:]) { // in the order in which they are applied
			out.A = turn(axis, v[axis-'X']).Mul(out.A)
		}
		return out, true
	}
	return out, false
}

// turn returns the rotation about an axis, 'X', 'Y' or 'Z', by an angle in degrees.
func turn(axis byte, degrees float64) spatial.Mat3 {
	var e spatial.Vec3
	e[axis-'X'] = 1
	return spatial.FromAxisAngle(e, degrees*math.Pi/180).Mat()
}

// quaternion reads a rotation, its real part first, and normalizes it. A missing attribute gives the identity and true; a wrong one is
// refused and gives the identity and false.
func (r *reader) quaternion(p *prim, name string) (spatial.Quat, bool) {
	v := r.numbers(p, name, 4)
	if v == nil {
		return spatial.IdentityQuat(), p.prop(name) == nil
	}
	q := spatial.Quat(v)
	if n := q.Norm(); !(n > 0.5 && n < 2) { // rotations in files have norm 1 up to rounding
		r.bad(p.prop(name), "is no rotation")
		return spatial.IdentityQuat(), false
	}
	return q.Normalize(), true
}

// matrix reads a transformation from a 4×4 matrix, whose rows are the images of the axes and the origin; false if it is missing or wrong.
func (r *reader) matrix(p *prim, name string) (affine, bool) {
	m := r.numbers(p, name, 16)
	if m == nil {
		return identity(), false
	}
	if m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1 {
		r.bad(p.prop(name), "is projective")
		return identity(), false
	}
	return affine{
		A: spatial.Mat3{m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10]},
		t: spatial.Vec3{m[12], m[13], m[14]},
	}, true
}
