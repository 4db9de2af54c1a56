package urdf

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/formats/assembly"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// open is by how much a joint may be open in the pose that is written, m and rad: the format takes that pose for closed.
	open = 1e-9
	// ground is the name of the link that is the world.
	ground = "world"
)

// Write writes m, which passes model.Check, as a robot with the link world and a loop_joint for each joint that closes a loop. Its pose is that of all coordinates
// zero there, so that limits and equations are shifted by the coordinates. A link's frame is that of the joint which places it, so it may differ from that of the body. The report
// lists what the format lacks and what has another name. Motions, forces, velocities, springs and actuators are lost.
//
// Cost: O(bodies + joints). It returns *source.Problems for joints that the format lacks, of which nothing is written, and the errors of w.
func Write(w io.Writer, m *model.Model) (*source.Report, error) {
	o := &writer{m: m, report: &source.Report{Format: "urdf"}, number: map[string]int{}, links: map[string]bool{ground: true}, joints: map[string]bool{}}
	o.link, o.joint = make([]string, len(m.Bodies)), make([]string, len(m.Joints))
	for i := range m.Bodies {
		o.number[m.Bodies[i].Name] = i
		o.link[i] = o.name("body", m.Bodies[i].Name, o.links)
	}
	for i := range m.Joints {
		o.joint[i] = o.name("joint", m.Joints[i].Name, o.joints)
	}
	o.visuals = map[string][]int{}
	for k := range m.Visuals {
		o.visuals[m.Visuals[k].Body] = append(o.visuals[m.Visuals[k].Body], k)
	}
	o.spread()
	o.mimics()
	o.line(`<?xml version="1.0"?>`)
	o.line(`<robot name="%s">`, m.Name)
	o.line(` <link name="%s"/>`, ground)
	for i := range m.Bodies {
		o.body(i)
	}
	for i := range m.Joints {
		o.write(i)
	}
	o.line(`</robot>`)
	o.losses()
	if err := o.report.Err(false); err != nil {
		return o.report, err
	}
	b := bufio.NewWriter(w)
	_, _ = b.WriteString(o.b.String()) // Flush says what fails
	return o.report, b.Flush()
}

type writer struct {
	m             *model.Model
	report        *source.Report
	number        map[string]int // of bodies
	links, joints map[string]bool
	link, joint   []string // names in the file
	standing      []*assembly.Standing
	tree          []bool           // joints that place a link
	placed        []int            // the joint that places a body; −1: none
	frames        []assembly.Pose  // of the links in the bodies
	visuals       map[string][]int // by body
	mimic         map[int]string
	b             strings.Builder
}

// name returns a name that nothing else of the kind has.
func (o *writer) name(kind, name string, taken map[string]bool) string {
	out := strings.Map(func(r rune) rune {
		if r < ' ' || r == '\ufffe' || r == '\uffff' {
			return '_'
		}
		return r
	}, name)
	base := out
	for k := 2; taken[out]; k++ {
		out = fmt.Sprintf("%s_%d", base, k)
	}
	taken[out] = true
	if out != name {
		o.report.Change(nil, kind+" "+fault.Name(name), "the format does not take the name, or something else has it", "it is called "+fault.Name(out))
	}
	return out
}

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes all
	return b.String()
}

// line writes a line, in which the texts are escaped.
func (o *writer) line(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = escaped(s)
		}
	}
	fmt.Fprintf(&o.b, format+"\n", args...)
}

// numbers writes numbers with blanks between them, as many digits as they need.
func numbers(x ...float64) string {
	var b []byte
	for i, v := range x {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendFloat(b, v, 'g', -1, 64)
	}
	return string(b)
}

// placeText writes a pose as attributes: R = Rz(y)·Ry(p)·Rx(r).
func placeText(p assembly.Pose) string {
	E := p.Q.Mat()
	r, q, y := math.Atan2(E[7], E[8]), math.Atan2(-E[6], math.Hypot(E[0], E[3])), math.Atan2(E[3], E[0])
	if math.Hypot(E[0], E[3]) < 1e-7 { // x points up or down: only the sum or the difference of the others counts
		r, y = math.Atan2(-E[5], E[4]), 0
	}
	return `xyz="` + numbers(p.R[:]...) + `" rpy="` + numbers(r, q, y) + `"`
}

// types are those of the format that a joint of a tree may have; loops may not be screws and universal.
var types = map[model.JointType]string{
	model.Fixed: "fixed", model.Revolute: "revolute", model.Prismatic: "prismatic", model.Helical: "screw", model.Spherical: "spherical", model.Universal: "revolute",
}

// spread chooses the joints that place links, from the world on, each the first by which its link is reached; the others close loops.
func (o *writer) spread() {
	m := o.m
	o.standing, o.tree = make([]*assembly.Standing, len(m.Joints)), make([]bool, len(m.Joints))
	o.placed, o.frames = make([]int, len(m.Bodies)), make([]assembly.Pose, len(m.Bodies))
	near := make([][]int, len(m.Bodies)+1) // joints by body, the last of the world
	at := func(name string) int {
		if name == model.World {
			return len(m.Bodies)
		}
		return o.number[name]
	}
	for i := range m.Joints {
		j := &m.Joints[i]
		if j.Type == model.Free {
			continue
		}
		if _, ok := types[j.Type]; !ok {
			o.report.Refuse(nil, "joint "+fault.Name(j.Name), "the format has no joint of type "+j.Type.String())
			continue
		}
		near[at(j.Predecessor)] = append(near[at(j.Predecessor)], i)
		near[at(j.Successor)] = append(near[at(j.Successor)], i)
	}
	for i := range o.placed {
		o.placed[i], o.frames[i] = -1, assembly.Identity()
	}
	seen := make([]bool, len(m.Bodies)+1)
	reach := func(root int) {
		queue := []int{root}
		seen[root] = true
		for len(queue) > 0 {
			b := queue[0]
			queue = queue[1:]
			for _, i := range near[b] {
				j := &m.Joints[i]
				back := at(j.Successor) == b
				to := at(j.Successor)
				if back {
					to = at(j.Predecessor)
				}
				if seen[to] {
					continue
				}
				s, ok := assembly.Stand(m, o.number, i, back)
				if !ok {
					continue // of two axes, the other way about: may be met from there, or is a loop
				}
				seen[to], o.tree[i], o.standing[i] = true, true, s
				o.placed[to], o.frames[to] = i, s.At
				queue = append(queue, to)
			}
		}
	}
	reach(len(m.Bodies))
	for b := range m.Bodies {
		if !seen[b] {
			reach(b)
		}
	}
	for i := range m.Joints {
		j := &m.Joints[i]
		if _, ok := types[j.Type]; !ok || o.tree[i] {
			continue
		}
		if o.standing[i], _ = assembly.Stand(m, o.number, i, false); j.Type == model.Helical || j.Type == model.Universal {
			o.report.Refuse(nil, "joint "+fault.Name(j.Name), "closes a loop, where the format has no joint of type "+j.Type.String())
		}
	}
}

// frame returns the frame of a link in the world.
func (o *writer) frame(body string) assembly.Pose {
	if body == model.World {
		return assembly.Identity()
	}
	i := o.number[body]
	return assembly.Of(o.m.Bodies[i].Pose).Mul(o.frames[i])
}

func (o *writer) linkName(body string) string {
	if body == model.World {
		return ground
	}
	return o.link[o.number[body]]
}

// body writes a link, and the joint of one that nothing places.
func (o *writer) body(i int) {
	b := &o.m.Bodies[i]
	in := o.frames[i].Inverse()
	com := in.Point(b.Com)
	I := spatial.Sym3{b.Inertia.XX, b.Inertia.YY, b.Inertia.ZZ, b.Inertia.XY, b.Inertia.XZ, b.Inertia.YZ}
	if in.Q != spatial.IdentityQuat() {
		I = I.Rotate(in.Q.Mat())
	}
	o.line(` <link name="%s">`, o.link[i])
	o.line(`  <inertial><origin xyz="%s"/><mass value="%s"/>`, numbers(com[:]...), numbers(b.Mass))
	o.line(`   <inertia ixx="%s" iyy="%s" izz="%s" ixy="%s" ixz="%s" iyz="%s"/></inertial>`, numbers(I[0]), numbers(I[1]), numbers(I[2]), numbers(I[3]), numbers(I[4]), numbers(I[5]))
	for _, k := range o.visuals[b.Name] {
		o.visual(&o.m.Visuals[k], in)
	}
	o.line(` </link>`)
	if o.placed[i] < 0 {
		o.line(` <joint name="%s" type="floating"><parent link="%s"/><child link="%s"/><origin `+placeText(o.frame(b.Name))+`/></joint>`,
			o.name("joint", "float "+b.Name, o.joints), ground, o.link[i])
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
		shape = `<mesh filename="` + escaped(v.File) + `" scale="` + numbers(v.Scale[:]...) + `"/>`
	case model.BoxVisual:
		shape = `<box size="` + numbers(v.Size[:]...) + `"/>`
	case model.SphereVisual:
		shape = `<sphere radius="` + numbers(v.Size[0]) + `"/>`
	case model.CylinderVisual, model.CapsuleVisual:
		shape = `<` + v.Kind.String() + ` radius="` + numbers(v.Size[0]) + `" length="` + numbers(v.Size[1]) + `"/>`
	default:
		o.report.Once(nil, "shapes are left out", "the format has no "+v.Kind.String())
		return
	}
	color := ""
	if v.Color != [4]float64{} && !v.Collision {
		color = `<material name=""><color rgba="` + numbers(v.Color[:]...) + `"/></material>`
	}
	o.b.WriteString(`  <` + element + `><origin ` + placeText(in.Mul(assembly.Of(v.Pose))) + `/><geometry>` + shape + `</geometry>` + color + `</` + element + ">\n")
}

// write writes a joint.
func (o *writer) write(i int) {
	j, s := &o.m.Joints[i], o.standing[i]
	switch {
	case j.Type == model.Free:
		o.report.Note(nil, "joint "+fault.Name(j.Name), "lets everything pass and is left out")
		return
	case s == nil:
		return // refused
	}
	if e := max(s.Linear, s.Angular); e > open {
		o.report.Change(nil, "joint "+fault.Name(j.Name), fmt.Sprintf("is open by %.3g m and %.3g rad in the pose of the model", s.Linear, s.Angular), "the format takes that pose for closed")
	}
	at := o.inWorld(s.Child).Mul(s.At)
	from := o.frame(s.Parent).Inverse().Mul(at)
	if !o.tree[i] {
		to := o.frame(s.Child).Inverse().Mul(at)
		o.line(` <loop_joint name="%s" type="%s"><link1 link="%s" `+placeText(from)+`/><link2 link="%s" `+placeText(to)+`/><axis xyz="0 0 1"/></loop_joint>`,
			o.joint[i], types[j.Type], o.linkName(s.Parent), o.linkName(s.Child))
		return
	}
	if j.Type == model.Universal { // two hinges with a link without mass between them
		cross := o.name("body", j.Name+" cross", o.links)
		o.line(` <link name="%s"/>`, cross)
		o.one(i, 0, o.name("joint", j.Name+" 1", o.joints), o.linkName(s.Parent), cross, from)
		o.one(i, 1, o.joint[i], cross, o.linkName(s.Child), assembly.Identity())
		return
	}
	o.one(i, 0, o.joint[i], o.linkName(s.Parent), o.linkName(s.Child), from)
}

func (o *writer) inWorld(body string) assembly.Pose {
	if body == model.World {
		return assembly.Identity()
	}
	return assembly.Of(o.m.Bodies[o.number[body]].Pose)
}

// one writes a joint of a tree with axis k of joint i.
func (o *writer) one(i, k int, name, parent, child string, origin assembly.Pose) {
	j, s := &o.m.Joints[i], o.standing[i]
	kind := types[j.Type]
	limit := ""
	if k < len(j.Limits) && j.Limits[k] != nil {
		l := j.Limits[k]
		if !math.IsInf(l.Lower, 0) || !math.IsInf(l.Upper, 0) {
			limit += ` lower="` + bound(l.Lower-s.Zero[k]) + `" upper="` + bound(l.Upper-s.Zero[k]) + `"`
		}
		limit = `  <limit` + limit + ` effort="` + numbers(l.Force) + `" velocity="` + numbers(l.Rate) + "\"/>\n"
	}
	if kind == "revolute" && !strings.Contains(limit, "lower") {
		kind = "continuous"
	}
	o.line(` <joint name="%s" type="%s"><parent link="%s"/><child link="%s"/>`, name, kind, parent, child)
	o.b.WriteString(`  <origin ` + placeText(origin) + "/>\n")
	if len(s.Axes) > 0 {
		o.line(`  <axis xyz="%s"/>`, numbers(s.Axes[k][:]...))
	}
	damping, friction := 0.0, 0.0
	if k < len(j.Damping) {
		damping = j.Damping[k]
	}
	if k < len(j.Friction) {
		friction = j.Friction[k].Force
	}
	if damping != 0 || friction != 0 {
		o.line(`  <dynamics damping="%s" friction="%s"/>`, numbers(damping), numbers(friction))
	}
	o.b.WriteString(limit)
	if j.Type == model.Helical {
		o.line(`  <drake:screw_thread_pitch value="%s"/>`, numbers(2*math.Pi*j.Pitch))
	}
	if len(s.Axes) == 1 {
		o.b.WriteString(o.mimic[i])
	}
	o.line(` </joint>`)
}

// bound writes a bound that may be none.
func bound(x float64) string {
	if math.IsInf(x, 0) {
		return strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, 64), "+")
	}
	return numbers(x)
}

// mimics turns equations between two coordinates of the tree into those of the format: q = multiplier·q′ + offset.
func (o *writer) mimics() {
	o.mimic = map[int]string{}
	joint := map[string]int{}
	for i := range o.m.Joints {
		joint[o.m.Joints[i].Name] = i
	}
	single := func(c model.Coupled) (int, bool) {
		i := joint[c.Joint]
		return i, o.tree[i] && len(o.standing[i].Zero) == 1
	}
	for i := range o.m.Couplings {
		c := &o.m.Couplings[i]
		if len(c.Terms) == 2 && c.Polynomial == nil {
			a, b := c.Terms[0], c.Terms[1]
			follower, ok1 := single(a.Coupled)
			leader, ok2 := single(b.Coupled)
			if ok1 && ok2 && o.mimic[follower] == "" {
				offset := (c.Offset-b.Factor*o.standing[leader].Zero[0])/a.Factor - o.standing[follower].Zero[0]
				o.mimic[follower] = `  <mimic joint="` + escaped(o.joint[leader]) + `" multiplier="` + numbers(-b.Factor/a.Factor) + `" offset="` + numbers(offset) + "\"/>\n"
				continue
			}
		}
		o.report.Refuse(nil, "coupling "+fault.Name(c.Name), "the format has equations between two coordinates of joints that place links, one for each")
	}
}

// losses lists what is not written.
func (o *writer) losses() {
	lose := func(what string) { o.report.Drop(nil, what, "the format has none", "") }
	if g := o.m.Gravity; g != [3]float64{0, 0, -9.81} {
		lose(fmt.Sprintf("gravity %v", g))
	}
	for i := range o.m.Bodies {
		if b := &o.m.Bodies[i]; b.Velocity != (model.Velocity{}) {
			o.report.Once(nil, "velocities are lost", "the format has no state")
		}
	}
	nonzero := func(list []float64) bool {
		for _, x := range list {
			if x != 0 {
				return true
			}
		}
		return false
	}
	for i := range o.m.Joints {
		j := &o.m.Joints[i]
		name := " of joint " + fault.Name(j.Name)
		if nonzero(j.Force) {
			lose("forces" + name)
		}
		if nonzero(j.Stiffness) {
			lose("springs" + name)
		}
		if nonzero(j.Armature) {
			lose("rotor inertias" + name)
		}
		if nonzero(j.Damping) && !o.tree[i] {
			lose("damping" + name + ", which closes a loop,")
		} else if d := j.Damping; j.Type == model.Spherical && nonzero(d) && (d[1] != d[0] || d[2] != d[0]) {
			lose("the difference of the dampers" + name + ", of which the first is written,")
		}
		if !o.tree[i] && slices.ContainsFunc(j.Friction, func(f model.Friction) bool { return f != model.Friction{} }) {
			lose("friction" + name + ", which closes a loop,")
		}
		for _, what := range assembly.Beyond(j) {
			lose(what + name)
		}
		for _, x := range j.Motion {
			if x != nil {
				lose("motions" + name)
				break
			}
		}
	}
	for i := range o.m.Forces {
		lose("force " + fault.Name(o.m.Forces[i].Name) + " of type " + o.m.Forces[i].Type.String())
	}
	for i := range o.m.Terrains {
		lose("terrain " + fault.Name(o.m.Terrains[i].Name))
	}
	if len(o.m.Frames) > 0 {
		o.report.Once(nil, "frames are left out", "the format has links for them")
	}
}
