package usd

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/mesh"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// shapes has the kinds of prims that are shapes, for display or contact.
var shapes = []string{
	"BasisCurves", "Capsule", "Capsule_1", "Cone", "Cube", "Cylinder", "Cylinder_1", "HermiteCurves", "Mesh", "NurbsCurves", "NurbsPatch",
	"Plane", "Points", "Sphere", "TetMesh",
}

// isShape reports whether prims of a kind are shapes.
func isShape(kind string) bool { return slices.Contains(shapes, kind) }

// errNoVolume is the error for shapes without a volume.
var errNoVolume = errors.New("formats/usd: the shape encloses no volume that could be computed")

// size has the size of a shape, in units of its prim; height is also the edge of a cube.
type size struct{ radius, height float64 }

// sized reads the size of a shape, with the defaults of its schema.
func (r *reader) sized(p *prim) size {
	usual := map[string]size{"Capsule": {0.5, 1}, "Cone": {1, 2}, "Cylinder": {1, 2}, "Sphere": {1, 0}, "Cube": {0, 2}}[p.kind]
	if p.kind == "Cube" {
		return size{height: r.finite(p, "size", usual.height)}
	}
	s := size{radius: r.finite(p, "radius", usual.radius)}
	if p.kind != "Sphere" {
		s.height = r.finite(p, "height", usual.height)
	}
	return s
}

// along returns a frame at the origin whose z axis is the axis of a shape.
func (r *reader) along(p *prim) assembly.Pose {
	e, ok := axisOf(r.word(p, "axis", "Z"))
	if !ok {
		r.bad(p.prop("axis"), "is none of X, Y and Z")
	}
	return assembly.Along(spatial.Vec3{}, e)
}

// axisOf returns the unit vector of an axis X, Y or Z; z and false for other names.
func axisOf(name string) (e spatial.Vec3, ok bool) {
	if ok = name == "X" || name == "Y" || name == "Z"; !ok {
		return spatial.Vec3{0, 0, 1}, false
	}
	e[name[0]-'X'] = 1
	return e, true
}

// moments returns the mass properties of a shape at density 1, in the frame and the units of its prim.
func (r *reader) moments(p *prim) (mesh.Moments, error) {
	if p.kind == "Mesh" {
		return r.meshMoments(p)
	}
	s := r.sized(p)
	a, h := s.radius, s.height
	var m mesh.Moments
	var ok bool
	switch p.kind {
	case "Cube":
		m, ok = assembly.BoxMoments(spatial.Vec3{h, h, h})
	case "Sphere":
		m, ok = assembly.BallMoments(a)
	case "Cylinder":
		m, ok = assembly.CylinderMoments(a, h)
	case "Capsule":
		m, ok = assembly.CapsuleMoments(a, h)
	case "Cone":
		m, ok = assembly.ConeMoments(a, h)
	}
	switch {
	case !ok:
		return m, errNoVolume
	case p.kind == "Cube" || p.kind == "Sphere":
		return m, nil
	}
	x := r.along(p)
	return affine{A: x.Q.Mat()}.apply(m), nil
}

// apply returns the mass properties of the image of a solid of density 1 under a. If C has the second moments of the solid about its
// centre of mass, the image has |det A|·A·C·Aᵀ.
func (a affine) apply(m mesh.Moments) mesh.Moments {
	d := math.Abs(a.A.Det())
	half := m.Inertia.Trace() / 2
	C := spatial.Diag3(half, half, half).Add(m.Inertia.Scale(-1)).Mat()
	D := a.A.Mul(C).MulT(a.A).Scale(d)
	t := D[0] + D[4] + D[8]
	return mesh.Moments{
		Mass: d * m.Mass, Com: a.A.MulVec(m.Com).Add(a.t),
		Inertia: spatial.Sym3{t - D[0], t - D[4], t - D[8], -(D[1] + D[3]) / 2, -(D[2] + D[6]) / 2, -(D[5] + D[7]) / 2},
	}
}

// maxCorners is the largest number of coordinates of points and corners of faces in all meshes that give bodies their mass. Reading so
// many takes seconds.
const maxCorners = 1 << 26

// meshMoments returns the mass properties of the solid that a mesh encloses, at density 1.
func (r *reader) meshMoments(p *prim) (mesh.Moments, error) {
	m := &mesh.Mesh{}
	_, points := r.get(p, "points")
	_, counts := r.get(p, "faceVertexCounts")
	_, corners := r.get(p, "faceVertexIndices")
	if points == nil || counts == nil || corners == nil || len(points.nums)%3 != 0 || !points.finite() {
		return mesh.Moments{}, errNoVolume
	}
	if x := p.prop("holeIndices"); x != nil && x.value != nil && len(x.value.nums) > 0 {
		return mesh.Moments{}, errors.New("formats/usd: meshes with holes are not read where the mass depends on them")
	}
	if r.corners += len(points.nums) + len(corners.nums); r.corners > maxCorners {
		return mesh.Moments{}, fmt.Errorf(
			"formats/usd: the meshes whose mass counts have more than %d coordinates and corners, those of copies each time", maxCorners)
	}
	for i := 0; i < len(points.nums); i += 3 {
		m.Vertices = append(m.Vertices, spatial.Vec3(points.nums[i:i+3]))
	}
	left := r.word(p, "orientation", "rightHanded") == "leftHanded"
	at := 0
	for _, n := range counts.nums {
		if !(n >= 3 && n <= float64(len(corners.nums)-at)) || n != math.Trunc(n) {
			return mesh.Moments{}, fmt.Errorf("formats/usd: a face has %g corners of %d that are left", n, len(corners.nums)-at)
		}
		face := corners.nums[at : at+int(n)]
		at += int(n)
		for _, k := range face {
			if !(k >= 0 && k < float64(len(m.Vertices))) || k != math.Trunc(k) {
				return mesh.Moments{}, fmt.Errorf("formats/usd: a face has the corner %g of %d points", k, len(m.Vertices))
			}
		}
		for i := 2; i < len(face); i++ {
			t := [3]int32{int32(face[0]), int32(face[i-1]), int32(face[i])}
			if left {
				t[1], t[2] = t[2], t[1]
			}
			m.Triangles = append(m.Triangles, t)
		}
	}
	if gap := m.Gap(); gap > 1e-6 {
		r.report.Note(p, "mesh "+fault.Name(p.name), fmt.Sprintf("is not closed: its areas do not cancel, by %.2g", gap))
	}
	if how := r.word(p, "physics:approximation", "none"); how != "none" {
		r.report.Change(p.prop("physics:approximation"), "mesh "+fault.Name(p.name),
			"its collisions are those of another shape, "+fault.Name(how),
			"its mass is that of the mesh itself")
	}
	return m.Solid()
}

// shape adds a shape to the visuals of its link and, if it is for collisions, to the shapes that may give its body mass.
func (r *reader) shape(n *node) {
	p := n.p
	p.class = source.Visual
	hull := p.has("PhysicsCollisionAPI")
	if n.link == assembly.World {
		return
	}
	b := &r.bodies[n.link]
	if hull {
		b.colliders = append(b.colliders, n)
	}
	var v assembly.Visual
	seen := false
	if !r.report.Spare(p, "shape "+fault.Name(p.name), "viewers do not show it", func() { v, seen = r.visual(n, b) }) || !seen {
		return
	}
	v.Hull = hull
	l := &r.a.Links[n.link]
	l.Visuals = append(l.Visuals, v)
}

// visual returns a shape in the frame of its body, in metres. It returns false for meshes, as the model has no points, and for
// shapes that scaling turns into another kind, such as a sphere into an ellipsoid.
func (r *reader) visual(n *node, b *body) (v assembly.Visual, ok bool) {
	p := n.p
	x, s, ok := n.world.rigid()
	kinds := map[string]assembly.Shape{
		"Cube": assembly.Box, "Sphere": assembly.Sphere, "Cylinder": assembly.Cylinder, "Capsule": assembly.Capsule,
	}
	kind, known := kinds[p.kind]
	if !ok || !known {
		return v, false
	}
	z := r.sized(p)
	v = assembly.Visual{Name: p.name, Kind: kind, Pose: b.frame.Inverse().Mul(x)}
	if kind != assembly.Box && s.Sub(spatial.Vec3{s[0], s[0], s[0]}).Norm() > orthogonal*s[0] {
		return v, false
	}
	switch kind {
	case assembly.Box:
		v.Size = s.Scale(z.height * r.length)
	default:
		v.Size = [3]float64{z.radius * s[0] * r.length, z.height * s[0] * r.length}
	}
	if kind == assembly.Cylinder || kind == assembly.Capsule {
		v.Pose = v.Pose.Mul(r.along(p))
	}
	v.Pose.R = v.Pose.R.Scale(r.length)
	if c := p.prop("primvars:displayColor"); c != nil && c.value != nil && len(c.value.nums) == 3 {
		v.Color = [4]float64{c.value.nums[0], c.value.nums[1], c.value.nums[2], 1}
	}
	return v, true
}
