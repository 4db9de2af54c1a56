package contact

import (
	"math"
	"strconv"
)

// Check reports all faults of the law, with paths relative to the contact, such as ".normal.stiffness".
func (l *Law) Check(report Report) {
	l.checkNormal(report)
	l.checkFriction(report)
	l.Rolling.check(report, ".rolling")
	l.Drilling.check(report, ".drilling")
}

// checkNormal reports the faults of the law of the normal force.
func (l *Law) checkNormal(report Report) {
	n := &l.Normal
	if int(n.Type) >= len(normalNames) {
		report(".normal.type", n.Type.String(), "is no law of the normal force")
	}
	if l.Friction.Type == Soil {
		if n.Stiffness != 0 {
			report(".normal.stiffness", number(n.Stiffness), "soil has its own")
		}
	} else {
		report.positive(".normal.stiffness", n.Stiffness)
	}
	if n.Exponent != 0 && !(n.Exponent >= 1) || math.IsInf(n.Exponent, 0) {
		report(".normal.exponent", number(n.Exponent), "must be at least 1")
	}
	report.notNegative(".normal.dissipation", n.Dissipation)
	report.notNegative(".normal.damping", n.Damping)
	damped := n.Type == Linear || l.Friction.Type == Soil
	if damped && n.Dissipation != 0 {
		report(".normal.dissipation", number(n.Dissipation), "is for hunt-crossley")
	}
	if !damped && n.Damping != 0 {
		report(".normal.damping", number(n.Damping), "is for the linear law and for soil")
	}
}

// checkFriction reports the faults of the law of the forces along the ground.
func (l *Law) checkFriction(report Report) {
	f := &l.Friction
	if int(f.Type) >= len(frictionNames) {
		report(".friction.type", f.Type.String(), "is no law of friction")
	}
	report.notNegative(".friction.coefficient", f.Coefficient[0])
	if f.Coefficient[1] != f.Coefficient[0] {
		report.notNegative(".friction.coefficient", f.Coefficient[1])
	}
	if f.Type != Coulomb && f.Hold != (Hold{}) {
		report(".friction.hold", number(f.Hold.Travel), "is for coulomb")
	}
	switch f.Type {
	case Coulomb:
		report.positive(".friction.slip_speed", f.SlipSpeed)
		report.notNegative(".friction.hold.travel", f.Hold.Travel)
		report.notNegative(".friction.hold.damping", f.Hold.Damping)
		if f.Hold.Travel == 0 && f.Hold.Damping != 0 {
			report(".friction.hold.travel", "0", "must be positive where there is damping")
		}
	case Tyre:
		f.Tyre.check(report)
	case Soil:
		f.Soil.check(report)
		report.notResisting(".rolling", &l.Rolling)
	}
}

// notResisting reports a resistance w other than zero, as the law of soil includes resistance.
func (r Report) notResisting(path string, w *Resistance) {
	if w.Coefficient != 0 {
		r(path+".coefficient", number(w.Coefficient), "soil has its own")
	}
}

// check reports fields of a tyre's law that are out of range.
func (t *TyreLaw) check(report Report) {
	for _, c := range [...]struct {
		path string
		c    *Curve
	}{{".friction.long", &t.Long}, {".friction.lat", &t.Lat}} {
		report.positive(c.path+".b", c.c.B)
		report.positive(c.path+".c", c.c.C)
		if !(c.c.C <= 4) {
			report(c.path+".c", number(c.c.C), "must be at most 4")
		}
		if !(c.c.E <= 1) || math.IsInf(c.c.E, 0) {
			report(c.path+".e", number(c.c.E), "must be at most 1")
		}
	}
	report.positive(".friction.low_speed", t.LowSpeed)
	report.notNegative(".friction.relaxation", t.Relaxation)
}

// check reports fields of soil that are out of the ranges of docs/ground.md.
func (s *SoilLaw) check(report Report) {
	report.notNegative(".friction.cohesive_modulus", s.Cohesive)
	report.notNegative(".friction.frictional_modulus", s.Friction)
	if s.Cohesive == 0 && s.Friction == 0 {
		report(".friction.frictional_modulus", "0", "must be positive where there is no cohesive modulus")
	}
	report.notNegative(".friction.exponent", s.Exponent)
	report.notNegative(".friction.cohesion", s.Cohesion)
	if !(s.Angle >= 0 && s.Angle < math.Pi/2) {
		report(".friction.angle", number(s.Angle), "must be 0 or more and less than π/2")
	}
	report.positive(".friction.shear", s.Shear)
	if !(s.C0 >= 0 && s.C0+math.Abs(s.C1) <= 1) {
		report(".friction.c0", number(s.C0), "must be 0 or more, and with the magnitude of c1 1 at most")
	}
	if !(s.Recovery >= 0 && s.Recovery <= 1) {
		report(".friction.recovery", number(s.Recovery), "must be 0 to 1")
	}
	report.positive(".friction.width", s.Width)
	report.positive(".friction.low_speed", s.LowSpeed)
	if s.Nodes != 0 && s.Nodes != 8 && s.Nodes != 16 && s.Nodes != 32 {
		report(".friction.nodes", strconv.Itoa(s.Nodes), "must be 8, 16 or 32")
	}
}

func (r *Resistance) check(report Report, path string) {
	report.notNegative(path+".coefficient", r.Coefficient)
	if r.Coefficient != 0 {
		report.positive(path+".speed", r.Speed)
	}
}
