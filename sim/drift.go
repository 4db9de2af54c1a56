package sim

import (
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/team"
)

// Drift is the violation of the joints by a state: the largest error of a
// row at position level (m, rad) and at velocity level (m/s, rad/s).
type Drift struct{ Position, Velocity float64 }

// DefaultDrift is the default of the largest drift that is not projected.
const DefaultDrift = 1e-10

// Closed reports whether st satisfies the joints to within DefaultDrift, lengths in
// units of mechanism.Mechanism.DriftUnit.
//
// Cost: O(bodies + joints); allocates.
func Closed(m *mechanism.Mechanism, st *mechanism.State) (bool, error) {
	k := newKinematics(m)
	v, err := driftOf(m, &k, st, nil)
	if err != nil {
		return false, err
	}
	return driftIn(&v, m.DriftUnit()).within(Drift{}.withDefaults()), nil
}

// withDefaults returns d with DefaultDrift for zeros. It panics if a value is negative or NaN.
func (d Drift) withDefaults() Drift {
	if !(d.Position >= 0 && d.Velocity >= 0) {
		panic("sim: drift out of range")
	}
	if d.Position == 0 {
		d.Position = DefaultDrift
	}
	if d.Velocity == 0 {
		d.Velocity = DefaultDrift
	}
	return d
}

// within reports whether d is at most tol.
func (d Drift) within(tol Drift) bool {
	return d.Position <= tol.Position && d.Velocity <= tol.Velocity
}

// widen replaces each field of d by the larger of the fields of d and e.
func (d *Drift) widen(e Drift) {
	d.Position, d.Velocity = max(d.Position, e.Position), max(d.Velocity, e.Velocity)
}

// project projects st onto the constraints. Positions are closed before velocities: where
// redundant joints are violated at position level, no velocities satisfy them all.
func project(p Projector, st *mechanism.State) error {
	if err := p.ClosePositions(st); err != nil {
		return fault.Errorf("sim: projection at t = %v: %w", st.Time, err)
	}
	if err := p.ProjectVelocities(st); err != nil {
		return fault.Errorf("sim: projection at t = %v: %w", st.Time, err)
	}
	return nil
}

// projectDrift returns the violation of st, and projects st if that is above
// tol. The projector may use its factors of the last accelerations.
func projectDrift(p DriftProjector, st *mechanism.State, tol Drift) (v mechanism.Violation, err error) {
	if v, err = p.ProjectDrift(st, tol.Position, tol.Velocity); err != nil {
		err = fault.Errorf("sim: projection at t = %v: %w", st.Time, err)
	}
	return v, err
}

// driftIn returns the drift of a violation with lengths in the given unit, m.
func driftIn(v *mechanism.Violation, unit float64) (d Drift) {
	d.Position, d.Velocity = v.In(unit)
	return d
}

// newKinematics returns storage without inertias.
func newKinematics(m *mechanism.Mechanism) mechanism.Kinematics {
	return mechanism.Kinematics{Bodies: make([]mechanism.BodyKinematics, m.NumBodies())}
}

// driftOf returns the violation of the joints by st. k is the kinematics of st afterwards.
//
// Cost: O(bodies + joints), no allocation. It returns the errors of KinematicsTo, and the cause for which the context of watch has ended.
func driftOf(m *mechanism.Mechanism, k *mechanism.Kinematics, st *mechanism.State, watch *team.Watch) (v mechanism.Violation, err error) {
	if err := m.KinematicsTo(k, st); err != nil {
		return v, fault.Errorf("sim: at t = %v: %w", st.Time, err)
	}
	for j := range m.NumConstraints() {
		if watch.Every(j) {
			return v, watch.Err()
		}
		w := m.ConstraintViolation(j, k, st)
		v.Widen(&w)
	}
	return v, nil
}

// exactly is a Projector that projects to rounding, by an ExactProjector.
type exactly struct{ p ExactProjector }

// ClosePositions implements Projector.
func (e *exactly) ClosePositions(st *mechanism.State) error {
	e.p.Exactly(true)
	err := e.p.ClosePositions(st)
	e.p.Exactly(false)
	return err
}

// ProjectVelocities implements Projector.
func (e *exactly) ProjectVelocities(st *mechanism.State) error {
	e.p.Exactly(true)
	err := e.p.ProjectVelocities(st)
	e.p.Exactly(false)
	return err
}
