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

// moves notes by how much b differs from a.
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

// startHolds returns an error if the first state of a run violates the joints.
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
