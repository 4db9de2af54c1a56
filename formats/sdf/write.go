package sdf

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/outline"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// Write writes m, which must pass model.Check, as a world of SDFormat 1.9 with one model. In the pose of the file all
// coordinates are zero, so limits, rests and couplings are shifted by the coordinates of m. The report lists losses
// and changes of names. Springs between bodies, rotors and couplings of more than two coordinates
// become elements of Drake. Motions, forces, velocities and actuators are lost.
//
// Cost: O(bodies + joints). It returns *source.Problems for joints and couplings that
// the format does not have; nothing is written then. Else it returns the error of w.
func Write(w io.Writer, m *model.Model) (*source.Report, error) {
	o := &writer{Draft: outline.New(m, "sdf", "1.9"), pulled: make([]bool, len(m.Forces))}
	o.names = o.NewNames(clean, outline.Ground)
	for i := range m.Bodies {
		o.link = append(o.link, o.names.Add("body", m.Bodies[i].Name))
	}
	for i := range m.Joints {
		o.joint = append(o.joint, o.names.Add("joint", m.Joints[i].Name))
		s, ok := o.Stand(i, m.Joints[i].Successor == model.World) // in the format the world cannot be the child
		if ok {
			_, ok = kinds[s.Type]
		}
		if !ok {
			s = nil
		}
		o.standing = append(o.standing, s)
	}
	if len(o.Visuals[len(m.Bodies)]) > 0 {
		o.Report.Note(nil, "shapes of the world are left out", "the model has no link for them")
	}
	o.mimics()
	o.springs()
	o.drake = o.rotors() || o.more.Len() > 0
	o.write()
	if o.drake {
		o.Report.Note(nil, "some elements are those of Drake", "which other programs may not know")
	}
	has := outline.Gravity | outline.Springs | outline.Rates | outline.Frames | outline.Rotors
	o.Losses(has, func(int) bool { return true }, nil, func(i int) bool { return o.pulled[i] })
	return o.Report, o.Flush(w)
}

type writer struct {
	*outline.Draft
	names       *outline.Names
	link, joint []string            // names in the file
	standing    []*outline.Standing // by joint; nil: the format has none like it
	mimic       map[[2]int]string   // by joint and motion
	more        strings.Builder     // elements of Drake
	drake       bool                // there are such elements
	pulled      []bool              // force elements that are written
}

// clean makes a name valid in the format.
func clean(name string) string {
	name = strings.ReplaceAll(name, "::", "_")
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		name += "1"
	}
	return name
}

// poseText returns an element pose.
func (o *writer) poseText(p assembly.Pose) string {
	q := p.Q
	return `<pose rotation_format="quat_xyzw">` + o.Numbers(p.R[0], p.R[1], p.R[2], q[1], q[2], q[3], q[0]) + `</pose>`
}

// write writes the whole file.
func (o *writer) write() {
	name := o.Model.Name
	if name == "" {
		name = "model"
	}
	o.Line(`<?xml version="1.0"?>`)
	space := ""
	if o.drake {
		space = ` xmlns:drake="http://drake.mit.edu"`
	}
	o.Raw(`<sdf version="1.9"`, space, `>`)
	o.Line(` <world name="%s">`, "world_of_"+strings.ReplaceAll(name, "::", "_"))
	o.Line(`  <gravity>%s</gravity>`, o.Numbers(o.Model.Gravity[:]...))
	o.Line(`  <model name="%s">`, strings.ReplaceAll(name, "::", "_"))
	for i := range o.Model.Bodies {
		o.body(i)
	}
	for i := range o.Model.Joints {
		o.writeJoint(i)
	}
	for i := range o.Model.Frames {
		f := &o.Model.Frames[i]
		if f.Body == model.World {
			o.Report.Note(nil, "frame "+fault.Name(f.Name), "is fixed in the world and left out")
			continue
		}
		o.Line(`   <frame name="%s" attached_to="%s">`+o.poseText(outline.Of(f.Pose))+`</frame>`, o.names.Add("frame", f.Name), o.link[o.Bodies[f.Body]])
	}
	o.Text.WriteString(o.more.String())
	o.Line(`  </model>`)
	o.Line(` </world>`)
	o.Line(`</sdf>`)
}

// body writes a link: its pose, inertia and shapes.
func (o *writer) body(i int) {
	b := &o.Model.Bodies[i]
	I := &b.Inertia
	o.Line(`   <link name="%s">`, o.link[i])
	o.Line(`    ` + o.poseText(outline.Of(b.Pose)))
	o.Line(`    <inertial><pose>%s 0 0 0</pose><mass>%s</mass>`, o.Numbers(b.Com[:]...), o.Numbers(b.Mass))
	o.Line(`     <inertia><ixx>%s</ixx><iyy>%s</iyy><izz>%s</izz><ixy>%s</ixy><ixz>%s</ixz><iyz>%s</iyz></inertia></inertial>`,
		o.Numbers(I.XX), o.Numbers(I.YY), o.Numbers(I.ZZ), o.Numbers(I.XY), o.Numbers(I.XZ), o.Numbers(I.YZ))
	for _, k := range o.Visuals[i] {
		o.visual(k, &o.Model.Visuals[k])
	}
	o.Line(`   </link>`)
}

// visual writes shape k, for viewers or for collisions.
func (o *writer) visual(k int, v *model.Visual) {
	element := "visual"
	if v.Collision {
		element = "collision"
	}
	o.Line(`    <%s name="%s">`+o.poseText(outline.Of(v.Pose))+`<geometry>`, element, fmt.Sprintf("%s%d", element, k))
	switch v.Kind {
	case model.MeshVisual:
		o.Line(`     <mesh><uri>%s</uri><scale>%s</scale></mesh>`, v.File, o.Numbers(v.Scale[:]...))
	case model.BoxVisual:
		o.Line(`     <box><size>%s</size></box>`, o.Numbers(v.Size[:]...))
	case model.SphereVisual:
		o.Line(`     <sphere><radius>%s</radius></sphere>`, o.Numbers(v.Size[0]))
	case model.CylinderVisual, model.CapsuleVisual:
		o.Line(`     <%s><radius>%s</radius><length>%s</length></%s>`, v.Kind.String(), o.Numbers(v.Size[0]), o.Numbers(v.Size[1]), v.Kind.String())
	case model.EllipsoidVisual:
		o.Line(`     <ellipsoid><radii>%s</radii></ellipsoid>`, o.Numbers(v.Size[:]...))
	}
	o.Line(`    </geometry>`)
	if v.Color != [4]float64{} && !v.Collision {
		o.Line(`     <material><diffuse>%s</diffuse></material>`, o.Numbers(v.Color[:]...))
	}
	o.Line(`    </%s>`, element)
}

// kinds has the types of joints in the format.
var kinds = map[model.JointType]string{
	model.Fixed: "fixed", model.Revolute: "revolute", model.Prismatic: "prismatic", model.Helical: "screw", model.Spherical: "ball", model.Universal: "universal",
}

// writeJoint writes joint i, or refuses it if the format does not have its type.
func (o *writer) writeJoint(i int) {
	j, c := &o.Model.Joints[i], o.standing[i]
	switch {
	case j.Type == model.Free:
		o.Report.Note(nil, "joint "+fault.Name(j.Name), "lets everything pass and is left out")
		return
	case c == nil:
		o.Report.Refuse(nil, "joint "+fault.Name(j.Name), "the format has no joint of type "+j.Type.String())
		return
	}
	o.TellOpen(i, c)
	parent := outline.Ground
	if c.Parent != model.World {
		parent = o.link[o.Bodies[c.Parent]]
	}
	o.Line(`   <joint name="%s" type="%s"><parent>%s</parent><child>%s</child>`, o.joint[i], kinds[c.Type], parent, o.link[o.Bodies[c.Child]])
	o.Raw(`    `, o.poseText(c.At))
	if c.Type == model.Helical {
		o.Line(`    <screw_thread_pitch>%s</screw_thread_pitch>`, o.Numbers(2*math.Pi*j.Pitch))
	}
	for k := range c.Row {
		if c.Row[k].Kind != assembly.Ball {
			o.axis(i, k)
		}
	}
	if x := o.rotor(i); x != 0 {
		o.Line(`    <drake:rotor_inertia>%s</drake:rotor_inertia>`, o.Numbers(x))
	}
	o.Raw(`   </joint>`)
}

var axes = [...]string{"axis", "axis2"}

// axis writes axis k of joint i with dynamics, limits and mimic. Its coordinate is zero in the pose of the file.
func (o *writer) axis(i, k int) {
	j, a := &o.Model.Joints[i], &o.standing[i].Row[k]
	f := a.Freedom
	o.Line(`    <%s><xyz>%s</xyz>`, axes[k], o.Numbers(a.Axis[:]...))
	if stiffness, damping, friction := outline.Entry(j.Stiffness, f), outline.Entry(j.Damping, f), outline.Entry(j.Friction, f).Force; stiffness != 0 || damping != 0 || friction != 0 {
		o.Line(`     <dynamics><damping>%s</damping><friction>%s</friction><spring_stiffness>%s</spring_stiffness><spring_reference>%s</spring_reference></dynamics>`,
			o.Numbers(damping), o.Numbers(friction), o.Numbers(stiffness), o.Numbers(outline.Entry(j.Rest, f)-a.Zero))
	}
	if l := outline.Entry(j.Limits, f); l != nil {
		o.Raw(`     <limit>`)
		for _, b := range [...]struct {
			name string
			x    float64
		}{{"lower", l.Lower - a.Zero}, {"upper", l.Upper - a.Zero}, {"effort", l.Force}, {"velocity", l.Rate}} {
			if !math.IsInf(b.x, 0) && (b.x != 0 || b.name == "lower" || b.name == "upper") {
				o.Line(`      <%s>%s</%s>`, b.name, o.Numbers(b.x), b.name)
			}
		}
		o.Raw(`     </limit>`)
	}
	o.Text.WriteString(o.mimic[[2]int{i, k}])
	o.Line(`    </%s>`, axes[k])
}

// mimics turns linear couplings of two coordinates into elements mimic, q = multiplier·q′ + offset, and others into tendons of Drake.
func (o *writer) mimics() {
	o.mimic = map[[2]int]string{}
	// at returns the motion of a freedom, with its joint and index as the key; nil if there is none.
	at := func(c model.Coupled) (key [2]int, a *outline.Motion) {
		i := o.Joints[c.Joint]
		s := o.standing[i]
		if s == nil {
			return key, nil
		}
		k := s.Position(c.Freedom)
		if k < 0 {
			return key, nil
		}
		return [2]int{i, k}, &s.Row[k]
	}
	for i := range o.Model.Couplings {
		c := &o.Model.Couplings[i]
		if len(c.Terms) == 2 && c.Of() == nil {
			a, b := c.Terms[0], c.Terms[1]
			follower, of := at(a.Coupled)
			leader, by := at(b.Coupled)
			if of != nil && by != nil && o.mimic[follower] == "" {
				offset := (c.Offset-b.Factor*by.Zero)/a.Factor - of.Zero
				o.mimic[follower] = fmt.Sprintf("     <mimic joint=\"%s\" axis=\"%s\"><multiplier>%s</multiplier><offset>%s</offset></mimic>\n",
					outline.Escaped(o.joint[leader[0]]), axes[leader[1]], o.Numbers(-b.Factor/a.Factor), o.Numbers(offset))
				continue
			}
		}
		if !o.tendon(c) {
			o.Report.Refuse(nil, "coupling "+fault.Name(c.Name),
				"the format has linear equations alone, of more than two coordinates those of joints with one")
		}
	}
}

// alone returns the motion of joint i if it is its only one and has a coordinate, else nil.
func (o *writer) alone(i int) *outline.Motion {
	if s := o.standing[i]; s != nil && len(s.Row) == 1 && s.Row[0].Kind != assembly.Ball {
		return &s.Row[0]
	}
	return nil
}

// rotor returns the rotor inertia of joint i, if it has a single coordinate; else 0, as Drake has none then.
func (o *writer) rotor(i int) float64 {
	if j := &o.Model.Joints[i]; len(j.Armature) > 0 && o.alone(i) != nil {
		return j.Armature[0]
	}
	return 0
}

// rotors returns whether any joint has a rotor inertia that is written, and reports the others as dropped.
func (o *writer) rotors() (some bool) {
	for i := range o.Model.Joints {
		j := &o.Model.Joints[i]
		some = some || o.rotor(i) != 0
		if o.alone(i) == nil && slices.ContainsFunc(j.Armature, func(x float64) bool { return x != 0 }) {
			o.Report.Drop(nil, "rotor inertias of joint "+fault.Name(j.Name), "the format has one for a joint with one coordinate", "")
		}
	}
	return some
}

// tendon writes a linear coupling of joints with single coordinates as a tendon of Drake with equal limits. It returns whether c is
// such a coupling.
func (o *writer) tendon(c *model.Coupling) bool {
	if c.Of() != nil {
		return false
	}
	right := c.Offset
	var list strings.Builder
	for _, t := range c.Terms {
		i := o.Joints[t.Joint]
		a := o.alone(i)
		if a == nil {
			return false
		}
		right -= t.Factor * a.Zero
		fmt.Fprintf(&list, "    <drake:tendon_constraint_joint name=\"%s\" a=\"%s\"/>\n", outline.Escaped(o.joint[i]), o.Numbers(t.Factor))
	}
	fmt.Fprintf(&o.more, "   <%s>\n%s", drakeTendon, list.String())
	for _, limit := range [2]string{"lower_limit", "upper_limit"} {
		o.part(drakeTendon, limit, o.Numbers(right))
	}
	fmt.Fprintf(&o.more, "   </%s>\n", drakeTendon)
	return true
}

// springs writes springs between bodies. Drake does not allow a rest length of zero; such springs are left to Losses.
func (o *writer) springs() {
	for i := range o.Model.Forces {
		f := &o.Model.Forces[i]
		if f.Type != model.SpringDamper || f.Spring != nil || f.Damper != nil || !(f.RestLength > 0) {
			continue
		}
		o.pulled[i] = true
		fmt.Fprintf(&o.more, "   <%s>\n", drakeSpring)
		for _, end := range [2]struct {
			body, point string
			at          model.Attachment
		}{{"body_A", "p_AP", f.A}, {"body_B", "p_BQ", f.B}} {
			name := outline.Ground
			if end.at.Body != model.World {
				name = o.link[o.Bodies[end.at.Body]]
			}
			o.part(drakeSpring, end.body, outline.Escaped(name))
			o.part(drakeSpring, end.point, o.Numbers(end.at.Point[:]...))
		}
		o.part(drakeSpring, "free_length", o.Numbers(f.RestLength))
		o.part(drakeSpring, "stiffness", o.Numbers(f.Stiffness))
		o.part(drakeSpring, "damping", o.Numbers(f.Damping))
		fmt.Fprintf(&o.more, "   </%s>\n", drakeSpring)
	}
}

// part writes a part of an element of Drake.
func (o *writer) part(of, name, text string) {
	fmt.Fprintf(&o.more, "    <%s_%s>%s</%s_%s>\n", of, name, text, of, name)
}
