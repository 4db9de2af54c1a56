package motion

import (
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/sim"
)

// Mover is what a simulation needs of a mechanism: accelerations, how near a singular pose is, and states put
// back on the joints.
type Mover interface {
	sim.Gauge
	sim.ExactProjector
	sim.DriftProjector
}

var (
	_ Mover                  = (*Dynamics)(nil)
	_ Mover                  = (*Tree)(nil)
	_ sim.StabilizedDynamics = (*Dynamics)(nil)
)

// New returns a Dynamics of the plan, or a Tree for the other methods.
//
// It returns the errors of NewTree.
func New(p *kkt.Plan, m Method) (Mover, error) {
	if m == Sparse {
		return NewDynamics(p), nil
	}
	t, err := NewTree(p, m)
	if err != nil {
		return nil, err // no Mover that holds a nil
	}
	return t, nil
}
