package mjcf

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/outline"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// far is the value for an infinite bound, rad or m: MuJoCo stops before a coordinate gets there.
const far = 1e10

// state has the coordinates and rates of the joints in the order of the file; moves tells that a rate is not zero.
type state struct {
	q, v  []float64
	moves bool
}

func (s *state) add(q, v []float64) {
	s.q, s.v = append(s.q, q...), append(s.v, v...)
	for _, x := range v {
		s.moves = s.moves || x != 0
	}
}

// float adds a free joint.
func (s *state) float(b *model.Body) {
	x := outline.Of(b.Pose)
	w := x.Inverse().Dir(b.Velocity.Angular)
	s.add(append(x.R[:], x.Q[:]...), append(b.Velocity.Linear[:], w[:]...))
}

// row writes the joint of body n as a row of joints, and adds their state to s. It reports velocities of the model that the
// joint does not allow.
func (o *writer) row(n *node, in string, s *state) {
	i := n.joint
	j := &o.Model.Joints[i]
	name := 0
	w, v := o.relative(n.standing) // the rates of the joints are subtracted; zero remains
	for k := range n.standing.Row {
		a := &n.standing.Row[k]
		axis, point := n.standing.At.Dir(a.Axis), n.standing.At.Point(a.Point)
		place := ` pos="` + o.Numbers(point[:]...) + `"`
		more := ""
		if d := n.standing.Damping(j, k); d != 0 {
			more += ` damping="` + o.Numbers(d) + `"`
		}
		if a.Kind == assembly.Ball {
			s.add([]float64{1, 0, 0, 0}, w[:])
			v = v.Sub(point.Cross(w))
			w = spatial.Vec3{}
			o.Line(in+`<joint name="%s" type="ball"%s/>`, o.rows[i][name], raw(place+more))
			name++
			continue
		}
		place += ` axis="` + o.Numbers(axis[:]...) + `"`
		more += o.coordinate(j, a)
		slide := axis.Scale(a.Rate)
		if a.Kind == assembly.Prismatic {
			v = v.Sub(slide)
			o.Line(in+`<joint name="%s" type="slide"%s/>`, o.rows[i][name], raw(place+more+o.reference(a.Zero)))
			s.add([]float64{a.Zero}, []float64{a.Rate})
			name++
			continue
		}
		w, v = w.Sub(slide), v.Sub(point.Cross(slide))
		o.Line(in+`<joint name="%s"%s/>`, o.rows[i][name], raw(place+more+o.reference(a.Zero)))
		s.add([]float64{a.Zero}, []float64{a.Rate})
		name++
		if a.Kind == assembly.Helical {
			v = v.Sub(slide.Scale(a.Pitch))
			o.Line(in+`<joint name="%s" type="slide"%s/>`, o.rows[i][name], raw(place+o.reference(a.Pitch*a.Zero)))
			s.add([]float64{a.Pitch * a.Zero}, []float64{a.Pitch * a.Rate})
			name++
		}
	}
	if e := max(w.Norm(), v.Norm()); e > outline.Open && !n.half {
		o.Report.Change(nil, "joint "+fault.Name(j.Name), fmt.Sprintf("the velocities of the model do not agree with it, by %.3g rad/s and %.3g m/s", w.Norm(), v.Norm()), "those of the file do")
	}
}

// raw is text that Line writes as it is.
type raw string

// reference returns the attribute ref, the coordinate of a joint in the pose of the file; "" for 0.
func (o *writer) reference(q float64) string {
	if q == 0 {
		return ""
	}
	return ` ref="` + o.Numbers(q) + `"`
}

// relative returns the angular velocity of the child and the velocity of its origin, both relative to the parent, in axes
// of the child.
func (o *writer) relative(s *outline.Standing) (w, v spatial.Vec3) {
	c := &o.Model.Bodies[o.Bodies[s.Child]]
	w, v = c.Velocity.Angular, c.Velocity.Linear
	if s.Parent != model.World {
		p := &o.Model.Bodies[o.Bodies[s.Parent]]
		turn := spatial.Vec3(p.Velocity.Angular)
		v = v.Sub(p.Velocity.Linear).Sub(turn.Cross(spatial.Vec3(c.Pose.Position).Sub(p.Pose.Position)))
		w = w.Sub(turn)
	}
	in := outline.Of(c.Pose).Inverse()
	return in.Dir(w), in.Dir(v)
}

// coordinate returns attributes for the spring, armature, friction and limits of a coordinate, without its damper.
func (o *writer) coordinate(j *model.Joint, a *outline.Motion) (text string) {
	add := func(name string, x ...float64) { text += ` ` + name + `="` + o.Numbers(x...) + `"` }
	f := a.Freedom
	if k := outline.Entry(j.Stiffness, f); k != 0 {
		add("stiffness", k)
		add("springref", outline.Entry(j.Rest, f))
	}
	if x := outline.Entry(j.Armature, f); x != 0 {
		add("armature", x)
	}
	if x := outline.Entry(j.Friction, f).Force; x != 0 {
		add("frictionloss", x)
	}
	if l := outline.Entry(j.Limits, f); l != nil {
		if !math.IsInf(l.Lower, -1) || !math.IsInf(l.Upper, 1) {
			text += ` limited="true"`
			add("range", max(l.Lower, -far), min(l.Upper, far))
		}
		if l.Force != 0 {
			text += ` actuatorfrclimited="true"`
			add("actuatorfrcrange", -l.Force, l.Force)
		}
	}
	return text
}

// screw names the slide of a screw, which becomes a hinge and a slide, and writes their equality.
func (o *writer) screw(i int, s *outline.Standing, pitch float64) {
	name := o.Model.Joints[i].Name
	hinge, slide := o.rows[i][len(o.rows[i])-1], o.joints.Make(name+" slide")
	o.rows[i] = append(o.rows[i], slide)
	o.equal("joint", o.joints.Make(name+" screw"), attr("joint1", slide)+attr("joint2", hinge)+` polycoef="`+o.Numbers(0, pitch, 0, 0, 0)+`"`)
	what := "joint " + fault.Name(name)
	if list := turnsAndSlides(s.Row); len(list) > joints.MaxAxes || joints.DependentAxis(list) >= 0 {
		o.Report.Refuse(nil, what, "the format has no screws, and its turn and slide depend on the other motions of the joint")
		return
	}
	o.Report.Change(nil, what, "the format has no screws", "it is a hinge and a slide with an equation between them")
}

// named returns the coordinate of the file for a freedom; false if there is none.
func (o *writer) named(c model.Coupled) (coordinate, bool) {
	i := o.Joints[c.Joint]
	s, at := o.tree.Standing[i], 0
	if s == nil || len(o.rows[i]) == 0 {
		return coordinate{}, false
	}
	for k := range s.Row {
		if s.Row[k].Freedom == c.Freedom {
			return coordinate{o.rows[i][at], s.Row[k].Zero}, true
		}
		if at++; s.Row[k].Kind == assembly.Helical {
			at++
		}
	}
	return coordinate{}, false
}

// equal writes an equality.
func (o *writer) equal(kind, name, attrs string) {
	fmt.Fprintf(&o.equality, "  <%s name=\"%s\"%s/>\n", kind, outline.Escaped(name), attrs)
}

// attr returns an attribute with a blank before it.
func attr(name, text string) string { return ` ` + name + `="` + outline.Escaped(text) + `"` }

// loop writes joint i, which closes a loop, as equalities, or splits its child. held tells that something acts on a coordinate of the
// joint, which needs a joint of the tree. loop refuses joints that the format does not have.
func (o *writer) loop(i int, held bool) {
	j := &o.Model.Joints[i]
	s := o.tree.Standing[i]
	if j.Type == model.Free {
		o.Report.Note(nil, "joint "+fault.Name(j.Name), "lets everything pass and is left out")
		return
	}
	if j.Type == model.Distance {
		o.distance(j)
		return
	}
	if s == nil || j.Type == model.PointOnCurve && held {
		o.Report.Refuse(nil, "joint "+fault.Name(j.Name), "the format has no joint of type "+j.Type.String())
		return
	}
	p := outline.Of(j.PredecessorFrame)
	ends := attr("body1", o.nameOf(j.Predecessor)) + attr("body2", o.nameOf(j.Successor))
	switch {
	case j.Type == model.Fixed:
		name := o.joints.Add("joint", j.Name)
		relative := ""
		if max(s.Linear, s.Angular) > outline.Open { // only a weld can state the relative pose of its bodies
			x := p.Mul(outline.Of(j.SuccessorFrame).Inverse())
			relative = ` relpose="` + o.Numbers(append(x.R[:], x.Q[:]...)...) + `"`
		}
		o.equal("weld", name, ends+relative)
	case j.Type == model.Spherical && !held:
		o.TellOpen(i, s)
		o.equal("connect", o.joints.Add("joint", j.Name), ends+` anchor="`+o.Numbers(p.R[:]...)+`"`)
	case j.Type == model.Revolute && !held:
		o.TellOpen(i, s)
		half := p.Dir(spatial.Vec3{0, 0, o.span(j) / 2})
		a, b := p.R.Sub(half), p.R.Add(half)
		o.equal("connect", o.joints.Add("joint", j.Name), ends+` anchor="`+o.Numbers(a[:]...)+`"`)
		o.equal("connect", o.joints.Make(j.Name+" 2"), ends+` anchor="`+o.Numbers(b[:]...)+`"`)
		o.Report.Change(nil, "joint "+fault.Name(j.Name), "closes a loop, where the format has no hinges", "it is held at two points of its axis, by six rows of which one is redundant")
	default:
		o.split(i, s)
	}
}

// nameOf returns the name of a body in the file.
func (o *writer) nameOf(body string) string {
	if body == model.World {
		return outline.Ground
	}
	return o.at(body).name
}

// span returns the distance, m, of the two points at which a hinge is held: the larger distance
// of the two centres of mass from the joint, or 0.1 m if both are at it.
func (o *writer) span(j *model.Joint) float64 {
	far := 0.0
	for _, end := range [2]struct {
		body string
		at   model.Pose
	}{{j.Predecessor, j.PredecessorFrame}, {j.Successor, j.SuccessorFrame}} {
		if end.body != model.World {
			far = max(far, spatial.Vec3(o.Model.Bodies[o.Bodies[end.body]].Com).Sub(end.at.Position).Norm())
		}
	}
	if far < 1e-6 {
		return 0.1
	}
	return far
}

// split splits the child of joint i into two halves, welded together, of which the new one is attached to the joint.
func (o *writer) split(i int, s *outline.Standing) {
	b := o.Bodies[s.Child]
	whole := o.node[b]
	n := &node{body: b, joint: i, standing: s, name: o.bodies.Make(whole.name + " half"), half: true, parent: o.at(s.Parent)}
	n.parent.children = append(n.parent.children, n)
	o.pieces[b]++
	o.TellOpen(i, s)
	o.names(i, s)
	o.equal("weld", o.joints.Make(o.Model.Joints[i].Name+" weld"), attr("body1", whole.name)+attr("body2", n.name))
	o.Report.Change(nil, "joint "+fault.Name(o.Model.Joints[i].Name), "closes a loop, where the format has none like it", "part of the mass of "+fault.Name(s.Child)+" hangs on it as a body of its own, and is welded to the rest")
}

// distance writes a distance joint as a tendon of constant length.
func (o *writer) distance(j *model.Joint) {
	name := o.joints.Add("joint", j.Name)
	p, q := outline.Of(j.PredecessorFrame), outline.Of(j.SuccessorFrame)
	d := o.Pose(j.Predecessor).Point(p.R).Sub(o.Pose(j.Successor).Point(q.R)).Norm()
	more := j.Length - d
	if !(d+more > 0) {
		o.Report.Refuse(nil, "joint "+fault.Name(j.Name), fmt.Sprintf("its points are %.3g m apart, beside which its length of %.3g m is nothing", d, j.Length))
		return
	}
	tendon := o.tendons.Make(j.Name)
	o.path(tendon, "", o.mark(j.Predecessor, o.sites.Make(j.Name+" a"), p), o.mark(j.Successor, o.sites.Make(j.Name+" b"), q))
	o.equal("tendon", name, attr("tendon1", tendon)+` polycoef="`+o.Numbers(more)+` 0 0 0 0"`)
}

// path writes a spatial tendon through sites.
func (o *writer) path(name, attrs string, sites ...string) {
	fmt.Fprintf(&o.tendon, "  <spatial name=\"%s\"%s>", outline.Escaped(name), attrs)
	for _, s := range sites {
		fmt.Fprintf(&o.tendon, `<site site="%s"/>`, outline.Escaped(s))
	}
	o.tendon.WriteString("</spatial>\n")
}

// turnsAndSlides returns the motions of a row as revolute and prismatic axes, two for each screw, and without balls. Each
// axis becomes a joint of MJCF; none may depend on the ones before it.
func turnsAndSlides(row []outline.Motion) (list []joints.Axis) {
	for _, a := range row {
		switch a.Kind {
		case assembly.Prismatic:
			list = append(list, joints.Axis{Kind: joints.Prismatic, Axis: a.Axis})
		case assembly.Helical:
			list = append(list, joints.Axis{Kind: joints.Revolute, Axis: a.Axis, Point: a.Point}, joints.Axis{Kind: joints.Prismatic, Axis: a.Axis})
		case assembly.Revolute:
			list = append(list, joints.Axis{Kind: joints.Revolute, Axis: a.Axis, Point: a.Point})
		}
	}
	return list
}
