package model

// force reads a force element after its opening brace.
func (d *decoder) force(e *ForceElement) {
	var seen uint32
	var wrench Attachment // body and point, which only a wrench has
	for {
		k, ok := d.member(forceFields, &seen)
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
			d.number(&e.Stiffness)
		case forceDamping:
			d.number(&e.Damping)
		case forceRestLength:
			d.number(&e.RestLength)
		case forceBody:
			wrench.Body = d.reference()
		case forcePoint:
			d.vector(wrench.Point[:])
		case forceForce:
			d.vector(e.Force[:])
		case forceTorque:
			d.vector(e.Torque[:])
		}
	}
	if !d.fatal {
		d.finishForce(e, seen, wrench)
	}
}

// finishForce applies what depends on the type. Fields of the other type are
// reported and dropped.
func (d *decoder) finishForce(e *ForceElement, seen uint32, wrench Attachment) {
	d.require(forceFields, seen, forceName, forceType)
	if d.flaw.has(forceType) {
		return
	}
	none := meaningless("force element", e.Type.String())
	if e.Type == SpringDamper {
		d.require(forceFields, seen, forceA, forceB)
		d.refuse(forceFields, seen, none, forceBody, forcePoint, forceForce, forceTorque)
		e.Force, e.Torque = [3]float64{}, [3]float64{}
		return
	}
	d.require(forceFields, seen, forceBody, forceTorque)
	d.refuse(forceFields, seen, none, forceA, forceB, forceStiffness, forceDamping, forceRestLength)
	e.A, e.B = wrench, Attachment{}
	e.Stiffness, e.Damping, e.RestLength = 0, 0, 0
}

func (d *decoder) forceType(t *ForceType) {
	s, ok := d.text()
	if !ok {
		return
	}
	for k, name := range forceNames {
		if name == string(s) {
			*t = ForceType(k)
			return
		}
	}
	d.problem(quoteBytes(s), "unknown force element type")
}

// attachment reads body and point. Its field counts as flawed only if the body
// is, so that a bad point does not hide an unknown body.
func (d *decoder) attachment(a *Attachment) {
	if !d.openObject() {
		return
	}
	var seen uint32
	before, body := d.flaw, flaws(0)
	for {
		k, ok := d.member(attachmentFields, &seen)
		if !ok {
			break
		}
		if k == attachmentPoint {
			d.vector(a.Point[:])
			continue
		}
		d.flaw = before
		a.Body = d.reference()
		body = d.flaw
	}
	if d.fatal {
		return
	}
	d.flaw = before | body
	d.require(attachmentFields, seen, attachmentBody)
}
