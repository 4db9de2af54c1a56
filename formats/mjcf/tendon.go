package mjcf

import (
	"fmt"
	"math"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// tendon is a fixed tendon, whose length is a sum of coordinates, or a spatial one, along a path.
type tendon struct {
	at    *xmltree.Node
	terms []tendonTerm // fixed
	ends  []site       // spatial: both sites of a straight line; nil for other paths
	fixed bool
}

type tendonTerm struct {
	joint *xmltree.Node
	coef  float64
}

// pull is the force of a tendon along its length L: a spring, a damper, friction and a rotor inertia.
type pull struct {
	spring, damper [3]float64 // factors of the first to third power of L beyond rest and of L̇; even powers of L̇ have its sign
	rest           [2]float64 // the spring has no force between these lengths
	own            bool       // rest is not given: it is the length with all joints at the rest of their springs
	friction       float64
	armature       float64
}

func (p *pull) sprung() bool { return p.spring != [3]float64{} }
func (p *pull) damped() bool { return p.damper != [3]float64{} }
func (p *pull) higher() bool {
	return p.spring[1] != 0 || p.spring[2] != 0 || p.damper[1] != 0 || p.damper[2] != 0
}

// tendon reads a tendon. Its length may be part of an equality. Its force becomes a force of the model if there is an equal one,
// else it is dropped, with the reason.
func (r *reader) tendon(n *xmltree.Node) {
	if n.Name != "fixed" && n.Name != "spatial" {
		return
	}
	e := r.element(n, "tendon", r.main)
	name, _ := n.Attr("name")
	t := tendon{at: n, fixed: n.Name == "fixed"}
	if t.fixed {
		t.terms = r.sum(n)
	} else {
		t.ends = r.ends(n)
	}
	r.tendons[name] = t
	if name == "" {
		name = unnamed("tendon", len(r.a.Forces))
	}
	lost := false
	if x := r.numbers(e, "range", 2, 2); r.limited(e, "limited", x) && !r.disabled["constraint"] && !r.disabled["limit"] {
		if why := r.boundJoint(t, x); why != "" {
			r.Report.Drop(n, "range of tendon "+fault.Name(name), why, "nothing stops it at "+strings.Trim(fmt.Sprint(x), "[]"))
			n.SetAttr("range", source.Dropped, "")
			lost = true
		}
	}
	p, ok := r.pull(e, name)
	why := ""
	switch {
	case !ok:
	case t.fixed:
		why = r.pullJoint(t, &p)
	default:
		why = r.pullPath(n, name, &p)
	}
	if why != "" {
		r.Report.Drop(n, "spring, damper, friction and armature of tendon "+fault.Name(name), why, "they act on nothing")
		for _, attr := range [5]string{"stiffness", "damping", "frictionloss", "armature", "springlength"} {
			n.SetAttr(attr, source.Dropped, "")
		}
		lost = true
	}
	switch {
	case t.fixed || ok && why == "":
	case lost:
		n.Set(source.Dropped, "")
	default:
		n.Set(source.Ignored, "a path alone, which nothing pulls")
	}
}

// sum returns the terms of a fixed tendon, one for each joint.
func (r *reader) sum(n *xmltree.Node) (list []tendonTerm) {
	at := map[string]int{}
	for _, c := range n.Children {
		if c.Name != "joint" {
			continue
		}
		c.Use()
		text, coef := r.Required(c, "joint"), 0.0
		if r.Required(c, "coef") != "" {
			coef = r.Number(c, "coef", 0)
		}
		if _, ok := r.joints[text]; !ok {
			if text != "" {
				r.Refuse(c, "joint", "does not exist: "+fault.Name(text))
			}
			continue
		}
		k, again := at[text]
		if !again {
			k, at[text] = len(list), len(list)
			list = append(list, tendonTerm{joint: c})
		}
		list[k].coef += coef
	}
	return list
}

// ends returns the two sites of a path that is a straight line between different links, or nil.
func (r *reader) ends(n *xmltree.Node) []site {
	var list []site
	for _, c := range n.Children {
		name, _ := c.Attr("site")
		s, ok := r.sites[name]
		if c.Name != "site" || !ok || len(list) == 2 {
			return nil
		}
		list = append(list, s)
	}
	if len(list) < 2 || list[0].link == list[1].link {
		return nil
	}
	return list
}

// pull reads the force of a tendon, and returns whether there is any.
func (r *reader) pull(e element, name string) (p pull, ok bool) {
	p.rest = [2]float64{-1, -1}
	if x := r.numbers(e, "springlength", 1, 2); x != nil {
		p.rest = [2]float64{x[0], x[len(x)-1]}
		if p.rest[0] > p.rest[1] {
			r.Report.Refuse(e.Node, "springlength of tendon "+fault.Name(name), "the first length is larger than the second")
		}
	}
	p.own = p.rest == [2]float64{-1, -1}
	read := func(to *[3]float64, attr, flag string) {
		first, more := r.powers(e, attr, flag)
		*to = [3]float64{first, more[0], more[1]}
	}
	read(&p.spring, "stiffness", "spring")
	read(&p.damper, "damping", "damper")
	if x := r.number(e, "frictionloss", 0); !r.disabled["constraint"] && !r.disabled["frictionloss"] {
		p.friction = x
	}
	p.armature = r.number(e, "armature", 0)
	return p, p.sprung() || p.damped() || p.friction != 0 || p.armature != 0
}

// pullJoint adds the force of a tendon over one joint to the joint: if L = c·q, a force F along L is c·F on q. It
// returns the reason if it cannot, else "".
func (r *reader) pullJoint(t tendon, p *pull) string {
	if len(t.terms) != 1 {
		return "the model has no springs over several coordinates"
	}
	at, known := r.single(t.terms[0].joint)
	if !known {
		return ""
	}
	c := t.terms[0].coef
	if c == 0 {
		return ""
	}
	a := &r.a.Joints[at.joint].Axes[at.axis]
	rest := a.Rest
	if !p.own {
		rest = p.rest[0]/c - at.ref
	}
	stiffness := c * c * p.spring[0]
	switch {
	case p.sprung() && !assembly.Rounded(p.rest[0], p.rest[1], 1):
		return "the model has no joints whose springs have play"
	case !p.sprung() || assembly.Rounded(rest, a.Rest, 1):
	case p.spring[1] != 0 || p.spring[2] != 0 || a.Springs != [2]float64{} || a.Stiffness+stiffness == 0:
		return "it rests elsewhere than the spring of its joint, and one of them has higher powers"
	default:
		a.Rest = (a.Stiffness*a.Rest + stiffness*rest) / (a.Stiffness + stiffness)
	}
	a.Stiffness += stiffness
	a.Springs[0] += c * c * c * p.spring[1]
	a.Springs[1] += c * c * c * c * p.spring[2]
	a.Damping += c * c * p.damper[0]
	a.Dampers[0] += c * c * math.Abs(c) * p.damper[1]
	a.Dampers[1] += c * c * c * c * p.damper[2]
	a.Friction += math.Abs(c) * p.friction
	a.Armature += c * c * p.armature
	return ""
}

// boundJoint applies the range x of a tendon over one joint to the limit of the joint. It
// returns the reason if it cannot, else "".
func (r *reader) boundJoint(t tendon, x []float64) string {
	if len(t.terms) != 1 || len(x) != 2 {
		return "the model has limits of coordinates, and none of tendons along a path or over several joints"
	}
	at, known := r.single(t.terms[0].joint)
	c := t.terms[0].coef
	switch {
	case !known:
		return ""
	case c == 0:
		return "the tendon has one length"
	}
	a := &r.a.Joints[at.joint].Axes[at.axis]
	lower, upper := x[0]/c-at.ref, x[1]/c-at.ref
	if c < 0 {
		lower, upper = upper, lower
	}
	l := model.NoLimit()
	if a.Limit != nil {
		l = *a.Limit
	}
	l.Lower, l.Upper = max(l.Lower, lower), min(l.Upper, upper)
	if !(l.Lower < l.Upper) {
		return "it leaves nothing of the range of its joint"
	}
	a.Limit = &l
	return ""
}

// single returns the place of the joint that an element of a tendon names, and whether it has one coordinate; else it refuses the
// element.
func (r *reader) single(n *xmltree.Node) (place, bool) {
	text, _ := n.Attr("joint")
	at, known := r.joints[text]
	if !known || at.joint < 0 || at.ball {
		r.Refuse(n, "joint", "has no single coordinate: "+fault.Name(text))
		return at, false
	}
	return at, true
}

// pointsOf returns the sites on the path of a tendon. It returns nil and the reason for a path that the model does not have, and nil
// without a reason for a path that it has refused.
func (r *reader) pointsOf(n *xmltree.Node) (points []assembly.Point, why string) {
	points = []assembly.Point{}
	for _, c := range n.Children {
		switch c.Name {
		case "geom":
			return nil, "the model has no cables around shapes"
		case "pulley":
			return nil, "the model has no cables that a pulley divides"
		case "site":
			text := r.Required(c, "site")
			s, ok := r.sites[text]
			if !ok {
				if text != "" {
					r.Refuse(c, "site", "does not exist: "+fault.Name(text))
				}
				return nil, ""
			}
			points = append(points, assembly.Point{Link: s.link, At: s.pose.R})
		}
	}
	return points, ""
}

// The laws of springs and dampers between two points, of the elongation x, m, and its rate y, m/s.
const (
	playLaw   = "(%g)*(max(0,x)+min(0,x+(%g)))" // of a spring with a stiffness and a play, m
	springLaw = "(%g)*x^2+(%g)*x^3"
	damperLaw = "(%g)*y*abs(y)+(%g)*y^3"
)

// actBetween sets the laws of f, a spring and damper between two points, whose spring has some play.
func (p *pull) actBetween(f *assembly.Force, play float64) {
	f.Stiffness, f.Damping = p.spring[0], p.damper[0]
	if play > 0 && p.sprung() {
		f.Stiffness = 0
		f.Spring = assembly.Formula(fmt.Sprintf(playLaw, p.spring[0], play))
	} else if p.spring[1] != 0 || p.spring[2] != 0 {
		f.Spring = assembly.Formula(fmt.Sprintf(springLaw, p.spring[1], p.spring[2]))
	}
	if p.damper[1] != 0 || p.damper[2] != 0 {
		f.Damper = assembly.Formula(fmt.Sprintf(damperLaw, p.damper[1], p.damper[2]))
	}
}

// pullPath makes a spring or a cable of a tendon along a path. It returns the reason if it cannot, else "".
func (r *reader) pullPath(n *xmltree.Node, name string, p *pull) string {
	points, why := r.pointsOf(n)
	switch {
	case points == nil:
		return why
	case len(points) < 2:
		r.Report.Refuse(n, "tendon "+fault.Name(name), "has less than two sites")
		return ""
	case p.friction != 0 || p.armature != 0:
		return "cables of the model have no friction and no inertia"
	case p.own:
		length := r.restLength(points)
		p.rest = [2]float64{length, length}
	}
	f := assembly.Force{At: n, Name: name, RestLength: max(p.rest[1], 0)}
	play := p.rest[1] - p.rest[0]
	if assembly.Rounded(play, 0, 1) {
		play = 0
	}
	switch {
	case p.sprung() && !p.damped() && !p.higher() && p.rest[0] <= 0:
		f.Type, f.Points, f.Stiffness = model.CableForce, points, p.spring[0]
	case len(points) > 2:
		return "cables of the model only pull, and their dampers pull no more than their springs do"
	case play > 0 && (p.spring[1] != 0 || p.spring[2] != 0):
		return "the model has no springs with play and higher powers"
	default:
		f.Type, f.A, f.PointA, f.B, f.PointB = model.SpringDamper, points[0].Link, points[0].At, points[1].Link, points[1].At
		p.actBetween(&f, play)
	}
	r.a.Forces = append(r.a.Forces, f)
	return ""
}

// restLength returns the length of a path, m, with all joints at the rest of their springs.
func (r *reader) restLength(points []assembly.Point) (length float64) {
	if r.rested == nil {
		r.rested = r.a.Rested()
	}
	var before spatial.Vec3
	for k, p := range points {
		at := p.At
		if p.Link != assembly.World {
			at = r.rested[p.Link].Point(at)
		}
		if k > 0 {
			length += at.Sub(before).Norm()
		}
		before = at
	}
	return length
}
