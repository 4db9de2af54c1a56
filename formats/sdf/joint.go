package sdf

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// joint is a joint of the file whose frames are not known yet.
type joint struct {
	node          *xmltree.Node
	f             *frame
	kind          string
	parent, child string
	number        int // index in the assembly; −1: not there yet
	mimics        []mimic
}

// mimic is an element mimic of an axis, by which its coordinate follows another joint's.
type mimic struct {
	node *xmltree.Node
	axis int
}

// newJoint reads the names in a joint and its pose, which is relative to the child unless it names another frame.
func (r *reader) newJoint(n *xmltree.Node, s *scope, home *frame) {
	j := &joint{node: n, f: r.named(n, s, home), number: -1}
	j.kind, _ = n.Attr("type")
	prefix := ""
	if n.Name == drakeJoint {
		prefix = "drake:"
	}
	j.parent, j.child = r.text(n, prefix+"parent"), r.text(n, prefix+"child")
	r.pose(n, j.f)
	if j.f.relative == "" {
		j.f.relative = j.child
	}
	j.f.attached = j.child
	r.joints = append(r.joints, j)
	r.byFrame[j.f] = j
}

// finish completes links and makes joints, couplings and forces, once all frames have been read.
func (r *reader) finish(top *scope) {
	for i := range r.links {
		r.a.Links[i].Pose = r.world(r.links[i].f)
	}
	r.frames()
	for _, do := range r.after {
		do()
	}
	r.a.Joints = slices.Grow(r.a.Joints, len(r.joints))
	for _, j := range r.joints {
		if j.kind != "gearbox" {
			r.joint(j)
		}
	}
	hinges := r.hinges()
	for _, j := range r.joints {
		if j.kind == "gearbox" {
			r.gearbox(j, hinges)
		}
		for _, m := range j.mimics {
			r.mimic(j, m)
		}
		r.drakeMimic(j)
	}
	for _, p := range r.plugins {
		r.plugin(p)
	}
	for _, p := range r.drakes {
		r.drake(p)
	}
	if r.o.Base == source.BaseFixed && top.first != nil {
		if l := r.canonicalOf(top.first); l != assembly.World {
			r.a.Links[l].Ground = true
			r.report.Note(r.a.Links[l].At, "link "+fault.Name(r.a.Links[l].Name), "is fixed to the ground, as asked for")
		}
	}
	r.a.SetPose(r.o, r.report)
}

// canonicalOf returns the link that carries f.
func (r *reader) canonicalOf(f *frame) int { return r.carrier(f, f.scope) }

// frames adds the named frames to the links that carry them. Frames of the world are left out.
func (r *reader) frames() {
	for _, f := range r.order {
		if f.isLink || f.inner != nil || f.at.Name != "frame" {
			continue
		}
		if l := r.carrier(f, f.scope); l != assembly.World {
			x := r.a.Links[l].Pose.Inverse().Mul(r.world(f))
			r.a.Links[l].Frames = append(r.a.Links[l].Frames, assembly.Frame{Name: f.scope.prefix + f.name, Pose: x})
		}
	}
}

// end returns the link of the frame called name, which the field of a joint gives. It refuses a missing or
// unknown name and returns false.
func (r *reader) end(j *joint, field, name string) (link int, ok bool) {
	s := j.f.scope
	if name == worldName {
		return assembly.World, true
	}
	if name == "" {
		r.report.Refuse(j.node, "joint "+fault.Name(j.f.name), "names no "+field)
		return 0, false
	}
	f, ok := s.find(name, j.f.home)
	if !ok {
		r.report.Refuse(j.node, "joint "+fault.Name(j.f.name), "its "+field+" "+fault.Name(name)+" is no frame here")
		return 0, false
	}
	return r.carrier(f, s), true
}

// joint adds a joint to the assembly; its frames coincide in the pose of the file.
func (r *reader) joint(j *joint) {
	parent, ok1 := r.end(j, "parent", j.parent)
	child, ok2 := r.end(j, "child", j.child)
	name := j.f.scope.prefix + j.f.name
	if !ok1 || !ok2 {
		return
	}
	if parent == child {
		r.report.Refuse(j.node, "joint "+fault.Name(name), "joins a link to itself")
		return
	}
	out := assembly.Joint{At: j.node, Name: name, Predecessor: parent, Successor: child, Given: true}
	at := r.world(j.f)
	out.P, out.S = r.inLink(parent, at), r.inLink(child, at)
	kind := j.kind
	if j.node.Name == drakeJoint {
		kind = "drake " + kind
	}
	switch kind {
	case "drake planar":
		out.Axes = r.planar(j, name)
	case "drake curvilinear":
		r.values.Refuse(j.node, "type", "is not read: where its lines and arcs meet, the curvature jumps")
		return
	case "fixed":
	case "ball":
		out.Axes = []assembly.Axis{{At: j.node, Name: name, Kind: assembly.Ball}}
	case "revolute", "continuous":
		out.Axes = r.axes(j, name, assembly.Revolute)
	case "prismatic":
		out.Axes = r.axes(j, name, assembly.Prismatic)
	case "universal", "revolute2":
		out.Axes = r.axes(j, name, assembly.Revolute, assembly.Revolute)
	case "screw":
		out.Axes = r.axes(j, name, assembly.Helical)
		if out.Axes != nil {
			r.pitch(j, &out.Axes[0])
		}
	default:
		r.values.Refuse(j.node, "type", fault.Name(j.kind)+" is no type of a joint")
		return
	}
	if out.Axes == nil && j.kind != "fixed" {
		return
	}
	r.rotor(j, out.Axes)
	j.number = len(r.a.Joints)
	r.a.Joints = append(r.a.Joints, out)
}

// inLink converts a pose in the world to a pose in a link.
func (r *reader) inLink(link int, at assembly.Pose) assembly.Pose {
	if link == assembly.World {
		return at
	}
	return r.a.Links[link].Pose.Inverse().Mul(at)
}

// pitch reads the pitch of a screw: in metres per turn, right-handed, or, in older files, radians per metre, left-handed.
func (r *reader) pitch(j *joint, a *assembly.Axis) {
	if c := j.node.Child("screw_thread_pitch"); c != nil {
		a.Pitch = r.number(j.node, "screw_thread_pitch", 1) / (2 * math.Pi)
		if old := j.node.Child("thread_pitch"); old != nil {
			r.report.Note(old, "thread_pitch", "screw_thread_pitch stands beside it and counts")
		}
	} else if c := j.node.Child("thread_pitch"); c != nil {
		a.Pitch = -1 / r.number(j.node, "thread_pitch", 1)
	} else {
		a.Pitch = 1 / (2 * math.Pi)
		r.report.Note(j.node, "joint "+fault.Name(a.Name), "does not say its pitch, which the format takes for 1 m a turn")
	}
	if a.Pitch == 0 || math.IsInf(a.Pitch, 0) {
		r.report.Refuse(j.node, "joint "+fault.Name(a.Name), "its pitch is zero or infinite")
	}
}

// axes reads the axes of a joint; nil after a refusal. The coordinates of a joint with two axes are called NAME[0] and NAME[1].
func (r *reader) axes(j *joint, name string, kinds ...assembly.Kind) []assembly.Axis {
	var row []assembly.Axis
	for k, kind := range kinds {
		field := [...]string{"axis", "axis2"}[k]
		a := assembly.Axis{At: j.node, Name: name, Kind: kind, Axis: spatial.Vec3{0, 0, 1}}
		if len(kinds) > 1 {
			a.Name = fmt.Sprintf("%s[%d]", name, k)
		}
		c := j.node.Child(field)
		if c == nil {
			r.report.Refuse(j.node, "joint "+fault.Name(name), "has no "+field)
			return nil
		}
		var ok bool
		if a.Axis, ok = r.direct(j, c); !ok {
			return nil
		}
		r.dynamics(c, &a)
		if m := c.Child("mimic"); m != nil {
			j.mimics = append(j.mimics, mimic{m, k})
		}
		row = append(row, a)
	}
	return row
}

// direct reads the direction of an axis and converts it to axes of the joint; false after a refusal.
func (r *reader) direct(j *joint, c *xmltree.Node) (spatial.Vec3, bool) {
	axis := spatial.Vec3{0, 0, 1}
	in := ""
	if x := c.Child("xyz"); x != nil {
		if v := r.values.TextNumbers(x, 3, 3); v != nil {
			axis = spatial.Vec3(v)
		}
		in, _ = x.Attr("expressed_in")
	}
	if minor(j.node) < 7 && r.truth(c, "use_parent_model_frame", minor(j.node) <= 4) {
		in = modelName
	}
	if in != "" {
		f, ok := j.f.scope.find(in, j.f.home)
		if !ok {
			r.report.Refuse(c, "the axis of joint "+fault.Name(j.f.name), "is expressed in "+fault.Name(in)+", which is no frame here")
			return axis, false
		}
		if f == nil {
			f = j.f.scope.self
		}
		axis = r.direction(axis, f, j.f)
	}
	big := max(math.Abs(axis[0]), math.Abs(axis[1]), math.Abs(axis[2]))
	if !(big > 0) {
		r.report.Refuse(c, "the axis of joint "+fault.Name(j.f.name), "is zero")
		return axis, false
	}
	for k := range axis {
		axis[k] /= big
	}
	return axis.Scale(1 / axis.Norm()), true
}

// minor returns the minor version of the file of n.
func minor(n *xmltree.Node) int {
	for n.Parent != nil {
		n = n.Parent
	}
	text, _ := n.Attr("version")
	v, _ := versionOf(text)
	return v
}

// without is the magnitude from which a bound counts as infinite.
const without = 1e16

// dynamics reads spring, damper, friction and limits of a coordinate.
func (r *reader) dynamics(c *xmltree.Node, a *assembly.Axis) {
	if d := c.Child("dynamics"); d != nil {
		a.Damping, a.Friction = r.number(d, "damping", 0), r.number(d, "friction", 0)
		a.Stiffness, a.Rest = r.number(d, "spring_stiffness", 0), r.number(d, "spring_reference", 0)
	}
	l := c.Child("limit")
	if l == nil {
		return
	}
	limit := model.NoLimit()
	for _, b := range [...]struct {
		name string
		to   *float64
	}{{"lower", &limit.Lower}, {"upper", &limit.Upper}} {
		if d := l.Child(b.name); d != nil {
			if x := r.values.TextBound(d, without); math.Abs(x) < without {
				*b.to = x
			}
		}
	}
	for _, b := range [...]struct {
		name string
		to   *float64
	}{{"effort", &limit.Force}, {"velocity", &limit.Rate}} {
		if d := l.Child(b.name); d != nil {
			if x := r.values.TextBound(d, 0); x > 0 && x < without {
				*b.to = x
			}
		}
	}
	if !(limit.Lower < limit.Upper) {
		r.report.Drop(l, "limits of joint "+fault.Name(a.Name), fmt.Sprintf("the lower one, %g, is not below the upper one, %g", limit.Lower, limit.Upper), "")
		for _, name := range [...]string{"lower", "upper"} {
			if d := l.Child(name); d != nil {
				d.Set(source.Dropped, "")
			}
		}
		limit.Lower, limit.Upper = math.Inf(-1), math.Inf(1)
	}
	if limit != model.NoLimit() {
		a.Limit = &limit
	}
}

// coordinate returns the number of a coordinate of a joint, for couplings.
func (r *reader) coordinate(joint, axis int) int {
	a := &r.a.Joints[joint].Axes[axis]
	if a.Coordinate == 0 {
		a.Coordinate = r.a.NewCoordinate()
	}
	return a.Coordinate
}

// jointNamed returns the joint with a name, which is looked up in the scope of joint of; nil if there is none.
func (r *reader) jointNamed(name string, of *joint) *joint {
	f, ok := of.f.scope.find(name, of.f.home)
	if !ok || f == nil {
		return nil
	}
	if j := r.byFrame[f]; j != nil && j.number >= 0 {
		return j
	}
	return nil
}

// mimic adds the coupling q = multiplier·(q′ − reference) + offset.
func (r *reader) mimic(j *joint, m mimic) {
	name, _ := m.node.Attr("joint")
	leader := r.jointNamed(name, j)
	k := 0
	if axis, _ := m.node.Attr("axis"); axis == "axis2" {
		k = 1
	}
	if j.number < 0 || leader == nil || k >= len(r.a.Joints[leader.number].Axes) {
		r.report.Refuse(m.node, "mimic", "there is no such coordinate of joint "+fault.Name(name))
		return
	}
	if leader == j && k == m.axis {
		r.report.Refuse(m.node, "mimic", "a coordinate cannot mimic itself")
		return
	}
	factor := r.number(m.node, "multiplier", 1)
	r.a.Couplings = append(r.a.Couplings, assembly.Coupling{
		At: m.node, Name: r.a.Joints[j.number].Axes[m.axis].Name + "#mimic",
		Terms:  []assembly.Term{{Coordinate: r.coordinate(j.number, m.axis), Factor: 1}, {Coordinate: r.coordinate(leader.number, k), Factor: -factor}},
		Offset: r.number(m.node, "offset", 0) - factor*r.number(m.node, "reference", 0),
	})
}

// gearbox adds the coupling θ₂ = −ratio·θ₁ of the angles of the child and the parent relative to the
// reference body. There must be hinges about these axes between the reference body and both.
func (r *reader) gearbox(j *joint, hinges map[[2]int][]int) {
	name := j.f.scope.prefix + j.f.name
	parent, ok1 := r.end(j, "parent", j.parent)
	child, ok2 := r.end(j, "child", j.child)
	reference, ok3 := r.end(j, "gearbox_reference_body", r.text(j.node, "gearbox_reference_body"))
	rows := r.axes(j, name, assembly.Revolute, assembly.Revolute)
	if !ok1 || !ok2 || !ok3 || rows == nil {
		return
	}
	at := r.world(j.f)
	first, ok1 := r.turning(hinges, reference, parent, at.Dir(rows[0].Axis))
	second, ok2 := r.turning(hinges, reference, child, at.Dir(rows[1].Axis))
	if !ok1 || !ok2 {
		r.report.Refuse(j.node, "joint "+fault.Name(name), "its parent and child do not turn against the reference body by joints with its axes")
		return
	}
	ratio := r.number(j.node, "gearbox_ratio", 1)
	switch {
	case ratio == 0:
		r.report.Refuse(j.node, "joint "+fault.Name(name), "its gearbox_ratio is zero")
		return
	case j.node.Child("gearbox_ratio") == nil:
		r.report.Note(j.node, "joint "+fault.Name(name), "does not say its gearbox_ratio, which the format takes for 1")
	}
	first.Factor *= ratio
	r.a.Couplings = append(r.a.Couplings, assembly.Coupling{At: j.node, Name: name, Terms: []assembly.Term{second, first}})
}

// hinges returns the joints with one rotation, by the pair of their links (between).
func (r *reader) hinges() map[[2]int][]int {
	list := map[[2]int][]int{}
	for k := range r.a.Joints {
		if g := &r.a.Joints[k]; len(g.Axes) == 1 && g.Axes[0].Kind == assembly.Revolute {
			pair := between(g.Predecessor, g.Successor)
			list[pair] = append(list[pair], k)
		}
	}
	return list
}

// between returns the pair of two links, the smaller index first.
func between(a, b int) [2]int { return [2]int{min(a, b), max(a, b)} }

// turning returns the coordinate of a hinge by which link rotates relative to reference about an axis, in world axes, with its sign;
// false if there is no such hinge.
func (r *reader) turning(hinges map[[2]int][]int, reference, link int, axis spatial.Vec3) (assembly.Term, bool) {
	for _, k := range hinges[between(reference, link)] {
		g := &r.a.Joints[k]
		sign := 1.0
		if g.Predecessor != reference {
			sign = -1
		}
		at := g.P
		if g.Predecessor != assembly.World {
			at = r.a.Links[g.Predecessor].Pose.Mul(g.P)
		}
		own := at.Dir(g.Axes[0].Axis)
		if own.Cross(axis).Norm() > 1e-6 {
			continue
		}
		return assembly.Term{Coordinate: r.coordinate(k, 0), Factor: sign * math.Copysign(1, own.Dot(axis))}, true
	}
	return assembly.Term{}, false
}

// plugin reads a plugin that fixes two links to each other; others are ignored.
func (r *reader) plugin(p pending) {
	file, _ := p.node.Attr("filename")
	class, _ := p.node.Attr("name")
	key := strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(file + " " + class))
	var parent, child string
	switch {
	case strings.Contains(key, "detachablejoint"):
		parent, child = r.text(p.node, "parent_link"), r.text(p.node, "child_link")
		if m := r.text(p.node, "child_model"); m != "" && m != modelName {
			child = m + "::" + child
		}
	case strings.Contains(key, "attachlink"):
		parent, child = r.text(p.node, "parent"), r.text(p.node, "child")
	default:
		p.node.Set(source.Ignored, "plugins are programs; this one is "+fault.Name(class+" of "+file))
		return
	}
	p.node.Use()
	a, ok1 := r.anywhere(p, parent)
	b, ok2 := r.anywhere(p, child)
	if !ok1 || !ok2 || a == b {
		r.report.Refuse(p.node, "plugin "+fault.Name(class), "does not name two links that it could hold together: "+fault.Name(parent)+" and "+fault.Name(child))
		return
	}
	at := r.world(nil)
	if b != assembly.World {
		at = r.a.Links[b].Pose
	}
	r.a.Joints = append(r.a.Joints, assembly.Joint{
		At: p.node, Name: p.scope.prefix + parent + "+" + child, Predecessor: a, Successor: b, P: r.inLink(a, at), S: r.inLink(b, at), Given: true,
	})
	r.report.Note(p.node, "plugin "+fault.Name(class), "holds links together: they are fixed to each other")
}

// anywhere returns the link with a name in the scope of a plugin, or in the nearest scope around it, and false if there is none.
func (r *reader) anywhere(p pending, name string) (int, bool) {
	if name == worldName {
		return assembly.World, true
	}
	home := p.home
	for s := p.scope; s != nil; s = s.outer {
		if f, ok := s.find(name, home); ok && name != "" {
			return r.carrier(f, s), true
		}
		home = nil
	}
	return 0, false
}
