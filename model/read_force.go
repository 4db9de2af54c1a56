package model

import (
	"math"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/document"
)

// force reads a force element after its opening brace.
func (d *decoder) force(e *ForceElement) {
	var seen uint32
	var wrench Attachment // body and point
	d.lists6 = 0
	for k := range d.Members(forceFields, &seen) {
		switch k {
		case forceName:
			e.Name = d.name()
		case forceType:
			d.forceType(&e.Type)
		case forceA:
			d.attachment(&e.A)
		case forceB:
			d.attachment(&e.B)
		case forceStiffness:
			d.numberOrMatrix(e, k, &e.Stiffness)
		case forceDamping:
			d.numberOrMatrix(e, k, &e.Damping)
		case forceSpring:
			d.law(made(&e.Spring))
		case forceDamper:
			d.law(made(&e.Damper))
		case forceRest:
			made(&e.Bushing).Rest.Orientation[0] = 1
			d.pose(&e.Bushing.Rest)
		case forcePoints:
			d.cablePoints(made(&e.Cable))
		case forceTension:
			d.Number(&made(&e.Cable).Tension)
		case forceRestLength:
			d.Number(&e.RestLength)
		case forceBody:
			wrench.Body = d.reference()
		case forcePoint:
			d.Vector(wrench.Point[:])
		case forceForce:
			d.Vector(e.Force[:])
		case forceTorque:
			d.Vector(e.Torque[:])
		default:
			if k < forceJoint {
				d.contactField(made(&e.Contact), k)
			} else {
				d.actuatorField(made(&e.Actuator), k)
			}
		}
	}
	if !d.Fatal {
		d.finishForce(e, seen, wrench)
	}
}

// made returns *p, and sets it to a new value first if it is nil.
func made[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}

// finishForce checks and stores the fields once the type is known, which may come last: it reports and drops the
// fields of other types.
func (d *decoder) finishForce(e *ForceElement, seen uint32, wrench Attachment) {
	d.Require(forceFields, seen, forceName, forceType)
	if d.Flaw.Has(forceType) {
		return
	}
	own := &forceOwn[e.Type]
	d.Require(forceFields, seen, own.must...)
	d.refuseOthers(forceFields, forceA, seen, own, meaningless("force element", e.Type.String()))
	d.wantLists(e.Type, seen)
	all := *e
	*e = ForceElement{Name: e.Name, Type: e.Type}
	switch e.Type {
	case SpringDamper:
		e.A, e.B, e.Stiffness, e.Damping, e.RestLength = all.A, all.B, all.Stiffness, all.Damping, all.RestLength
		e.Spring, e.Damper = all.Spring, all.Damper
	case BushingForce:
		e.A, e.B, e.Force, e.Torque, e.Bushing = all.A, all.B, all.Force, all.Torque, made(&all.Bushing)
		e.canonicalizeBushing()
	case CableForce:
		e.Stiffness, e.Damping, e.RestLength, e.Cable = all.Stiffness, all.Damping, all.RestLength, made(&all.Cable)
	case Wrench:
		e.A, e.Force, e.Torque = wrench, all.Force, all.Torque
	case ContactForce:
		e.A.Body, e.Contact = wrench.Body, made(&all.Contact)
		if e.Contact.Law.Friction.Type != contact.Soil { // the law of soil includes the normal force
			d.Require(forceFields, seen, forceNormal)
		}
		fillLaw(&e.Contact.Law)
	case ActuatorForce:
		e.Actuator = made(&all.Actuator)
		e.Actuator.Damping = all.Damping
		d.finishActuator(e.Actuator, seen)
	}
}

// forceOwn has the fields of each type of force element.
var forceOwn = [...]parts{
	SpringDamper: {[]int{forceA, forceB}, []int{forceStiffness, forceDamping, forceRestLength, forceSpring, forceDamper}},
	BushingForce: {[]int{forceA, forceB}, []int{forceStiffness, forceDamping, forceRest, forceForce, forceTorque}},
	CableForce:   {[]int{forcePoints}, []int{forceStiffness, forceDamping, forceRestLength, forceTension}},
	Wrench:       {[]int{forceBody, forceTorque}, []int{forcePoint, forceForce}},
	ContactForce: {
		[]int{forceBody, forceTerrain, forceShape},
		[]int{forceNormal, forceFriction, forceRolling, forceDrilling, forceContacts, forceSamples},
	},
	ActuatorForce: {[]int{forceJoint, forceLaw, forceValue}, []int{forceFreedom, forceGain, forceIntegral, forceDamping, forceLimit}},
}

// actuatorOwn has the fields of each law of actuators.
var actuatorOwn = [...]parts{
	ActuatorTorque:   {},
	ActuatorSpeed:    {[]int{forceGain}, []int{forceIntegral, forceLimit}},
	ActuatorPosition: {[]int{forceGain}, []int{forceDamping, forceLimit}},
}

// finishActuator checks the fields of an actuator once its law is known.
func (d *decoder) finishActuator(a *Actuator, seen uint32) {
	if d.Flaw.Has(forceLaw) || seen>>forceLaw&1 == 0 {
		return
	}
	own := &actuatorOwn[a.Law]
	d.Require(forceFields, seen, own.must...)
	none := meaningless("law", a.Law.String())
	for _, k := range [...]int{forceDamping, forceGain, forceIntegral, forceLimit} {
		if !own.has(k) {
			d.Refuse(forceFields, seen, none, k)
		}
	}
	if seen>>forceLimit&1 != 0 && a.Limit == 0 && !d.Flaw.Has(forceLimit) {
		d.ProblemAt(forceFields, forceLimit, "0", ruleNotPositive)
	}
}

// actuatorField reads the field forceFields[k] of an actuator.
func (d *decoder) actuatorField(a *Actuator, k int) {
	switch k {
	case forceJoint:
		a.Joint = d.name()
	case forceFreedom:
		if n := d.Integer(); n < 0 || n >= maxList {
			d.Problem(document.Number(float64(n)), "is no freedom of a joint")
		} else {
			a.Freedom = int(n)
		}
	case forceLaw:
		a.Law = ActuatorLaw(d.Choice(lawNames...))
	case forceValue:
		a.Value = d.value()
	case forceGain:
		d.Number(&a.Gain)
	case forceIntegral:
		d.Number(&a.Integral)
	case forceLimit:
		d.Number(&a.Limit)
	}
}

// value reads a function of time: a number, or an object with the fields of a motion.
func (d *decoder) value() *Motion {
	m := new(Motion)
	if d.NextIsNumber() {
		m.Kind, m.Coefficients = Polynomial, make([]float64, 1)
		d.Number(&m.Coefficients[0])
		return m
	}
	if d.OpenObjectOr("a number") {
		d.motion(m)
	}
	return m
}

// contactField reads the field forceFields[k] of a contact.
func (d *decoder) contactField(c *Contact, k int) {
	switch k {
	case forceTerrain:
		c.Terrain = d.name()
	case forceShape:
		d.shape(&c.Shape)
	case forceNormal:
		d.normal(&c.Law.Normal)
	case forceFriction:
		d.friction(c)
	case forceRolling:
		d.resistance(&c.Law.Rolling)
	case forceDrilling:
		d.resistance(&c.Law.Drilling)
	case forceContacts:
		c.Shape.Where = choice(d, contact.Distributed)
	case forceSamples:
		c.Shape.Samples = d.count()
	}
}

// count reads an integer from 1 to MaxInt32. It returns 0 after a problem.
func (d *decoder) count() int {
	n := d.Integer()
	if n < 1 || n > math.MaxInt32 {
		d.Problem(document.Number(float64(n)), "is no number of points")
		return 0
	}
	return int(n)
}

// shape reads the shape of a contact, and reports fields that are missing or that its type does not have.
func (d *decoder) shape(s *contact.Shape) {
	s.Axis = defaultAxis
	if !d.OpenObject() {
		return
	}
	var seen uint32
	for k := range d.Members(shapeFields, &seen) {
		switch k {
		case shapeType:
			s.Type = choice(d, contact.Cylinder)
		case shapeRadius:
			d.Number(&s.Radius)
		case shapeCenter:
			d.Vector(s.Center[:])
		case shapeAxis:
			d.Vector(s.Axis[:])
		case shapeTyreRadius:
			d.Number(&s.TyreRadius)
		case shapeWidth:
			d.Number(&s.Width)
		case shapeDiscs:
			s.Discs = d.count()
		}
	}
	d.Require(shapeFields, seen, shapeType, shapeRadius)
	if d.Fatal || seen>>shapeType&1 == 0 {
		return
	}
	none := meaningless("shape", s.Type.String())
	if s.Type == contact.Torus {
		d.Require(shapeFields, seen, shapeTyreRadius)
	} else {
		d.Refuse(shapeFields, seen, none, shapeTyreRadius)
	}
	if s.Type == contact.Cylinder {
		d.Require(shapeFields, seen, shapeWidth)
	} else {
		d.Refuse(shapeFields, seen, none, shapeWidth, shapeDiscs)
	}
}

// normal reads the law of a normal force.
func (d *decoder) normal(n *contact.Normal) {
	if !d.OpenObject() {
		return
	}
	var seen uint32
	for k := range d.Members(normalFields, &seen) {
		d.normalField(n, k)
	}
}

// normalField reads a field of normalFields.
func (d *decoder) normalField(n *contact.Normal, k int) {
	switch k {
	case normalStiffness:
		d.Number(&n.Stiffness)
	case normalExponent:
		if d.Number(&n.Exponent) && n.Exponent == 0 {
			d.Problem("0", "must be at least 1")
		}
	case normalDissipation:
		d.Number(&n.Dissipation)
	case normalDamping:
		d.Number(&n.Damping)
	case normalLaw:
		n.Type = choice(d, contact.Linear)
	}
}

// setPreset sets the numbers of f to the preset called name, and returns an error if there is none. It does nothing for friction other
// than tyre and soil.
func setPreset(f *contact.Friction, name string) (err error) {
	switch f.Type {
	case contact.Tyre:
		f.Tyre, f.Coefficient, err = contact.TyrePreset(name)
	case contact.Soil:
		f.Soil, err = contact.SoilPreset(name)
	}
	return err
}

// overlay replaces fields of f, which may come from a preset, by the fields of read that the document has; seen has their bits.
func overlay(f, read *contact.Friction, seen uint32) {
	has := func(k int) bool { return seen>>k&1 != 0 }
	if has(frictionCoefficient) {
		f.Coefficient = read.Coefficient
	}
	switch f.Type {
	case contact.Coulomb:
		f.SlipSpeed, f.Hold = read.SlipSpeed, read.Hold
	case contact.Tyre:
		if has(frictionLongitudinal) {
			f.Tyre.Long = read.Tyre.Long
		}
		if has(frictionLateral) {
			f.Tyre.Lat = read.Tyre.Lat
		}
		if has(frictionLowSpeed) {
			f.Tyre.LowSpeed = read.Tyre.LowSpeed
		}
		f.Tyre.Relaxation = read.Tyre.Relaxation
	case contact.Soil:
		from := readSoil(&read.Soil)
		for i, x := range readSoil(&f.Soil) {
			if has(frictionKC + i) {
				*x = *from[i]
			}
		}
		if has(frictionLowSpeed) {
			f.Soil.LowSpeed = read.Tyre.LowSpeed
		}
		f.Soil.Nodes, f.Soil.Ruts = read.Soil.Nodes, read.Soil.Ruts
	}
}

// readSoil returns pointers to the numbers of soil, in the order of frictionFields from frictionKC on.
func readSoil(s *contact.SoilLaw) [10]*float64 {
	return [...]*float64{&s.Cohesive, &s.Friction, &s.Exponent, &s.Cohesion, &s.Angle, &s.Shear, &s.C0, &s.C1, &s.Recovery, &s.Width}
}

// numbersOf reads an object whose fields[k] is the number *x[k]. The first must fields are mandatory.
func (d *decoder) numbersOf(fields []string, must int, x ...*float64) {
	if !d.OpenObject() {
		return
	}
	var seen uint32
	for k := range d.Members(fields, &seen) {
		d.Number(x[k])
	}
	for k := range must {
		d.Require(fields, seen, k)
	}
}

// hold reads the bristles of a friction, whose travel must not be zero.
func (d *decoder) hold(h *contact.Hold) {
	d.Object(holdFields, []int{holdTravel}, func(k int) {
		if k == holdDamping {
			d.Number(&h.Damping)
		} else if d.Number(&h.Travel) && h.Travel == 0 {
			d.Problem("0", ruleNotPositive)
		}
	})
}

// resistance reads a resistance to rolling or drilling. Its speed must not be zero: in Go, zero stands for the default.
func (d *decoder) resistance(r *contact.Resistance) {
	d.Object(resistanceFields, []int{resistanceCoefficient}, func(k int) {
		if k == resistanceCoefficient {
			d.Number(&r.Coefficient)
		} else if d.Number(&r.Speed) && r.Speed == 0 {
			d.Problem("0", ruleNotPositive)
		}
	})
}

// forceType reads the type of a force element by its name in forceNames.
func (d *decoder) forceType(t *ForceType) {
	s, ok := d.Text()
	if !ok {
		return
	}
	for k, name := range forceNames {
		if name == string(s) {
			*t = ForceType(k)
			return
		}
	}
	d.Problem(document.Quote(s), "unknown force element type"+d.Meant(string(s), forceNames[:]))
}

// attachment reads body, point and orientation. Its field counts as flawed only if the body
// is, so that a wrong point does not hide an unknown body.
func (d *decoder) attachment(a *Attachment) {
	if !d.OpenObject() {
		return
	}
	var seen uint32
	before, body := d.Flaw, document.Flaws(0)
	for k := range d.Members(attachmentFields, &seen) {
		if k == attachmentPoint {
			d.Vector(a.Point[:])
			continue
		}
		if k == attachmentOrientation {
			d.Orientation(&a.Orientation)
			continue
		}
		d.Flaw = before
		a.Body = d.reference()
		body = d.Flaw
	}
	if d.Fatal {
		return
	}
	d.Flaw = before | body
	d.Require(attachmentFields, seen, attachmentBody)
}
