package build

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// Place is a frame in the world: an origin and an orientation. The z axis is the axis of a
// revolute, prismatic, helical or cylindrical joint and the normal of a plane.
//
// A Place made from an axis that is no direction is refused by the Builder, with the name of
// the body or joint that it was for.
type Place struct {
	Origin      spatial.Vec3 // m
	Orientation spatial.Quat // frame → world; all zeros stand for the identity

	wrong error // of the axes
}

// At is a place with the world's axes.
func At(x, y, z float64) Place { return Place{Origin: spatial.Vec3{x, y, z}} }

// WithZ returns p turned by the shortest way from the world's axes so that its z axis has the
// direction of axis.
func (p Place) WithZ(axis spatial.Vec3) Place { return p.along(spatial.Vec3{0, 0, 1}, axis) }

// WithX is WithZ for the x axis.
func (p Place) WithX(axis spatial.Vec3) Place { return p.along(spatial.Vec3{1, 0, 0}, axis) }

// WithZX returns p with its z axis along z and its x axis along the part of x across z.
func (p Place) WithZX(z, x spatial.Vec3) Place { return p.withAxes(2, 0, z, x) }

// WithXY returns p with its x axis along x and its y axis along the part of y across x.
func (p Place) WithXY(x, y spatial.Vec3) Place { return p.withAxes(0, 1, x, y) }

// along turns p so that its axis, a unit vector along a world axis, has the direction of to.
func (p Place) along(axis, to spatial.Vec3) Place {
	if to, p.wrong = direction(to); p.wrong == nil {
		p.Orientation = turnTo(axis, to)
	}
	return p
}

// parallelSine is the sine of the angle between two axes up to which they count as parallel.
const parallelSine = 1e-9

// withAxes gives axis i of p the direction of a. The next axis j, in the order x, y, z, x, gets
// the direction of the part of b across a.
func (p Place) withAxes(i, j int, a, b spatial.Vec3) Place {
	if a, p.wrong = direction(a); p.wrong != nil {
		return p
	}
	if b, p.wrong = direction(b); p.wrong != nil {
		return p
	}
	c := a.Cross(b)
	if sine := c.Norm(); sine > parallelSine {
		c = c.Scale(1 / sine)
	} else {
		p.wrong = fmt.Errorf("axes %v and %v are parallel", a, b)
		return p
	}
	var axes [3]spatial.Vec3
	axes[i], axes[j], axes[3-i-j] = a, c.Cross(a), c
	var E spatial.Mat3
	for k, v := range axes {
		E[k], E[3+k], E[6+k] = v[0], v[1], v[2]
	}
	p.Orientation = spatial.FromMat(E)
	return p
}

// quat returns the orientation as a unit quaternion.
func (p *Place) quat() spatial.Quat {
	if p.Orientation == (spatial.Quat{}) {
		return spatial.IdentityQuat()
	}
	return p.Orientation.Normalize()
}

// direction returns the unit vector along v, which may be of any length, or an error if v is
// zero or not finite.
func direction(v spatial.Vec3) (spatial.Vec3, error) {
	if v == (spatial.Vec3{}) || !v.IsFinite() {
		return v, fmt.Errorf("axis %v is zero or not finite", v)
	}
	// First a division by the largest component: the square of a component, or a reciprocal, may be infinite.
	big := max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]))
	for i := range v {
		v[i] /= big
	}
	return v.Scale(1 / v.Norm()), nil
}

// turnTo returns the shortest rotation that takes one unit vector to another.
func turnTo(from, to spatial.Vec3) spatial.Quat {
	c := from.Dot(to)
	if c < -0.999999 { // nearly opposite, where 1 + c below loses its digits: half a turn first, about any normal
		side := from.Cross(spatial.Vec3{1, 0, 0})
		if side.Norm() < 0.5 { // from is within 30° of the x axis
			side = from.Cross(spatial.Vec3{0, 1, 0})
		}
		half := spatial.Quat{0, side[0], side[1], side[2]}.Normalize()
		return turnTo(half.Rotate(from), to).Mul(half)
	}
	a := from.Cross(to)
	return spatial.Quat{1 + c, a[0], a[1], a[2]}.Normalize()
}
