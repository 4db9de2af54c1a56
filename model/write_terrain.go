package model

import (
	"strconv"

	"github.com/rung-mbd/rung/ground/contact"
)

// terrain writes the fields of a terrain, without braces. Fields that its type does not have are zero and left out.
func (o *writer) terrain(t *Terrain) {
	o.text(`"name": `, t.Name)
	o.text(`, "type": `, t.Type.String())
	o.given(`, "file": `, t.File)
	choose(o, `, "layout": `, t.Layout)
	switch t.Type {
	case PlaneTerrain:
		up := t.up()
		o.list(`, "point": `, t.Point[:])
		o.vector(`, "normal": `, up[:])
	case FunctionTerrain:
		o.text(`, "expression": `, t.Expression)
	case SumTerrain:
		o.b = append(o.b, `, "parts": [`...)
		for k, name := range t.Parts {
			o.comma(k)
			o.text("", name)
		}
		o.b = append(o.b, ']')
	}
	choose(o, `, "kind": `, t.Kind)
	if t.Size != [2]int{} {
		o.b = append(o.b, `, "size": [`...)
		o.b = strconv.AppendInt(o.b, int64(t.Size[0]), 10)
		o.b = strconv.AppendInt(append(o.b, ", "...), int64(t.Size[1]), 10)
		o.b = append(o.b, ']')
	}
	o.list(`, "origin": `, t.Origin[:])
	o.list(`, "spacing": `, t.Spacing[:])
	if t.Heights != nil {
		o.b = append(o.b, `, "heights": [`...)
		for j, row := range t.Heights {
			o.comma(j)
			o.vector("", row)
			o.flush(1 << 16)
		}
		o.b = append(o.b, ']')
	}
	if t.Scale != 1 {
		o.number(`, "scale": `, t.Scale)
	}
	o.number(`, "offset": `, t.Offset)
	if t.Type == PNGTerrain {
		o.always(`, "lowest": `, t.Lowest)
		o.always(`, "highest": `, t.Highest)
	}
	if t.FirstRow != t.usualRow() {
		choose(o, `, "first_row": `, t.FirstRow)
	}
	if t.Type == RandomTerrain {
		o.always(`, "rms": `, t.RMS)
	}
	o.number(`, "length": `, t.Length)
	o.number(`, "hurst": `, t.Hurst)
	if t.Seed != 0 {
		o.b = strconv.AppendUint(append(o.b, `, "seed": `...), t.Seed, 10)
	}
	choose(o, `, "interpolation": `, t.Interpolation)
	choose(o, `, "outside": `, t.Outside)
}

// contact writes the fields of a contact after its type, with zeros of the law replaced by defaults.
func (o *writer) contact(e *ForceElement) {
	c, law := e.Contact, e.Contact.Law
	fillLaw(&law)
	o.text(`, "body": `, e.A.Body)
	o.text(`, "terrain": `, c.Terrain)
	s := &c.Shape
	o.text(`, "shape": {"type": `, s.Type.String())
	o.always(`, "radius": `, s.Radius)
	o.list(`, "center": `, s.Center[:])
	if s.Axis != defaultAxis {
		o.vector(`, "axis": `, s.Axis[:])
	}
	o.number(`, "tyre_radius": `, s.TyreRadius)
	o.number(`, "width": `, s.Width)
	o.count(`, "discs": `, s.Discs)
	o.b = append(o.b, `}, "normal": {`...)
	o.normal(&law.Normal)
	o.b = append(o.b, '}')
	o.friction(&law.Friction, c.Map)
	o.resistance(`, "rolling": {`, &law.Rolling)
	o.resistance(`, "drilling": {`, &law.Drilling)
	choose(o, `, "contacts": `, s.Where)
	o.count(`, "samples": `, s.Samples)
}

// normal writes the law of a normal force.
func (o *writer) normal(n *contact.Normal) {
	o.always(`"stiffness": `, n.Stiffness)
	if n.Exponent != 1 && n.Exponent != 0 {
		o.always(`, "exponent": `, n.Exponent)
	}
	o.number(`, "dissipation": `, n.Dissipation)
	o.number(`, "damping": `, n.Damping)
	choose(o, `, "law": `, n.Type)
}

// count writes an integer after key unless it is 0.
func (o *writer) count(key string, n int) {
	if n != 0 {
		o.b = strconv.AppendInt(append(o.b, key...), int64(n), 10)
	}
}

// friction writes a friction unless it is none; scale is the name of the terrain whose heights scale it, or "".
func (o *writer) friction(f *contact.Friction, scale string) {
	if f.Type == contact.None {
		return
	}
	o.text(`, "friction": {"type": `, f.Type.String())
	switch {
	case f.Type == contact.Soil:
	case f.Coefficient[0] == f.Coefficient[1]:
		o.always(`, "coefficient": `, f.Coefficient[0])
	default:
		o.vector(`, "coefficient": `, f.Coefficient[:])
	}
	switch f.Type {
	case contact.Coulomb:
		if f.SlipSpeed != DefaultSlipSpeed {
			o.always(`, "slip_speed": `, f.SlipSpeed)
		}
		if f.Hold != (contact.Hold{}) {
			o.always(`, "hold": {"travel": `, f.Hold.Travel)
			o.number(`, "damping": `, f.Hold.Damping)
			o.b = append(o.b, '}')
		}
	case contact.Tyre:
		for i, c := range [2]*contact.Curve{&f.Tyre.Long, &f.Tyre.Lat} {
			o.always(`, "`+frictionFields[frictionLongitudinal+i]+`": {"b": `, c.B)
			o.always(`, "c": `, c.C)
			o.always(`, "e": `, c.E)
			o.b = append(o.b, '}')
		}
		o.number(`, "relaxation": `, f.Tyre.Relaxation)
		o.lowSpeed(f.Tyre.LowSpeed)
	case contact.Soil:
		for i, x := range readSoil(&f.Soil) {
			if k := frictionKC + i; k <= frictionC1 || *x != 0 {
				o.always(`, "`+frictionFields[k]+`": `, *x)
			}
		}
		o.lowSpeed(f.Soil.LowSpeed)
		o.count(`, "nodes": `, f.Soil.Nodes)
		if f.Soil.Ruts {
			o.b = append(o.b, `, "ruts": true`...)
		}
	}
	if scale != "" {
		o.text(`, "map": `, scale)
	}
	o.b = append(o.b, '}')
}

func (o *writer) lowSpeed(v float64) {
	if v != contact.DefaultLowSpeed {
		o.always(`, "low_speed": `, v)
	}
}

// resistance writes a resistance after key, which ends with the opening brace, unless it is zero. It leaves out the default speed.
func (o *writer) resistance(key string, r *contact.Resistance) {
	if *r == (contact.Resistance{}) {
		return
	}
	o.always(key+`"coefficient": `, r.Coefficient)
	if r.Speed != DefaultTurnSpeed || r.Coefficient == 0 {
		o.number(`, "speed": `, r.Speed)
	}
	o.b = append(o.b, '}')
}

// actuator writes the fields of an actuator after its type.
func (o *writer) actuator(a *Actuator) {
	o.text(`, "joint": `, a.Joint)
	o.count(`, "freedom": `, a.Freedom)
	o.text(`, "law": `, a.Law.String())
	o.b = append(o.b, `, "value": `...)
	if a.constant() {
		o.always("", a.Value.Coefficients[0])
	} else {
		o.motion(a.Value)
	}
	if a.Law != ActuatorTorque {
		o.always(`, "gain": `, a.Gain)
	}
	o.number(`, "integral": `, a.Integral)
	o.number(`, "damping": `, a.Damping)
	o.number(`, "limit": `, a.Limit)
}
