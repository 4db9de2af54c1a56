package sim

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Start says what a run does with a first state that violates the joints by more than mechanism.HoldTolerance.
type Start uint8

// The ways to start.
const (
	Refuse Start = iota // an error that names the joint
	Close               // the Projector closes positions and velocities; Simulation.Moved says by how much
	AsItIs              // it is taken as it is, as a test of integrators or of Baumgarte may want
)

// NoProjector is the Projector of runs without one: drift stays, and grows.
var NoProjector Projector = noProjector{}

type noProjector struct{}

func (noProjector) ClosePositions(*mechanism.State) error    { return nil }
func (noProjector) ProjectVelocities(*mechanism.State) error { return nil }

// Moved is by how much the Projector has changed the first state: the largest changes of a body.
type Moved struct {
	Length, Angle float64 // of the frame's origin, m, and of the orientation, rad
	Speed, Turn   float64 // of the velocities, m/s and rad/s
}

// Moved returns by how much the first state has been changed; zeros before Run, and if it has been left as it was.
func (s *Simulation) Moved() Moved { return s.moved }

// mustProject panics unless the options say what becomes of drift, and makes NoProjector nil.
func (o *Options) mustProject(m *mechanism.Mechanism, stepper Stepper) {
	_, none := o.Projector.(noProjector)
	if none {
		o.Projector = nil
	}
	switch {
	case o.Start > AsItIs:
		panic("sim: option out of range")
	case o.Projector != nil:
		return
	case o.CloseStages || o.Start == Close:
		panic("sim: no projector")
	case none:
		return
	}
	if _, closes := stepper.(interface{ ClosesJoints() }); closes {
		if d, ok := stepper.(interface{ JointsDrift() bool }); !ok || !d.JointsDrift() {
			return
		}
	}
	for i := range m.NumConstraints() {
		if m.ConstraintRows(i) > 0 {
			panic("sim: joints drift without a projector; Options.Projector is sim.NoProjector for a run that lets them")
		}
	}
}

// startHolds returns an error if the first state violates the joints and is not to be closed or taken as it is.
func (s *Simulation) startHolds() error {
	if s.o.Start != Refuse {
		return nil
	}
	err := s.mech.KinematicsTo(&s.kin, s.st)
	if err == nil {
		err = s.mech.HoldsIn(&s.kin, s.st, s.unit)
	}
	if err = s.ranks.agree(err); err != nil {
		return fault.Errorf("sim: start: %w", err)
	}
	return nil
}

// noteMoved notes by how much b differs from a.
func (s *Simulation) noteMoved(a, b *mechanism.State) {
	d := &s.moved
	for i := range a.Bodies {
		x, y := &a.Bodies[i], &b.Bodies[i]
		d.Length = max(d.Length, y.Position.Sub(x.Position).Norm())
		d.Speed = max(d.Speed, y.Velocity.Sub(x.Velocity).Norm())
		d.Turn = max(d.Turn, y.Omega.Sub(x.Omega).Norm())
		q := y.Rotation.Mul(x.Rotation.Conj())
		d.Angle = max(d.Angle, 2*math.Atan2(spatial.Vec3{q[1], q[2], q[3]}.Norm(), math.Abs(q[0])))
	}
}
