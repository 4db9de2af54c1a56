package urdf

import (
	"math"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// link reads a link with its inertia and shapes.
func (r *reader) link(n *xmltree.Node) {
	name := r.Required(n, "name")
	if name == "" {
		return
	}
	if _, ok := r.links[name]; ok {
		r.Report.Refuse(n, "link "+fault.Name(name), "stands twice")
		return
	}
	r.links[name] = len(r.a.Links)
	l := assembly.Link{At: n, Name: name}
	if in := n.Child("inertial"); in != nil {
		r.inertial(in, &l)
	}
	for _, c := range n.Children {
		if c.Name == "visual" || c.Name == "collision" {
			var v assembly.Visual
			seen := false
			if !r.Report.Spare(c, "element "+c.Name, "viewers alone need it", func() { v, seen = r.visual(c) }) {
				c.Set(source.Dropped, "")
				continue
			}
			if c.Set(source.Visual, ""); seen {
				v.Hull = c.Name == "collision"
				l.Visuals = append(l.Visuals, v)
			}
		}
	}
	r.a.Links = append(r.a.Links, l)
}

// symmetric is the largest difference between two entries of an inertia across the diagonal, relative to the largest moment, that
// counts as rounding: files have at least six digits.
const symmetric = 1e-5

// inertial reads mass, centre of mass and inertia into l, in axes of the link.
func (r *reader) inertial(n *xmltree.Node, l *assembly.Link) {
	x := r.origin(n.Child("origin"))
	if m := r.need(n, "mass"); m != nil {
		if r.Required(m, "value") != "" {
			l.Mass = r.Number(m, "value", 0)
		}
	}
	l.Com = x.R
	in := r.need(n, "inertia")
	if in == nil {
		return
	}
	var I spatial.Sym3
	for k, name := range [6]string{"ixx", "iyy", "izz", "ixy", "ixz", "iyz"} {
		if k < 3 && r.Required(in, name) == "" {
			return
		}
		I[k] = r.Number(in, name, 0)
	}
	for k, name := range [3]string{"iyx", "izx", "izy"} { // some files have these, although the matrix is symmetric
		if in.Has(name) && math.Abs(r.Number(in, name, 0)-I[3+k]) > symmetric*max(I[0], I[1], I[2]) {
			in.SetAttr(name, source.Dropped, "an inertia is symmetric, and "+[3]string{"ixy", "ixz", "iyz"}[k]+" is another number, which counts")
		}
	}
	if x.Q != spatial.IdentityQuat() {
		I = I.Rotate(x.Q.Mat())
	}
	l.Inertia = I
}

// visual reads a shape, and returns whether it can be shown.
func (r *reader) visual(n *xmltree.Node) (v assembly.Visual, ok bool) {
	v.Name, _ = n.Attr("name")
	v.Pose = r.origin(n.Child("origin"))
	v.Scale = [3]float64{1, 1, 1}
	if m := n.Child("material"); m != nil {
		v.Color = r.material(m)
	}
	g := n.Child("geometry")
	if g == nil || len(g.Children) == 0 {
		return v, false
	}
	c := g.Children[0].Use()
	switch c.Name {
	case "box":
		v.Kind, v.Size = assembly.Box, r.Vector(c, "size", [3]float64{})
	case "sphere":
		v.Kind, v.Size = assembly.Sphere, [3]float64{r.Number(c, "radius", 0)}
	case "cylinder":
		v.Kind, v.Size = assembly.Cylinder, [3]float64{r.Number(c, "radius", 0), r.Number(c, "length", 0)}
	case "drake:ellipsoid":
		v.Kind, v.Size = assembly.Ellipsoid, [3]float64{r.Number(c, "a", 0), r.Number(c, "b", 0), r.Number(c, "c", 0)}
	case "capsule", "drake:capsule":
		v.Kind, v.Size = assembly.Capsule, [3]float64{r.Number(c, "radius", 0), r.Number(c, "length", 0)}
	case "mesh":
		v.Kind = assembly.Mesh
		v.File, _ = c.Attr("filename")
		switch s := r.Numbers(c, "scale", 1, 3); len(s) {
		case 1:
			v.Scale = [3]float64{s[0], s[0], s[0]}
		case 3:
			v.Scale = [3]float64(s)
		}
	default:
		r.Report.Note(c, "shape "+fault.Name(c.Name), "is left out")
		return v, false
	}
	return v, true
}

// material reads the color of a material, or returns the color of an earlier material with its name; zeros if unknown.
func (r *reader) material(n *xmltree.Node) [4]float64 {
	name, _ := n.Attr("name")
	c := n.Child("color")
	if c == nil {
		return r.materials[name]
	}
	var rgba [4]float64
	read := r.Report.Spare(c, "element color", "the shape is shown in another colour", func() {
		if x := r.Numbers(c, "rgba", 3, 4); x != nil {
			rgba[3] = 1
			copy(rgba[:], x)
			if _, ok := r.materials[name]; !ok && name != "" {
				r.materials[name] = rgba
			}
		}
	})
	if n.Set(source.Visual, ""); !read {
		c.Set(source.Dropped, "")
	}
	return rgba
}
