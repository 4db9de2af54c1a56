package motion

import (
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/sim"
)

// Mover has all that a simulation asks of a mechanism: accelerations, the nearness of a singular pose, and ways to bring states back to
// where the joints hold.
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

// New returns a Dynamics of the plan if m is Sparse. For the other methods it returns a Mover with their accelerations (RBDA §8.2–8.8),
// which leaves all else to a Dynamics: the nearness of a singular pose, and bringing states back to where the joints hold.
//
// Cost: as NewDynamics and NewTreeSolver, whose errors it returns.
func New(p *kkt.Plan, m Method) (Mover, error) {
	if m == Sparse {
		return NewDynamics(p), nil
	}
	t, err := newTree(p, m)
	if err != nil {
		return nil, err // and not t, which would be a Mover other than nil
	}
	return t, nil
}
