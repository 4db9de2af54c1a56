package urdf

import (
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

// Write writes m, which passes model.Check, as a robot with the link world and a loop_joint for each joint that closes
// a loop. Its pose is that of all coordinates zero there, so that limits and equations are shifted by the coordinates.
// A link's frame is that of the joint which places it, so it may differ from that of the body. The report lists what
// the format lacks and what has another name. Motions, forces, velocities, springs and actuators are lost.
//
// Cost: O(bodies + joints). It returns *source.Problems for joints that
// the format lacks, of which nothing is written, and the errors of w.
func Write(w io.Writer, m *model.Model) (*source.Report, error) {
	o := &writer{Draft: outline.New(m, "urdf", "")}
	o.links, o.joints = o.NewNames(nil, outline.Ground), o.NewNames(nil)
	for i := range m.Bodies {
		o.link = append(o.link, o.links.Add("body", m.Bodies[i].Name))
	}
	o.link = append(o.link, outline.Ground)
	for i := range m.Joints {
		o.joint = append(o.joint, o.joints.Add("joint", m.Joints[i].Name))
	}
	o.spread()
	o.mimics()
	o.Raw(`<?xml version="1.0"?>`)
	o.Line(`<robot name="%s">`, m.Name)
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
	o.Raw(`</robot>`)
	o.Losses(outline.Rates|outline.Balls, func(i int) bool { return o.tree.In[i] }, nil, nil)
	return o.Report, o.Flush(w)
}

type writer struct {
	*outline.Draft
	links, joints *outline.Names
	link, joint   []string // names in the file, that of the world last
	tree          *outline.Tree
	frames        []assembly.Pose // of the links in the bodies, that of the world last
	mimic         map[int]string
}

// placeText writes a pose as attributes: R = Rz(y)·Ry(p)·Rx(r).
func (o *writer) placeText(p assembly.Pose) string {
	E := p.Q.Mat()
	r, q, y := math.Atan2(E[7], E[8]), math.Atan2(-E[6], math.Hypot(E[0], E[3])), math.Atan2(E[3], E[0])
	if math.Hypot(E[0], E[3]) < 1e-7 { // x points up or down: only the sum or the difference of the others counts
		r, y = math.Atan2(-E[5], E[4]), 0
	}
	return `xyz="` + o.Numbers(p.R[:]...) + `" rpy="` + o.Numbers(r, q, y) + `"`
}

// types are those of the format that a joint of a tree may have; loops may not be screws and universal.
var types = map[model.JointType]string{
	model.Fixed: "fixed", model.Revolute: "revolute", model.Prismatic: "prismatic", model.Helical: "screw", model.Spherical: "spherical", model.Universal: "revolute",
}

// spread chooses the joints that place links. Screws and universal joints are the first, as they may not close loops,
// and then those with something that acts on them.
func (o *writer) spread() {
	m := o.Model
	held := o.Held()
	o.tree = o.Spread(func(i int) int {
		j := &m.Joints[i]
		_, ok := types[j.Type]
		switch {
		case !ok:
			if j.Type != model.Free {
				o.Report.Refuse(nil, "joint "+fault.Name(j.Name), "the format has no joint of type "+j.Type.String())
			}
			return -1
		case j.Type == model.Helical || j.Type == model.Universal:
			return 0
		case held[i]:
			return 1
		}
		return 2
	})
	o.frames = make([]assembly.Pose, len(m.Bodies)+1)
	for b := range o.frames {
		o.frames[b] = assembly.Identity()
		if b < len(m.Bodies) && o.tree.Placed[b] >= 0 {
			o.frames[b] = o.tree.Standing[o.tree.Placed[b]].At
		}
	}
	for i := range m.Joints {
		if j := &m.Joints[i]; !o.tree.In[i] && (j.Type == model.Helical || j.Type == model.Universal) {
			o.Report.Refuse(nil, "joint "+fault.Name(j.Name), "closes a loop, where the format has no joint of type "+j.Type.String())
		}
	}
}

// frame returns the frame of a link in the world.
func (o *writer) frame(body string) assembly.Pose { return o.Pose(body).Mul(o.frames[o.Number(body)]) }

func (o *writer) linkName(body string) string { return o.link[o.Number(body)] }

// body writes a link, and the joint of one that nothing places.
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

// write writes a joint.
func (o *writer) write(i int) {
	j, s := &o.Model.Joints[i], o.tree.Standing[i]
	_, ok := types[j.Type]
	switch {
	case j.Type == model.Free:
		o.Report.Note(nil, "joint "+fault.Name(j.Name), "lets everything pass and is left out")
		return
	case !ok:
		return // refused
	}
	o.TellOpen(i, s)
	at := o.Pose(s.Child).Mul(s.At)
	from := o.frame(s.Parent).Inverse().Mul(at)
	if !o.tree.In[i] {
		to := o.frame(s.Child).Inverse().Mul(at)
		o.Line(` <loop_joint name="%s" type="%s"><link1 link="%s" `+o.placeText(from)+`/><link2 link="%s" `+o.placeText(to)+`/><axis xyz="0 0 1"/></loop_joint>`,
			o.joint[i], types[j.Type], o.linkName(s.Parent), o.linkName(s.Child))
		return
	}
	if j.Type == model.Universal { // two hinges with a link without mass between them
		cross := o.links.Make(j.Name + " cross")
		o.Line(` <link name="%s"/>`, cross)
		o.one(i, 0, o.joints.Make(j.Name+" 1"), o.linkName(s.Parent), cross, from)
		o.one(i, 1, o.joint[i], cross, o.linkName(s.Child), assembly.Identity())
		return
	}
	o.one(i, 0, o.joint[i], o.linkName(s.Parent), o.linkName(s.Child), from)
}

// one writes a joint of a tree with motion k of joint i.
func (o *writer) one(i, k int, name, parent, child string, origin assembly.Pose) {
	j, s := &o.Model.Joints[i], o.tree.Standing[i]
	kind := types[j.Type]
	var a outline.Motion
	if k < len(s.Row) {
		a = s.Row[k]
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
	if j.Type == model.Helical {
		o.Line(`  <drake:screw_thread_pitch value="%s"/>`, o.Numbers(2*math.Pi*j.Pitch))
	}
	if len(s.Row) == 1 {
		o.Text.WriteString(o.mimic[i])
	}
	o.Raw(` </joint>`)
}

// bound writes a bound that may be none.
func (o *writer) bound(x float64) string {
	if math.IsInf(x, 0) {
		return strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, 64), "+")
	}
	return o.Numbers(x)
}

// mimics turns equations between two coordinates of the tree into those of the format: q = multiplier·q′ + offset.
func (o *writer) mimics() {
	o.mimic = map[int]string{}
	single := func(c model.Coupled) (int, bool) {
		i := o.Joints[c.Joint]
		return i, o.tree.In[i] && len(o.tree.Standing[i].Row) == 1
	}
	for i := range o.Model.Couplings {
		c := &o.Model.Couplings[i]
		if len(c.Terms) == 2 && c.Of() == nil {
			a, b := c.Terms[0], c.Terms[1]
			follower, ok1 := single(a.Coupled)
			leader, ok2 := single(b.Coupled)
			if ok1 && ok2 && o.mimic[follower] == "" {
				offset := (c.Offset-b.Factor*o.tree.Standing[leader].Row[0].Zero)/a.Factor - o.tree.Standing[follower].Row[0].Zero
				o.mimic[follower] = `  <mimic joint="` + outline.Escaped(o.joint[leader]) + `" multiplier="` + o.Numbers(-b.Factor/a.Factor) + `" offset="` + o.Numbers(offset) + "\"/>\n"
				continue
			}
		}
		o.Report.Refuse(nil, "coupling "+fault.Name(c.Name), "the format has equations between two coordinates of joints that place links, one for each")
	}
}
