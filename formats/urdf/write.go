package urdf

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/outline"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Write writes m, which must pass model.Check, as a robot with the link world and a loop_joint for each joint that closes
// a loop. In the pose of the file all coordinates are zero, so limits and couplings are shifted by the coordinates of m.
// The frame of a link is the frame of its parent joint, so it may differ from the body frame. A joint with several motions
// becomes several joints with massless links between them. Distances, springs between bodies, rotors and couplings of
// more than two coordinates become elements of Drake. The report lists losses and changes of names.
// Motions, forces, velocities, springs of coordinates and actuators are lost.
//
// Cost: O(bodies + joints). It returns *source.Problems for joints and couplings that
// the format does not have; nothing is written then. Else it returns the error of w.
func Write(w io.Writer, m *model.Model) (*source.Report, error) {
	o := &writer{Draft: outline.New(m, "urdf", ""), pulled: make([]bool, len(m.Forces))}
	o.links, o.joints = o.NewNames(nil, outline.Ground), o.NewNames(nil)
	for i := range m.Bodies {
		o.link = append(o.link, o.links.Add("body", m.Bodies[i].Name))
	}
	o.link = append(o.link, outline.Ground)
	for i := range m.Joints {
		o.joint = append(o.joint, o.joints.Add("joint", m.Joints[i].Name))
	}
	o.spread()
	o.couplings()
	o.extras()
	o.Raw(`<?xml version="1.0"?>`)
	space := ""
	if o.more.Len() > 0 {
		space = ` xmlns:drake="http://drake.mit.edu"`
		o.Report.Note(nil, "some elements are those of Drake", "which other programs may not know")
	}
	o.Line(`<robot name="%s"`+space+`>`, m.Name)
	o.Line(` <link name="%s">`, outline.Ground)
	for _, k := range o.Visuals[len(m.Bodies)] {
		o.visual(&m.Visuals[k], assembly.Identity())
	}
	o.Raw(` </link>`)
	for i := range m.Bodies {
		o.body(i)
	}
	for i := range m.Joints {
		o.write(i)
	}
	o.Text.WriteString(o.more.String())
	o.Raw(`</robot>`)
	o.Losses(outline.Rates|outline.Balls|outline.Rotors,
		func(i int) bool { return o.tree.In[i] }, nil, func(i int) bool { return o.pulled[i] })
	return o.Report, o.Flush(w)
}

type writer struct {
	*outline.Draft
	links, joints *outline.Names
	link, joint   []string // names in the file; of the links, the world is last
	tree          *outline.Tree
	frames        []assembly.Pose   // poses of the links' frames in the bodies; of the world last
	names         [][]string        // names in the file by joint and motion, for joints of the tree
	mimic         map[[2]int]string // elements mimic by joint and motion
	more          strings.Builder   // elements of Drake
	pulled        []bool            // force elements that are written
}

// placeText returns a pose as attributes, with the angles r, p, y of R = Rz(y)·Ry(p)·Rx(r).
func (o *writer) placeText(p assembly.Pose) string {
	E := p.Q.Mat()
	r, q, y := math.Atan2(E[7], E[8]), math.Atan2(-E[6], math.Hypot(E[0], E[3])), math.Atan2(E[3], E[0])
	if math.Hypot(E[0], E[3]) < 1e-7 { // gimbal lock, p = ±π/2: only the sum or the difference of r and y is determined
		r, y = math.Atan2(-E[5], E[4]), 0
	}
	return `xyz="` + o.Numbers(p.R[:]...) + `" rpy="` + o.Numbers(r, q, y) + `"`
}

// loops has the names of the types of joints that may close loops.
var loops = map[model.JointType]string{
	model.Fixed: "fixed", model.Revolute: "revolute", model.Prismatic: "prismatic", model.Spherical: "spherical",
}

// spread chooses the tree of joints, sets the frames of the links, and refuses joints outside the tree that the format does not have.
func (o *writer) spread() {
	held := o.Held()
	o.tree = o.Spread(func(i int) int { return class(&o.Model.Joints[i], held[i]) })
	o.names = make([][]string, len(o.Model.Joints))
	o.frames = make([]assembly.Pose, len(o.Model.Bodies)+1)
	for b := range o.frames {
		o.frames[b] = assembly.Identity()
		if b < len(o.Model.Bodies) && o.tree.Placed[b] >= 0 {
			o.frames[b] = o.chain(o.tree.Placed[b])
		}
	}
	for i := range o.Model.Joints {
		if !o.tree.In[i] {
			o.checkLoop(i, held[i])
		}
	}
}

// class returns the class of a joint for outline.Draft.Spread: −1 for joints that must not be in the tree; of the others, joints that
// cannot close loops come first, then joints that are held (outline.Draft.Held).
func class(j *model.Joint, held bool) int {
	switch {
	case j.Type == model.Free, j.Type == model.Distance, isBoundWay(j, held):
		return -1
	case loops[j.Type] == "":
		return 0
	case held:
		return 1
	}
	return 2
}

// isBoundWay reports whether a joint needs the coordinate along its curve, which the format does not have.
func isBoundWay(j *model.Joint, held bool) bool { return j.Type == model.PointOnCurve && held }

// checkLoop refuses joint i, which is not in the tree, unless the format has its type as a loop.
func (o *writer) checkLoop(i int, held bool) {
	j := &o.Model.Joints[i]
	switch {
	case j.Type == model.Free || j.Type == model.Distance || loops[j.Type] != "":
	case o.tree.Standing[i] == nil || isBoundWay(j, held):
		o.Report.Refuse(nil, "joint "+fault.Name(j.Name), "the format has no joint of type "+j.Type.String())
	default:
		o.Report.Refuse(nil, "joint "+fault.Name(j.Name), "closes a loop, where the format has no joint of type "+j.Type.String())
	}
}

// chain names the joints of the file for joint i. It moves the frame of the joint to the point of the last motion, so that points of
// the motions are relative to it, and returns the pose of that frame in the child.
func (o *writer) chain(i int) assembly.Pose {
	s := o.tree.Standing[i]
	var at spatial.Vec3
	for k := range s.Row {
		if s.Row[k].Kind == assembly.Prismatic {
			s.Row[k].Point = at
		}
		at = s.Row[k].Point
		name := o.joint[i]
		if k+1 < len(s.Row) {
			name = o.joints.Make(fmt.Sprintf("%s %d", o.Model.Joints[i].Name, k+1))
		}
		o.names[i] = append(o.names[i], name)
	}
	for k := range s.Row {
		s.Row[k].Point = s.Row[k].Point.Sub(at)
	}
	s.At = s.At.Mul(assembly.Pose{R: at})
	return s.At
}

// frame returns the pose in the world of the link of a body.
func (o *writer) frame(body string) assembly.Pose { return o.Pose(body).Mul(o.frames[o.Number(body)]) }

// linkName returns the name of the link of a body.

func (o *writer) linkName(body string) string { return o.link[o.Number(body)] }

// body writes the link of body i, with a floating joint if it has no parent.
func (o *writer) body(i int) {
	b := &o.Model.Bodies[i]
	in := o.frames[i].Inverse()
	com := in.Point(b.Com)
	I := spatial.Sym3{b.Inertia.XX, b.Inertia.YY, b.Inertia.ZZ, b.Inertia.XY, b.Inertia.XZ, b.Inertia.YZ}
	if in.Q != spatial.IdentityQuat() {
		I = I.Rotate(in.Q.Mat())
	}
	o.Line(` <link name="%s">`, o.link[i])
	o.Line(`  <inertial><origin xyz="%s"/><mass value="%s"/>`, o.Numbers(com[:]...), o.Numbers(b.Mass))
	o.Line(`   <inertia ixx="%s" iyy="%s" izz="%s" ixy="%s" ixz="%s" iyz="%s"/></inertial>`, o.Numbers(I[0]), o.Numbers(I[1]), o.Numbers(I[2]), o.Numbers(I[3]), o.Numbers(I[4]), o.Numbers(I[5]))
	for _, k := range o.Visuals[i] {
		o.visual(&o.Model.Visuals[k], in)
	}
	o.Line(` </link>`)
	if o.tree.Placed[i] < 0 {
		o.Line(` <joint name="%s" type="floating"><parent link="%s"/><child link="%s"/><origin `+o.placeText(o.frame(b.Name))+`/></joint>`,
			o.joints.Make("float "+b.Name), outline.Ground, o.link[i])
	}
}

// visual writes a shape, for viewers or for collisions. in is the pose of the body frame in its link.
func (o *writer) visual(v *model.Visual, in assembly.Pose) {
	element := "visual"
	if v.Collision {
		element = "collision"
	}
	var shape string
	switch v.Kind {
	case model.MeshVisual:
		shape = `<mesh filename="` + outline.Escaped(v.File) + `" scale="` + o.Numbers(v.Scale[:]...) + `"/>`
	case model.BoxVisual:
		shape = `<box size="` + o.Numbers(v.Size[:]...) + `"/>`
	case model.SphereVisual:
		shape = `<sphere radius="` + o.Numbers(v.Size[0]) + `"/>`
	case model.CylinderVisual, model.CapsuleVisual:
		shape = `<` + v.Kind.String() + ` radius="` + o.Numbers(v.Size[0]) + `" length="` + o.Numbers(v.Size[1]) + `"/>`
	case model.EllipsoidVisual:
		shape = `<drake:ellipsoid a="` + o.Numbers(v.Size[0]) + `" b="` + o.Numbers(v.Size[1]) + `" c="` + o.Numbers(v.Size[2]) + `"/>`
	}
	color := ""
	if v.Color != [4]float64{} && !v.Collision {
		color = `<material name=""><color rgba="` + o.Numbers(v.Color[:]...) + `"/></material>`
	}
	o.Text.WriteString(`  <` + element + `><origin ` + o.placeText(in.Mul(outline.Of(v.Pose))) + `/><geometry>` + shape + `</geometry>` + color + `</` + element + ">\n")
}

// write writes joint i, except distances, which extras writes, and joints that have been refused.
func (o *writer) write(i int) {
	j, s := &o.Model.Joints[i], o.tree.Standing[i]
	switch {
	case j.Type == model.Free:
		o.Report.Note(nil, "joint "+fault.Name(j.Name), "lets everything pass and is left out")
		return
	case j.Type == model.Distance || !o.tree.In[i] && loops[j.Type] == "":
		return // written already, or refused
	}
	o.TellOpen(i, s)
	at := o.Pose(s.Child).Mul(s.At)
	from := o.frame(s.Parent).Inverse().Mul(at)
	if !o.tree.In[i] {
		to := o.frame(s.Child).Inverse().Mul(at)
		o.Line(` <loop_joint name="%s" type="%s"><link1 link="%s" `+o.placeText(from)+`/><link2 link="%s" `+o.placeText(to)+`/><axis xyz="0 0 1"/></loop_joint>`,
			o.joint[i], loops[j.Type], o.linkName(s.Parent), o.linkName(s.Child))
		return
	}
	if len(s.Row) == 0 {
		o.one(i, 0, o.joint[i], o.linkName(s.Parent), o.linkName(s.Child), from)
		return
	}
	parent := o.linkName(s.Parent)
	for k := range s.Row { // with massless links between the joints
		child := o.linkName(s.Child)
		if k+1 < len(s.Row) {
			child = o.links.Make(j.Name + " cross")
			o.Line(` <link name="%s"/>`, child)
		}
		o.one(i, k, o.names[i][k], parent, child, from.Mul(assembly.Pose{R: s.Row[k].Point}))
		parent, from = child, assembly.Pose{R: s.Row[k].Point.Neg()}
	}
}

// motions has the types of joints with one motion.
var motions = [...]string{
	assembly.Revolute: "revolute", assembly.Prismatic: "prismatic", assembly.Helical: "screw", assembly.Ball: "spherical",
}

// one writes a joint of the file for motion k of joint i; fixed if joint i has no motions.
func (o *writer) one(i, k int, name, parent, child string, origin assembly.Pose) {
	j, s := &o.Model.Joints[i], o.tree.Standing[i]
	kind := "fixed"
	a := outline.Motion{Freedom: -1}
	if k < len(s.Row) {
		a = s.Row[k]
		kind = motions[a.Kind]
	}
	limit := ""
	if l := outline.Entry(j.Limits, a.Freedom); l != nil {
		if !math.IsInf(l.Lower, 0) || !math.IsInf(l.Upper, 0) {
			limit = ` lower="` + o.bound(l.Lower-a.Zero) + `" upper="` + o.bound(l.Upper-a.Zero) + `"`
		}
		limit = `  <limit` + limit + ` effort="` + o.Numbers(l.Force) + `" velocity="` + o.Numbers(l.Rate) + "\"/>\n"
	}
	if kind == "revolute" && !strings.Contains(limit, "lower") {
		kind = "continuous"
	}
	o.Line(` <joint name="%s" type="%s"><parent link="%s"/><child link="%s"/>`, name, kind, parent, child)
	o.Raw(`  <origin `, o.placeText(origin), `/>`)
	if len(s.Row) > 0 && a.Kind != assembly.Ball {
		o.Line(`  <axis xyz="%s"/>`, o.Numbers(a.Axis[:]...))
	}
	if damping, friction := s.Damping(j, k), outline.Entry(j.Friction, a.Freedom).Force; damping != 0 || friction != 0 {
		o.Line(`  <dynamics damping="%s" friction="%s"/>`, o.Numbers(damping), o.Numbers(friction))
	}
	o.Text.WriteString(limit)
	if a.Kind == assembly.Helical {
		o.Line(`  <drake:screw_thread_pitch value="%s"/>`, o.Numbers(2*math.Pi*a.Pitch))
	}
	o.Text.WriteString(o.mimic[[2]int{i, k}])
	o.Raw(` </joint>`)
}

// bound returns a bound, which may be infinite.
func (o *writer) bound(x float64) string {
	if math.IsInf(x, 0) {
		return strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, 64), "+")
	}
	return o.Numbers(x)
}
