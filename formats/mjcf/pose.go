package mjcf

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/spatial"
)

// turns has the attributes that define an orientation, and turnNumbers the count of numbers in each.
var (
	turns       = [...]string{"quat", "axisangle", "euler", "xyaxes", "zaxis"}
	turnNumbers = [...]int{4, 4, 3, 6, 3}
)

// angle returns an angle of the file in radians.
func (r *reader) angle(x float64) float64 {
	if r.compiler.degrees {
		return x * math.Pi / 180
	}
	return x
}

// pose reads position and orientation of e.
func (r *reader) pose(e element) assembly.Pose {
	return assembly.Pose{R: r.vector(e, "pos", [3]float64{}), Q: r.turn(e)}
}

// turn reads the orientation of e from its attribute among turns. It returns the identity if none is set, or after a refusal.
func (r *reader) turn(e element) spatial.Quat {
	n, which := e.first(turns[:]...)
	if n == nil {
		return spatial.IdentityQuat()
	}
	if which == "" {
		r.Report.Refuse(n, "the orientation", "is given twice")
		return spatial.IdentityQuat()
	}
	numbers := turnNumbers[slices.Index(turns[:], which)]
	v := r.Numbers(n, which, numbers, numbers)
	if v == nil {
		return spatial.IdentityQuat()
	}
	q, ok := r.turnOf(which, v)
	if !ok {
		r.Refuse(n, which, "has no direction")
		return spatial.IdentityQuat()
	}
	return q
}

// turnOf returns the orientation for the numbers v of the attribute which; false if they do not define a direction.
func (r *reader) turnOf(which string, v []float64) (spatial.Quat, bool) {
	switch which {
	case "quat":
		q := spatial.Quat(v)
		if !(q.Norm() > noDirection) {
			return q, false
		}
		return q.Normalize(), true
	case "axisangle":
		a := spatial.Vec3(v[:3])
		if !(a.Norm() > noDirection) {
			return spatial.Quat{}, false
		}
		return spatial.FromAxisAngle(a, r.angle(v[3])), true
	case "euler":
		return r.euler(v), true
	case "xyaxes":
		return ofAxes(spatial.Vec3(v[:3]), spatial.Vec3(v[3:]))
	default: // zaxis
		z := spatial.Vec3(v)
		if !(z.Norm() > noDirection) {
			return spatial.Quat{}, false
		}
		return assembly.Least(spatial.Vec3{0, 0, 1}, z.Scale(1/z.Norm())), true
	}
}

// noDirection is the norm up to which a vector or quaternion counts as zero.
const noDirection = 1e-12

// ofAxes returns the rotation with its x axis along x and its y axis in the plane of x and y, on the side of y. It returns false if
// the two vectors do not span a plane.
func ofAxes(x, y spatial.Vec3) (spatial.Quat, bool) {
	if !(x.Norm() > noDirection) {
		return spatial.Quat{}, false
	}
	x = x.Scale(1 / x.Norm())
	y = y.Sub(x.Scale(x.Dot(y)))
	if !(y.Norm() > noDirection) {
		return spatial.Quat{}, false
	}
	y = y.Scale(1 / y.Norm())
	z := x.Cross(y)
	return spatial.FromMat(spatial.Mat3{x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]}).Normalize(), true
}

// euler returns the rotation by three angles, about axes in the order of eulerseq: lower-case letters mean axes that rotate with the
// frame, upper-case letters fixed axes.
func (r *reader) euler(v []float64) spatial.Quat {
	q := spatial.IdentityQuat()
	for k := range 3 {
		letter := r.compiler.order[k]
		moving := letter >= 'x'
		var axis spatial.Vec3
		if moving {
			axis[letter-'x'] = 1
		} else {
			axis[letter-'X'] = 1
		}
		turn := spatial.FromAxisAngle(axis, r.angle(v[k]))
		if moving {
			q = q.Mul(turn)
		} else {
			q = turn.Mul(q)
		}
	}
	return q
}
