package mechanism

import (
	"errors"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// ErrMotionTime is wrapped by the error of an evaluation at a time at which a prescribed motion is not defined.
var ErrMotionTime = errors.New("mechanism: no prescribed motion at this time")

// Loads are the loads on the bodies of a Mechanism: gravity, force elements, drives, friction and stops. The
// loads of a mechanism made by New are the model's and never change; Inputs have their own.
type Loads struct {
	Gravity spatial.Vec3 // m/s², world axes
	Forces  []ForceElement

	driveOf []int32 // for each joint, its index in drives, −1 for none; nil if there are no drives
	drives  []Drive
	own     []ownForce

	actuators []actuator
	contacts  []touching
	resistors []resistor
	bearings  []bearing
	bushings  []bushing
	cables    []cable
	laws      []*springs.Laws // for each force element; nil if there are none
	zeros     []float64       // a zero for each internal state
	open      bool            // the loads belong to Inputs, which may add drives and user-defined forces
	ruts      []TerrainRuts
}

// Drive holds the generalized forces of a joint's freedoms: the applied
// force, and −Stiffness·(q − Rest) − Damping·q̇, plus the force of its Law. The
// rotations of a ball have no coordinate q. They have damping alone, and their q̇ are the components of
// the relative angular velocity in P's axes.
type Drive struct {
	Force, Stiffness, Damping, Rest [6]float64

	laws *driveLaws // nil if there are none
}

// Drive returns the drive of joint j, nil if it has none. The caller may only read it, and only until Inputs change again.
func (l *Loads) Drive(j int) *Drive {
	if l.driveOf == nil || l.driveOf[j] < 0 {
		return nil
	}
	return &l.drives[l.driveOf[j]]
}

// Acts reports whether d, which may be nil, has a law or a number other than zero. A drive of zeros has no effect.
func (d *Drive) Acts() bool {
	return d != nil && (d.laws != nil || d.Force != [6]float64{} || d.Stiffness != [6]float64{} || d.Damping != [6]float64{} || d.Rest != [6]float64{})
}

// addDrive returns the drive of joint j, and adds it if there is none; n is the number of joints.
func (l *Loads) addDrive(j, n int) *Drive {
	if l.driveOf == nil {
		l.driveOf = make([]int32, n)
		for i := range l.driveOf {
			l.driveOf[i] = -1
		}
	}
	if l.driveOf[j] < 0 {
		l.driveOf[j] = int32(len(l.drives))
		l.drives = append(l.drives, Drive{})
	}
	return &l.drives[l.driveOf[j]]
}

// HasApplied reports whether there are forces that AddAppliedTo adds, or Inputs may add some.
func (l *Loads) HasApplied() bool {
	return len(l.drives) > 0 || len(l.Forces) > 0 || len(l.resistors) > 0 || l.open
}

// Unloaded returns a copy of m without loads but gravity. It shares the prescribed motions of m: if Inputs change them, they change in
// the copy too.
//
// Cost: O(1).
func (m *Mechanism) Unloaded() *Mechanism {
	out := *m
	out.Loads = &Loads{Gravity: m.Gravity}
	return &out
}

// CheckTime returns an error that wraps ErrNotFinite if the time of s is not finite. If a prescribed motion, or the value of an
// actuator, is not defined at that time, it returns an error that wraps ErrMotionTime and names the joint or the actuator.
//
// Cost: O(1), no allocation without an error.
func (m *Mechanism) CheckTime(s *State) error {
	if t := s.Time; t >= m.span[0] && t <= m.span[1] {
		return nil
	}
	if !algebra.Finite(s.Time) {
		return fault.Errorf("%w: time", ErrNotFinite)
	}
	for _, j := range m.driven {
		jt := &m.Joints[j]
		for i := range jt.Kind.Freedoms() {
			if !jt.Prescribed(i) {
				continue
			}
			if from, until := jt.Motion[i].Span(); !(s.Time >= from && s.Time <= until) {
				return m.AtJoint(int(j), -1, fault.Errorf("%w: that of freedom %d is from %v to %v s, the time is %v s", ErrMotionTime, i, from, until, s.Time))
			}
		}
	}
	for i := range m.actuators {
		a := &m.actuators[i]
		if from, until := a.value.Span(); !(s.Time >= from && s.Time <= until) {
			return m.AtForce(int(a.index), fault.Errorf("%w: its value is from %v to %v s, the time is %v s", ErrMotionTime, from, until, s.Time))
		}
	}
	return nil
}

// NextKnot returns the first time after t at which another polynomial of a prescribed motion, or of the value of an actuator,
// begins (joints.Motion.NextKnot); +Inf if there is none.
//
// Cost: O(prescribed freedoms), with the logarithm of the times of each; no allocation.
func (m *Mechanism) NextKnot(t float64) float64 {
	next := math.Inf(1)
	for _, j := range m.driven {
		jt := &m.Joints[j]
		for i := range jt.Kind.Freedoms() {
			if jt.Prescribed(i) {
				next = min(next, jt.Motion[i].NextKnot(t))
			}
		}
	}
	for i := range m.actuators {
		next = min(next, m.actuators[i].value.NextKnot(t))
	}
	return next
}

// setDriven lists the joints with prescribed freedoms.
func (m *Mechanism) setDriven() {
	m.driven = nil
	for j := range m.Joints {
		if m.Joints[j].Motion != nil {
			m.driven = append(m.driven, int32(j))
		}
	}
}

// setSpan computes the range of times at which all motions are defined.
func (m *Mechanism) setSpan() {
	from, until := -math.MaxFloat64, math.MaxFloat64
	for _, j := range m.driven {
		jt := &m.Joints[j]
		for i := range jt.Kind.Freedoms() {
			if jt.Prescribed(i) {
				a, b := jt.Motion[i].Span()
				from, until = max(from, a), min(until, b)
			}
		}
	}
	for i := range m.actuators {
		a, b := m.actuators[i].value.Span()
		from, until = max(from, a), min(until, b)
	}
	*m.span = [2]float64{from, until}
}

// clone returns a copy of l for an Inputs.
func (l *Loads) clone() *Loads {
	out := &Loads{Gravity: l.Gravity, Forces: slices.Clone(l.Forces), driveOf: slices.Clone(l.driveOf), drives: slices.Clone(l.drives), open: true}
	out.contacts, out.zeros = l.contacts, l.zeros
	out.resistors, out.bearings = slices.Clone(l.resistors), l.bearings
	out.bushings, out.cables, out.laws = slices.Clone(l.bushings), slices.Clone(l.cables), slices.Clone(l.laws)
	out.actuators = slices.Clone(l.actuators)
	for i := range out.actuators {
		out.actuators[i].value = l.actuators[i].value.Prepared()
	}
	for i := range l.own {
		o := &l.own[i]
		out.own = append(out.own, newOwnForce(o.name, o.force, o.body))
	}
	return out
}

// ErrNonholonomic is wrapped by the error of Holonomic.
var ErrNonholonomic = errors.New(
	"mechanism: rolling without slip and no_slip demand velocities, not poses, and this method is for poses alone")

// setNonholonomic lists the joints with rows that constrain velocities alone.
func (m *Mechanism) setNonholonomic() {
	for j := range m.Joints {
		if from, to := m.Joints[j].Kind.VelocityRows(); from < to {
			m.nonholonomic = append(m.nonholonomic, int32(j))
		}
	}
}

// Nonholonomic returns the joints and couplings with rows that constrain velocities alone (joints.Kind.VelocityRows, Coupling.Rates), in
// increasing order, by the numbers of ConstraintName. The list must not be changed.
func (m *Mechanism) Nonholonomic() []int32 { return m.nonholonomic }

// Holonomic returns an error that wraps ErrNonholonomic and names the first joint or coupling with rows that constrain velocities alone,
// or nil if there is none. Methods that find poses from the rows of the joints call it.
func (m *Mechanism) Holonomic() error {
	if len(m.nonholonomic) == 0 {
		return nil
	}
	return m.AtConstraint(int(m.nonholonomic[0]), -1, ErrNonholonomic)
}
