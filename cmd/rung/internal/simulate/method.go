package simulate

import (
	"fmt"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// mover is what moves a mechanism in time.
type mover struct {
	stepper   sim.Stepper
	projector sim.Projector // sim.NoProjector unless violations are projected away
	settings  string        // method, ordering and stabilization
}

// newMover returns the integrator of the flags with the method and the stabilization.
func (f *Flags) newMover(plan *kkt.Plan) (*mover, error) {
	m := &mover{settings: fmt.Sprintf("%v %v, %s", f.method, plan.Ordering(), f.stabilize)}
	var tol sim.Tolerance
	if !f.stepSet {
		tol.Relative = f.tol
	}
	mech := plan.Mechanism()
	if f.implicit() {
		n := motion.NewNewton(plan)
		m.stepper = sim.NewGeneralizedAlpha(mech, n, sim.GeneralizedAlphaOptions{
			Rho: f.rho, Annihilate: f.rho == 0, Tolerance: tol, Fixed: f.stepSet, RawVelocities: f.stabilize == none,
		})
		m.projectBy(n, f.stabilize)
		return m, nil
	}
	if f.balanced() {
		b, err := motion.NewBalance(plan, motion.BalanceOptions{})
		if err != nil {
			return nil, shell.Failed("", fault.Plain(err))
		}
		m.stepper = b
		m.projectBy(motion.NewDynamics(plan), f.stabilize)
		return m, nil
	}
	if f.rattles() {
		r, err := motion.NewRattle(plan, motion.RattleOptions{Tolerance: rattleTolerance})
		if err != nil {
			return nil, shell.Failed("", fault.Plain(err))
		}
		m.stepper = r
		m.projectBy(motion.NewDynamics(plan), f.stabilize)
		return m, nil
	}
	d, err := motion.New(plan, f.method.Method)
	if err != nil {
		return nil, err
	}
	dynamics := sim.Dynamics(d)
	if f.stabilize == baumgarte { // of the sparse method only, as checkFiles has seen
		dynamics = &sim.Baumgarte{Dynamics: d.(sim.StabilizedDynamics)}
	}
	m.stepper = sim.NewRungeKutta(mech, dynamics, f.tableau(), tol)
	m.projectBy(d, f.stabilize)
	return m, nil
}

// rattleTolerance is up to what steps of RATTLE close the joints:
// below sim.DefaultDrift, so that nothing is left to project.
const rattleTolerance = 0.1 * sim.DefaultDrift

// projectBy takes p for the projector if violations are projected away.
func (m *mover) projectBy(p sim.Projector, stab stabilizeFlag) {
	if m.projector = sim.NoProjector; stab == Projection {
		m.projector = p
	}
}
