package assembly

import (
	"math"

	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Pose places a local frame in an outer one. The zero Q stands for the identity.
type Pose struct {
	R spatial.Vec3 // origin of the local frame, outer axes, m
	Q spatial.Quat // local → outer
}

// Identity returns the pose of a frame that coincides with the outer one.
func Identity() Pose { return Pose{Q: spatial.IdentityQuat()} }

// quat returns Q, or the identity if Q is zero.
func (p Pose) quat() spatial.Quat {
	if p.Q == (spatial.Quat{}) {
		return spatial.IdentityQuat()
	}
	return p.Q
}

// unitError is the largest difference of a unit quaternion's norm from 1 by rounding; beyond it Mul normalizes.
const unitError = 4e-16

// Mul returns the pose of b's frame in the outer frame of p, where b is in the frame of p.
func (p Pose) Mul(b Pose) Pose {
	q := p.quat()
	out := q.Mul(b.quat())
	if n := out.Norm(); math.Abs(n-1) > unitError {
		out = out.Normalize()
	}
	return Pose{R: p.R.Add(q.Rotate(b.R)), Q: out}
}

// Inverse returns the pose of the outer frame in the local one.
func (p Pose) Inverse() Pose {
	q := p.quat().Conj()
	return Pose{R: q.Rotate(p.R).Neg(), Q: q}
}

// Point returns a point of the local frame in the outer one.
func (p Pose) Point(v spatial.Vec3) spatial.Vec3 { return p.R.Add(p.quat().Rotate(v)) }

// Dir returns a vector of the local frame in the outer one.
func (p Pose) Dir(v spatial.Vec3) spatial.Vec3 { return p.quat().Rotate(v) }

// model returns p as a pose of a model.
func (p Pose) model() model.Pose {
	return model.Pose{Position: p.R, Orientation: p.quat()}
}

// Least returns the rotation with the smallest angle that takes the unit vector a to the unit vector b. For opposite vectors it
// is a rotation by π about an axis perpendicular to them.
func Least(a, b spatial.Vec3) spatial.Quat {
	w := 1 + a.Dot(b)
	if w < 1e-14 {
		k := 0
		for i := range a {
			if math.Abs(a[i]) < math.Abs(a[k]) {
				k = i
			}
		}
		var e spatial.Vec3
		e[k] = 1
		v := e.Sub(a.Scale(e.Dot(a)))
		v = v.Scale(1 / v.Norm())
		return spatial.Quat{0, v[0], v[1], v[2]}
	}
	c := a.Cross(b)
	return spatial.Quat{w, c[0], c[1], c[2]}.Normalize()
}

var (
	xAxis = spatial.Vec3{1, 0, 0}
	yAxis = spatial.Vec3{0, 1, 0}
	zAxis = spatial.Vec3{0, 0, 1}
)

// Along returns a frame at a point with its z axis along a unit vector.
func Along(point, axis spatial.Vec3) Pose { return Pose{R: point, Q: Least(zAxis, axis)} }

// axes returns a frame at a point with x and y along two unit vectors, which are perpendicular up to rounding.
func axes(point, x, y spatial.Vec3) Pose {
	z := x.Cross(y)
	z = z.Scale(1 / z.Norm())
	y = z.Cross(x)
	return Pose{R: point, Q: spatial.FromMat(spatial.Mat3{
		x[0], y[0], z[0],
		x[1], y[1], z[1],
		x[2], y[2], z[2],
	}).Normalize()}
}

// RollPitchYaw returns the rotation by r about x, then p about y, then y about z, all of them fixed.
func RollPitchYaw(r, p, y float64) spatial.Quat {
	return spatial.FromAxisAngle(zAxis, y).Mul(spatial.FromAxisAngle(yAxis, p)).Mul(spatial.FromAxisAngle(xAxis, r))
}
