package sim

import (
	"fmt"

	"github.com/rung-mbd/rung/mechanism"
)

// Drift is how far a state is from satisfying the joints: the largest error of a
// row at position level (m, rad) and at velocity level (m/s, rad/s).
type Drift struct{ Position, Velocity float64 }

// DefaultDrift is the drift that is left alone where nothing else is said.
const DefaultDrift = 1e-10

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

// widen makes d the larger of d and e.
func (d *Drift) widen(e Drift) {
	d.Position, d.Velocity = max(d.Position, e.Position), max(d.Velocity, e.Velocity)
}

// project brings st back to the constraints. Velocities alone would not do: where
// redundant joints are violated at position level, none satisfy them all.
func project(p Projector, st *mechanism.State) error {
	if err := p.ClosePositions(st); err != nil {
		return fmt.Errorf("sim: projection at t = %v: %w", st.Time, err)
	}
	if err := p.ProjectVelocities(st); err != nil {
		return fmt.Errorf("sim: projection at t = %v: %w", st.Time, err)
	}
	return nil
}

// projectDrift measures st and brings it back to the constraints if it is off by more than tol,
// with what the projector has at hand.
func projectDrift(p DriftProjector, st *mechanism.State, tol Drift) (d Drift, err error) {
	d.Position, d.Velocity, err = p.ProjectDrift(st, tol.Position, tol.Velocity)
	if err != nil {
		err = fmt.Errorf("sim: projection at t = %v: %w", st.Time, err)
	}
	return d, err
}

// newKinematics returns storage without inertias.
func newKinematics(m *mechanism.Mechanism) mechanism.Kinematics {
	return mechanism.Kinematics{Bodies: make([]mechanism.BodyKinematics, m.NumBodies())}
}

// driftOf measures st; k is that of st afterwards.
//
// Cost: O(bodies + joints), no allocation.
func driftOf(m *mechanism.Mechanism, k *mechanism.Kinematics, st *mechanism.State) (d Drift, err error) {
	if err := m.KinematicsTo(k, st); err != nil {
		return d, fmt.Errorf("sim: at t = %v: %w", st.Time, err)
	}
	for j := range m.Joints {
		p, v := m.Residuals(j, k, st)
		d.widen(Drift{p, v})
	}
	return d, nil
}
