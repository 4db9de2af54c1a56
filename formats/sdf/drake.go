package sdf

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

// The elements that Drake adds to models. The name of a part of an element begins with the name of the element.
const (
	drakeJoint  = "drake:joint"
	drakeBall   = "drake:ball_constraint"
	drakeSpring = "drake:linear_spring_damper"
	drakeTendon = "drake:tendon_constraint"
)

// planar returns the motions of a planar joint: translations along x and y of its frame, and a rotation about z.
func (r *reader) planar(j *joint, name string) []assembly.Axis {
	row := make([]assembly.Axis, 3)
	for k := range row {
		row[k] = assembly.Axis{At: j.node, Name: fmt.Sprintf("%s[%d]", name, k), Kind: assembly.Prismatic}
		row[k].Axis[k] = 1
	}
	row[2].Kind = assembly.Revolute
	if c := j.node.Child("drake:damping"); c != nil {
		if d := r.values.TextNumbers(c, 3, 3); d != nil {
			for k := range row {
				row[k].Damping = d[k]
			}
		}
	}
	return row
}

// rotor reads the rotor inertia of a joint, multiplied by the square of the gear ratio. It refuses one on a joint without a single
// coordinate.
func (r *reader) rotor(j *joint, row []assembly.Axis) {
	inertia, ratio := r.number(j.node, "drake:rotor_inertia", 0), r.number(j.node, "drake:gear_ratio", 1)
	if inertia == 0 {
		return
	}
	if len(row) != 1 || row[0].Kind == assembly.Ball {
		r.report.Refuse(j.node, "joint "+fault.Name(j.f.name), "has a rotor inertia and not one coordinate")
		return
	}
	row[0].Armature = inertia * ratio * ratio
}

// coordinateOf returns the number of the coordinate of a joint with a single coordinate; 0, after a refusal at n, for other joints
// and nil.
func (r *reader) coordinateOf(n *xmltree.Node, j *joint, name string) int {
	if j == nil || j.number < 0 || len(r.a.Joints[j.number].Axes) != 1 || r.a.Joints[j.number].Axes[0].Kind == assembly.Ball {
		r.report.Refuse(n, "joint "+fault.Name(name), "does not exist, or has no single coordinate")
		return 0
	}
	return r.coordinate(j.number, 0)
}

// drakeMimic adds the coupling q = multiplier·q′ + offset of an element drake:mimic of joint j.
func (r *reader) drakeMimic(j *joint) {
	n := j.node.Child("drake:mimic")
	if n == nil {
		return
	}
	name, multiplier, offset := r.values.Required(n, "joint"), r.values.Number(n, "multiplier", 1), r.values.Number(n, "offset", 0)
	if name == "" {
		return
	}
	leader := r.jointNamed(name, j)
	if leader == j {
		r.values.Refuse(n, "joint", "a joint cannot mimic itself")
		return
	}
	a, b := r.coordinateOf(n, j, j.f.name), r.coordinateOf(n, leader, name)
	if a == 0 || b == 0 {
		return
	}
	c := assembly.Coupling{At: n, Name: r.a.Joints[j.number].Name + "#mimic", Offset: offset}
	c.Terms = []assembly.Term{{Coordinate: a, Factor: 1}}
	if multiplier != 0 {
		c.Terms = append(c.Terms, assembly.Term{Coordinate: b, Factor: -multiplier})
	}
	r.a.Couplings = append(r.a.Couplings, c)
}

// drake reads a constraint, spring or tendon of Drake.
func (r *reader) drake(p pending) {
	n := p.node.Use()
	if n.Name == drakeTendon {
		r.drakeTendon(p)
		return
	}
	var link [2]int
	var at [2]assembly.Pose
	var ok [2]bool
	for k, names := range [2][2]string{{"body_A", "p_AP"}, {"body_B", "p_BQ"}} {
		link[k], at[k], ok[k] = r.drakeEnd(p, names[0], names[1])
	}
	f := assembly.Force{At: n, Type: model.SpringDamper, A: link[0], B: link[1], PointA: at[0].R, PointB: at[1].R}
	if n.Name == drakeSpring {
		f.Stiffness, f.Damping, f.RestLength = r.need(n, "stiffness"), r.need(n, "damping"), r.need(n, "free_length")
	}
	if !ok[0] || !ok[1] {
		return
	}
	name := p.scope.prefix + n.Name[len("drake:"):]
	if link[0] == link[1] {
		r.report.Refuse(n, "element "+n.Name, "joins a link to itself")
		return
	}
	if n.Name == drakeBall {
		r.a.Joints = append(r.a.Joints, assembly.Joint{
			At: n, Name: name, Predecessor: link[0], Successor: link[1], P: at[0], S: at[1], Loop: true,
			Axes: []assembly.Axis{{At: n, Kind: assembly.Ball}},
		})
		return
	}
	f.Name = name
	r.a.Forces = append(r.a.Forces, f)
}

// drakeEnd returns the link of the frame that the part body of an element names, and the point in the part point as a pose in this link.
// It refuses an unknown frame and returns false.
func (r *reader) drakeEnd(p pending, body, point string) (link int, at assembly.Pose, ok bool) {
	n := p.node
	name := r.text(n, n.Name+"_"+body)
	at = assembly.Identity()
	if c := n.Child(n.Name + "_" + point); c != nil {
		if v := r.values.TextNumbers(c, 3, 3); v != nil {
			at.R = spatial.Vec3(v)
		}
	}
	if name == worldName {
		return assembly.World, at, true
	}
	f, ok := p.scope.find(name, p.home)
	if !ok || f == nil || name == "" {
		r.report.Refuse(n, "element "+n.Name, "its "+body+" "+fault.Name(name)+" is no frame here")
		return 0, at, false
	}
	link = r.carrier(f, p.scope)
	return link, r.inLink(link, r.world(f).Mul(at)), true
}

// need returns the number in a part of n; it refuses a missing part and returns 0.
func (r *reader) need(n *xmltree.Node, part string) float64 {
	if n.Child(n.Name+"_"+part) == nil {
		r.report.Refuse(n, "element "+n.Name+"_"+part, "is missing")
	}
	return r.number(n, n.Name+"_"+part, 0)
}

// drakeTendon reads a tendon, which keeps a sum of coordinates between limits. If the limits are equal and the tendon is rigid, it
// becomes a coupling; others are dropped.
func (r *reader) drakeTendon(p pending) {
	n := p.node
	c := assembly.Coupling{At: n, Name: p.scope.prefix + "tendon_constraint"}
	number := func(part string, missing float64) float64 {
		e := n.Child(drakeTendon + "_" + part)
		if e == nil {
			return missing
		}
		x, err := xmltree.Float(e.Text)
		if err != nil {
			r.values.Refuse(e, "", fault.Plain(err).Error())
		}
		return x
	}
	lower, upper, offset := number("lower_limit", math.Inf(-1)), number("upper_limit", math.Inf(1)), number("offset", 0)
	stiffness, damping := number("stiffness", math.Inf(1)), number("damping", 0)
	good := true
	for _, e := range n.Children {
		if e.Name != drakeTendon+"_joint" {
			continue
		}
		e.Use()
		name, text := r.values.Required(e, "name"), r.values.Required(e, "a")
		if name == "" || text == "" {
			good = false
			continue
		}
		var j *joint
		if f, ok := p.scope.find(name, p.home); ok && f != nil {
			j = r.byFrame[f]
		}
		id, factor := r.coordinateOf(e, j, name), r.values.Number(e, "a", 0)
		if good = good && id != 0; good && factor != 0 {
			c.Terms = append(c.Terms, assembly.Term{Coordinate: id, Factor: factor})
		}
	}
	if r.terms += len(c.Terms); r.terms > assembly.MaxTerms {
		r.report.Refuse(n, "element "+n.Name, fmt.Sprintf("tendons have more than %d joints", assembly.MaxTerms))
		return
	}
	switch {
	case !good:
	case !c.Hold(lower, upper, offset, stiffness, damping):
		r.report.Drop(n, "element "+n.Name, "the model holds a sum of coordinates at one value and exactly",
			fmt.Sprintf("nothing holds it between %g and %g with a stiffness of %g", lower, upper, stiffness))
		n.Set(source.Dropped, "")
	case len(c.Terms) == 0:
		r.report.Refuse(n, "element "+n.Name, "has no joints")
	default:
		r.a.Couplings = append(r.a.Couplings, c)
	}
}
