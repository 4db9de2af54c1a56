package assembly

import (
	"math"

	"github.com/rung-mbd/rung/formats/mesh"
	"github.com/rung-mbd/rung/spatial"
)

// The mass properties of solids of density 1, with the origin at their middle and z along their length. Units: m³ and m⁵. Each function
// returns false for sizes without volume, such as negative ones.

// BoxMoments is for a box with the lengths of its edges.
func BoxMoments(edge spatial.Vec3) (mesh.Moments, bool) {
	x, y, z := edge[0]*edge[0], edge[1]*edge[1], edge[2]*edge[2]
	return about(edge[0]*edge[1]*edge[2], (y+z)/12, (x+z)/12, (x+y)/12), min(edge[0], edge[1], edge[2]) > 0
}

// EllipsoidMoments is for an ellipsoid with its half axes.
func EllipsoidMoments(radius spatial.Vec3) (mesh.Moments, bool) {
	x, y, z := radius[0]*radius[0], radius[1]*radius[1], radius[2]*radius[2]
	volume := 4 * math.Pi / 3 * radius[0] * radius[1] * radius[2]
	return about(volume, (y+z)/5, (x+z)/5, (x+y)/5), min(radius[0], radius[1], radius[2]) > 0
}

// BallMoments is for a ball of the radius a.
func BallMoments(a float64) (mesh.Moments, bool) {
	return about(4*math.Pi/3*a*a*a, 0.4*a*a, 0.4*a*a, 0.4*a*a), a > 0
}

// CylinderMoments is for a cylinder of the radius a and the length h.
func CylinderMoments(a, h float64) (mesh.Moments, bool) {
	across := a*a/4 + h*h/12
	return about(math.Pi*a*a*h, across, across, a*a/2), a > 0 && h > 0
}

// CapsuleMoments is for a cylinder of radius a and length h, which may be 0, with a hemisphere at each end. The centre of mass of a
// hemisphere is 3/8 of the radius beyond the end.
func CapsuleMoments(a, h float64) (mesh.Moments, bool) {
	cyl, ball := math.Pi*a*a*h, 4*math.Pi/3*a*a*a
	d := h/2 + 3*a/8
	xx := cyl*(a*a/4+h*h/12) + ball*(83./320*a*a+d*d)
	return mesh.Moments{Mass: cyl + ball, Inertia: spatial.Diag3(xx, xx, cyl*a*a/2+ball*0.4*a*a)}, a > 0 && h >= 0
}

// ConeMoments is for a cone of radius a and length h with the tip at z = h/2. Its centre of mass is at z = −h/4.
func ConeMoments(a, h float64) (mesh.Moments, bool) {
	across := 3*a*a/20 + 3*h*h/80
	m := about(math.Pi*a*a*h/3, across, across, 0.3*a*a)
	m.Com = spatial.Vec3{0, 0, -h / 4}
	return m, a > 0 && h > 0
}

// about returns moments with a volume, and principal moments of xx, yy and zz, m², times the volume.
func about(volume, xx, yy, zz float64) mesh.Moments {
	return mesh.Moments{Mass: volume, Inertia: spatial.Diag3(volume*xx, volume*yy, volume*zz)}
}
