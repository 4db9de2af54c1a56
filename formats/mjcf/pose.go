package mjcf

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/spatial"
)

// turns are the attributes that give an orientation, and turnNumbers how many numbers each has.
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

// turn reads the orientation of e, which one attribute of five gives.
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

// turnOf returns the orientation that the numbers v of an attribute of turns give, and false if they have no direction.
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

// noDirection is the length of a vector or quaternion below which it has no direction.
const noDirection = 1e-12

// ofAxes returns the rotation whose first axis is along x, and whose second one is in the half-plane of y. It reports whether
// the two span a plane.
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

// euler returns the rotation of three angles in the order of the settings: lower case letters are axes that turn with the
// frame, upper case ones are fixed.
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
