package mjcf

import (
	"fmt"
	"math"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// uncontrolled is the reason for dropping actuators if no keyframe has their controls.
const uncontrolled = "the value that controls it is not in the file; it exerts no force"

// actuatorKinds has the names of the elements for actuators.
var actuatorKinds = [...]string{
	"general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "orientation", "pid", "dcmotor",
}

// actuators reads the actuators, with the controls u of the chosen keyframe. An actuator exerts the force
// gain·u + b₀ + b₁·L + b₂·L̇ on the length L of its joint or tendon. Actuators of other kinds, and without controls, are dropped.
func (r *reader) actuators(root *xmltree.Node) {
	var list []*xmltree.Node
	for _, n := range sections(root, "actuator") {
		for _, c := range n.Children {
			if c.Name != "include" {
				list = append(list, c)
			}
		}
	}
	control, none := r.controls(root, list)
	for k, c := range list {
		why := none
		if control != nil {
			why = r.actuator(c, control[k])
		}
		if why != "" {
			c.Set(source.Dropped, why)
			for i := range c.Attrs {
				c.SetAttr(c.Attrs[i].Name, source.Dropped, "")
			}
		}
	}
}

// controls returns the controls of the actuators in the chosen keyframe, or nil and the reason for dropping all actuators.
func (r *reader) controls(root *xmltree.Node, list []*xmltree.Node) (control []float64, why string) {
	switch {
	case r.frames.chosen == nil && r.frames.controlled:
		return nil, "keyframes have values that control it, and --key takes none; it exerts no force"
	case r.frames.chosen == nil || !r.frames.chosen.Has("ctrl"):
		return nil, uncontrolled
	}
	kinds := map[string]bool{}
	for _, c := range list {
		kinds[c.Name] = true
	}
	for _, n := range sections(root, "default") {
		for _, name := range actuatorKinds {
			if others := len(kinds) > 1 || len(kinds) == 1 && !kinds[name]; others && n.Count(name) > 0 {
				return nil, "defaults of " + name + " change actuators of other kinds, which is not read; it exerts no force"
			}
		}
	}
	for _, n := range sections(root, "option") {
		if n.Has("actuatorgroupdisable") {
			return nil, "actuatorgroupdisable, which disables groups of actuators, is not read; it exerts no force"
		}
		for _, f := range n.Children {
			if f.Name == "flag" && f.Has("actuation") && r.Choice(f, "actuation", 1, "disable", "enable") == 0 {
				return nil, "the file disables actuators; it exerts no force"
			}
		}
	}
	if control = r.state(r.frames.chosen, "ctrl", len(list)); control == nil {
		return nil, uncontrolled // state has reported the wrong value
	}
	return control, ""
}

// drive is the force of an actuator, force + bias[0]·L + bias[1]·L̇, on the length L.
type drive struct {
	force    float64 // includes the control
	bias     [2]float64
	bound    float64 // largest magnitude of the force; 0: none
	constant bool    // the force does not depend on the length
}

// actuator reads an actuator with the control u. It returns the reason if it is dropped, else "".
func (r *reader) actuator(c *xmltree.Node, u float64) string {
	switch c.Name {
	case "motor", "position", "velocity", "general":
	default:
		return "actuators of the kind " + c.Name + " are not read"
	}
	e := r.element(c, c.Name, r.main)
	_, _ = c.Attr("name")
	for _, name := range strings.Fields(driveMore) {
		n := e.has(name)
		if n == nil {
			continue
		}
		if text, _ := n.Attr(name); text != "none" && text != "0" {
			return "what it does by its attribute " + name + " is not read"
		}
	}
	if x := r.numbers(e, "ctrlrange", 2, 2); r.limited(e, "ctrllimited", x) && x != nil {
		u = max(x[0], min(u, x[1]))
	}
	d, why := r.drive(e, u)
	if why != "" {
		return why
	}
	if x := r.numbers(e, "forcerange", 2, 2); r.limited(e, "forcelimited", x) && x != nil {
		if d.constant {
			d.force = max(x[0], min(d.force, x[1]))
		} else {
			d.bound = max(math.Abs(x[0]), math.Abs(x[1]))
		}
	}
	gear := 1.0
	if v := r.numbers(e, "gear", 1, 6); v != nil {
		gear = v[0]
	}
	return r.attach(e, d, gear)
}

// drive returns the force of an actuator with the control u, or the reason if it is not read.
func (r *reader) drive(e element, u float64) (d drive, why string) {
	switch e.kind {
	case "position":
		kp := r.number(e, "kp", 1)
		return drive{force: kp * u, bias: [2]float64{-kp, -r.number(e, "kv", 0)}}, ""
	case "velocity":
		kv := r.number(e, "kv", 1)
		return drive{force: kv * u, bias: [2]float64{0, -kv}}, ""
	case "general":
		gain, bias := r.numbers(e, "gainprm", 1, 10), r.numbers(e, "biasprm", 1, 10)
		switch {
		case r.text(e, "gaintype") != "" && r.text(e, "gaintype") != "fixed":
			return d, "a gain that is not fixed is not read"
		case len(bias) < 3 && e.setters("biasprm") > 1:
			return d, "a bias of which classes set other numbers is not read"
		}
		d.force, d.constant = u, true
		if gain != nil {
			d.force = gain[0] * u
		}
		switch r.text(e, "biastype") {
		case "", "none":
		case "affine":
			b := [3]float64{}
			copy(b[:], bias)
			d.force += b[0]
			d.bias = [2]float64{b[1], b[2]}
			d.constant = d.bias == [2]float64{}
		default:
			return d, "a bias that is not affine is not read"
		}
		return d, ""
	}
	return drive{force: u, constant: true}, ""
}

// setters returns how many elements, e itself and its classes of defaults, set an attribute.
func (e element) setters(name string) (n int) {
	if e.Has(name) {
		n++
	}
	for c := e.c; c != nil; c = c.up {
		if c.sets[e.kind][name] != nil {
			n++
		}
	}
	return n
}

// attach adds the force of a drive to the coordinate of the joint of e, or to the coordinates of its fixed tendon. It returns the reason
// if it cannot, else "". The length is gear·Σ coef·q, with coordinates q as in the file.
func (r *reader) attach(e element, d drive, gear float64) string {
	type end struct {
		at     place
		factor float64
	}
	var ends []end
	name := r.text(e, "joint")
	if name == "" {
		name = r.text(e, "jointinparent")
	}
	if name != "" {
		ends = []end{{r.joints[name], gear}}
		if _, ok := r.joints[name]; !ok {
			r.Refuse(e.Node, "joint", "does not exist: "+fault.Name(name))
			return ""
		}
	} else {
		tendon := r.text(e, "tendon")
		t, ok := r.tendons[tendon]
		switch {
		case tendon == "":
			return "it acts on no joint and on no tendon"
		case !ok:
			r.Refuse(e.Node, "tendon", "does not exist: "+fault.Name(tendon))
			return ""
		case !t.fixed:
			return "it pulls a tendon along a path"
		case len(t.terms) != 1 && !d.constant:
			return "its force follows a sum of several coordinates"
		}
		for _, x := range t.terms {
			name, _ := x.joint.Attr("joint")
			ends = append(ends, end{r.joints[name], gear * x.coef})
		}
	}
	for _, x := range ends {
		if x.at.joint < 0 || x.at.ball {
			return "it acts on a joint without a single coordinate"
		}
	}
	for _, x := range ends {
		a := &r.a.Joints[x.at.joint].Axes[x.at.axis]
		f := x.factor
		if d.constant {
			a.Force += f * d.force
			continue
		}
		of := drive{force: f * (d.force + d.bias[0]*f*x.at.ref), bias: [2]float64{f * f * d.bias[0], f * f * d.bias[1]}, bound: math.Abs(f) * d.bound}
		if why := r.servo(e, a, of); why != "" {
			return why
		}
	}
	return ""
}

// servo adds an actuator with the force of d on the coordinate of a to the model. It returns the reason if it cannot, else "".
func (r *reader) servo(e element, a *assembly.Axis, d drive) string {
	if a.Motion != nil {
		return "its coordinate is held at a value"
	}
	if d.bias[0] > 0 || d.bias[1] > 0 {
		return fmt.Sprintf("its force grows with the coordinate or the rate, by %g and %g; those of the model hold them", d.bias[0], d.bias[1])
	}
	name, _ := e.Attr("name")
	if name == "" {
		name = unnamed(e.Name, len(r.a.Servos))
	}
	if a.Coordinate == 0 {
		a.Coordinate = r.a.NewCoordinate()
	}
	s := assembly.Servo{At: e.Node, Name: name, Coordinate: a.Coordinate, Law: model.ActuatorPosition, Gain: -d.bias[0], Damping: -d.bias[1]}
	switch {
	case s.Gain != 0:
		s.Value = d.force / s.Gain
	case s.Damping != 0:
		s.Law, s.Gain, s.Damping = model.ActuatorSpeed, s.Damping, 0
		s.Value = d.force / s.Gain
	default: // the coefficient of the tendon is zero
		a.Force += d.force
		return ""
	}
	if d.bound > 0 {
		r.Report.Change(e.Node, "actuator "+fault.Name(name), "actuators of the model have no sharp largest force",
			fmt.Sprintf("that of the file, %g, is kept as a bound of the coordinate", d.bound))
		l := model.NoLimit()
		if a.Limit != nil {
			l = *a.Limit
		}
		if l.Force == 0 || d.bound < l.Force {
			l.Force = d.bound
		}
		a.Limit = &l
	}
	r.a.Servos = append(r.a.Servos, s)
	return ""
}
