package mjcf

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

// member is an element of a body, with the pose of the elements frame around it, in the body, and the class of defaults there.
type member struct {
	*xmltree.Node
	x assembly.Pose
	c *class
}

// members appends the elements of a body or the world to list, with those within elements frame. x is the pose of n in the body.
func (r *reader) members(n *xmltree.Node, x assembly.Pose, c *class, list []member) []member {
	list = slices.Grow(list, len(n.Children))
	for _, e := range n.Children {
		if e.Name != "frame" {
			list = append(list, member{e, x, c})
			continue
		}
		f := element{e.Use(), "frame", nil}
		in := c
		if name, ok := e.Attr("childclass"); ok {
			in = r.known(e, name)
		}
		list = r.members(e, x.Mul(r.pose(f)), in, list)
	}
	return list
}

// inside reads the elements of a link except joints and masses: bodies and sites. It refuses elements that would make bodies.
func (r *reader) inside(list []member, link int) {
	for _, e := range list {
		switch e.Name {
		case "body":
			r.body(e, link)
		case "site":
			r.site(e, link)
		case "geom":
			if link == assembly.World {
				e.Set(source.Visual, "")
			}
		case "composite", "flexcomp", "replicate", "attach", "plugin":
			r.refuseElement(e.Node)
		}
	}
}

// site reads a site, a named frame of a link.
func (r *reader) site(e member, link int) {
	s := r.element(e.Node, "site", e.c)
	at := site{link, e.x.Mul(r.sitePose(s))}
	name, _ := e.Attr("name")
	if name == "" {
		return
	}
	if _, ok := r.sites[name]; ok {
		r.Report.Refuse(e.Node, "site "+fault.Name(name), "stands twice")
	}
	r.sites[name] = at
	if link != assembly.World {
		r.a.Links[link].Frames = append(r.a.Links[link].Frames, assembly.Frame{Name: name, Pose: at.pose})
	}
}

// body reads a body within link up.
func (r *reader) body(m member, up int) {
	n, c := m.Use(), m.c
	r.count++
	name, _ := n.Attr("name")
	if name == "" {
		name = unnamed("body", r.count)
	}
	if _, ok := r.bodies[name]; ok {
		r.Report.Refuse(n, "body "+fault.Name(name), "stands twice")
		return
	}
	if text, ok := n.Attr("childclass"); ok {
		c = r.known(n, text)
	}
	i := len(r.a.Links)
	r.bodies[name] = i
	r.a.Links = append(r.a.Links, assembly.Link{At: n, Name: name})
	list := r.members(n, assembly.Identity(), c, nil)
	r.grounded = r.fixedToGround(list, up)
	r.inertia(list, i)
	if g := r.Number(n, "gravcomp", 0); g != 0 {
		r.weights = append(r.weights, weight{i, g})
		r.Report.Note(n, "body "+fault.Name(name), "gravity acts on it less: a force makes up for it")
	}
	r.bodyJoints(n, list, up, i, m.x.Mul(r.pose(element{n, "body", nil})))
	r.inside(list, i)
}

// fixedToGround reports whether the last link, within link up, is fixed to the ground, as neither it nor its parents have joints: then
// its mass has no effect.
func (r *reader) fixedToGround(members []member, up int) bool {
	if up != assembly.World && !r.standing[up] {
		return false
	}
	for _, e := range members {
		if e.Name == "joint" || e.Name == "freejoint" {
			return false
		}
	}
	if r.standing == nil {
		r.standing = map[int]bool{}
	}
	r.standing[len(r.a.Links)-1] = true
	return true
}

// bodyJoints reads the joints of link i, whose pose in link up is pose.
func (r *reader) bodyJoints(n *xmltree.Node, members []member, up, i int, pose assembly.Pose) {
	var list []element
	var frames []assembly.Pose
	for _, e := range members {
		switch e.Name {
		case "joint":
			list = append(list, r.element(e.Node, "joint", e.c))
		case "freejoint":
			list = append(list, element{e.Use(), "joint", nil})
		default:
			continue
		}
		frames = append(frames, e.x)
	}
	l := &r.a.Links[i]
	what := func() string { return "body " + fault.Name(l.Name) }
	mocap := r.True(n, "mocap", false)
	free := len(list) > 0 && (list[0].Name == "freejoint" || r.kind(list[0]) == freeJoint)
	switch {
	case free:
		if len(list) > 1 {
			r.Report.Refuse(list[1].Node, what(), "has joints beside a free one")
			return
		}
		if up != assembly.World {
			r.Report.Refuse(list[0].Node, what(), "has a free joint although it stands in another body")
			return
		}
		l.Pose = pose
		r.free(list[0], i)
	case mocap:
		if up != assembly.World || len(list) > 0 {
			r.Refuse(n, "mocap", "such a body has no joints and stands in the world")
			return
		}
		l.Pose, l.Ground = pose, true
		r.Report.Note(n, what(), "is moved by hand in the simulator; here it is part of the ground")
	default:
		j := assembly.Joint{At: n, Name: l.Name + "#fixed", Predecessor: up, Successor: i, P: pose, S: assembly.Identity()}
		for k, e := range list {
			a := r.joint(e, len(r.a.Joints), k)
			a.Axis, a.Point = frames[k].Dir(a.Axis), frames[k].Point(a.Point)
			if k == 0 {
				j.At, j.Name = e.Node, a.Name
			} else if k < assembly.MaxRow {
				j.Name += "+" + a.Name
			}
			j.Axes = append(j.Axes, a)
		}
		if len(list) > assembly.MaxRow {
			r.Report.Refuse(list[assembly.MaxRow].Node, what(), fmt.Sprintf("has more than %d joints", assembly.MaxRow))
			j.Axes = nil
		}
		r.a.Joints = append(r.a.Joints, j)
	}
}

// The types of joints, in the order of kind.
const (
	freeJoint = iota
	ballJoint
	hingeJoint
	slideJoint
)

// kind reads the type of a joint, a hinge if it is missing.
func (r *reader) kind(e element) int {
	return r.choice(e, "type", hingeJoint, "free", "ball", "hinge", "slide")
}

// free reads a free joint, which has only an entry in the order of the state.
func (r *reader) free(e element, link int) {
	name, _ := e.Attr("name")
	if e.Name != "freejoint" {
		r.losses(e, name, "stiffness", "frictionloss", "damping")
	}
	p := place{joint: -1, link: link}
	r.remember(e, name, p)
}

// remember stores the place of a joint by its name, and in the order of qpos.
func (r *reader) remember(e element, name string, p place) {
	r.row = append(r.row, p)
	if name == "" {
		return
	}
	if _, ok := r.joints[name]; ok {
		r.Report.Refuse(e.Node, "joint "+fault.Name(name), "stands twice")
	}
	r.joints[name] = p
}

// losses reports the forces attrs on a joint whose freedoms have no coordinates in the model, and refuses its armature unless that is
// dropped.
func (r *reader) losses(e element, name string, attrs ...string) {
	for _, attr := range attrs {
		if x := r.numbers(e, attr, 1, 3); slices.ContainsFunc(x, func(x float64) bool { return x != 0 }) {
			e.Node.SetAttr(attr, source.Dropped, "")
			r.Report.Drop(e.Node, attr+" of joint "+fault.Name(name), "it has no coordinate in the model", "its value is "+strings.Trim(fmt.Sprint(x), "[]"))
		}
	}
	if x := r.number(e, "armature", 0); x != 0 && r.o.DropArmature {
		e.Node.SetAttr("armature", source.Dropped, "")
		r.Report.Drop(e.Node, "rotor inertia of "+fault.Name(name), "is to be left out", fmt.Sprintf("its value is %g", x))
	} else if x != 0 {
		r.Report.Refuse(e.Node, "armature of joint "+fault.Name(name), "it has no coordinate in the model")
	}
}

// leastAxis is the length up to which an axis has no direction. The value is not critical.
const leastAxis = 1e-12

// joint reads a joint of the file, which becomes axis k of joint j of the assembly.
func (r *reader) joint(e element, j, k int) assembly.Axis {
	name, _ := e.Attr("name")
	named := name
	if name == "" {
		named = unnamed("joint", len(r.row))
	}
	p := place{joint: j, axis: k, link: -1}
	a := assembly.Axis{At: e.Node, Name: named, Point: r.vector(e, "pos", [3]float64{})}
	kind := r.kind(e)
	switch kind {
	case freeJoint:
		r.Report.Refuse(e.Node, "joint "+fault.Name(named), "a free joint stands alone")
		return a
	case ballJoint:
		a.Kind = assembly.Ball
		p.ball = true
		r.losses(e, named, "stiffness", "frictionloss")
		var more [2]float64
		if a.Damping, more = r.powers(e, "damping", "damper"); more != [2]float64{} {
			e.Node.SetAttr("damping", source.Dropped, "")
			r.Report.Drop(e.Node, "second and third number of damping of joint "+fault.Name(named), "a ball has linear damping alone", fmt.Sprintf("they are %g and %g", more[0], more[1]))
		}
		r.remember(e, name, p)
		return a
	case slideJoint:
		a.Kind = assembly.Prismatic
	}
	a.Axis = r.vector(e, "axis", [3]float64{0, 0, 1})
	if length := a.Axis.Norm(); length > leastAxis {
		a.Axis = a.Axis.Scale(1 / length)
	} else {
		r.Report.Refuse(e.Node, "axis of joint "+fault.Name(named), "has no direction")
		a.Axis = spatial.Vec3{0, 0, 1}
	}
	angle := func(x float64) float64 {
		if kind == hingeJoint {
			return r.angle(x)
		}
		return x
	}
	p.ref = angle(r.number(e, "ref", 0))
	a.Stiffness, a.Springs = r.powers(e, "stiffness", "spring")
	a.Damping, a.Dampers = r.powers(e, "damping", "damper")
	a.Rest = angle(r.number(e, "springref", 0)) - p.ref
	a.Armature = r.number(e, "armature", 0)
	a.Friction = r.number(e, "frictionloss", 0)
	if r.disabled["constraint"] || r.disabled["frictionloss"] {
		a.Friction = 0
	}
	if s := r.numbers(e, "springdamper", 2, 2); s != nil && (s[0] > 0 || s[1] > 0) {
		r.Report.Refuse(e.Node, "springdamper of joint "+fault.Name(named), "is not read: it depends on the inertia; stiffness and damping say the same")
	}
	a.Limit = r.limit(e, angle, p.ref)
	r.remember(e, name, p)
	return a
}

// powers reads the linear factor of a spring or a damper, and the factors of its second and third powers. All are zero if the flag
// disables them.
func (r *reader) powers(e element, attr, flag string) (first float64, more [2]float64) {
	x := r.numbers(e, attr, 1, 3)
	if x == nil || r.disabled["passive"] || r.disabled[flag] {
		return 0, more
	}
	copy(more[:], x[1:])
	return x[0], more
}

// limit reads the bounds of a coordinate and of the force on it; nil if there are none. angle converts to radians, ref is the coordinate
// of the file in the reference pose.
func (r *reader) limit(e element, angle func(float64) float64, ref float64) *model.Limit {
	l := model.NoLimit()
	x := r.numbers(e, "range", 2, 2)
	if r.limited(e, "limited", x) {
		if x == nil {
			x = []float64{0, 0}
		}
		l.Lower, l.Upper = angle(x[0])-ref, angle(x[1])-ref
		if x[0] <= -far { // MuJoCo stops before it gets there
			l.Lower = math.Inf(-1)
		}
		if x[1] >= far {
			l.Upper = math.Inf(1)
		}
		if !(l.Lower < l.Upper) {
			r.Report.Refuse(e.Node, "range", "the lower limit is not below the upper one")
			return nil
		}
	}
	f := r.numbers(e, "actuatorfrcrange", 2, 2)
	if r.limited(e, "actuatorfrclimited", f) && f != nil {
		l.Force = math.Max(math.Abs(f[0]), math.Abs(f[1]))
	}
	if l == model.NoLimit() || r.disabled["constraint"] || r.disabled["limit"] {
		return nil
	}
	return &l
}

// limited returns whether a range x applies. The attribute called name may state it, as true or false. If that is auto or missing, x
// applies if the compiler has autolimits and x[0] < x[1].
func (r *reader) limited(e element, name string, x []float64) bool {
	switch r.choice(e, name, 2, "false", "true", "auto") {
	case 0:
		return false
	case 1:
		return true
	}
	return r.compiler.autolimits && x != nil && x[0] < x[1]
}

// sitePose reads the pose of a site, which may be given by two points.
func (r *reader) sitePose(e element) assembly.Pose {
	if x, _, ok := r.between(e); ok {
		return x
	}
	return r.pose(e)
}

// between reads the attribute fromto: the pose in the middle of two points, with z from the second to the first, and half their distance.
// It returns false if e has no such attribute.
func (r *reader) between(e element) (assembly.Pose, float64, bool) {
	if n := e.has("fromto"); n == nil || e.Has("pos") && !e.Has("fromto") {
		return assembly.Pose{}, 0, false
	}
	v := r.numbers(e, "fromto", 6, 6)
	if v == nil {
		return assembly.Pose{}, 0, false
	}
	a, b := spatial.Vec3(v[:3]), spatial.Vec3(v[3:])
	d := a.Sub(b)
	if !(d.Norm() > 1e-12) {
		r.Report.Refuse(e.Node, "attribute fromto", "its points coincide")
		return assembly.Identity(), 0, true
	}
	return assembly.Along(a.Add(b).Scale(0.5), d.Scale(1/d.Norm())), d.Norm() / 2, true
}
