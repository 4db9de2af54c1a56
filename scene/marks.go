package scene

import (
	"math"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

var (
	wheelColor  = Color{70, 74, 82}
	worldColor  = Color{150, 150, 150}
	rodColor    = Color{170, 176, 184}
	springColor = Color{30, 155, 120}

	bushingColor  = Color{20, 110, 130}
	cableColor    = Color{60, 50, 40}
	couplingColor = Color{190, 60, 160}
)

// DamperColor is the colour of dashpots.
var DamperColor = Color{105, 125, 140}

// bodyColors differ in hue and little in lightness, so that differences in lightness show the form.
var bodyColors = [...]Color{{78, 121, 167}, {242, 142, 43}, {89, 161, 79}, {237, 201, 72}, {176, 122, 161}, {118, 183, 178}, {255, 157, 167}, {156, 117, 95}}

// BodyColor returns the colour of body i. It panics if i is negative.
func BodyColor(i int) Color {
	if i < 0 {
		panic("scene: body out of range")
	}
	return bodyColors[i%len(bodyColors)]
}

// jointColor returns the colour of the marks of a joint type. Joints that
// turn, slide, do both or hold points have one colour each.
func jointColor(k joints.Kind) Color {
	switch k.Type() {
	case joints.Revolute, joints.Universal:
		return Color{200, 40, 50}
	case joints.Prismatic, joints.Planar, joints.PointOnPlane, joints.Rolling, joints.NoSlip:
		return Color{30, 90, 200}
	case joints.Cylindrical, joints.Helical:
		return Color{130, 60, 190}
	case joints.Spherical, joints.SphereInCylinder, joints.PointOnCurve:
		return Color{230, 120, 20}
	case joints.Distance:
		return Color{60, 60, 60}
	}
	return Color{90, 90, 90}
}

// collar is the radius of a mark around a rod, relative to the rod: enough to tell the two apart.
const collar = 1.1

// marks returns the shapes that stand for a joint type, in the axes of its frame, without colour and body. h are the radii of the rods
// that it holds: pins through both rods are thinner than either, and collars and balls about as thick as the thicker one.
func marks(k joints.Kind, h bars) []Shape {
	x, y := spatial.Vec3{1}, spatial.Vec3{0, 1}
	cylinder := func(axis spatial.Vec3, radius, half float64) Shape {
		return Shape{Kind: Cylinder, Size: spatial.Vec3{radius, radius, half}, At: mechanism.Frame{E: Along(axis)}}
	}
	box := func(x, y, z float64) Shape {
		return Shape{Kind: Box, Size: spatial.Vec3{x, y, z}, At: mechanism.Frame{E: spatial.Identity3()}}
	}
	ball := func(radius float64) Shape {
		return Shape{Kind: Sphere, Size: spatial.Vec3{radius, radius, radius}, At: mechanism.Frame{E: spatial.Identity3()}}
	}
	z := spatial.Vec3{0, 0, 1}
	pin, r := 0.8*h.thin, collar*h.thick
	switch k.Type() {
	case joints.Revolute:
		return []Shape{cylinder(z, pin, 1.4*h.thick)}
	case joints.Prismatic:
		return []Shape{box(0.95*r, 0.95*r, 2.2*r)}
	case joints.Cylindrical:
		return []Shape{cylinder(z, r, 2.2*r)}
	case joints.Helical:
		return []Shape{cylinder(z, 0.7*r, 2.2*r), cylinder(z, r, 0.3*r)}
	case joints.Universal:
		return []Shape{cylinder(x, 0.6*pin, 1.5*h.thick), cylinder(y, 0.6*pin, 1.5*h.thick)}
	case joints.Spherical, joints.PointOnCurve:
		return []Shape{ball(r)}
	case joints.SphereInCylinder:
		return []Shape{ball(r), cylinder(z, 0.5*pin, 2.2*r)}
	case joints.Planar, joints.PointOnPlane, joints.Rolling: // a piece of the plane
		return []Shape{box(1.4*r, 1.4*r, 0.25*r)}
	case joints.NoSlip: // a blade
		return []Shape{box(1.4*r, 1.4*r, 0.1*r)}
	}
	return []Shape{box(r, r, r)}
}

// Along returns axes, as columns, whose z axis has the direction of d. Their x axis is as near as possible to the world's x, or to
// the world's y if d is nearly along x. It returns the world's axes if d is zero or not finite.
func Along(d spatial.Vec3) spatial.Mat3 {
	n := d.Norm()
	if !(n > 0) || math.IsInf(n, 0) {
		return spatial.Identity3()
	}
	z := d.Scale(1 / n)
	x := spatial.Vec3{1}
	if math.Abs(z[0]) > 0.9 {
		x = spatial.Vec3{0, 1}
	}
	x = x.Sub(z.Scale(z.Dot(x)))
	x = x.Scale(1 / x.Norm())
	y := z.Cross(x)
	return spatial.Mat3{x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]}
}
