package asmt

import (
	"math"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// Read reads a file and makes its model, with the report on all its elements.
//
// Cost: O(bytes). It returns the errors of the file as a *source.SyntaxError
// or a *source.Problems. The report is never nil.
func Read(files *source.Files, name source.Name, o *source.Options) (*source.Result, *source.Report, error) {
	report := &source.Report{File: name.String(), Format: "asmt"}
	report.Tell(o.Settled)
	data, err := files.Read(name)
	if err != nil {
		return nil, report, err
	}
	root, err := parse(report.File, data)
	if err != nil {
		return nil, report, err
	}
	r := &reader{
		report: report, values: xmltree.Values{Report: report},
		markers: map[string]place{}, joints: map[string]int{}, names: map[string]bool{},
	}
	if o.Key != "" || len(o.Pose) > 0 {
		report.Refuse(nil, "a pose by keyframe or coordinates", "this format has the state of its parts")
	}
	r.assembly(root)
	xmltree.Account(root, table, report)
	result, err := r.a.Build(o, report)
	if err != nil {
		return nil, report, err
	}
	result.Model.Time = r.time
	return result, report, nil
}

// still is the largest speed of the assembly, m/s or rad/s, that counts as rest: files of solvers have rounding there.
const still = 1e-12

// place is a frame of a link, or of the world.
type place struct {
	link int
	pose assembly.Pose
}

type reader struct {
	a       assembly.Assembly
	report  *source.Report
	values  xmltree.Values
	prefix  string // of the paths of markers: /ASSEMBLY/
	markers map[string]place
	joints  map[string]int // 1 + index in a.Joints; 0: unknown
	names   map[string]bool
	meshes  []mesh
	time    float64
}

// assembly reads the root.
func (r *reader) assembly(root *xmltree.Node) {
	root.Use()
	r.a.Name = r.name(root)
	r.prefix = "/" + r.a.Name + "/"
	ground := r.pose(root)
	for _, name := range [...]string{"Velocity3D", "Omega3D"} {
		switch v := r.vector(root, name).Norm(); {
		case v > still:
			r.report.Refuse(root, "the assembly", "moves, and is the world of the model")
		case v > 0:
			r.report.Note(root.Child(name), "the assembly", "counts as at rest: its velocity is that of rounding")
		}
	}
	if g := root.Child("ConstantGravity"); g != nil {
		if x := r.values.TextNumbers(g, 3, 3); x != nil {
			r.a.Gravity = spatial.Vec3(x)
		}
	}
	if s := root.Child("SimulationParameters"); s != nil {
		r.time = r.number(s, "tstart", 0)
	}
	r.refPoints(root, assembly.World, ground, "")
	if parts := root.Child("Parts"); parts != nil {
		for _, n := range parts.Children {
			if n.Name == "Part" {
				r.part(n)
			}
		}
	}
	if sets := root.Child("ConstraintSets"); sets != nil {
		r.constraints(sets)
	}
	for _, name := range [...]string{"ForceTorques", "ForcesTorques"} {
		root.Child(name) // marks the list as read; the rules drop its children
	}
}

// constraints reads joints, motions and limits.
func (r *reader) constraints(sets *xmltree.Node) {
	for _, list := range [...]struct {
		name string
		read func(*xmltree.Node)
	}{{"Joints", r.joint}, {"Motions", r.motion}, {"Limits", r.limit}} {
		if n := sets.Child(list.name); n != nil {
			for _, c := range n.Children {
				list.read(c)
			}
		}
	}
	r.mesh()
	if n := sets.Child("GeneralConstraintSets"); n != nil && len(n.Children) > 0 {
		r.report.Refuse(n, "element "+fault.Name(n.Name), "constraints of a general kind are not read")
	}
}

// part reads a part with its state.
func (r *reader) part(n *xmltree.Node) {
	n.Use()
	l := assembly.Link{At: n, Name: r.name(n), Pose: r.pose(n), Linear: r.vector(n, "Velocity3D"), Angular: r.vector(n, "Omega3D")}
	if m := n.Child("PrincipalMassMarker"); m == nil {
		r.report.Refuse(n, "part "+fault.Name(l.Name), "has no mass marker")
	} else {
		if c := m.Child("Name"); c != nil {
			c.Use()
		}
		x := r.pose(m)
		l.Com = x.R
		l.Mass = r.number(m, "Mass", 0)
		moments := r.vector(m, "MomentOfInertias")
		l.Inertia = spatial.Diag3(moments[0], moments[1], moments[2])
		if x.Q != spatial.IdentityQuat() {
			l.Inertia = l.Inertia.Rotate(x.Q.Mat())
		}
	}
	r.a.Links = append(r.a.Links, l)
	r.refPoints(n, len(r.a.Links)-1, assembly.Identity(), l.Name+"/")
}

// refPoints reads the markers in n, which belong to a link or to the world. outer is the pose of n in that link, prefix its part of the
// markers' paths.
func (r *reader) refPoints(n *xmltree.Node, link int, outer assembly.Pose, prefix string) {
	points := n.Child("RefPoints")
	if points == nil {
		return
	}
	for _, p := range points.Children {
		if p.Name != "RefPoint" {
			continue
		}
		p.Use()
		at := outer.Mul(r.pose(p))
		list := p.Child("Markers")
		if list == nil {
			continue
		}
		for _, m := range list.Children {
			if m.Name != "Marker" {
				continue
			}
			m.Use()
			name := prefix + r.name(m)
			x := at.Mul(r.pose(m))
			if _, twice := r.markers[r.prefix+name]; twice {
				r.report.Refuse(m, "marker "+fault.Name(name), "has the name of another")
			}
			r.markers[r.prefix+name] = place{link, x}
			if link != assembly.World {
				l := &r.a.Links[link]
				l.Frames = append(l.Frames, assembly.Frame{Name: name, Pose: x})
			}
		}
	}
}

// marker returns the marker that an element of n names, or refuses the element and returns false.
func (r *reader) marker(n *xmltree.Node, field string) (place, bool) {
	path := r.text(n, field)
	p, ok := r.markers[path]
	if !ok {
		r.report.Refuse(n, "element "+fault.Name(field), "there is no marker "+fault.Name(path))
	}
	return p, ok
}

// world returns the initial pose of a place in the world.
func (r *reader) world(p place) assembly.Pose {
	if p.link == assembly.World {
		return p.pose
	}
	return r.a.Links[p.link].Pose.Mul(p.pose)
}

func (r *reader) linkName(link int) string {
	if link == assembly.World {
		return "the assembly"
	}
	return r.a.Links[link].Name
}

// text returns the text of an element in n, "" if there is none.
func (r *reader) text(n *xmltree.Node, field string) string {
	if c := n.Child(field); c != nil {
		return c.Text
	}
	return ""
}

// either returns the text of the first of two elements in n that is
// there, as versions of the format spell names in two ways.
func (r *reader) either(n *xmltree.Node, field, other string) string {
	if c := n.Child(field); c != nil {
		return c.Text
	}
	return r.text(n, other)
}

// name returns the name of n.
func (r *reader) name(n *xmltree.Node) string {
	name := r.text(n, "Name")
	if strings.ContainsAny(name, "/\n") || name == "" {
		r.report.Refuse(n, "the name "+fault.Name(name), "is empty, or has slashes or lines")
	}
	return name
}

// number returns the number in a field of n, or usual if there is none.
func (r *reader) number(n *xmltree.Node, field string, usual float64) float64 {
	return r.values.ChildNumber(n, field, usual)
}

// vector returns the three numbers in a field of n, zeros if there are none.
func (r *reader) vector(n *xmltree.Node, field string) spatial.Vec3 {
	return r.values.ChildVector(n, field, [3]float64{})
}

// orthogonal is the largest difference between entries of RᵀR, for a rotation matrix R of a file,
// and entries of the identity: files have at least six digits.
const orthogonal = 1e-5

// pose reads the position and the rotation matrix of n; the identity stands for parts that are missing or refused.
func (r *reader) pose(n *xmltree.Node) assembly.Pose {
	x := assembly.Identity()
	x.R = r.vector(n, "Position3D")
	c := n.Child("RotationMatrix")
	if c == nil {
		return x
	}
	list := r.values.TextNumbers(c, 9, 9)
	if list == nil {
		return x
	}
	E := spatial.Mat3(list)
	G, one := E.TMul(E), spatial.Identity3()
	off := 0.0
	for k := range G {
		off = max(off, math.Abs(G[k]-one[k]))
	}
	if !(off <= orthogonal) || E.Det() < 0 {
		r.values.Refuse(c, "", "is no rotation")
		return x
	}
	x.Q = spatial.FromMat(E).Normalize()
	return x
}
