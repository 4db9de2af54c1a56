package model

import "github.com/rung-mbd/rung/internal/document"

// force reads a force element after its opening brace.
func (d *decoder) force(e *ForceElement) {
	var seen uint32
	var wrench Attachment // body and point, which only a wrench has
	for {
		k, ok := d.Member(forceFields, &seen)
		if !ok {
			break
		}
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
			d.Number(&e.Stiffness)
		case forceDamping:
			d.Number(&e.Damping)
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
		}
	}
	if !d.Fatal {
		d.finishForce(e, seen, wrench)
	}
}

// finishForce applies what depends on the type. Fields of the other type are
// reported and dropped.
func (d *decoder) finishForce(e *ForceElement, seen uint32, wrench Attachment) {
	d.Require(forceFields, seen, forceName, forceType)
	if d.Flaw.Has(forceType) {
		return
	}
	none := meaningless("force element", e.Type.String())
	if e.Type == SpringDamper {
		d.Require(forceFields, seen, forceA, forceB)
		d.Refuse(forceFields, seen, none, forceBody, forcePoint, forceForce, forceTorque)
		e.Force, e.Torque = [3]float64{}, [3]float64{}
		return
	}
	d.Require(forceFields, seen, forceBody, forceTorque)
	d.Refuse(forceFields, seen, none, forceA, forceB, forceStiffness, forceDamping, forceRestLength)
	e.A, e.B = wrench, Attachment{}
	e.Stiffness, e.Damping, e.RestLength = 0, 0, 0
}

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
	d.Problem(document.Quote(s), "unknown force element type")
}

// attachment reads body and point. Its field counts as flawed only if the body
// is, so that a bad point does not hide an unknown body.
func (d *decoder) attachment(a *Attachment) {
	if !d.OpenObject() {
		return
	}
	var seen uint32
	before, body := d.Flaw, document.Flaws(0)
	for {
		k, ok := d.Member(attachmentFields, &seen)
		if !ok {
			break
		}
		if k == attachmentPoint {
			d.Vector(a.Point[:])
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
