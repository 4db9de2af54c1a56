package model

import (
	"math"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/document"
)

// Stop is a spring with a damper at both ends of a Limit, docs/stops-and-friction.md (J1), with
// the law of the normal force of a contact. The depth is the distance of the coordinate beyond an end.
//
// With an ImpactSpeed, an impulse reverses a rate faster than ImpactSpeed, docs/stops-and-friction.md (J4), if
// the run has the events of sim.Stops. At slower rates the spring acts, on which the freedom comes to rest.
type Stop struct {
	contact.Normal // units: N m/radᵉ or N/mᵉ, s/rad or s/m, N m s/rad or N s/m; Stiffness 0: no stop

	Restitution float64 // rate after an impulse over the rate before it, in magnitude, 0 to 1
	ImpactSpeed float64 // rad/s or m/s; 0: no impulses
}

// Friction is dry friction of a freedom, docs/stops-and-friction.md (J5). The zero Friction is none.
//
// Its magnitude is Force or, for spherical and revolute joints, Coefficient·Radius times the reaction in the joint. The three
// rotations of a ball have one friction together, opposite to the angular velocity: their entries must be equal.
type Friction struct {
	Force       float64      // N m or N
	Coefficient float64      // μ of a bearing
	Radius      float64      // of the bearing, m
	Speed       float64      // rate below which friction is regularised, rad/s or m/s; 0: DefaultTurnSpeed or DefaultSlipSpeed
	Static      float64      // ratio of static to sliding friction, at least 1; 0 stands for 1
	Stribeck    float64      // rate scale of the fall from static to sliding friction, rad/s or m/s
	Hold        contact.Hold // bristles that hold the freedom at rest, with one internal state; Travel in rad or m, Damping in s/rad or s/m
}

// OfReaction reports whether the friction is proportional to the reaction in the joint.
func (f *Friction) OfReaction() bool { return f.Coefficient != 0 }

// SpeedOf returns the rate below which friction is regularised: Speed, or its default for a rotation or a displacement.
func (f *Friction) SpeedOf(rotation bool) float64 {
	switch {
	case f.Speed != 0:
		return f.Speed
	case rotation:
		return DefaultTurnSpeed
	}
	return DefaultSlipSpeed
}

// WithDefaults returns f, of a rotation or a displacement, with the defaults of the format for Speed and Static in place of zeros.
func (f *Friction) WithDefaults(rotation bool) Friction {
	out := *f
	out.Speed, out.Static = f.SpeedOf(rotation), max(f.Static, 1)
	return out
}

// rubs reports whether a joint's list has any friction.
func rubs(list []Friction) bool {
	return slices.ContainsFunc(list, func(f Friction) bool { return f != Friction{} })
}

// prescribes reports whether a motion prescribes freedom k.
func (j *Joint) prescribes(k int) bool { return k < len(j.Motion) && j.Motion[k] != nil }

var stopFields = append(slices.Clone(normalFields), "restitution", "impact_speed")

const (
	stopRestitution = normalLaw + 1 + iota
	stopImpactSpeed
)

// stop reads a stop. Restitution and impact speed must be given together.
func (d *decoder) stop(s *Stop) {
	if !d.OpenObject() {
		return
	}
	var seen uint32
	for k := range d.Members(stopFields, &seen) {
		switch k {
		case stopRestitution:
			d.Number(&s.Restitution)
		case stopImpactSpeed:
			if d.Number(&s.ImpactSpeed) && s.ImpactSpeed == 0 {
				d.Problem("0", ruleNotPositive)
			}
		default:
			d.normalField(&s.Normal, k)
		}
	}
	d.Require(stopFields, seen, normalStiffness)
	switch both := uint32(1<<stopRestitution | 1<<stopImpactSpeed); {
	case d.Fatal || seen&both == 0:
	case seen&both != both:
		d.Require(stopFields, seen, stopRestitution, stopImpactSpeed)
	}
	if s.Exponent == 0 {
		s.Exponent = 1
	}
}

var jointFrictionFields = []string{"force", "coefficient", "radius", "speed", "static", "stribeck", "hold"}

const (
	rubForce = iota
	rubCoefficient
	rubRadius
	rubSpeed
	rubStatic
	rubStribeck
	rubHold
)

// frictions reads the friction of a joint: a number, an object or null for each freedom. It skips entries beyond maxList and reports
// them.
func (d *decoder) frictions() []Friction {
	if !d.OpenArray() {
		return nil
	}
	list := []Friction{}
	n := 0
	for ; d.Element(n); n++ {
		if n >= maxList {
			d.Skip()
			continue
		}
		list = append(list, Friction{})
		f := &list[n]
		switch {
		case d.Null():
		case d.NextIsNumber():
			d.Number(&f.Force)
		case d.OpenObjectOr("a number"):
			d.jointFriction(f)
		}
	}
	d.Bound(n, maxList)
	return list
}

// jointFriction reads a friction after its opening brace.
func (d *decoder) jointFriction(f *Friction) {
	numbers := [...]*float64{&f.Force, &f.Coefficient, &f.Radius, &f.Speed, &f.Static, &f.Stribeck}
	var seen uint32
	for k := range d.Members(jointFrictionFields, &seen) {
		if k == rubHold {
			d.hold(&f.Hold)
		} else if d.Number(numbers[k]) && *numbers[k] == 0 {
			d.Problem("0", ruleNotPositive)
		}
	}
	has := func(k int) bool { return seen>>k&1 != 0 }
	switch {
	case d.Fatal:
	case has(rubCoefficient) || has(rubRadius):
		d.Require(jointFrictionFields, seen, rubCoefficient, rubRadius)
		d.Refuse(jointFrictionFields, seen, "has no meaning beside coefficient and radius", rubForce)
	default:
		d.Require(jointFrictionFields, seen, rubForce)
	}
	switch {
	case d.Fatal:
	case has(rubStatic) != has(rubStribeck):
		d.Require(jointFrictionFields, seen, rubStatic, rubStribeck)
	}
	if has(rubHold) {
		d.Refuse(jointFrictionFields, seen, "has no meaning beside hold", rubSpeed)
	}
}

// checkStop checks the stop of limit l, whose path is tail. driven tells that a motion prescribes the freedom.
func (c *checker) checkStop(tail string, l *Limit, driven bool) {
	s := &l.Stop
	if *s == (Stop{}) {
		return
	}
	tail += ".stop"
	law := contact.Law{Normal: s.Normal}
	law.Check(func(path, value, rule string) {
		c.report(tail+strings.TrimPrefix(path, ".normal"), value, rule)
	})
	if math.IsInf(l.Lower, -1) && math.IsInf(l.Upper, 1) {
		c.report(tail, "", "is at neither lower nor upper, which are not there")
	}
	if !(s.Restitution >= 0 && s.Restitution <= 1) {
		c.report(tail+".restitution", document.Number(s.Restitution), "must be 0 to 1")
	}
	switch {
	case !c.number(tail+".impact_speed", s.ImpactSpeed):
	case s.ImpactSpeed < 0 || s.ImpactSpeed == 0 && s.Restitution != 0:
		c.report(tail+".impact_speed", document.Number(s.ImpactSpeed), ruleNotPositive)
	case s.ImpactSpeed > 0 && driven:
		c.report(tail+".restitution", document.Number(s.Restitution), "is of a freedom with a motion, which no impulse turns around")
	}
}

// checkFrictions checks the frictions of a joint. The entries for the rotations of a ball must be equal.
func (c *checker) checkFrictions(j *Joint) {
	if j.Friction == nil || !c.length(".friction", len(j.Friction), j.Kind().Freedoms(), j.Type) {
		return
	}
	for k := range j.Friction {
		if f := &j.Friction[k]; *f != (Friction{}) {
			c.checkFriction(j, k, f, document.Entry(".friction", k))
		}
		// The rotations of a ball have one friction together.
		if f := &j.Friction[k]; !j.Kind().Scalar(k) && *f != j.Friction[0] {
			c.report(document.Entry(".friction", k), "", "is not that of the other rotations of the ball")
		}
	}
}

// checkFriction checks friction f of freedom k of a joint. It is given by a force, or, in a revolute or spherical joint, by
// coefficient and radius of a bearing.
func (c *checker) checkFriction(j *Joint, k int, f *Friction, tail string) {
	numbers := [...]float64{f.Force, f.Coefficient, f.Radius, f.Speed, f.Static, f.Stribeck}
	for i, x := range numbers {
		c.notNegative(tail+"."+jointFrictionFields[i], x)
	}
	c.notNegative(tail+".hold.travel", f.Hold.Travel)
	c.notNegative(tail+".hold.damping", f.Hold.Damping)
	if f.OfReaction() || f.Radius != 0 {
		switch {
		case j.Type != Revolute && j.Type != Spherical:
			c.report(tail+".coefficient", document.Number(f.Coefficient), "is of a bearing, in a revolute or spherical joint: "+meaningless("joint type", j.Type.String()))
		case f.Force != 0:
			c.report(tail+".force", document.Number(f.Force), "has no meaning beside coefficient and radius")
		case f.Coefficient == 0:
			c.report(tail+".coefficient", "0", ruleNotPositive)
		case f.Radius == 0:
			c.report(tail+".radius", "0", ruleNotPositive)
		}
	} else if f.Force == 0 {
		c.report(tail+".force", "0", "must be positive where there is friction")
	}
	if !j.Kind().Scalar(k) {
		if f.Force != 0 {
			c.report(tail+".force", document.Number(f.Force), "is on a ball rotation, which has the friction of a bearing: coefficient and radius")
		}
		if f.Hold != (contact.Hold{}) {
			c.report(tail+".hold", document.Number(f.Hold.Travel), "is on a ball rotation, which has no bristles")
		}
	}
	switch {
	case f.Static != 0 && !(f.Static >= 1):
		c.report(tail+".static", document.Number(f.Static), "must be at least 1")
	case f.Static > 1 && f.Stribeck == 0:
		c.report(tail+".stribeck", "0", ruleNotPositive)
	case f.Static == 0 && f.Stribeck != 0:
		c.report(tail+".static", "0", "must be at least 1")
	}
	if f.Hold.Travel == 0 && f.Hold.Damping != 0 {
		c.report(tail+".hold.travel", "0", ruleNotPositive)
	}
	if f.Hold.Travel != 0 && f.Speed != 0 {
		c.report(tail+".speed", document.Number(f.Speed), "has no meaning beside hold")
	}
}

// stop writes a stop after the opening quote of its key.
func (o *writer) stop(s *Stop) {
	o.b = append(o.b, `stop": {`...)
	o.normal(&s.Normal)
	if s.ImpactSpeed != 0 {
		o.always(`, "restitution": `, s.Restitution)
		o.always(`, "impact_speed": `, s.ImpactSpeed)
	}
	o.b = append(o.b, '}')
}

// jointFriction writes a friction: null for none, a number if only Force is set, else an object.
func (o *writer) jointFriction(f *Friction) {
	switch *f {
	case Friction{}:
		o.b = append(o.b, "null"...)
		return
	case Friction{Force: f.Force}:
		o.always("", f.Force)
		return
	}
	before := `{"`
	for k, x := range [...]float64{f.Force, f.Coefficient, f.Radius, f.Speed, f.Static, f.Stribeck} {
		if x != 0 {
			o.always(before+jointFrictionFields[k]+`": `, x)
			before = `, "`
		}
	}
	if f.Hold != (contact.Hold{}) {
		o.always(before+`hold": {"travel": `, f.Hold.Travel)
		o.number(`, "damping": `, f.Hold.Damping)
		o.b = append(o.b, '}')
	}
	o.b = append(o.b, '}')
}
