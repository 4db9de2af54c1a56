package model

import (
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/fault"
)

// friction reads a friction. Its numbers replace the numbers of its preset, also if the preset comes after them.
func (d *decoder) friction(c *Contact) {
	f := &c.Law.Friction
	if !d.OpenObject() {
		return
	}
	var read contact.Friction
	soil := readSoil(&read.Soil)
	preset, named := "", false
	var seen uint32
	for k := range d.Members(frictionFields, &seen) {
		switch k {
		case frictionType:
			read.Type = choice(d, contact.Soil)
		case frictionPreset:
			preset, named = d.name(), true
		case frictionCoefficient:
			if d.NextIsList() {
				d.Vector(read.Coefficient[:])
			} else if d.Number(&read.Coefficient[0]) {
				read.Coefficient[1] = read.Coefficient[0]
			}
		case frictionSlipSpeed:
			if d.Number(&read.SlipSpeed) && read.SlipSpeed == 0 {
				d.Problem("0", ruleNotPositive)
			}
		case frictionHold:
			d.hold(&read.Hold)
		case frictionLongitudinal:
			d.numbersOf(curveFields, 3, &read.Tyre.Long.B, &read.Tyre.Long.C, &read.Tyre.Long.E)
		case frictionLateral:
			d.numbersOf(curveFields, 3, &read.Tyre.Lat.B, &read.Tyre.Lat.C, &read.Tyre.Lat.E)
		case frictionRelaxation:
			d.Number(&read.Tyre.Relaxation)
		case frictionLowSpeed:
			if d.Number(&read.Tyre.LowSpeed) && read.Tyre.LowSpeed == 0 {
				d.Problem("0", ruleNotPositive)
			}
		case frictionNodes:
			read.Soil.Nodes = d.count()
		case frictionMap:
			if s, ok := d.Text(); ok && len(s) == 0 {
				d.Problem(`""`, "is empty")
			} else {
				c.Map = string(s)
			}
		case frictionRuts:
			read.Soil.Ruts = d.Bool()
		default:
			d.Number(soil[k-frictionKC])
		}
	}
	d.finishFriction(f, &read, seen, preset, named)
}

// finishFriction checks and stores a friction once its type is known, which may come last. It reports fields that
// the type does not have and mandatory fields that are missing. It stores the preset, if one is named, and then the fields read.
func (d *decoder) finishFriction(f, read *contact.Friction, seen uint32, preset string, named bool) {
	d.Require(frictionFields, seen, frictionType)
	if d.Fatal || seen>>frictionType&1 == 0 {
		return
	}
	own := &frictionOwn[read.Type]
	d.refuseOthers(frictionFields, frictionPreset, seen, own, meaningless("friction", read.Type.String()))
	f.Type = read.Type
	if !named {
		d.Require(frictionFields, seen, own.must...)
	} else if err := setPreset(f, preset); err != nil {
		d.ProblemAt(frictionFields, frictionPreset, fault.Name(preset), fault.Line(fault.Plain(err).Error()))
	}
	overlay(f, read, seen)
}
