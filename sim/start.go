package sim

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Start says how a run treats a first state that violates the joints by more than mechanism.HoldTolerance.
type Start uint8

// The ways to start.
const (
	Refuse Start = iota // Run returns an error that names the joint
	Close               // the Projector projects positions and velocities; Simulation.Moved says by how much
	AsItIs              // the state is used as it is, for tests of integrators or of Baumgarte
)

// NoProjector is the Projector of runs without projection, in which drift grows.
var NoProjector Projector = noProjector{}

type noProjector struct{}

func (noProjector) ClosePositions(*mechanism.State) error    { return nil }
func (noProjector) ProjectVelocities(*mechanism.State) error { return nil }

// Moved is the change of the first state by the Projector: the largest changes of a body.
type Moved struct {
	Length, Angle float64 // change of the frame's origin, m, and of the orientation, rad
	Speed, Turn   float64 // changes of the velocities, m/s and rad/s
}

// moves widens d by the differences between the states a and b.
func (d *Moved) moves(a, b *mechanism.State) {
	for i := range a.Bodies {
		x, y := &a.Bodies[i], &b.Bodies[i]
		d.Length = max(d.Length, y.Position.Sub(x.Position).Norm())
		d.Speed = max(d.Speed, y.Velocity.Sub(x.Velocity).Norm())
		d.Turn = max(d.Turn, y.Omega.Sub(x.Omega).Norm())
		q := y.Rotation.Mul(x.Rotation.Conj())
		d.Angle = max(d.Angle, 2*math.Atan2(spatial.Vec3{q[1], q[2], q[3]}.Norm(), math.Abs(q[0])))
	}
}

// startHolds returns an error on all ranks if the first state of a run violates the joints (mechanism.Mechanism.Holds).
func startHolds(c *closer, st *mechanism.State) error {
	err := c.mech.KinematicsTo(&c.kin, st)
	if err == nil {
		err = c.mech.HoldsIn(&c.kin, st, c.unit)
	}
	if err = c.ranks.agree(err); err != nil {
		return fault.Errorf("sim: start: %w", err)
	}
	return nil
}
