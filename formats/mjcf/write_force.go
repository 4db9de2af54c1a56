package mjcf

import (
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/outline"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// term is a coordinate with a factor.
type term struct {
	coordinate
	factor float64
}

// couplings writes the couplings. In the file their coordinates are relative to the pose of the model.
func (o *writer) couplings() {
	for i := range o.Model.Couplings {
		c := &o.Model.Couplings[i]
		what := "coupling " + fault.Name(c.Name)
		if c.Law != nil {
			o.Report.Refuse(nil, what, "the format has no law of coordinates but a polynomial")
			continue
		}
		terms, of, p, known := o.equated(c)
		switch {
		case !known:
			o.Report.Refuse(nil, what, "one of its coordinates is that of a joint which the file has not")
		case len(terms) == 0 || len(terms) == 1 && len(p) > 1 && terms[0].name == of.name:
			o.Report.Refuse(nil, what, "the format has no equations of the powers of one coordinate")
		default:
			o.equation(o.joints.Add("coupling", c.Name), terms, of, p)
		}
	}
}

// equated returns a coupling as Σ factor·x = p(y) over the terms, with y the coordinate of, as equation writes it. known is false if the
// file has not the joint of one of the coordinates.
func (o *writer) equated(c *model.Coupling) (terms []term, of coordinate, p []float64, known bool) {
	known = true
	right := c.Offset
	for _, t := range c.Terms {
		x, ok := o.named(t.Coupled)
		known = known && ok
		right -= t.Factor * x.zero
		terms = plus(terms, x, t.Factor)
	}
	p = []float64{right}
	if c.Polynomial != nil {
		var ok bool
		of, ok = o.named(c.Polynomial.Of)
		known = known && ok
		p = shifted(c.Polynomial.Coefficients, of.zero)
		p[0] += right
	}
	for len(p) > 1 && p[len(p)-1] == 0 {
		p = p[:len(p)-1]
	}
	if len(p) == 2 { // one more term
		terms = plus(terms, of, -p[1])
		p = p[:1]
	}
	return slices.DeleteFunc(terms, func(t term) bool { return t.factor == 0 }), of, p, known
}

// plus returns the terms with factor·x added.
func plus(terms []term, x coordinate, factor float64) []term {
	for k := range terms {
		if terms[k].name == x.name {
			terms[k].factor += factor
			return terms
		}
	}
	return append(terms, term{x, factor})
}

// equation writes Σ factor·x = p(y), with y the coordinate of; each coordinate is relative to the pose of the model.
func (o *writer) equation(name string, terms []term, of coordinate, p []float64) {
	first := attr("joint1", terms[0].name)
	coefficients := func(p []float64) string {
		list := make([]float64, 5)
		copy(list, p)
		return ` polycoef="` + o.Numbers(list...) + `"`
	}
	f := terms[0].factor
	switch {
	case len(terms) == 1:
		if len(p) > 1 {
			first += attr("joint2", of.name)
		}
		scaled := make([]float64, len(p))
		for k := range p {
			scaled[k] = p[k] / f
		}
		o.equal("joint", name, first+coefficients(scaled))
	case len(terms) == 2 && len(p) == 1:
		o.equal("joint", name, first+attr("joint2", terms[1].name)+coefficients([]float64{p[0] / f, -terms[1].factor / f}))
	default:
		ends := attr("tendon1", o.sum(name, terms...))
		if len(p) > 1 {
			ends += attr("tendon2", o.sum(name+" of", term{of, 1}))
		}
		o.equal("tendon", name, ends+coefficients(p))
	}
}

// sum writes a fixed tendon, whose length is the sum of the terms, and returns its name.
func (o *writer) sum(name string, terms ...term) string {
	name = o.tendons.Make(name)
	fmt.Fprintf(&o.tendon, "  <fixed name=\"%s\">", outline.Escaped(name))
	for _, t := range terms {
		fmt.Fprintf(&o.tendon, `<joint%s coef="%s"/>`, attr("joint", t.name), o.Numbers(t.factor))
	}
	o.tendon.WriteString("</fixed>\n")
	return name
}

// shifted returns the coefficients of p(x + z), by Horner's scheme.
func shifted(p []float64, z float64) []float64 {
	out := append([]float64(nil), p...)
	for k := range out {
		for i := len(out) - 2; i >= k; i-- {
			out[i] += z * out[i+1]
		}
	}
	return out
}

// constants writes constant motions as equalities.
func (o *writer) constants() {
	for i := range o.Model.Joints {
		j := &o.Model.Joints[i]
		for f, x := range j.Motion {
			if x == nil {
				continue
			}
			value, ok := constant(x)
			c, known := o.named(model.Coupled{Joint: j.Name, Freedom: f})
			if ok && known {
				o.equal("joint", o.joints.Make(j.Name+" motion"), attr("joint1", c.name)+` polycoef="`+o.Numbers(value-c.zero, 0, 0, 0, 0)+`"`)
				o.told[[2]int{i, f}] = true
			}
		}
	}
}

// constant returns the value of a constant motion; false for others.
func constant(m *model.Motion) (float64, bool) {
	switch m.Kind {
	case joints.Polynomial:
		if len(m.Coefficients) == 0 {
			return 0, true
		}
		for _, c := range m.Coefficients[1:] {
			if c != 0 {
				return 0, false
			}
		}
		return m.Coefficients[0], true
	case joints.Harmonic:
		return m.Offset, m.Amplitude == 0
	}
	return 0, false
}

// forces writes springs, dampers and cables as tendons, and wrenches that cancel weight as gravcomp of bodies. It marks
// these force elements in o.pulled, and reports their losses.
func (o *writer) forces() {
	for i := range o.Model.Forces {
		f := &o.Model.Forces[i]
		what := " of force " + fault.Name(f.Name)
		lose := func(part, why string) {
			o.Report.Drop(nil, part+what, why, "")
		}
		o.pulled[i] = true
		attrs := ""
		if f.Stiffness != 0 {
			attrs += ` stiffness="` + o.Numbers(f.Stiffness) + `"`
		}
		switch f.Type {
		case model.SpringDamper:
			if f.Spring != nil || f.Damper != nil {
				lose("tables and formulas", "the format has none")
			}
			if f.Damping != 0 {
				attrs += ` damping="` + o.Numbers(f.Damping) + `"`
			}
			attrs += ` springlength="` + o.Numbers(f.RestLength) + `"`
			o.pull(f, attrs, f.A, f.B)
		case model.CableForce:
			if f.Cable.Tension != 0 {
				lose("tension", "tendons of the format have none")
			}
			if f.Damping != 0 {
				lose("damping", "dampers of the format push, too")
			}
			o.pull(f, attrs+` springlength="`+o.Numbers(0, f.RestLength)+`"`, f.Cable.Points...)
		case model.Wrench:
			o.pulled[i] = o.lift(f)
		default:
			o.pulled[i] = f.Type == model.ActuatorForce // actuators writes or reports these
		}
	}
}

// pull writes a tendon through points of bodies.
func (o *writer) pull(f *model.ForceElement, attrs string, points ...model.Attachment) {
	var sites []string
	for k, p := range points {
		sites = append(sites, o.mark(p.Body, o.sites.Make(fmt.Sprintf("%s %d", f.Name, k+1)), assembly.Pose{R: p.Point, Q: spatial.IdentityQuat()}))
	}
	o.path(o.tendons.Add("force", f.Name), attrs, sites...)
}

// lift makes a wrench that cancels a fraction of the weight of a body a gravcomp of the body. It returns whether f is such a wrench.
func (o *writer) lift(f *model.ForceElement) bool {
	i := o.Bodies[f.A.Body]
	b := &o.Model.Bodies[i]
	g, force := spatial.Vec3(o.Model.Gravity), spatial.Vec3(f.Force)
	weight := g.Scale(b.Mass)
	if f.Torque != ([3]float64{}) || f.A.Point != b.Com || weight.Norm() == 0 || force.Norm() == 0 || o.weightless[i] != 0 {
		return false
	}
	scale := -force.Dot(weight) / weight.Dot(weight)
	const rounding = 1e-15
	if force.Add(weight.Scale(scale)).Norm() > rounding*force.Norm() {
		return false
	}
	o.weightless[i] = scale
	return true
}

// actuators writes motors for the forces and actuators of joints. Their controls are in the keyframe, as MJCF has no
// controls elsewhere.
func (o *writer) actuators() {
	first := true
	motor := func(kind, name, attrs string, control float64) {
		fmt.Fprintf(&o.motor, "  <%s name=\"%s\"%s/>\n", kind, outline.Escaped(name), attrs)
		o.control = append(o.control, control)
		if first {
			o.Report.Change(nil, "forces of joints and actuators", "the format has no constant forces", "they are actuators that the keyframe "+fault.Name(stateKey)+" controls; without it they exert nothing")
		}
		first = false
	}
	for i := range o.Model.Joints {
		j := &o.Model.Joints[i]
		for f, x := range j.Force {
			if c, ok := o.named(model.Coupled{Joint: j.Name, Freedom: f}); ok && x != 0 {
				motor("motor", o.motors.Make(c.name), attr("joint", c.name), x)
			}
		}
		if len(j.Force) >= 3 && !j.Kind().Scalar(0) && [3]float64(j.Force) != ([3]float64{}) {
			o.torque(i, motor)
		}
	}
	for i := range o.Model.Forces {
		f := &o.Model.Forces[i]
		if f.Type != model.ActuatorForce {
			continue
		}
		a := f.Actuator
		what := "actuator " + fault.Name(f.Name)
		value, _, _ := a.Value.Prepared().At(o.Model.Time)
		if _, ok := constant(a.Value); !ok {
			o.Report.Drop(nil, "the value of "+what, "it changes with time", "it stays what it is in the model's time")
		}
		c, ok := o.named(model.Coupled{Joint: a.Joint, Freedom: a.Freedom})
		if !ok || !algebra.Finite(value) {
			o.Report.Drop(nil, what, "the file has no coordinate for it, or its value is not finite", "")
			continue
		}
		kind, attrs := "motor", attr("joint", c.name)
		if a.Law != model.ActuatorTorque {
			bias := []float64{0, 0, -a.Gain}
			if a.Law == model.ActuatorPosition {
				bias = []float64{0, -a.Gain, -a.Damping}
			}
			kind = "general"
			attrs += ` biastype="affine" gainprm="` + o.Numbers(a.Gain) + `" biasprm="` + o.Numbers(bias...) + `"`
		}
		if a.Integral != 0 {
			o.Report.Drop(nil, "the integral of "+what, "the format has none", "")
		}
		if a.Limit != 0 {
			o.Report.Drop(nil, "the limit of "+what, "those of the format are sharp", "its force has none")
		}
		motor(kind, o.motors.Add("actuator", f.Name), attrs, value)
	}
}

// torque writes the constant torque on the ball of joint i, which is in axes of P, as a motor.
func (o *writer) torque(i int, motor func(kind, name, attrs string, control float64)) {
	j, s := &o.Model.Joints[i], o.tree.Standing[i]
	at := 0
	for k := range s.Row {
		if s.Row[k].Kind != assembly.Ball {
			at++
			continue
		}
		gear := outline.Of(j.PredecessorFrame).Dir(spatial.Vec3(j.Force[:3]))
		frame := "joint"
		if s.Back { // the child is the predecessor, on which the opposite torque acts
			gear = gear.Neg()
		} else { // the axes are fixed in the parent, and given by their directions in the child in the pose of the file
			frame = "jointinparent"
			gear = o.Pose(j.Successor).Inverse().Mul(o.Pose(j.Predecessor)).Dir(gear)
		}
		name := o.rows[i][at]
		motor("motor", o.motors.Make(name), attr(frame, name)+` gear="`+o.Numbers(gear[:]...)+` 0 0 0"`, 1)
	}
}
