package urdf

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

var (
	xAxis = spatial.Vec3{1, 0, 0}
	yAxis = spatial.Vec3{0, 1, 0}
	zAxis = spatial.Vec3{0, 0, 1}
)

// joint reads a joint. If its child already has a parent, it closes a loop.
func (r *reader) joint(n *xmltree.Node) {
	name := r.Required(n, "name")
	if _, ok := r.joints[name]; ok {
		r.Report.Refuse(n, "joint "+fault.Name(name), "stands twice")
		return
	}
	parent, child := r.need(n, "parent"), r.need(n, "child")
	if parent == nil || child == nil || name == "" {
		return
	}
	p, ok1 := r.find(parent, "link")
	c, ok2 := r.find(child, "link")
	if !ok1 || !ok2 {
		return
	}
	if p == c {
		r.Report.Refuse(n, "joint "+fault.Name(name), "joins a link to itself")
		return
	}
	j := assembly.Joint{At: n, Name: name, Predecessor: p, Successor: c, P: r.origin(n.Child("origin")), S: assembly.Identity()}
	kind := r.Required(n, "type")
	row, ok := r.motions(n, kind, n.Child("axis"))
	if !ok {
		return
	}
	j.Axes = row
	r.nameAxes(n, name, kind, row)
	if c != assembly.World {
		if r.parent[c] < 0 {
			r.parent[c] = len(r.a.Joints)
		} else {
			j.Loop = len(row) > 0
			r.Report.Note(n, "joint "+fault.Name(name), "is a second parent of link "+fault.Name(r.a.Links[c].Name)+"; it closes a loop")
		}
	}
	r.joints[name] = len(r.a.Joints)
	r.a.Joints = append(r.a.Joints, j)
}

// nameAxes names the axes of a joint, and reads their dynamics, limits and mimic.
func (r *reader) nameAxes(n *xmltree.Node, name, kind string, row []assembly.Axis) {
	ball := len(row) == 1 && row[0].Kind == assembly.Ball
	if len(row) == 1 && !ball {
		row[0].Name = name
		r.acts(n, &row[0], kind != "continuous")
		if m := n.Child("mimic"); m != nil {
			r.later = append(r.later, func() { r.mimic(m, name) })
		}
		return
	}
	if len(row) == 2 { // universal
		row[0].Name, row[1].Name = name+"[0]", name+"[1]"
	}
	d := n.Child("dynamics")
	if d == nil {
		return
	}
	switch {
	case len(row) == 2:
		for k := range row {
			row[k].Damping, row[k].Friction = r.Number(d, "damping", 0), r.Number(d, "friction", 0)
		}
	case ball:
		row[0].Name, row[0].Damping = name, r.Number(d, "damping", 0)
		if r.Number(d, "friction", 0) != 0 {
			d.SetAttr("friction", source.Dropped, "")
			r.Report.Drop(d, "friction of "+fault.Name(name), "the rotations of a ball have that of a bearing alone in the model", "")
		}
	case kind == "planar" && len(r.Numbers(d, "damping", 1, 3)) == 3: // for the two translations and the rotation
		for k, x := range r.Numbers(d, "damping", 3, 3) {
			row[k].Damping = x
		}
		if r.Number(d, "friction", 0) != 0 {
			d.SetAttr("friction", source.Dropped, "")
			r.Report.Drop(d, "friction of "+fault.Name(name), "its damping is told for each coordinate, and its friction is not", "")
		}
	case r.Number(d, "damping", 0) != 0 || r.Number(d, "friction", 0) != 0:
		d.SetAttr("damping", source.Dropped, "")
		d.SetAttr("friction", source.Dropped, "")
		why := "a joint of type " + fault.Name(kind) + " has no such coordinate in the model"
		r.Report.Drop(d, "damping and friction of "+fault.Name(name), why, "")
	}
}

// motions returns the elementary motions of a joint of a type, in its frame; false after a refusal.
func (r *reader) motions(n *xmltree.Node, kind string, axis *xmltree.Node) ([]assembly.Axis, bool) {
	turn := func(a spatial.Vec3) assembly.Axis { return assembly.Axis{At: n, Kind: assembly.Revolute, Axis: a} }
	slide := func(a spatial.Vec3) assembly.Axis { return assembly.Axis{At: n, Kind: assembly.Prismatic, Axis: a} }
	switch kind {
	case "":
		return nil, false
	case "revolute", "continuous":
		return []assembly.Axis{turn(r.axis(axis))}, true
	case "prismatic":
		return []assembly.Axis{slide(r.axis(axis))}, true
	case "fixed":
		return nil, true
	case "spherical", "ball":
		return []assembly.Axis{{At: n, Kind: assembly.Ball}}, true
	case "floating":
		return []assembly.Axis{slide(xAxis), slide(yAxis), slide(zAxis), {At: n, Kind: assembly.Ball}}, true
	case "planar":
		q := assembly.Least(zAxis, r.axis(axis))
		return []assembly.Axis{slide(q.Rotate(xAxis)), slide(q.Rotate(yAxis)), turn(q.Rotate(zAxis))}, true
	case "universal":
		return []assembly.Axis{turn(xAxis), turn(yAxis)}, true
	case "screw":
		a := assembly.Axis{At: n, Kind: assembly.Helical, Axis: r.axis(axis)}
		if p := r.need(n, "drake:screw_thread_pitch"); p != nil {
			if a.Pitch = r.RequiredNumber(p, "value", 0) / (2 * math.Pi); a.Pitch == 0 {
				a.Kind = assembly.Revolute
			}
		}
		return []assembly.Axis{a}, true
	}
	if kind == "curvilinear" {
		r.Refuse(n, "type", "is not read: where its lines and arcs meet, the curvature jumps")
	} else {
		r.Refuse(n, "type", "is unknown: "+fault.Name(kind))
	}
	return nil, false
}

// acts reads damping, friction and limits of a joint's coordinate; bounded is false for continuous joints, which have no bounds.
func (r *reader) acts(n *xmltree.Node, a *assembly.Axis, bounded bool) {
	for _, name := range [2]string{"dynamics", "joint_properties"} {
		if d := n.Child(name); d != nil {
			a.Damping = r.Number(d, "damping", 0)
			a.Friction = r.Number(d, "friction", 0)
		}
	}
	l := n.Child("limit")
	if l == nil {
		return
	}
	limit := model.NoLimit()
	if bounded && (l.Has("lower") || l.Has("upper")) {
		limit.Lower, limit.Upper = r.Bound(l, "lower", 0), r.Bound(l, "upper", 0)
		if !(limit.Lower < limit.Upper) {
			r.Report.Drop(l, "limits of joint "+fault.Name(a.Name), "the lower one is not below the upper one", fmt.Sprintf("they are %g and %g", limit.Lower, limit.Upper))
			l.SetAttr("lower", source.Dropped, "")
			l.SetAttr("upper", source.Dropped, "")
			limit.Lower, limit.Upper = math.Inf(-1), math.Inf(1)
		}
	}
	limit.Force, limit.Rate = r.largest(l, "effort"), r.largest(l, "velocity")
	a.Limit = &limit
}

// largest reads an upper bound of a magnitude. It returns 0 for no bound: for 0, infinity and, after a report, negative numbers.
func (r *reader) largest(n *xmltree.Node, name string) float64 {
	x := r.Bound(n, name, 0)
	switch {
	case math.IsInf(x, 1):
		return 0
	case x < 0:
		n.SetAttr(name, source.Dropped, "")
		r.Report.Drop(n, "attribute "+name, "is negative", fmt.Sprintf("its value is %g", x))
		return 0
	}
	return x
}

// scalar returns the motion of the joint with a name. It refuses a joint without a single coordinate and returns nil.
func (r *reader) scalar(at source.Located, name string) *assembly.Axis {
	k, ok := r.joints[name]
	if !ok {
		r.Report.Refuse(at, "joint "+fault.Name(name), "does not exist")
		return nil
	}
	if j := &r.a.Joints[k]; len(j.Axes) == 1 && j.Axes[0].Kind != assembly.Ball {
		return &j.Axes[0]
	}
	r.Report.Refuse(at, "joint "+fault.Name(name), "has no single coordinate")
	return nil
}

// coordinate returns the number of the coordinate of a, for couplings.
func (r *reader) coordinate(a *assembly.Axis) int {
	if a.Coordinate == 0 {
		a.Coordinate = r.a.NewCoordinate()
	}
	return a.Coordinate
}

// mimic adds the coupling q = multiplier·q′ + offset.
func (r *reader) mimic(n *xmltree.Node, name string) {
	a := r.scalar(n, name)
	of := r.Required(n, "joint")
	if of == "" || a == nil {
		return
	}
	b := r.scalar(n, of)
	if b == nil {
		return
	}
	if a == b {
		r.Refuse(n, "joint", "a joint cannot mimic itself")
		return
	}
	c := assembly.Coupling{At: n, Name: name + "#mimic", Offset: r.Number(n, "offset", 0)}
	c.Terms = []assembly.Term{{Coordinate: r.coordinate(a), Factor: 1}}
	if m := r.Number(n, "multiplier", 1); m != 0 {
		c.Terms = append(c.Terms, assembly.Term{Coordinate: r.coordinate(b), Factor: -m})
	}
	r.a.Couplings = append(r.a.Couplings, c)
}

// transmission reads the rotor inertia of a motor, if it has one.
func (r *reader) transmission(n *xmltree.Node) {
	for _, c := range n.Children {
		if c.Name != "actuator" {
			continue
		}
		inertia := c.Child("drake:rotor_inertia")
		if inertia == nil {
			continue
		}
		n.Use()
		c.Use()
		j := r.need(n, "joint")
		if j == nil {
			return
		}
		ratio := 1.0
		if g := c.Child("drake:gear_ratio"); g != nil {
			ratio = r.RequiredNumber(g, "value", 1)
		}
		if a := r.scalar(j, r.Required(j, "name")); a != nil {
			a.Armature += r.RequiredNumber(inertia, "value", 0) * ratio * ratio
		}
	}
}
