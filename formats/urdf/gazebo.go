package urdf

import (
	"math"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// gazebo reads the mechanical data in an element for Gazebo that refers to a link or a joint, or contains joints.
func (r *reader) gazebo(n *xmltree.Node) {
	reference, _ := n.Attr("reference")
	link, isLink := r.links[reference]
	_, isJoint := r.joints[reference]
	for _, c := range n.Children {
		switch c.Name {
		case "joint":
			r.gazeboJoint(c)
		case "turnGravityOff":
			if isLink && r.truth(c) {
				r.float(link)
			}
		case "gravity":
			if isLink && !r.truth(c) {
				r.float(link)
			}
		case "springStiffness", "springReference":
			x := r.TextNumbers(c, 1, 1)
			if !isJoint || x == nil {
				break
			}
			if a := r.scalar(c, reference); a != nil && c.Name == "springStiffness" {
				a.Stiffness = x[0]
			} else if a != nil {
				a.Rest = x[0]
			}
		default: // elements of Gazebo before SDFormat
			switch prefix, _, _ := strings.Cut(c.Name, ":"); prefix {
			case "sensor":
				c.Set(source.Ignored, contact)
			case "controller", "interface":
				c.Set(source.Ignored, "plugins are programs")
			case "joint":
				c.Set(source.Dropped, "joints in the form before SDFormat are not read")
			}
		}
	}
}

// whole reads the elements for Gazebo that refer to the whole robot: static, and the pose.
func (r *reader) whole(root *xmltree.Node) {
	static, pose := false, assembly.Identity()
	for _, n := range root.Children {
		if n.Name != "gazebo" || n.Has("reference") {
			continue
		}
		n.Use()
		for _, c := range n.Children {
			switch c.Name {
			case "static":
				static = r.truth(c) || static
			case "pose":
				if x := r.TextNumbers(c, 6, 6); x != nil {
					pose = assembly.Pose{R: spatial.Vec3(x[:3]), Q: assembly.RollPitchYaw(x[3], x[4], x[5])}
				}
			}
		}
	}
	for i := range r.a.Links {
		if l := &r.a.Links[i]; r.parent[i] < 0 && l.Name != "world" {
			l.Pose, l.Ground = pose, l.Ground || static
		}
	}
}

// float adds a force that cancels the weight of a link.
func (r *reader) float(link int) {
	if l := &r.a.Links[link]; l.Mass > 0 {
		r.later = append(r.later, func() { r.a.Forces = append(r.a.Forces, r.a.Balance(link, 1)) })
		r.Report.Note(l.At, "link "+fault.Name(l.Name), "gravity does not act on it: a force makes up for its weight")
	}
}

// truth reads the text of n, or its attribute value, as true or false.
func (r *reader) truth(n *xmltree.Node) bool {
	text := n.Text
	if value, ok := n.Attr("value"); ok { // in files for Gazebo before SDFormat
		text = value
	}
	switch strings.ToLower(text) {
	case "true", "1":
		return true
	case "false", "0":
		return false
	}
	r.Report.Refuse(n, "the text of "+fault.Name(n.Name), fault.Name(text)+" is neither true nor false")
	return false
}

// gazeboJoint reads a joint in the form of SDFormat, which closes a loop. Its pose is relative to the child, and the frames in parent and
// child coincide in the reference pose.
func (r *reader) gazeboJoint(n *xmltree.Node) {
	name, kind := r.Required(n, "name"), r.Required(n, "type")
	at, ok := r.gazeboEnds(n)
	if !ok {
		return
	}
	if at[0] == at[1] {
		r.Report.Refuse(n, "joint "+fault.Name(name), "joins a link to itself")
		return
	}
	s := r.gazeboPose(n)
	frame := r.reference(at[1]).Mul(s)
	row, ok := r.gazeboRow(n, name, kind, &frame)
	if !ok {
		return
	}
	r.append(source.Located(n), name, row, at, [2]assembly.Pose{r.reference(at[0]).Inverse().Mul(frame), s})
}

// gazeboEnds returns the links of parent and child, and whether both exist.
func (r *reader) gazeboEnds(n *xmltree.Node) (at [2]int, ok bool) {
	for k, part := range [2]string{"parent", "child"} {
		c := r.need(n, part)
		if c == nil {
			return at, false
		}
		text := c.Text
		if c.Has("link") {
			text, _ = c.Attr("link")
		}
		if at[k], ok = r.named(c, text); !ok {
			return at, false
		}
	}
	return at, true
}

// gazeboPose returns the pose of a joint in the frame of its child.
func (r *reader) gazeboPose(n *xmltree.Node) assembly.Pose {
	c := n.Child("pose")
	if c == nil {
		return assembly.Identity()
	}
	for _, attr := range [3]string{"relative_to", "degrees", "rotation_format"} {
		if c.Has(attr) {
			r.Refuse(c, attr, "is not read within a robot")
		}
	}
	if x := r.TextNumbers(c, 6, 6); x != nil {
		return assembly.Pose{R: spatial.Vec3(x[:3]), Q: assembly.RollPitchYaw(x[3], x[4], x[5])}
	}
	return assembly.Identity()
}

// reference returns the pose of a link in the world with all coordinates zero.
func (r *reader) reference(link int) assembly.Pose {
	if link == assembly.World {
		return assembly.Identity()
	}
	if r.poses == nil {
		r.poses = r.a.Reference()
	}
	return r.poses[link]
}

// gazeboRow returns the axes of a joint, whose frame in the world is given. It returns false if its type is unknown or an axis is
// missing.
func (r *reader) gazeboRow(n *xmltree.Node, name, kind string, frame *assembly.Pose) ([]assembly.Axis, bool) {
	switch kind {
	case "revolute", "continuous", "prismatic", "screw":
		a, ok := r.gazeboAxisIn(n, name, "axis", frame)
		if !ok {
			return nil, false
		}
		switch kind {
		case "prismatic":
			a.Kind = assembly.Prismatic
		case "screw":
			if a.Pitch = r.gazeboPitch(n); a.Pitch != 0 {
				a.Kind = assembly.Helical
			}
		}
		return []assembly.Axis{a}, true
	case "universal", "revolute2":
		a, ok := r.gazeboAxisIn(n, name, "axis", frame)
		b, ok2 := r.gazeboAxisIn(n, name, "axis2", frame)
		if !ok || !ok2 {
			return nil, false
		}
		a.Name, b.Name = name+"[0]", name+"[1]"
		return []assembly.Axis{a, b}, true
	case "ball":
		return []assembly.Axis{{At: n, Kind: assembly.Ball}}, true
	case "fixed":
		return nil, true
	}
	r.Refuse(n, "type", "is unknown: "+fault.Name(kind))
	return nil, false
}

// gazeboAxisIn reads an axis, given in axes of the joint or of the model, and converts it to axes of the joint. It
// refuses a missing element and returns false.
func (r *reader) gazeboAxisIn(n *xmltree.Node, name, element string, frame *assembly.Pose) (a assembly.Axis, ok bool) {
	a = assembly.Axis{At: n, Name: name, Kind: assembly.Revolute, Axis: zAxis}
	c := r.need(n, element)
	if c == nil {
		return a, false
	}
	inModel := false
	if x := r.need(c, "xyz"); x != nil {
		if v := r.TextNumbers(x, 3, 3); v != nil {
			a.Axis = r.unit(x, spatial.Vec3(v))
		}
		switch in, _ := x.Attr("expressed_in"); in {
		case "":
		case "__model__":
			inModel = true
		default:
			r.Refuse(x, "expressed_in", "frames other than __model__ are not read within a robot")
		}
	}
	if u := c.Child("use_parent_model_frame"); u != nil {
		inModel = inModel || r.truth(u)
	}
	if inModel {
		a.Axis = frame.Inverse().Dir(a.Axis)
	}
	r.gazeboAxis(c, &a)
	return a, true
}

// gazeboPitch returns the pitch of a screw, m/rad; 0 if there is none. The element is in metres per turn, the older one in radians per
// metre, left-handed.
func (r *reader) gazeboPitch(n *xmltree.Node) float64 {
	if c := n.Child("screw_thread_pitch"); c != nil {
		if x := r.TextNumbers(c, 1, 1); x != nil {
			return x[0] / (2 * math.Pi)
		}
		return 0
	}
	if c := r.need(n, "thread_pitch"); c != nil {
		if x := r.TextNumbers(c, 1, 1); x != nil && x[0] != 0 {
			return -1 / x[0]
		}
	}
	return 0
}

// gazeboAxis reads dynamics and limits of an axis in the form of SDFormat.
func (r *reader) gazeboAxis(n *xmltree.Node, a *assembly.Axis) {
	number := func(in *xmltree.Node, name string, usual float64) float64 {
		if c := in.Child(name); c != nil {
			return r.TextBound(c, usual)
		}
		return usual
	}
	if d := n.Child("dynamics"); d != nil {
		a.Damping, a.Friction = number(d, "damping", 0), number(d, "friction", 0)
		a.Stiffness, a.Rest = number(d, "spring_stiffness", 0), number(d, "spring_reference", 0)
	}
	if l := n.Child("limit"); l != nil {
		limit := model.NoLimit()
		const none = 1e16
		if x := number(l, "lower", -none); x > -none {
			limit.Lower = x
		}
		if x := number(l, "upper", none); x < none {
			limit.Upper = x
		}
		if x := number(l, "effort", -1); x > 0 && x < none {
			limit.Force = x
		}
		if x := number(l, "velocity", -1); x > 0 && x < none {
			limit.Rate = x
		}
		if limit.Lower < limit.Upper {
			a.Limit = &limit
		} else {
			l.Set(source.Dropped, "")
			r.Report.Drop(l, "limits of joint "+fault.Name(a.Name), "the lower one is not below the upper one", "")
		}
	}
}

// compiler reads MuJoCo's settings of masses and inertias.
func (r *reader) compiler(n *xmltree.Node) {
	n.Use()
	for _, c := range n.Children {
		if c.Name != "compiler" {
			continue
		}
		c.Use()
		r.mujoco.mass, r.mujoco.inertia = r.Number(c, "boundmass", 0), r.Number(c, "boundinertia", 0)
		r.mujoco.total = r.Number(c, "settotalmass", 0)
		r.balance = r.True(c, "balanceinertia", false)
	}
}

// bounds applies MuJoCo's settings to the masses and inertias of all links except world.
func (r *reader) bounds() {
	var links []int
	for i := range r.a.Links {
		if r.a.Links[i].Name != "world" {
			links = append(links, i)
		}
	}
	r.a.Bound(links, assembly.Bounds{Mass: r.mujoco.mass, Inertia: r.mujoco.inertia, Balance: r.balance, Total: r.mujoco.total}, r.Report)
}
