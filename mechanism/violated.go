package mechanism

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
)

// HoldTolerance is the largest violation with which a state counts as satisfying the joints: in rad, and for lengths in
// units of DriftUnit. For velocities it is multiplied by 1 + the largest rate of a body, in rad/s or units per
// second. States that were written with seven digits satisfy it, and states that the integrators leave.
const HoldTolerance = 1e-6

// errViolated is wrapped by the error of a computation that starts from a state that violates the joints.
var errViolated = errors.New("mechanism: state violates the joints")

// ViolationError names the joint or coupling of a state with the largest violation relative to the tolerance.
type ViolationError struct {
	At        *Error    // names the joint or the coupling
	Violation Violation // violation of that joint or coupling
	Time      float64   // time of the state, s
	Tolerance float64   // HoldTolerance
	Unit      float64   // unit of lengths, m: the tolerance of a length is Tolerance·Unit
	Rate      float64   // 1/s: the tolerance of a velocity is the tolerance of the position times Rate
}

// Error names the time, the joint or coupling, and each violation that exceeds its tolerance.
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

// rateOf returns 1 + the largest rate of a body at s, 1/s: its angular velocity, or its velocity over unit (m).
func rateOf(s *State, unit float64) float64 {
	largest := 0.0
	for i := range s.Bodies {
		b := &s.Bodies[i]
		largest = max(largest, b.Omega.Norm(), b.Velocity.Norm()/unit)
	}
	return 1 + largest
}

// worst returns the number of the constraint with the largest violation at s, −1 if none is violated, and the violation.
// Joints come before couplings in the numbers (NumConstraints). Lengths are compared in the given unit, m, and errors of velocities
// relative to rate, 1 + the largest rate of a body. NaN counts as the largest. If pose is set, velocities do not count.
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
// more than HoldTolerance. Computations that start from a state call it; docs/conventions.md lists them.
//
// Prescribed motions count: the state must have their coordinates and rates at its time.
// Cost: O(bodies + joints), allocates. It also returns the errors of KinematicsTo. It panics if s is of another
// mechanism.
func (m *Mechanism) Holds(s *State) error {
	k := &Kinematics{Bodies: make([]BodyKinematics, m.NumBodies())}
	if err := m.KinematicsTo(k, s); err != nil {
		return err
	}
	return m.HoldsIn(k, s, m.DriftUnit())
}

// HoldsIn is Holds with kinematics k that were computed at s, and with the unit of lengths, m, in place of DriftUnit.
//
// Cost: O(bodies + joints); allocates for an error only.
func (m *Mechanism) HoldsIn(k *Kinematics, s *State, unit float64) error {
	return m.holdsIn(k, s, unit, false)
}

// PoseHoldsIn is HoldsIn for positions only. It is for statics, where prescribed freedoms are at rest at their coordinates
// at the time of s.
func (m *Mechanism) PoseHoldsIn(k *Kinematics, s *State, unit float64) error {
	return m.holdsIn(k, s, unit, true)
}

// holdsIn is HoldsIn, and PoseHoldsIn if pose is set.
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
