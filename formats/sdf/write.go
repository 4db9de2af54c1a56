package sdf

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
		o.line(`   <frame name="%s" attached_to="%s">`+poseText(assembly.Of(f.Pose))+`</frame>`, o.name("frame", f.Name), o.link[o.number[f.Body]])
	}
	o.line(`  </model>`)
	o.line(` </world>`)
	o.line(`</sdf>`)
}

func (o *writer) body(i int) {
	b := &o.m.Bodies[i]
	I := &b.Inertia
	o.line(`   <link name="%s">`, o.link[i])
	o.line(`    ` + poseText(assembly.Of(b.Pose)))
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
	o.line(`    <%s name="%s">`+poseText(assembly.Of(v.Pose))+`<geometry>`, element, fmt.Sprintf("%s%d", element, k))
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

// convert returns joint i, or false if the format has none like it.
func (o *writer) convert(i int) (*assembly.Standing, bool) {
	world := o.m.Joints[i].Successor == model.World // which is no child in the format
	c, ok := assembly.Stand(o.m, o.number, i, world)
	if ok {
		_, ok = kinds[c.Type]
	}
	return c, ok
}

// kinds are the types of the format.
var kinds = map[model.JointType]string{
	model.Fixed: "fixed", model.Revolute: "revolute", model.Prismatic: "prismatic", model.Helical: "screw", model.Spherical: "ball", model.Universal: "universal",
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
	if max(c.Linear, c.Angular) > open {
		o.report.Change(nil, "joint "+fault.Name(j.Name), fmt.Sprintf("is open by %.3g m and %.3g rad in the pose of the model", c.Linear, c.Angular), "the format takes that pose for closed")
	}
	parent := worldName
	if c.Parent != model.World {
		parent = o.link[o.number[c.Parent]]
	}
	o.line(`   <joint name="%s" type="%s"><parent>%s</parent><child>%s</child>`, o.joint[i], kinds[c.Type], parent, o.link[o.number[c.Child]])
	o.line(`    ` + poseText(c.At))
	if c.Type == model.Helical {
		o.line(`    <screw_thread_pitch>%s</screw_thread_pitch>`, numbers(2*math.Pi*j.Pitch))
	}
	for k, axis := range c.Axes {
		o.axis(i, k, axis, c.Zero[k])
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
	friction := 0.0
	if k < len(j.Friction) {
		friction = j.Friction[k].Force
	}
	if stiffness, damping := at(j.Stiffness), at(j.Damping); stiffness != 0 || damping != 0 || friction != 0 {
		o.line(`     <dynamics><damping>%s</damping><friction>%s</friction><spring_stiffness>%s</spring_stiffness><spring_reference>%s</spring_reference></dynamics>`,
			numbers(damping), numbers(friction), numbers(stiffness), numbers(at(j.Rest)-zero))
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
			if okA && okB && a.Freedom < len(ca.Zero) && b.Freedom < len(cb.Zero) && o.mimic[follower] == "" {
				multiplier := -b.Factor / a.Factor
				offset := (c.Offset-b.Factor*cb.Zero[b.Freedom])/a.Factor - ca.Zero[a.Freedom]
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
		if j.Type == model.Spherical && slices.ContainsFunc(j.Damping, func(d float64) bool { return d != 0 }) {
			lose("damping of "+name, "a ball of the format has none")
		}
		for _, what := range assembly.Beyond(j) {
			lose(what+" of "+name, "the format has none")
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
