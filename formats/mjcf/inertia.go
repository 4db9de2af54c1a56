package mjcf

import (
	"errors"
	"fmt"
	"math"
	"path"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/mesh"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// inertia reads mass and inertia of link i: from an element inertial, or the sum over its geoms. It also reads the shapes.
func (r *reader) inertia(list []member, i int) {
	l := &r.a.Links[i]
	given := false
	for _, e := range list {
		if e.Name != "inertial" || r.compiler.fromGeoms == 1 {
			continue
		}
		if given {
			r.Report.Refuse(e.Node, "element inertial", "stands twice")
			return
		}
		given = true
		r.given(e.Node, l)
	}
	count := !given && r.compiler.fromGeoms != 0
	for _, e := range list {
		if e.Name != "geom" {
			continue
		}
		var g element
		var s shape
		seen, weighs := false, false
		if count {
			g = r.element(e.Node, "geom", e.c)
			weighs = r.weighs(g)
		}
		if weighs && !r.weightless() {
			s, seen = r.shape(g, e.x)
		} else if !r.Report.Spare(e.Node, "element geom", "viewers alone need it", func() {
			g = r.element(e.Node, "geom", e.c)
			r.number(g, "group", 0) // marks the attribute as used: viewers select by it
			s, seen = r.shape(g, e.x)
		}) {
			e.Set(source.Dropped, "")
			continue
		}
		if seen {
			l.Visuals = append(l.Visuals, s.visual)
		}
		if !weighs || !r.weigh(g, &s, l) {
			e.Set(source.Visual, "")
		}
	}
}

// weightless reports whether the mass of the current link has no effect, as it is fixed to the ground.
func (r *reader) weightless() bool { return r.grounded && !(r.compiler.bounds.Total > 0) }

// weighs reports whether a geom has a mass that counts: its group is in the range of the compiler, and its mass is positive.
func (r *reader) weighs(g element) bool {
	group := r.number(g, "group", 0)
	mass, density := r.number(g, "mass", 0), r.number(g, "density", 1000)
	switch {
	case group < r.compiler.groups[0] || group > r.compiler.groups[1]:
		return false
	case mass < 0 || density < 0:
		r.Report.Refuse(g.Node, "mass or density", "is negative")
		return false
	case g.has("mass") != nil:
		return mass > 0
	}
	return density > 0
}

// given reads an element inertial into l.
func (r *reader) given(n *xmltree.Node, l *assembly.Link) {
	n.Use()
	if !n.Has("pos") {
		r.Report.Refuse(n, "attribute pos", "is missing")
	}
	if r.Required(n, "mass") != "" {
		l.Mass = r.Number(n, "mass", 0)
	}
	l.Com = r.Vector(n, "pos", [3]float64{})
	switch {
	case n.Has("fullinertia"):
		if v := r.Numbers(n, "fullinertia", 6, 6); v != nil {
			l.Inertia = spatial.Sym3(v)
		}
		for _, name := range append([]string{"diaginertia"}, turns[:]...) {
			if n.Has(name) {
				r.Refuse(n, name, "stands beside fullinertia")
			}
		}
	case n.Has("diaginertia"):
		if v := r.Numbers(n, "diaginertia", 3, 3); v != nil {
			l.Inertia = assembly.FromPrincipal(spatial.Vec3(v), r.turn(element{n, "inertial", nil}).Mat())
		}
	default:
		r.Report.Refuse(n, "the inertia", "is missing")
	}
}

// shape is a geom with its mass properties at density 1.
type shape struct {
	visual  assembly.Visual
	pose    assembly.Pose                          // of the geom in the link
	moments func(shell bool) (mesh.Moments, error) // in the frame of the geom, of its volume or its surface; nil: no mass
}

var geomTypes = []string{"plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"}

// shape reads a geom, and returns whether it can be shown. x is the pose in the link of the frame around it.
func (r *reader) shape(g element, x assembly.Pose) (s shape, seen bool) {
	kind := geomTypes[r.choice(g, "type", 2, geomTypes...)]
	v := &s.visual
	v.Name, _ = g.Attr("name")
	v.Scale = [3]float64{1, 1, 1}
	r.Report.Spare(g.Node, "colour or contact of a geom", "viewers alone need it", func() {
		v.Hull = r.number(g, "contype", 1) != 0 || r.number(g, "conaffinity", 1) != 0
		v.Color = r.color(g)
	})
	size := [3]float64{}
	copy(size[:], r.numbers(g, "size", 1, 3))
	if name := r.text(g, "mesh"); kind == "mesh" || name != "" && kind != "plane" && kind != "hfield" {
		if kind != "mesh" {
			s.moments = func(bool) (mesh.Moments, error) {
				return mesh.Moments{}, errors.New("shapes fitted to meshes are not computed")
			}
			return s, false
		}
		s.pose = x.Mul(r.pose(g))
		return r.mesh(g, name, s)
	}
	pose, half, two := r.between(g)
	if two {
		switch kind {
		case "capsule", "cylinder":
			size[1] = half
		case "box", "ellipsoid":
			size[1], size[2] = size[0], half
		default:
			r.Refuse(g.Node, "fromto", "has no meaning for the type "+kind)
			return s, false
		}
		v.Pose = x.Mul(pose)
	} else {
		v.Pose = x.Mul(r.pose(g))
	}
	s.pose = v.Pose
	if !r.solid(g, kind, &size, v) {
		return s, false
	}
	a, b, c := size[0], size[1], size[2]
	s.moments = func(shell bool) (mesh.Moments, error) { return moments(kind, a, b, c, shell) }
	return s, true
}

// solid stores kind and size of a geom in v. Lengths of the file are halves, and lengths of v are whole, but for radii and semi-axes. It
// returns false for invalid sizes, which it refuses, and for planes, height fields and distance fields, which have no mass.
func (r *reader) solid(g element, kind string, size *[3]float64, v *assembly.Visual) bool {
	need := map[string]int{"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}[kind]
	for k := range need {
		if !(size[k] > 0) {
			r.Report.Refuse(g.Node, "attribute size", "is not positive")
			return false
		}
	}
	a, b, c := size[0], size[1], size[2]
	switch kind {
	case "sphere":
		v.Kind, v.Size = assembly.Sphere, [3]float64{a}
	case "capsule":
		v.Kind, v.Size = assembly.Capsule, [3]float64{a, 2 * b}
	case "cylinder":
		v.Kind, v.Size = assembly.Cylinder, [3]float64{a, 2 * b}
	case "box":
		v.Kind, v.Size = assembly.Box, [3]float64{2 * a, 2 * b, 2 * c}
	case "ellipsoid":
		v.Kind, v.Size = assembly.Ellipsoid, *size
	default:
		return false
	}
	return true
}

// color returns the color of a geom, or else of its material; zeros if neither is known.
func (r *reader) color(g element) [4]float64 {
	if v := r.numbers(g, "rgba", 4, 4); v != nil {
		return [4]float64(v)
	}
	return r.colors[r.text(g, "material")]
}

// moments returns the mass properties of a shape at density 1, in its frame: of the volume, or of the surface if shell is set. a, b and c
// are the numbers of the attribute size: radii, half lengths and half edges, m.
func moments(kind string, a, b, c float64, shell bool) (m mesh.Moments, err error) {
	diag := func(mass, x, y, z float64) (mesh.Moments, error) {
		return mesh.Moments{Mass: mass, Inertia: spatial.Diag3(x, y, z)}, nil
	}
	switch kind {
	case "sphere":
		mass, k := 4*math.Pi/3*a*a*a, 2.0/5
		if shell {
			mass, k = 4*math.Pi*a*a, 2.0/3
		}
		I := k * mass * a * a
		return diag(mass, I, I, I)
	case "cylinder":
		if shell {
			side, end := 4*math.Pi*a*b, math.Pi*a*a // b is half the length
			z := side*a*a + 2*end*a*a/2
			x := side*(a*a/2+b*b/3) + 2*end*(a*a/4+b*b)
			return diag(side+2*end, x, x, z)
		}
		mass := 2 * math.Pi * a * a * b
		x := mass * (a*a/4 + b*b/3)
		return diag(mass, x, x, mass*a*a/2)
	case "capsule":
		// A cylinder and two hemispheres, whose centres of mass are 3/8 (shell: 1/2) of the radius beyond its ends.
		d := 3.0 / 8
		core := 2 * math.Pi * a * a * b
		x, z := core*(a*a/4+b*b/3), core*a*a/2
		ball, k := 4*math.Pi/3*a*a*a, 2.0/5
		if shell {
			core = 4 * math.Pi * a * b
			x, z = core*(a*a/2+b*b/3), core*a*a
			ball, k, d = 4*math.Pi*a*a, 2.0/3, 1.0/2
		}
		z += k * ball * a * a
		x += k*ball*a*a + ball*(b*b+2*d*a*b)
		return diag(core+ball, x, x, z)
	case "box":
		if shell {
			fx, fy, fz := 4*b*c, 4*a*c, 4*a*b // areas of a face across x, y and z
			x2 := 2*fx*a*a + 2*(fy+fz)*a*a/3
			y2 := 2*fy*b*b + 2*(fx+fz)*b*b/3
			z2 := 2*fz*c*c + 2*(fx+fy)*c*c/3
			return diag(2*(fx+fy+fz), y2+z2, x2+z2, x2+y2)
		}
		mass := 8 * a * b * c
		return diag(mass, mass*(b*b+c*c)/3, mass*(a*a+c*c)/3, mass*(a*a+b*b)/3)
	case "ellipsoid":
		if shell {
			return m, errors.New("the inertia of the surface of an ellipsoid is not computed")
		}
		mass := 4 * math.Pi / 3 * a * b * c
		return diag(mass, mass*(b*b+c*c)/5, mass*(a*a+c*c)/5, mass*(a*a+b*b)/5)
	}
	return m, nil
}

// weigh adds the mass of a geom to l, and returns whether it has one.
func (r *reader) weigh(g element, s *shape, l *assembly.Link) bool {
	if s.moments == nil {
		return false
	}
	m, err := s.moments(r.truth(g, "shellinertia", false))
	if err != nil && r.weightless() {
		r.Report.Note(g.Node, "masses of geoms are not known", "which does not matter, as their bodies stand on the ground: "+fault.Plain(err).Error())
		return false
	}
	if err != nil {
		r.Report.Refuse(g.Node, "the mass of the geom", fault.Plain(err).Error()+"; an element inertial in its body says what it is")
		return true
	}
	scale := r.number(g, "density", 1000)
	if g.has("mass") != nil {
		scale = r.number(g, "mass", 0) / m.Mass
	}
	part := assembly.Link{Mass: m.Mass * scale, Com: m.Com, Inertia: m.Inertia.Scale(scale)}
	l.Add(&part, s.pose)
	return true
}

// meshAsset is a mesh of the section asset.
type meshAsset struct {
	at      *xmltree.Node
	file    string
	scale   [3]float64
	ref     assembly.Pose
	inertia int  // index of its rule in meshRules
	unread  bool // the element cannot be read and was dropped
	sought  bool // it is known whether the file exists
	loaded  *mesh.Mesh
	err     error
	full    *weighed // of the volume, by the rule; nil until needed
	shell   *weighed // of the surface; nil until needed
}

// weighed has the mass properties of a mesh at density 1, or the reason why it has none.
type weighed struct {
	moments mesh.Moments
	err     error
}

var meshRules = []string{"legacy", "exact", "convex", "shell"}

// asset reads the meshes and the colors of materials.
func (r *reader) asset(n *xmltree.Node) {
	for _, c := range n.Children {
		switch c.Name {
		case "material":
			name, _ := c.Attr("name")
			read := r.Report.Spare(c, "element material", "shapes of it are shown in another colour", func() {
				if v := r.numbers(r.element(c, "material", r.main), "rgba", 4, 4); v != nil {
					r.colors[name] = [4]float64(v)
				}
			})
			if c.Set(source.Visual, ""); !read {
				c.Set(source.Dropped, "")
			}
		case "mesh":
			r.meshAsset(c)
		}
	}
}

// meshAsset reads a mesh of the assets. Its errors are reported only where a mass depends on it.
func (r *reader) meshAsset(n *xmltree.Node) {
	file, _ := n.Attr("file")
	name, _ := n.Attr("name")
	if name == "" {
		name = path.Base(file)
		name = name[:len(name)-len(path.Ext(name))]
	}
	m := &meshAsset{at: n, file: file}
	r.meshes[name] = m
	// A mesh that cannot be read is an error only where a mass depends on it.
	if !r.Report.Spare(n, "element mesh", "shapes of it are left out", func() {
		e := r.element(n, "mesh", r.main)
		m.scale, m.inertia = r.vector(e, "scale", [3]float64{1, 1, 1}), r.choice(e, "inertia", pick(r.compiler.exact), meshRules...)
		m.ref = assembly.Pose{R: r.vector(e, "refpos", [3]float64{}), Q: spatial.IdentityQuat()}
		if q := r.numbers(e, "refquat", 4, 4); q != nil {
			if w := spatial.Quat(q); w.Norm() > 1e-12 {
				m.ref.Q = w.Normalize()
			}
		}
		switch {
		case n.Has("builtin"):
			m.err = errors.New("meshes that the simulator makes are not read")
		case n.Has("vertex"):
			m.sought = true
			m.err = r.written(n, m)
		}
	}) {
		n.Set(source.Dropped, "")
		m.unread, m.err = true, errors.New("its mesh cannot be read")
	}
}

// written reads a mesh whose vertices and faces are attributes of n.
func (r *reader) written(n *xmltree.Node, m *meshAsset) error {
	v := r.Numbers(n, "vertex", 3, 3*mesh.MaxTriangles)
	f := r.Numbers(n, "face", 3, 3*mesh.MaxTriangles)
	switch {
	case v == nil || n.Has("face") && f == nil:
		return errors.New("its numbers are not right")
	case len(v)%3 != 0 || len(f)%3 != 0:
		return fmt.Errorf("it has %d coordinates of vertices and %d corners of faces, which have to be threes", len(v), len(f))
	case f == nil:
		return errNoFaces
	}
	out := new(mesh.Mesh)
	for k := 0; k < len(v); k += 3 {
		out.Vertices = append(out.Vertices, spatial.Vec3(v[k:k+3]))
	}
	for k := 0; k < len(f); k += 3 {
		var t [3]int32
		for i, x := range f[k : k+3] {
			if !(x >= 0 && x < float64(len(out.Vertices))) || x != math.Trunc(x) {
				return fmt.Errorf("%g is none of its %d vertices", x, len(out.Vertices))
			}
			t[i] = int32(x)
		}
		out.Triangles = append(out.Triangles, t)
	}
	m.loaded = out
	m.place()
	return nil
}

var errNoFaces = errors.New("it has no faces, and convex hulls are not computed")

// place transforms the vertices from the frame of the file to the frame of the geom.
func (m *meshAsset) place() {
	back := m.ref.Inverse()
	m.loaded.Transform(spatial.Vec3{1, 1, 1}, back.Q.Mat(), back.R)
	m.loaded.Transform(m.scale, spatial.Identity3(), spatial.Vec3{})
}

// fileOf returns the path of a mesh, relative to the file of the model, in meshdir or else in assetdir. It is empty for a mesh
// without a file.
func (r *reader) fileOf(m *meshAsset) string {
	if m.file == "" {
		return ""
	}
	dir := r.compiler.meshes
	if dir == "" {
		dir = r.compiler.assets
	}
	file := m.file
	if r.compiler.strip {
		file = path.Base(file)
	}
	return path.Join(dir, file)
}

// resolve returns the file of a mesh.
func (r *reader) resolve(m *meshAsset) (source.Name, error) {
	return r.files.Resolve(source.Dir(r.name), r.fileOf(m))
}

// mesh completes the shape s of a geom that is the mesh called name, and returns whether it can be shown.
func (r *reader) mesh(g element, name string, s shape) (shape, bool) {
	m, ok := r.meshes[name]
	if !ok {
		r.Report.Refuse(g.Node, "mesh "+fault.Name(name), "does not exist")
		return s, false
	}
	if m.unread {
		s.moments = func(bool) (mesh.Moments, error) { return mesh.Moments{}, m.err }
		return s, false
	}
	if !m.sought {
		m.sought = true
		if name, err := r.resolve(m); m.err == nil && (err != nil || !r.files.Exists(name)) {
			r.Report.Note(m.at, "files of meshes are not there", "which matters only where their masses count")
		}
	}
	v := &s.visual
	v.Kind, v.Scale = assembly.Mesh, m.scale
	v.File = r.fileOf(m)
	// MuJoCo applies the inverse of the reference pose before the scale; a Visual applies its scale first.
	back := m.ref.Inverse()
	for k := range back.R {
		back.R[k] *= m.scale[k]
	}
	v.Pose = s.pose.Mul(back)
	s.moments = func(shell bool) (mesh.Moments, error) { return r.meshMoments(m, shell) }
	return s, true
}

// meshMoments returns the mass properties of a mesh at density 1: of its volume by its rule, or of its surface if shell is set. It keeps
// the results.
func (r *reader) meshMoments(m *meshAsset, shell bool) (mesh.Moments, error) {
	to := &m.full
	if shell {
		to = &m.shell
	}
	if *to == nil {
		moments, err := r.weighMesh(m, shell)
		*to = &weighed{moments, err}
	}
	return (*to).moments, (*to).err
}

// weighMesh computes the result of meshMoments, and loads the mesh first if necessary.
func (r *reader) weighMesh(m *meshAsset, shell bool) (mesh.Moments, error) {
	if m.err == nil && m.loaded == nil {
		name, err := r.resolve(m)
		var data []byte
		if err == nil {
			data, err = r.files.Include(name)
		}
		if err == nil {
			m.loaded, err = mesh.Read(name.Path, data)
		}
		if m.err = err; err == nil {
			if len(m.loaded.Triangles) == 0 {
				m.err = errNoFaces
			}
			m.place()
		}
	}
	if m.err != nil {
		return mesh.Moments{}, m.err
	}
	switch rule := meshRules[m.inertia]; {
	case rule == "shell" || shell:
		return m.loaded.Shell()
	case rule == "exact":
		return m.loaded.Solid()
	case rule == "convex":
		return mesh.Moments{}, fmt.Errorf("formats/mjcf: the inertia of convex hulls is not computed")
	}
	return m.loaded.Convexoid()
}
