package motion

import (
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/sim"
)

// Mover gives a simulation all that it needs of a mechanism: accelerations, how near a singular pose is, and states put
// back on the joints.
type Mover interface {
	sim.Gauge
	sim.ExactProjector
	sim.DriftProjector
}

var (
	_ Mover                  = (*Dynamics)(nil)
	_ Mover                  = (*treeMover)(nil)
	_ sim.StabilizedDynamics = (*Dynamics)(nil)
)

// New returns a Dynamics of the plan, or for the other methods what has their accelerations (RBDA §8.2–8.8) and takes the rest
// from a Dynamics: how near a pose is to a singular one, and states put back on the joints.
//
// Cost: as NewDynamics and NewTreeSolver, whose errors it returns.
func New(p *kkt.Plan, m Method) (Mover, error) {
	if m == Sparse {
		return NewDynamics(p), nil
	}
	t, err := newTree(p, m)
	if err != nil {
		return nil, err // no Mover that holds a nil
	}
	return t, nil
}
