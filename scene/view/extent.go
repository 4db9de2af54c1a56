package view

import (
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// low returns the height of the lowest point of all shapes relative to the centre of the scene, m, at most 0.
func (v *Viewer) low() float64 {
	up, low := scene.Upright(v.scene.Mechanism).Col(2), 0.0
	for i := range v.scene.Shapes {
		sh := &v.scene.Shapes[i]
		at := sh.Place(v.state)
		low = min(low, up.Dot(at.Origin.Sub(v.center))-v.scene.Extent(sh, at.E.TMulVec(up).Scale(-1)))
	}
	return low
}

// reach returns the radius of the smallest ball around the centre of the scene that has all shapes and ends of links in it, m. It
// is smaller than the radius of scene.Scene.Bounds, which takes a ball around each long rod, so the picture is filled.
func (v *Viewer) reach() (far float64) {
	for i := range v.scene.Shapes {
		sh := &v.scene.Shapes[i]
		at := sh.Place(v.state)
		from := at.E.TMulVec(v.center.Sub(at.Origin)) // the centre, in the axes of the shape
		far = max(far, reachOf(v.scene, sh, from))
	}
	for i := range v.scene.Links {
		l := &v.scene.Links[i]
		a, b := l.Ends(v.state)
		far = max(far, a.Sub(v.center).Norm()+l.Radius, b.Sub(v.center).Norm()+l.Radius)
	}
	if !(far > 0) {
		return v.radius
	}
	return far
}

// reachOf returns the largest distance of a point of a shape from the point from, in the axes of the shape, m. For a cylinder it is a
// bound.
func reachOf(s *scene.Scene, sh *scene.Shape, from spatial.Vec3) (far float64) {
	switch sh.Kind {
	case scene.Sphere:
		return from.Norm() + sh.Size[0]
	case scene.Cylinder, scene.Capsule: // a ball at each end, which has the disc of a cylinder in it
		for _, z := range [2]float64{-sh.Size[2], sh.Size[2]} {
			far = max(far, from.Sub(spatial.Vec3{0, 0, z}).Norm()+sh.Size[0])
		}
		return far
	case scene.Surface:
		for _, p := range s.Meshes[sh.Mesh].Points {
			far = max(far, p.Sub(from).Norm())
		}
		return far
	}
	for k := range from { // the corner of a box that is farthest
		from[k] = max(from[k]+sh.Size[k], sh.Size[k]-from[k])
	}
	return from.Norm()
}
