package mechanism

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
)

// HoldTolerance is the largest violation of the joints of a state that is used as one that they allow: in rad, and for lengths in
// units of DriftUnit. Velocities may violate them by as much times 1 + the largest rate of a body: rad/s, or units a
// second. States that were written with seven digits pass, and those that the integrators leave.
const HoldTolerance = 1e-6

// errViolated is wrapped by the error of what starts from a state that violates the joints.
var errViolated = errors.New("mechanism: state violates the joints")

// ViolationError says which joint or coupling of a state is violated most, in terms of the tolerance, and by how much.
type ViolationError struct {
	At        *Error    // names the joint or the coupling
	Violation Violation // of it
	Time      float64   // of the state, s
	Tolerance float64   // HoldTolerance
	Unit      float64   // of lengths, m: the tolerance of a length is Tolerance·Unit
	Rate      float64   // 1/s: tolerances of velocities are those of positions times Rate
}

// Error says all of it.
func (e *ViolationError) Error() string {
	v := &e.Violation
	text := ""
	for _, x := range [...]struct {
		size, unit float64
		of         string
	}{{v.Length, e.Unit, "m"}, {v.Angle, 1, "rad"}, {v.Speed, e.Rate * e.Unit, "m/s"}, {v.Turn, e.Rate, "rad/s"}} {
		if !(x.size <= e.Tolerance*x.unit) {
			text += fmt.Sprintf(", off by %.4g %s (tolerance %.2g)", x.size, x.of, e.Tolerance*x.unit)
		}
	}
	return fault.Errorf("mechanism: at t = %v: %w%s", e.Time, e.At, text).Error()
}

// Name returns the name of the joint or the coupling.
func (e *ViolationError) Name() string { return e.At.Joint + e.At.Coupling }

// Unwrap returns At.
func (e *ViolationError) Unwrap() error { return e.At }

// rateOf returns 1 + the largest rate of a body, 1/s: of turning, or of lengths in a unit.
func rateOf(s *State, unit float64) float64 {
	largest := 0.0
	for i := range s.Bodies {
		b := &s.Bodies[i]
		largest = max(largest, b.Omega.Norm(), b.Velocity.Norm()/unit)
	}
	return 1 + largest
}

// worst returns the joint or coupling with the largest violation at s, lengths in the given unit, m, and the violation.
// The number is that of a constraint, joints before couplings (NumConstraints); −1 if none is violated. Errors of
// positions and of velocities compete by their numbers, those of velocities relative to rate, 1 + the largest rate of a body.
// One that is no number is the worst. Velocities do not count if pose is set.
//
// Cost: O(bodies + joints), no allocation; k was computed at s.
func (m *Mechanism) worst(k *Kinematics, s *State, unit, rate float64, pose bool) (worst int, v Violation) {
	most := algebra.NewPeak(0)
	for i := range m.NumConstraints() {
		w := m.ConstraintViolation(i, k, s)
		if pose {
			w.Speed, w.Turn = 0, 0
		}
		p, r := w.In(unit)
		if most.Take(max(p, r/rate), i); most.At == i {
			v = w
		}
	}
	return most.At, v
}

// Holds returns a *ViolationError, which names the worst joint or coupling, if s violates one by
// more than HoldTolerance. Whatever starts from a state and goes on calls it; docs/conventions.md lists who does.
//
// Prescribed motions count: the state has their coordinates and rates at its time.
// Cost: O(bodies + joints), allocates. It returns ErrNotFinite with the name of the body. It panics if s is of another
// mechanism.
func (m *Mechanism) Holds(s *State) error {
	k := &Kinematics{Bodies: make([]BodyKinematics, m.NumBodies())}
	if err := m.KinematicsTo(k, s); err != nil {
		return err
	}
	return m.HoldsIn(k, s, m.DriftUnit())
}

// HoldsIn is Holds where k was computed at s, and lengths are in a unit, m.
//
// Cost: O(bodies + joints); allocates for an error alone.
func (m *Mechanism) HoldsIn(k *Kinematics, s *State, unit float64) error {
	return m.holdsIn(k, s, unit, false)
}

// PoseHoldsIn is HoldsIn for the positions alone. It is for statics, where motions stand still at the coordinates that
// they have at the time of s.
func (m *Mechanism) PoseHoldsIn(k *Kinematics, s *State, unit float64) error {
	return m.holdsIn(k, s, unit, true)
}

// holdsIn is Holds with lengths in units of unit, m. pose says that velocities do not count.
func (m *Mechanism) holdsIn(k *Kinematics, s *State, unit float64, pose bool) error {
	rate := rateOf(s, unit)
	i, v := m.worst(k, s, unit, rate, pose)
	if i < 0 {
		return nil
	}
	if p, r := v.In(unit); max(p, r/rate) <= HoldTolerance {
		return nil
	}
	return &ViolationError{At: m.AtConstraint(i, -1, errViolated), Violation: v, Time: s.Time, Tolerance: HoldTolerance, Unit: unit, Rate: rate}
}
