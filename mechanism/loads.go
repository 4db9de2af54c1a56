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

// ErrMotionTime is wrapped by the error of an evaluation at a time at which a prescribed motion does not hold.
var ErrMotionTime = errors.New("mechanism: no prescribed motion at this time")

// Loads are the values of what acts on the bodies of a Mechanism. Those of the mechanism that
// New has made are the model's and never change; an Inputs has its own.
type Loads struct {
	Gravity spatial.Vec3 // m/s², world axes
	Forces  []ForceElement

	driveOf []int32 // of each joint: its number in drives, −1 for none; nil if there are no drives
	drives  []Drive
	own     []ownForce

	actuators []actuator
	contacts  []touching
	resistors []resistor
	bearings  []bearing
	bushings  []bushing
	cables    []cable
	laws      []*springs.Laws // of the force elements; nil if there are none
	zeros     []float64       // one an internal state
	open      bool            // they belong to Inputs, which may add drives and forces of one's own
	ruts      []TerrainRuts
}

// Drive holds the generalized forces along a joint's freedoms: the applied
// force, and −Stiffness·(q − Rest) − Damping·q̇ with what its Law adds. The
// rotations of a ball have no coordinate q and damping alone, of the components of
// the relative angular velocity in P's axes.
type Drive struct {
	Force, Stiffness, Damping, Rest [6]float64

	laws *driveLaws // nil: none
}

// Drive returns the drive of joint j, nil if it has none. It is to be read only, before Inputs change again.
func (l *Loads) Drive(j int) *Drive {
	if l.driveOf == nil || l.driveOf[j] < 0 {
		return nil
	}
	return &l.drives[l.driveOf[j]]
}

// Acts reports whether d, which may be nil, is more than zeros. A drive of zeros is the same as none.
func (d *Drive) Acts() bool {
	return d != nil && (d.laws != nil || d.Force != [6]float64{} || d.Stiffness != [6]float64{} || d.Damping != [6]float64{} || d.Rest != [6]float64{})
}

// addDrive returns the drive of joint j among n joints; a new one if it has none.
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

// HasApplied reports whether there is, or an Inputs may add, anything that AddAppliedTo adds.
func (l *Loads) HasApplied() bool {
	return len(l.drives) > 0 || len(l.Forces) > 0 || len(l.resistors) > 0 || l.open
}

// Unloaded returns a copy of m, with its motions, on which nothing acts but gravity.
//
// Cost: O(1). Inputs that change motions change those of the copy.
func (m *Mechanism) Unloaded() *Mechanism {
	out := *m
	out.Loads = &Loads{Gravity: m.Gravity}
	return &out
}

// CheckTime returns an error that wraps ErrNotFinite if the time of s is not finite, and one that wraps
// ErrMotionTime and names the joint or the actuator if a prescribed motion or a value does not hold then.
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

// NextKnot returns the first time after t at which a prescribed motion, or the value of an actuator, goes on with
// another polynomial (joints.Motion.NextKnot); +Inf if there is none.
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

// setSpan finds the times at which all motions hold.
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

// setNonholonomic fills the list of joints with rows of velocities alone.
func (m *Mechanism) setNonholonomic() {
	for j := range m.Joints {
		if from, to := m.Joints[j].Kind.VelocityRows(); from < to {
			m.nonholonomic = append(m.nonholonomic, int32(j))
		}
	}
}

// Nonholonomic lists the joints and couplings with rows of velocities alone (joints.Kind.VelocityRows, Coupling.Rates), in their order,
// by the numbers of ConstraintName. It is the mechanism's own.
func (m *Mechanism) Nonholonomic() []int32 { return m.nonholonomic }

// Holonomic returns an error that names the first joint or coupling with rows of velocities alone, nil if there is none. Methods call it
// that find poses by the rows of the joints.
//
// The error wraps ErrNonholonomic.
func (m *Mechanism) Holonomic() error {
	if len(m.nonholonomic) == 0 {
		return nil
	}
	return m.AtConstraint(int(m.nonholonomic[0]), -1, ErrNonholonomic)
}
