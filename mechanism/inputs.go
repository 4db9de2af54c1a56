package mechanism

import (
	"errors"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// ErrInput is wrapped by the errors of the setters of Inputs.
var ErrInput = errors.New("mechanism: input refused")

// Inputs are the loads and motions of a mechanism in one workspace: gravity, the drives of the joints and their dry friction, the
// parameters of the force elements, the prescribed motions, user-defined forces, and the ground with its ruts. They start with the values
// of the model and may be changed between two computations; the shared mechanism does not change.
//
// All workspaces that are made for Mechanism, or for a plan that has been given the Inputs
// (kkt.Plan.With, tree.Plan.With), read the inputs whenever they compute. Inputs and these workspaces belong
// to one goroutine at a time; any number of Inputs of one mechanism may be used at once.
//
// Bodies and joints are shared with the mechanism unless Vary makes copies for the inputs.
//
// Inputs change values and not the structure of the mechanism: a freedom is prescribed, and has a spring,
// a damper or friction, only if it has so in the model. A setter that refuses a value returns an error that wraps ErrInput and names
// joint or force, freedom and value, and changes nothing. Setters panic if a joint or a
// force element is out of range. Their cost is O(1) unless they say otherwise. None allocates, except for the first
// force at a joint that has no drive in the model.
type Inputs struct {
	view  Mechanism // has its own Loads, and its own Joints if some are prescribed
	model *Mechanism
}

// NewInputs returns inputs with the values of m. If m is itself the Mechanism of Inputs, the new inputs belong to the same model and copy
// the current values and user-defined forces of m.
//
// Cost: O(joints + force elements); a copy of the joints if there are prescribed freedoms.
func (m *Mechanism) NewInputs() *Inputs {
	in := &Inputs{view: *m, model: m}
	if m.inputs != nil {
		in.model = m.inputs.model
	}
	v := &in.view
	v.Loads, v.inputs, v.span = m.Loads.clone(), in, new([2]float64)
	v.setRuts(m.Loads)
	if len(m.driven) > 0 {
		v.Joints = slices.Clone(m.Joints)
	}
	for _, j := range m.driven {
		own := *m.Joints[j].JointSpec
		motion := new([6]*joints.Motion)
		for i, was := range own.Motion {
			if was != nil {
				motion[i] = was.Prepared()
			}
		}
		own.Motion = motion
		v.Joints[j].JointSpec = &own
	}
	*v.span = *m.span
	if m.edition != nil {
		v.edition = nil
		in.Vary()
	}
	return in
}

// Mechanism returns the mechanism under these inputs.
func (in *Inputs) Mechanism() *Mechanism { return &in.view }

// Inputs returns the inputs whose Mechanism m is; nil for a mechanism with the values of its model.
func (m *Mechanism) Inputs() *Inputs { return m.inputs }

// Are reports whether the inputs belong to the same model as m.
func (in *Inputs) Are(m *Mechanism) bool {
	return in.model == m || m.inputs != nil && m.inputs.model == in.model
}

// Reset restores the values of the model, and removes all ruts from the
// ground. User-defined forces stay.
//
// Cost: O(joints + force elements), and the bodies after Vary; no allocation.
func (in *Inputs) Reset() {
	in.take(in.model)
	for i := range in.view.ruts {
		in.view.ruts[i].Ruts.Clear()
	}
	in.resetVaried()
}

// take copies the values of m, a mechanism of the same model, to in. User-defined forces, ruts, bodies and joints stay.
//
// Cost: O(joints + force elements); it allocates for drives that in does not have yet.
func (in *Inputs) take(m *Mechanism) {
	v := &in.view
	v.Gravity = m.Gravity
	copy(v.Forces, m.Forces)
	for i := range v.actuators {
		v.actuators[i].value.Set(m.actuators[i].value)
		v.actuators[i].start = m.actuators[i].start
	}
	copy(v.bushings, m.bushings)
	copy(v.cables, m.cables)
	copy(v.laws, m.laws)
	copy(v.resistors, m.resistors)
	clear(v.drives)
	for j := range m.driveOf {
		if d := m.Drive(j); d != nil {
			*in.drive(j) = *d
		}
	}
	for _, j := range m.driven {
		for i, motion := range m.Joints[j].Motion {
			if motion != nil {
				v.Joints[j].Motion[i].Set(motion)
			}
		}
	}
	*v.span = *m.span
}

// SetGravity sets the acceleration of gravity, m/s², world axes.
func (in *Inputs) SetGravity(g spatial.Vec3) error {
	if !finiteVec(&g) {
		return fault.Errorf("%w: gravity %v is not finite", ErrInput, g)
	}
	in.view.Gravity = g
	return nil
}

// SetForce sets the generalized force of freedom i of joint j, N or N m (Drive.Force).
func (in *Inputs) SetForce(j, i int, force float64) error {
	if err := in.check(j, i, "force", force); err != nil {
		return err
	}
	in.drive(j).Force[i] = force
	return nil
}

// SetStiffness sets the stiffness of scalar freedom i of joint j, N/m or N m/rad. In the model the freedom must have a
// stiffness or damping other than zero. An angle, except of a helical joint, must have a stiffness there, so that its
// turns are counted (State.Angles).
func (in *Inputs) SetStiffness(j, i int, stiffness float64) error {
	if err := in.checkSpring(j, i, "stiffness", stiffness); err != nil {
		return err
	}
	in.drive(j).Stiffness[i] = stiffness
	return nil
}

// SetDamping sets the damping of freedom i of joint j, N s/m or N m s/rad. In the
// model the freedom must have a stiffness or damping other than zero.
func (in *Inputs) SetDamping(j, i int, damping float64) error {
	if err := in.checkSpring(j, i, "damping", damping); err != nil {
		return err
	}
	in.drive(j).Damping[i] = damping
	return nil
}

// SetRest sets the coordinate at which the spring of scalar freedom i of joint j has no force, m or rad.
func (in *Inputs) SetRest(j, i int, rest float64) error {
	if err := in.checkSpring(j, i, "rest", rest); err != nil {
		return err
	}
	in.drive(j).Rest[i] = rest
	return nil
}

// SetMotion prescribes freedom i of joint j, which is prescribed in the model, by a copy of motion.
//
// Cost: O(coefficients or times), plus O(prescribed freedoms) if the old or the new motion is not defined at all times; no
// allocation if the freedom has had as many coefficients or times before. It panics if motion is nil.
func (in *Inputs) SetMotion(j, i int, motion *joints.Motion) error {
	if motion == nil {
		panic("mechanism: no motion")
	}
	if err := in.check(j, i, "motion", 0); err != nil {
		return err
	}
	v := &in.view
	jt := &v.Joints[j]
	if !jt.Prescribed(i) {
		return v.AtJoint(j, -1, fault.Errorf("%w: freedom %d is not prescribed in the model", ErrInput, i))
	}
	if err := motion.Check(); err != nil {
		return v.AtJoint(j, -1, fault.Errorf("%w: motion of freedom %d: %w", ErrInput, i, err))
	}
	always := holdsAlways(jt.Motion[i]) && holdsAlways(motion)
	jt.Motion[i].Set(motion)
	if !always {
		v.setSpan()
	}
	return nil
}

// SetActuator makes a copy of motion the value u(t) of actuator i. The integral part of a speed actuator then integrates the new
// value from the time of the model on.
//
// Cost: as SetMotion. It panics if the actuator is out of range or motion is nil.
func (in *Inputs) SetActuator(i int, motion *joints.Motion) error {
	v := &in.view
	if motion == nil {
		panic("mechanism: no motion")
	}
	if uint(i) >= uint(len(v.actuators)) {
		panic("mechanism: actuator out of range")
	}
	a := &v.actuators[i]
	if err := motion.Check(); err != nil {
		return v.AtForce(int(a.index), fault.Errorf("%w: value: %w", ErrInput, err))
	}
	always := holdsAlways(a.value) && holdsAlways(motion)
	t0 := in.model.initial.Time
	a.value.Set(motion)
	if a.law == model.ActuatorSpeed && a.integral != 0 {
		// Computed from the start of the model's actuator, so that rounding of earlier values does not add up.
		was := &in.model.actuators[i]
		a.start = was.start + (a.value.Integral(t0) - was.value.Integral(t0))
	}
	if !always {
		v.setSpan()
	}
	return nil
}

// holdsAlways reports whether a motion is defined at all times.
func holdsAlways(m *joints.Motion) bool {
	from, until := m.Span()
	return math.IsInf(from, -1) && math.IsInf(until, 1)
}

// SetWrench sets force, N, and torque, N m, of force element i, a wrench; world axes.
func (in *Inputs) SetWrench(i int, force, torque spatial.Vec3) error {
	v := &in.view
	e := in.element(i)
	switch {
	case e.Kind != model.Wrench:
		return v.AtForce(i, fault.Errorf("%w: it is a %v and no wrench", ErrInput, e.Kind))
	case !finiteVec(&force) || !finiteVec(&torque):
		return v.AtForce(i, fault.Errorf("%w: force %v or torque %v is not finite", ErrInput, force, torque))
	}
	e.Force, e.Torque = force, torque
	return nil
}

// SetSpringDamper sets stiffness, N/m, damping, N s/m, and rest length, m, of force element i, a
// spring-damper.
func (in *Inputs) SetSpringDamper(i int, stiffness, damping, restLength float64) error {
	v := &in.view
	e := in.element(i)
	switch {
	case e.Kind != model.SpringDamper:
		return v.AtForce(i, fault.Errorf("%w: it is a %v and no spring_damper", ErrInput, e.Kind))
	case !algebra.Finite(stiffness) || !algebra.Finite(damping) || !algebra.Finite(restLength):
		return v.AtForce(i, fault.Errorf("%w: stiffness %v, damping %v or rest length %v is not finite", ErrInput, stiffness, damping, restLength))
	}
	e.Stiffness, e.Damping, e.RestLength = stiffness, damping, restLength
	return nil
}

// element returns force element i.
func (in *Inputs) element(i int) *ForceElement {
	if uint(i) >= uint(len(in.view.Forces)) {
		panic("mechanism: force element out of range")
	}
	return &in.view.Forces[i]
}

// mustJoint panics unless there is a joint j.
func (m *Mechanism) mustJoint(j int) {
	if uint(j) >= uint(len(m.Joints)) {
		panic("mechanism: joint out of range")
	}
}

// drive returns the drive of joint j for a change, and adds it if the joint has none.
func (in *Inputs) drive(j int) *Drive { return in.view.addDrive(j, len(in.view.Joints)) }

// check returns an error if joint j has no freedom i, or if x is not finite; what names x in the error.
func (in *Inputs) check(j, i int, what string, x float64) error {
	v := &in.view
	v.mustJoint(j)
	switch kind := v.Joints[j].Kind; {
	case i < 0 || i >= kind.Freedoms():
		return v.AtJoint(j, -1, fault.Errorf("%w: %s of freedom %d, of which a %v joint has %d", ErrInput, what, i, kind, kind.Freedoms()))
	case !algebra.Finite(x):
		return v.AtJoint(j, -1, fault.Errorf("%w: %s %v of freedom %d is not finite", ErrInput, what, x, i))
	}
	return nil
}

// checkSpring is check for a parameter of a spring or damper: stiffness, damping or rest. It also returns an error if the freedom has no
// spring or damper in the model, or no coordinate for the parameter.
func (in *Inputs) checkSpring(j, i int, what string, x float64) error {
	if err := in.check(j, i, what, x); err != nil {
		return err
	}
	v := &in.view
	jt := &v.Joints[j]
	switch {
	case !jt.Kind.Scalar(i) && what != "damping":
		return v.AtJoint(j, -1, fault.Errorf("%w: %s %v of freedom %d, which has no scalar coordinate", ErrInput, what, x, i))
	case !v.Sprung(j, i):
		return v.AtJoint(j, -1, fault.Errorf("%w: %s %v of freedom %d, which has no stiffness or damping in the model", ErrInput, what, x, i))
	case what == "stiffness" && jt.Winds(i) && !jt.sprung.has(i):
		return v.AtJoint(j, -1, fault.Errorf("%w: stiffness %v of freedom %d, whose turns are not counted as it has none in the model", ErrInput, x, i))
	}
	return nil
}

// Sprung reports whether freedom i of joint j has a spring or a damper in the model. It panics if the joint is out of range.
func (m *Mechanism) Sprung(j, i int) bool {
	m.mustJoint(j)
	if m.inputs != nil {
		m = m.inputs.model
	}
	d := m.Drive(j)
	return d != nil && (d.springy(i) || d.Damping[i] != 0)
}

func finiteVec(v *spatial.Vec3) bool {
	return algebra.Finite(v[0]) && algebra.Finite(v[1]) && algebra.Finite(v[2])
}
