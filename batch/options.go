package batch

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// ErrOptions is wrapped by the errors of New.
var ErrOptions = errors.New("batch: option refused")

// Options choose the numbers that states carry, and the number of goroutines. The zero value is the default.
type Options struct {
	// Threads is the number of goroutines of a Batch; 0 stands for 1. Results have the same bits for any number.
	Threads int
	// Wrenches says that states carry a wrench on each body (States.SetWrench).
	Wrenches bool
	// Forces are freedoms whose generalized forces states carry (States.SetForce), in place of the forces of the model.
	Forces []mechanism.Freedom
	// Angles says that states carry all angles, also without springs (mechanism.Mechanism.CarryAngles), and that
	// Rollout counts their turns at each step, which takes as long as a short step.
	Angles bool
	// Vary names the parameters of the model that differ from state to state.
	Vary Vary
	// Adjoint returns an Alone, which computes gradients of single states, for a plan with the inputs of a state. It enables
	// Batch.AdjointTo and Batch.BackTo; package derive/many has one. Bodies, joints and armature may not vary then.
	Adjoint func(p *kkt.Plan, forces []mechanism.Freedom) Alone
}

// Vary names the parameters of the model that differ from state to state. All others stay constants of the batch, at
// no cost.
type Vary struct {
	Bodies   []int               // mass, centre of mass and inertia (States.SetBody)
	Joints   []int               // frames in the bodies, and so lengths; length of a distance joint, pitch of a helical one (States.SetFrames, SetLength, SetPitch)
	Armature []mechanism.Freedom // of freedoms that have some in the model (States.SetArmature)
	Drives   []mechanism.Freedom // stiffness, damping and rest of freedoms that have a spring or damper in the model (States.SetDrive)
	Springs  []int               // stiffness, damping and rest length of force elements that are spring-dampers (States.SetSpring)
	Friction []mechanism.Freedom // dry friction of freedoms that have some in the model, of a ball at its first rotation (States.SetFriction)
}

// checkForces returns an error that wraps ErrOptions for the first freedom of Options.Forces that is refused.
func checkForces(m *mechanism.Mechanism, list []mechanism.Freedom) error {
	seen := map[mechanism.Freedom]bool{}
	for _, f := range list {
		if f.Joint < 0 || f.Joint >= m.NumJoints() {
			return fault.Errorf("%w: joint %d is out of range", ErrOptions, f.Joint)
		}
		jt := &m.Joints[f.Joint]
		var err error
		switch {
		case f.Freedom < 0 || f.Freedom >= jt.Kind.Freedoms():
			err = fmt.Errorf("%w: freedom %d is out of range, the joint has %d with a generalized force", ErrOptions, f.Freedom, jt.Kind.Freedoms())
		case jt.Prescribed(f.Freedom):
			err = fmt.Errorf("%w: freedom %d is prescribed", ErrOptions, f.Freedom)
		case seen[f]:
			err = fmt.Errorf("%w: freedom %d is given twice", ErrOptions, f.Freedom)
		}
		if err != nil {
			return fault.Errorf("batch: %w", m.AtJoint(f.Joint, -1, err))
		}
		seen[f] = true
	}
	return nil
}
