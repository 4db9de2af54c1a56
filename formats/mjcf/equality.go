package mjcf

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// equality reads an equality constraint. It leaves out constraints that are not active.
func (r *reader) equality(n *xmltree.Node) {
	switch n.Name {
	case "connect", "weld", "joint", "tendon":
	case "distance", "flex", "flexvert", "flexstrain":
		r.Report.Refuse(n, "element "+n.Name, "such equalities are not read")
		n.Set(source.Refused, "")
		return
	default:
		return
	}
	e := r.element(n, "equality", r.main)
	name, _ := n.Attr("name")
	if name == "" {
		name = unnamed(n.Name, len(r.a.Joints)+len(r.a.Couplings))
	}
	if !r.truth(e, "active", true) || r.disabled["equality"] || r.disabled["constraint"] {
		r.Report.Note(n, "equality "+fault.Name(name), "is not active and is left out")
		n.Set(source.Ignored, "")
		return
	}
	r.Report.Note(n, "equalities hold exactly", "the simulator's are soft")
	switch n.Name {
	case "connect", "weld":
		r.connectOrWeld(e, name)
	case "joint":
		r.jointEquality(e, name)
	case "tendon":
		r.tendonEquality(e, name)
	}
}

// connectOrWeld reads the equalities connect and weld, which become ball and fixed joints that close loops.
func (r *reader) connectOrWeld(e element, name string) {
	var ends [2]int
	var frames [2]assembly.Pose
	weld := e.Name == "weld"
	sites := e.Has("site1") || e.Has("site2")
	if sites {
		if !r.heldSites(e, &ends, &frames) {
			return
		}
	} else {
		if !r.heldBodies(e, &ends) {
			return
		}
	}
	if ends[0] == ends[1] {
		r.Report.Refuse(e.Node, "equality "+fault.Name(name), "joins a body to itself")
		return
	}
	// For two bodies, both frames coincide in the reference pose.
	between := r.at(ends[0]).Inverse().Mul(r.at(ends[1])) // body 2 in body 1
	ball := !weld
	switch {
	case weld:
		ball = r.number(e, "torquescale", 1) == 0
		if !sites {
			anchor := spatial.Vec3(r.vector(e, "anchor", [3]float64{}))
			frames[1] = assembly.Pose{R: anchor, Q: spatial.IdentityQuat()}
			frames[0] = between.Mul(frames[1])
			if v := r.numbers(e, "relpose", 7, 7); v != nil {
				if q := spatial.Quat(v[3:]); q.Norm() > 1e-12 { // else none is given
					frames[0] = assembly.Pose{R: spatial.Vec3(v[:3]), Q: q.Normalize()}
				}
			}
		}
	case !sites:
		if e.has("anchor") == nil {
			r.Report.Refuse(e.Node, "attribute anchor", "is missing")
			return
		}
		frames[0] = assembly.Pose{R: r.vector(e, "anchor", [3]float64{}), Q: spatial.IdentityQuat()}
		frames[1] = between.Inverse().Mul(frames[0])
	}
	j := assembly.Joint{At: e.Node, Name: name, Predecessor: ends[0], Successor: ends[1], P: frames[0], S: frames[1], Loop: true}
	if ball {
		j.Axes = []assembly.Axis{{At: e.Node, Kind: assembly.Ball}}
	}
	r.a.Joints = append(r.a.Joints, j)
}

// heldSites stores the links of the two sites of an equality, and the poses of the sites in them. It returns whether both exist.
func (r *reader) heldSites(e element, ends *[2]int, frames *[2]assembly.Pose) bool {
	for k, attr := range [2]string{"site1", "site2"} {
		text := r.Required(e.Node, attr)
		s, ok := r.sites[text]
		if !ok {
			if text != "" {
				r.Refuse(e.Node, attr, "does not exist: "+fault.Name(text))
			}
			return false
		}
		ends[k], frames[k] = s.link, s.pose
	}
	return true
}

// heldBodies stores the two bodies of an equality. The second may be missing and is the world then. It returns whether both exist.
func (r *reader) heldBodies(e element, ends *[2]int) bool {
	for k, attr := range [2]string{"body1", "body2"} {
		text, ok := e.Attr(attr)
		if k == 0 && !ok {
			r.Required(e.Node, attr)
			return false
		}
		if !ok {
			text = "world"
		}
		if ends[k], ok = r.bodies[text]; !ok {
			r.Refuse(e.Node, attr, "does not exist: "+fault.Name(text))
			return false
		}
	}
	return true
}

// at returns the reference pose of a link; the identity for the world.
func (r *reader) at(link int) assembly.Pose {
	if link == assembly.World {
		return assembly.Identity()
	}
	return r.poses[link]
}

// scalar returns the axis of the joint that attribute attr of n names, and the number of its coordinate; nil and 0 after a refusal.
func (r *reader) scalar(n *xmltree.Node, attr string) (*assembly.Axis, int) {
	name := r.Required(n, attr)
	if name == "" {
		return nil, 0
	}
	p, ok := r.joints[name]
	if !ok {
		r.Refuse(n, attr, "does not exist: "+fault.Name(name))
		return nil, 0
	}
	if p.joint < 0 || p.ball {
		r.Refuse(n, attr, "has no single coordinate: "+fault.Name(name))
		return nil, 0
	}
	a := &r.a.Joints[p.joint].Axes[p.axis]
	if a.Coordinate == 0 {
		a.Coordinate = r.a.NewCoordinate()
	}
	return a, a.Coordinate
}

// polynomial reads the coefficients of an equality between coordinates, at most five, and removes zeros at the end; coefficients of
// higher powers that are zero up to rounding, too.
func (r *reader) polynomial(e element) []float64 {
	p := []float64{0, 1, 0, 0, 0}
	if v := r.numbers(e, "polycoef", 1, 5); v != nil {
		copy(p, v)
	}
	for len(p) > 1 && (p[len(p)-1] == 0 || len(p) > 2 && assembly.Rounded(p[len(p)-1], 0, math.Abs(p[1]))) {
		p = p[:len(p)-1]
	}
	return p
}

// jointEquality reads the equality joint: the first coordinate is a polynomial of the second,
// both less their references, which is how the model counts. Without a second joint it holds the first at a value.
func (r *reader) jointEquality(e element, name string) {
	p := r.polynomial(e)
	if !e.Has("joint2") {
		text, _ := e.Attr("joint1")
		at, ok := r.joints[text]
		if !ok || at.joint < 0 || at.ball {
			r.Refuse(e.Node, "joint1", "has no coordinate: "+fault.Name(text))
			return
		}
		a := &r.a.Joints[at.joint].Axes[at.axis]
		if a.Motion != nil && a.Motion.Coefficients[0] != p[0] {
			r.Report.Refuse(e.Node, "equality "+fault.Name(name), "joint "+fault.Name(text)+" is held at another value already")
			return
		}
		a.Motion = &model.Motion{Kind: joints.Polynomial, Coefficients: p[:1]}
		return
	}
	_, a := r.scalar(e.Node, "joint1")
	_, b := r.scalar(e.Node, "joint2")
	if a == 0 || b == 0 {
		return
	}
	if a == b {
		r.Refuse(e.Node, "joint2", "is the same joint")
		return
	}
	c := assembly.Coupling{At: e.Node, Name: name, Terms: []assembly.Term{{Coordinate: a, Factor: 1}}}
	c.Set(p, []assembly.Term{{Coordinate: b, Factor: 1}})
	r.a.Couplings = append(r.a.Couplings, c)
}

// length returns the terms of the fixed tendon that attribute attr of n names, and whether there are any.
func (r *reader) length(n *xmltree.Node, attr string) (list []assembly.Term, ok bool) {
	name := r.Required(n, attr)
	t, known := r.tendons[name]
	if !known {
		r.Refuse(n, attr, "does not exist: "+fault.Name(name))
		return nil, false
	}
	if !t.fixed {
		r.Refuse(n, attr, "is a tendon along a path: "+fault.Name(name))
		return nil, false
	}
	if r.terms > assembly.MaxTerms {
		return nil, false // refused already
	}
	if r.terms += len(t.terms); r.terms > assembly.MaxTerms {
		r.Refuse(n, attr, fmt.Sprintf("equalities of tendons have more than %d terms", assembly.MaxTerms))
		return nil, false
	}
	for _, x := range t.terms {
		_, c := r.scalar(x.joint, "joint")
		if c == 0 {
			return nil, false
		}
		list = append(list, assembly.Term{Coordinate: c, Factor: x.coef})
	}
	return list, len(list) > 0
}

// tendonEquality reads the equality tendon: the length of a tendon is a polynomial of the length of another, or constant.
func (r *reader) tendonEquality(e element, name string) {
	p := r.polynomial(e)
	if first, _ := e.Attr("tendon1"); r.tendons[first].ends != nil && !e.Has("tendon2") {
		r.constantLength(e, name, r.tendons[first], p[0])
		return
	}
	terms, ok := r.length(e.Node, "tendon1")
	if !ok {
		return
	}
	c := assembly.Coupling{At: e.Node, Name: name, Terms: terms}
	if !e.Has("tendon2") {
		c.Offset = p[0]
	} else {
		of, ok := r.length(e.Node, "tendon2")
		if !ok {
			return
		}
		if !c.Set(p, of) {
			r.Report.Refuse(e.Node, "equality "+fault.Name(name), "powers of a tendon over more than two joints are not read")
			return
		}
	}
	r.a.Couplings = append(r.a.Couplings, c)
}

// constantLength makes a distance joint of a tendon between two sites. The distance is the length in the reference pose plus more, m.
func (r *reader) constantLength(e element, name string, t tendon, more float64) {
	for _, c := range t.at.Children {
		c.Use()
		r.Required(c, "site")
	}
	t.at.Use()
	a, b := t.ends[0], t.ends[1]
	length := r.at(a.link).Point(a.pose.R).Sub(r.at(b.link).Point(b.pose.R)).Norm() + more
	if !(length > 0) {
		r.Report.Refuse(e.Node, "equality "+fault.Name(name), fmt.Sprintf("holds two sites at the distance %g", length))
		return
	}
	r.a.Joints = append(r.a.Joints, assembly.Joint{At: e.Node, Name: name, Predecessor: a.link, Successor: b.link, P: a.pose, S: b.pose, Typed: true, Type: model.Distance, Length: length, Loop: true})
}
