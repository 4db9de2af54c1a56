package sdf

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/mesh"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// density is the default density of shapes, kg/m³.
const density = 1000

// link reads a link. finish sets its pose, when all frames are known.
func (r *reader) link(n *xmltree.Node, s *scope, home *frame) {
	f := r.named(n, s, home)
	f.isLink, f.link = true, len(r.a.Links)
	r.pose(n, f)
	if s.first == nil {
		s.first = f
	}
	l := assembly.Link{At: n, Name: s.prefix + f.name, Ground: s.static}
	r.inertial(n, &l)
	r.shapes(n, &l)
	if !r.truth(n, "gravity", true) || !r.truth(n, "enable_gravity", true) {
		r.weightless(n, f.link)
	}
	r.unusual(n)
	r.a.Links = append(r.a.Links, l)
	r.links = append(r.links, linked{f})
}

// weightless adds a force that cancels the weight of a link, once its mass is known.
func (r *reader) weightless(n *xmltree.Node, link int) {
	r.after = append(r.after, func() {
		if l := &r.a.Links[link]; l.Mass > 0 && !l.Ground {
			r.a.Forces = append(r.a.Forces, r.a.Balance(link, 1))
			r.report.Note(n, "gravity does not act on links", "forces make up for their weight")
		}
	})
}

// unusual reports elements of a link that the model does not support: prescribed or fixed links, and drag.
func (r *reader) unusual(n *xmltree.Node) {
	for _, name := range [...]string{"kinematic", "must_be_base_link"} {
		if c := n.Child(name); c != nil && r.truth(n, name, false) {
			c.Set(source.Dropped, "links that are moved or held otherwise than by joints are not read")
		}
	}
	if d := n.Child("velocity_decay"); d != nil && (r.number(d, "linear", 0) != 0 || r.number(d, "angular", 0) != 0) {
		d.Set(source.Dropped, "resistance of the air is not read")
	}
}

// inertial reads mass, centre of mass and inertia.
func (r *reader) inertial(n *xmltree.Node, l *assembly.Link) {
	c := n.Child("inertial")
	if c == nil {
		l.Mass, l.Inertia = 1, spatial.Diag3(1, 1, 1)
		if !l.Ground {
			r.report.Note(n, "links do not say their mass", "the format gives them 1 kg and 1 kg m² about each axis")
		}
		return
	}
	if r.values.True(c, "auto", false) {
		r.auto(n, c, l)
		return
	}
	l.Mass = r.number(c, "mass", 1)
	l.Inertia = spatial.Diag3(1, 1, 1)
	if i := c.Child("inertia"); i != nil {
		for k, name := range [...]string{"ixx", "iyy", "izz", "ixy", "ixz", "iyz"} {
			l.Inertia[k] = r.number(i, name, l.Inertia[k])
		}
	}
	if p := c.Child("pose"); p != nil {
		x, relative := r.poseOf(p)
		if relative != "" {
			r.values.Refuse(p, "relative_to", "the pose of an inertial is in its link")
		}
		l.Com = x.R
		if x.Q != spatial.IdentityQuat() {
			l.Inertia = l.Inertia.Rotate(x.Q.Mat())
		}
	}
}

// auto computes mass and inertia from the collision shapes of a link. A mass in the file scales the inertia.
func (r *reader) auto(n, c *xmltree.Node, l *assembly.Link) {
	usual := r.number(c, "density", density)
	var sum assembly.Link
	for _, shape := range n.Children {
		if shape.Name != "collision" {
			continue
		}
		name, _ := shape.Attr("name")
		rho := r.number(shape, "density", usual)
		m, err := r.solid(shape)
		if err != nil {
			r.report.Refuse(shape, "the mass of collision "+fault.Name(name), fault.Plain(err).Error())
			continue
		}
		x, relative := assembly.Identity(), ""
		if p := shape.Child("pose"); p != nil {
			x, relative = r.poseOf(p)
		}
		if relative != "" {
			r.values.Refuse(shape.Child("pose"), "relative_to", "the pose of a collision that has mass is read in its link")
		}
		sum.Add(&assembly.Link{Mass: rho * m.Mass, Com: m.Com, Inertia: m.Inertia.Scale(rho)}, x)
	}
	if sum.Mass == 0 {
		r.report.Refuse(c, "link "+fault.Name(l.Name), "its mass is that of its collisions, which have none")
	}
	l.Mass, l.Com, l.Inertia = sum.Mass, sum.Com, sum.Inertia
	if stated := r.number(c, "mass", 0); stated > 0 && sum.Mass > 0 {
		l.Mass, l.Inertia = stated, sum.Inertia.Scale(stated/sum.Mass)
		r.report.Change(c, "link "+fault.Name(l.Name), "its mass is stated and that of its collisions is another", "the inertia of the collisions is scaled to the stated mass")
		return
	}
	r.report.Note(c, "link "+fault.Name(l.Name), fmt.Sprintf("its mass is that of its collisions, %.6g kg", l.Mass))
}

// errNoVolume is the error for shapes without a volume.
var errNoVolume = errors.New("formats/sdf: the shape encloses no volume that could be computed")

// solid returns the mass properties of the geometry of n at density 1.
func (r *reader) solid(n *xmltree.Node) (mesh.Moments, error) {
	g := n.Child("geometry")
	if g == nil || len(g.Children) == 0 {
		return mesh.Moments{}, errNoVolume
	}
	c := g.Children[0].Use()
	size := func(name string) float64 { return r.number(c, name, 1) }
	var m mesh.Moments
	var ok bool
	switch c.Name {
	case "box":
		m, ok = assembly.BoxMoments(r.threeOf(c, "size"))
	case "sphere":
		m, ok = assembly.BallMoments(size("radius"))
	case "cylinder":
		m, ok = assembly.CylinderMoments(size("radius"), size("length"))
	case "capsule":
		m, ok = assembly.CapsuleMoments(size("radius"), size("length"))
	case "ellipsoid":
		m, ok = assembly.EllipsoidMoments(r.threeOf(c, "radii"))
	case "cone":
		m, ok = assembly.ConeMoments(size("radius"), size("length"))
	case "mesh":
		return r.meshOf(c)
	}
	if !ok {
		return m, errNoVolume
	}
	return m, nil
}

// meshOf reads the file of a mesh and returns its mass properties at density 1. It keeps the results.
func (r *reader) meshOf(c *xmltree.Node) (mesh.Moments, error) {
	for _, name := range [...]string{"submesh", "optimization"} {
		if d := c.Child(name); d != nil {
			return mesh.Moments{}, fmt.Errorf("formats/sdf: %s of a mesh is not read where the mass depends on it", name)
		}
	}
	name, err := r.files.Resolve(source.Dir(r.nameOf(c)), r.text(c, "uri"))
	if err != nil {
		return mesh.Moments{}, err
	}
	of := scaled{name, r.threeOf(c, "scale")}
	if known, ok := r.weighed[of]; ok {
		return known, nil
	}
	data, err := r.files.Include(name)
	if err != nil {
		return mesh.Moments{}, fmt.Errorf("%w; an inertial with numbers needs no file", err)
	}
	m, err := mesh.Read(name.String(), data)
	if err != nil {
		return mesh.Moments{}, err
	}
	m.Transform(of.scale, spatial.Identity3(), spatial.Vec3{})
	if gap := m.Gap(); gap > 1e-6 {
		r.report.Note(c, "mesh "+fault.Name(name.String()), fmt.Sprintf("is not closed: its areas do not cancel, by %.2g", gap))
	}
	moments, err := m.Solid()
	if err == nil {
		r.weighed[of] = moments
	}
	return moments, err
}

// scaled is the key of a mesh: its file and its scale.
type scaled struct {
	name  source.Name
	scale spatial.Vec3
}

// threeOf returns the three numbers in a field of c, ones if there are none.
func (r *reader) threeOf(c *xmltree.Node, field string) spatial.Vec3 {
	return r.values.ChildVector(c, field, [3]float64{1, 1, 1})
}

// forViewers is the consequence, in reports, of a shape that cannot be read.
const forViewers = "viewers alone need it"

// shapes reads visuals and collisions, for viewers. Shapes that cannot be read are dropped. A shape whose pose is relative to another
// frame is added when all frames are known.
func (r *reader) shapes(n *xmltree.Node, l *assembly.Link) {
	link := len(r.a.Links)
	for _, c := range n.Children {
		if c.Name != "visual" && c.Name != "collision" {
			continue
		}
		var v assembly.Visual
		var relative string
		seen := false
		read := r.report.Spare(c, "element "+c.Name, forViewers, func() {
			v, seen = r.shape(c)
			v.Pose = assembly.Identity()
			if p := c.Child("pose"); p != nil {
				v.Pose, relative = r.poseOf(p)
			}
		})
		if !read {
			c.Set(source.Dropped, "")
			continue
		}
		c.Set(source.Visual, "")
		switch {
		case !seen:
		case relative == "":
			l.Visuals = append(l.Visuals, v)
		default:
			r.after = append(r.after, func() { r.relativeShape(c, v, link, relative) })
		}
	}
}

// relativeShape adds a shape to a link whose pose is relative to another frame.
func (r *reader) relativeShape(c *xmltree.Node, v assembly.Visual, link int, relative string) {
	own := r.links[link].f
	base, ok := own.scope.find(relative, own.home)
	if !ok {
		c.Set(source.Dropped, "")
		r.report.Drop(c, "element "+c.Name, "its pose is relative to "+fault.Name(relative)+", which is no frame here", forViewers)
		return
	}
	v.Pose = r.within(own, own.scope).Inverse().Mul(r.within(base, own.scope)).Mul(v.Pose)
	r.a.Links[link].Visuals = append(r.a.Links[link].Visuals, v)
}

// shape reads the geometry of a visual or collision. It returns false for planes, terrains and lines, which the model does not have.
func (r *reader) shape(n *xmltree.Node) (v assembly.Visual, ok bool) {
	v.Name, _ = n.Attr("name")
	v.Hull = n.Name == "collision"
	v.Scale = [3]float64{1, 1, 1}
	r.paint(&v, n)
	g := n.Child("geometry")
	if g == nil || len(g.Children) == 0 {
		return v, false
	}
	c := g.Children[0].Use()
	if !r.measure(&v, c) {
		return v, false
	}
	for k := range v.Size {
		if v.Size[k] < 0 {
			r.report.Refuse(c, "the shape", "has a negative size")
			return v, false
		}
	}
	return v, true
}

// paint sets the colour of the shape of n, if that has one.
func (r *reader) paint(v *assembly.Visual, n *xmltree.Node) {
	m := n.Child("material")
	if m == nil {
		return
	}
	d := m.Child("diffuse")
	if d == nil {
		return
	}
	if !r.report.Spare(d, "element diffuse", "the shape is shown in another colour", func() {
		if x := r.values.TextNumbers(d, 3, 4); x != nil {
			v.Color = [4]float64{0, 0, 0, 1}
			copy(v.Color[:], x)
		}
	}) {
		d.Set(source.Dropped, "")
	}
}

// solidSize is the size of a shape along each axis, m, where the file gives none.
const solidSize = 1

// measure sets kind and sizes of v to the element c of a geometry. It returns false for shapes that the model does not have, and for meshes
// without a file.
func (r *reader) measure(v *assembly.Visual, c *xmltree.Node) bool {
	list := func(name string) {
		v.Size = [3]float64{solidSize, solidSize, solidSize}
		if d := c.Child(name); d != nil {
			if x := r.values.TextNumbers(d, 3, 3); x != nil {
				v.Size = [3]float64(x)
			}
		}
	}
	round := func(kind assembly.Shape) {
		v.Kind, v.Size = kind, [3]float64{r.number(c, "radius", solidSize), r.number(c, "length", solidSize)}
	}
	switch c.Name {
	case "box":
		v.Kind = assembly.Box
		list("size")
	case "ellipsoid":
		v.Kind = assembly.Ellipsoid
		list("radii")
	case "sphere":
		v.Kind, v.Size[0] = assembly.Sphere, r.number(c, "radius", solidSize)
	case "cylinder":
		round(assembly.Cylinder)
	case "capsule":
		round(assembly.Capsule)
	case "mesh":
		v.Kind, v.File, v.Scale = assembly.Mesh, strings.TrimSpace(r.text(c, "uri")), r.threeOf(c, "scale")
		return v.File != ""
	default:
		return false
	}
	return true
}
