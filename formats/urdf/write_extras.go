package urdf

import (
	"fmt"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/outline"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// couplings turns linear couplings between joints of the tree into elements mimic, q = multiplier·q′ + offset, at most one for each
// joint, and others into tendons of Drake with equal limits. It refuses other couplings.
func (o *writer) couplings() {
	o.mimic = map[[2]int]string{}
	// at returns the motion of a freedom, with its joint and index as the key; nil if the joint is not in the tree.
	at := func(c model.Coupled) (key [2]int, a *outline.Motion) {
		i := o.Joints[c.Joint]
		if !o.tree.In[i] {
			return key, nil
		}
		s := o.tree.Standing[i]
		k := s.Position(c.Freedom)
		if k < 0 {
			return key, nil
		}
		return [2]int{i, k}, &s.Row[k]
	}
	for i := range o.Model.Couplings {
		c := &o.Model.Couplings[i]
		known := c.Of() == nil
		right := c.Offset
		var list strings.Builder
		for _, t := range c.Terms {
			key, a := at(t.Coupled)
			if known = known && a != nil; known {
				right -= t.Factor * a.Zero
				fmt.Fprintf(&list, "  <drake:tendon_constraint_joint name=\"%s\" a=\"%s\"/>\n",
					outline.Escaped(o.names[key[0]][key[1]]), o.Numbers(t.Factor))
			}
		}
		if !known {
			o.Report.Refuse(nil, "coupling "+fault.Name(c.Name),
				"the format has linear equations alone, between coordinates of joints that place links")
			continue
		}
		if len(c.Terms) == 2 {
			a, b := c.Terms[0], c.Terms[1]
			follower, _ := at(a.Coupled)
			leader, _ := at(b.Coupled)
			if follower != leader && o.mimic[follower] == "" {
				o.mimic[follower] = `  <mimic joint="` + outline.Escaped(o.names[leader[0]][leader[1]]) +
					`" multiplier="` + o.Numbers(-b.Factor/a.Factor) + `" offset="` + o.Numbers(right/a.Factor) + "\"/>\n"
				continue
			}
		}
		held := o.Numbers(right)
		fmt.Fprintf(&o.more, " <drake:tendon_constraint name=\"%s\">\n%s", outline.Escaped(c.Name), list.String())
		for _, limit := range [2]string{"lower", "upper"} {
			fmt.Fprintf(&o.more, "  <drake:tendon_constraint_%s_limit value=\"%s\"/>\n", limit, held)
		}
		o.more.WriteString(" </drake:tendon_constraint>\n")
	}
}

// extras writes distances, springs between bodies and rotors as elements of Drake.
func (o *writer) extras() {
	m := o.Model
	for i := range m.Joints {
		j := &m.Joints[i]
		if j.Type == model.Distance {
			a := model.Attachment{Body: j.Predecessor, Point: j.PredecessorFrame.Position}
			b := model.Attachment{Body: j.Successor, Point: j.SuccessorFrame.Position}
			o.apart("distance_constraint", o.joint[i], a, b, part{"distance", j.Length})
		}
		if !o.tree.In[i] {
			continue
		}
		for k, a := range o.tree.Standing[i].Row {
			if x := outline.Entry(j.Armature, a.Freedom); x != 0 {
				name := outline.Escaped(o.names[i][k])
				fmt.Fprintf(&o.more, " <transmission name=\"%s\"><type>transmission_interface/SimpleTransmission</type><joint name=\"%s\"/>\n"+
					"  <actuator name=\"%s\"><drake:rotor_inertia value=\"%s\"/></actuator></transmission>\n", name, name, name, o.Numbers(x))
			}
		}
	}
	for i := range m.Forces {
		f := &m.Forces[i]
		if f.Type == model.SpringDamper && f.Spring == nil && f.Damper == nil && f.RestLength > 0 { // Drake does not allow a length of zero
			o.pulled[i] = true
			o.apart("linear_spring_damper", f.Name, f.A, f.B,
				part{"free_length", f.RestLength}, part{"stiffness", f.Stiffness}, part{"damping", f.Damping})
		}
	}
}

// part is a number that is part of an element of Drake.
type part struct {
	name  string
	value float64
}

// apart writes an element of Drake that acts between two points of bodies.
func (o *writer) apart(kind, name string, a, b model.Attachment, parts ...part) {
	kind = "drake:" + kind
	fmt.Fprintf(&o.more, " <%s name=\"%s\">\n", kind, outline.Escaped(name))
	for _, end := range [2]struct {
		body, point string
		at          model.Attachment
	}{{"body_A", "p_AP", a}, {"body_B", "p_BQ", b}} {
		p := o.frames[o.Number(end.at.Body)].Inverse().Mul(assembly.Pose{R: end.at.Point}).R
		fmt.Fprintf(&o.more, "  <%s_%s name=\"%s\"/><%s_%s value=\"%s\"/>\n",
			kind, end.body, outline.Escaped(o.linkName(end.at.Body)), kind, end.point, o.Numbers(p[:]...))
	}
	for _, x := range parts {
		fmt.Fprintf(&o.more, "  <%s_%s value=\"%s\"/>\n", kind, x.name, o.Numbers(x.value))
	}
	fmt.Fprintf(&o.more, " </%s>\n", kind)
}
