package sdf

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/formats/assembly"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// open is by how much a joint may be open in the pose that is written, m and rad: the format takes that pose for closed.
const open = 1e-9

// Write writes m, which passes model.Check, as a world of SDFormat 1.9 with one model. Its pose is that of all coordinates zero there, so that limits, rests and equations are
// shifted by the coordinates. The report lists what the format lacks and what has another name. Motions, forces, velocities, springs between bodies and actuators are lost.
//
// Cost: O(bodies + joints). It returns *source.Problems for joints that the format lacks, of which nothing is written, and the errors of w.
func Write(w io.Writer, m *model.Model) (*source.Report, error) {
	o := &writer{m: m, report: &source.Report{Format: "sdf", Version: "1.9"}, number: map[string]int{}, taken: map[string]bool{worldName: true}}
	o.link, o.joint = make([]string, len(m.Bodies)), make([]string, len(m.Joints))
	for i := range m.Bodies {
		o.number[m.Bodies[i].Name] = i
		o.link[i] = o.name("body", m.Bodies[i].Name)
	}
	for i := range m.Joints {
		o.joint[i] = o.name("joint", m.Joints[i].Name)
	}
	o.visuals = map[string][]int{}
	for k := range m.Visuals {
		o.visuals[m.Visuals[k].Body] = append(o.visuals[m.Visuals[k].Body], k)
	}
	if len(o.visuals[model.World]) > 0 {
		o.report.Note(nil, "shapes of the world are left out", "the model has no link for them")
	}
	o.mimics()
	o.text()
	o.losses()
	if err := o.report.Err(false); err != nil {
		return o.report, err
	}
	b := bufio.NewWriter(w)
	_, _ = b.WriteString(o.b.String()) // Flush says what fails
	return o.report, b.Flush()
}

type writer struct {
	m           *model.Model
	report      *source.Report
	number      map[string]int // of bodies
	taken       map[string]bool
	link, joint []string         // names in the file
	visuals     map[string][]int // by body
	mimic       map[[2]int]string
	b           strings.Builder
}

// name returns a name that the format takes and that nothing else in the file has: bodies, joints and frames have one list of names there.
func (o *writer) name(kind, name string) string {
	out := strings.Map(func(r rune) rune {
		if r < ' ' || r == '\ufffe' || r == '\uffff' {
			return '_'
		}
		return r
	}, strings.ReplaceAll(name, "::", "_"))
	if strings.HasPrefix(out, "__") && strings.HasSuffix(out, "__") {
		out += "1"
	}
	base := out
	for k := 2; o.taken[out]; k++ {
		out = fmt.Sprintf("%s_%d", base, k)
	}
	o.taken[out] = true
	if out != name {
		o.report.Change(nil, kind+" "+fault.Name(name), "the format does not take the name, or something else has it", "it is called "+fault.Name(out))
	}
	return out
}

// line writes a line, in which %s are texts that are escaped.
func (o *writer) line(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			var b strings.Builder
			_ = xml.EscapeText(&b, []byte(s)) // a Builder takes all
			args[i] = b.String()
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

func poseText(p assembly.Pose) string {
	q := p.Q
	return `<pose rotation_format="quat_xyzw">` + numbers(p.R[0], p.R[1], p.R[2], q[1], q[2], q[3], q[0]) + `</pose>`
}

// poseOfModel returns a pose of the model.
func poseOfModel(p model.Pose) assembly.Pose {
	q := spatial.Quat(p.Orientation)
	if q == (spatial.Quat{}) {
		q = spatial.IdentityQuat()
	}
	return assembly.Pose{R: p.Position, Q: q.Normalize()}
}

// text writes the whole file.
func (o *writer) text() {
	name := o.m.Name
	if name == "" {
		name = "model"
	}
	o.line(`<?xml version="1.0"?>`)
	o.line(`<sdf version="1.9">`)
	o.line(` <world name="%s">`, "world_of_"+strings.ReplaceAll(name, "::", "_"))
	o.line(`  <gravity>%s</gravity>`, numbers(o.m.Gravity[:]...))
	o.line(`  <model name="%s">`, strings.ReplaceAll(name, "::", "_"))
	for i := range o.m.Bodies {
		o.body(i)
	}
	for i := range o.m.Joints {
		o.writeJoint(i)
	}
	for i := range o.m.Frames {
		f := &o.m.Frames[i]
		if f.Body == model.World {
			o.report.Note(nil, "frame "+fault.Name(f.Name), "is fixed in the world and left out")
			continue
		}
		o.line(`   <frame name="%s" attached_to="%s">`+poseText(poseOfModel(f.Pose))+`</frame>`, o.name("frame", f.Name), o.link[o.number[f.Body]])
	}
	o.line(`  </model>`)
	o.line(` </world>`)
	o.line(`</sdf>`)
}

func (o *writer) body(i int) {
	b := &o.m.Bodies[i]
	I := &b.Inertia
	o.line(`   <link name="%s">`, o.link[i])
	o.line(`    ` + poseText(poseOfModel(b.Pose)))
	o.line(`    <inertial><pose>%s 0 0 0</pose><mass>%s</mass>`, numbers(b.Com[:]...), numbers(b.Mass))
	o.line(`     <inertia><ixx>%s</ixx><iyy>%s</iyy><izz>%s</izz><ixy>%s</ixy><ixz>%s</ixz><iyz>%s</iyz></inertia></inertial>`,
		numbers(I.XX), numbers(I.YY), numbers(I.ZZ), numbers(I.XY), numbers(I.XZ), numbers(I.YZ))
	for _, k := range o.visuals[b.Name] {
		o.visual(k, &o.m.Visuals[k])
	}
	o.line(`   </link>`)
}

func (o *writer) visual(k int, v *model.Visual) {
	element := "visual"
	if v.Collision {
		element = "collision"
	}
	o.line(`    <%s name="%s">`+poseText(poseOfModel(v.Pose))+`<geometry>`, element, fmt.Sprintf("%s%d", element, k))
	switch v.Kind {
	case model.MeshVisual:
		o.line(`     <mesh><uri>%s</uri><scale>%s</scale></mesh>`, v.File, numbers(v.Scale[:]...))
	case model.BoxVisual:
		o.line(`     <box><size>%s</size></box>`, numbers(v.Size[:]...))
	case model.SphereVisual:
		o.line(`     <sphere><radius>%s</radius></sphere>`, numbers(v.Size[0]))
	case model.CylinderVisual, model.CapsuleVisual:
		o.line(`     <%s><radius>%s</radius><length>%s</length></%s>`, v.Kind.String(), numbers(v.Size[0]), numbers(v.Size[1]), v.Kind.String())
	case model.EllipsoidVisual:
		o.line(`     <ellipsoid><radii>%s</radii></ellipsoid>`, numbers(v.Size[:]...))
	}
	o.line(`    </geometry>`)
	if v.Color != [4]float64{} && !v.Collision {
		o.line(`     <material><diffuse>%s</diffuse></material>`, numbers(v.Color[:]...))
	}
	o.line(`    </%s>`, element)
}

// joined is a joint as the format has it: the frame is in the child, the axes are in that frame.
type joined struct {
	kind          string
	parent, child string
	at            assembly.Pose // in the child
	axes          []spatial.Vec3
	zero          []float64 // coordinates of the model in the pose that is written
	off           [2]float64
}

// inWorld returns a frame of a body in the world.
func (o *writer) inWorld(body string, f model.Pose) assembly.Pose {
	x := poseOfModel(f)
	if body != model.World {
		x = poseOfModel(o.m.Bodies[o.number[body]].Pose).Mul(x)
	}
	return x
}

// convert returns joint i, or false if the format has none like it.
func (o *writer) convert(i int) (*joined, bool) {
	j := &o.m.Joints[i]
	x := o.inWorld(j.Predecessor, j.PredecessorFrame).Inverse().Mul(o.inWorld(j.Successor, j.SuccessorFrame))
	E := x.Q.Mat()
	out := &joined{parent: j.Predecessor, child: j.Successor, at: poseOfModel(j.SuccessorFrame)}
	z := spatial.Vec3{0, 0, 1}
	angle := math.Remainder(2*math.Atan2(x.Q[3], x.Q[0]), 2*math.Pi)
	turn := func(k int) float64 {
		if k < len(j.Turns) {
			return 2 * math.Pi * float64(j.Turns[k])
		}
		return 0
	}
	tilt := math.Hypot(E[2], E[5]) // of the z axes
	switch j.Type {
	case model.Fixed:
		out.kind, out.off = "fixed", [2]float64{x.R.Norm(), x.Q.Log().Norm()}
	case model.Revolute:
		out.kind, out.axes, out.zero = "revolute", []spatial.Vec3{z}, []float64{angle + turn(0)}
		out.off = [2]float64{x.R.Norm(), tilt}
	case model.Prismatic:
		out.kind, out.axes, out.zero = "prismatic", []spatial.Vec3{z}, []float64{x.R[2]}
		out.off = [2]float64{math.Hypot(x.R[0], x.R[1]), x.Q.Log().Norm()}
	case model.Helical:
		out.kind, out.axes, out.zero = "screw", []spatial.Vec3{z}, []float64{x.R[2] / j.Pitch}
		out.off = [2]float64{math.Hypot(x.R[0], x.R[1]), max(tilt, math.Abs(math.Remainder(x.R[2]/j.Pitch-angle, 2*math.Pi)))}
	case model.Spherical:
		out.kind, out.off = "ball", [2]float64{x.R.Norm(), 0}
	case model.Universal: // E = Rx(θ₁)·Ry(θ₂)
		out.kind, out.axes = "universal", []spatial.Vec3{E.TMulVec(spatial.Vec3{1, 0, 0}), {0, 1, 0}}
		out.zero = []float64{math.Atan2(E[7], E[4]) + turn(0), math.Atan2(E[2], E[0]) + turn(1)}
		out.off = [2]float64{x.R.Norm(), math.Abs(E[1])}
	default:
		return nil, false
	}
	if out.child == model.World { // which is no child there: turned about, with the same coordinates
		out.parent, out.child = out.child, out.parent
		back := x.Q.Rotate
		out.at = poseOfModel(j.PredecessorFrame)
		for k := range out.axes {
			out.axes[k] = back(out.axes[k]).Neg()
		}
		if len(out.axes) == 2 {
			return nil, false // the order of the axes would turn about too
		}
	}
	return out, true
}

func (o *writer) writeJoint(i int) {
	j := &o.m.Joints[i]
	if j.Type == model.Free {
		o.report.Note(nil, "joint "+fault.Name(j.Name), "lets everything pass and is left out")
		return
	}
	c, ok := o.convert(i)
	if !ok {
		o.report.Refuse(nil, "joint "+fault.Name(j.Name), "the format has no joint of type "+j.Type.String()+" like it")
		return
	}
	if max(c.off[0], c.off[1]) > open {
		o.report.Change(nil, "joint "+fault.Name(j.Name), fmt.Sprintf("is open by %.3g m and %.3g rad in the pose of the model", c.off[0], c.off[1]), "the format takes that pose for closed")
	}
	parent := worldName
	if c.parent != model.World {
		parent = o.link[o.number[c.parent]]
	}
	o.line(`   <joint name="%s" type="%s"><parent>%s</parent><child>%s</child>`, o.joint[i], c.kind, parent, o.link[o.number[c.child]])
	o.line(`    ` + poseText(c.at))
	if c.kind == "screw" {
		o.line(`    <screw_thread_pitch>%s</screw_thread_pitch>`, numbers(2*math.Pi*j.Pitch))
	}
	for k, axis := range c.axes {
		o.axis(i, k, axis, c.zero[k])
	}
	o.line(`   </joint>`)
}

// axis writes an axis with what acts on its coordinate, which is zero in the pose that is written.
func (o *writer) axis(i, k int, axis spatial.Vec3, zero float64) {
	j := &o.m.Joints[i]
	element := [...]string{"axis", "axis2"}[k]
	o.line(`    <%s><xyz>%s</xyz>`, element, numbers(axis[:]...))
	at := func(list []float64) float64 {
		if k < len(list) {
			return list[k]
		}
		return 0
	}
	if stiffness, damping := at(j.Stiffness), at(j.Damping); stiffness != 0 || damping != 0 {
		o.line(`     <dynamics><damping>%s</damping><spring_stiffness>%s</spring_stiffness><spring_reference>%s</spring_reference></dynamics>`,
			numbers(damping), numbers(stiffness), numbers(at(j.Rest)-zero))
	}
	if k < len(j.Limits) && j.Limits[k] != nil {
		l := j.Limits[k]
		o.line(`     <limit>`)
		for _, b := range [...]struct {
			name string
			x    float64
		}{{"lower", l.Lower - zero}, {"upper", l.Upper - zero}, {"effort", l.Force}, {"velocity", l.Rate}} {
			if !math.IsInf(b.x, 0) && (b.x != 0 || b.name == "lower" || b.name == "upper") {
				o.line(`      <%s>%s</%s>`, b.name, numbers(b.x), b.name)
			}
		}
		o.line(`     </limit>`)
	}
	o.b.WriteString(o.mimic[[2]int{i, k}])
	o.line(`    </%s>`, element)
}

// mimics turns equations between two coordinates into those of the format: q = multiplier·q′ + offset.
func (o *writer) mimics() {
	o.mimic = map[[2]int]string{}
	joint := map[string]int{}
	for i := range o.m.Joints {
		joint[o.m.Joints[i].Name] = i
	}
	for i := range o.m.Couplings {
		c := &o.m.Couplings[i]
		if len(c.Terms) == 2 && c.Polynomial == nil {
			a, b := c.Terms[0], c.Terms[1]
			follower, leader := [2]int{joint[a.Joint], a.Freedom}, [2]int{joint[b.Joint], b.Freedom}
			ca, okA := o.convert(follower[0])
			cb, okB := o.convert(leader[0])
			if okA && okB && a.Freedom < len(ca.zero) && b.Freedom < len(cb.zero) && o.mimic[follower] == "" {
				multiplier := -b.Factor / a.Factor
				offset := (c.Offset-b.Factor*cb.zero[b.Freedom])/a.Factor - ca.zero[a.Freedom]
				var name strings.Builder
				_ = xml.EscapeText(&name, []byte(o.joint[leader[0]])) // a Builder takes all
				o.mimic[follower] = fmt.Sprintf("     <mimic joint=\"%s\" axis=\"%s\"><multiplier>%s</multiplier><offset>%s</offset></mimic>\n",
					name.String(), [...]string{"axis", "axis2"}[b.Freedom], numbers(multiplier), numbers(offset))
				continue
			}
		}
		o.report.Refuse(nil, "coupling "+fault.Name(c.Name), "the format has equations between two coordinates, one for each")
	}
}

// losses lists what is not written.
func (o *writer) losses() {
	lose := func(what, why string) { o.report.Drop(nil, what, why, "") }
	for i := range o.m.Bodies {
		if b := &o.m.Bodies[i]; b.Velocity != (model.Velocity{}) {
			o.report.Once(nil, "velocities are lost", "the format has the state of a simulation elsewhere")
		}
	}
	for i := range o.m.Joints {
		j := &o.m.Joints[i]
		name := "joint " + fault.Name(j.Name)
		for _, x := range j.Force {
			if x != 0 {
				lose("forces of "+name, "the format has none")
				break
			}
		}
		for _, x := range j.Motion {
			if x != nil {
				lose("motions of "+name, "the format has none")
				break
			}
		}
		for _, x := range j.Armature {
			if x != 0 {
				lose("rotor inertias of "+name, "the format has none")
				break
			}
		}
	}
	for i := range o.m.Forces {
		lose("force "+fault.Name(o.m.Forces[i].Name)+" of type "+o.m.Forces[i].Type.String(), "the format has none")
	}
	for i := range o.m.Terrains {
		lose("terrain "+fault.Name(o.m.Terrains[i].Name), "it is not written")
	}
}
