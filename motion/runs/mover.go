package runs

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// Mover is an integrator with its projector.
type Mover struct {
	Stepper   sim.Stepper
	Projector sim.Projector // removes drift; sim.NoProjector without Projection
	Dynamics  string        // names of method, ordering and stabilization, for sim.Options.Dynamics
}

// NewMover returns the integrator and projector that the options choose, for a plan.
//
// It returns an *OptionError, a *StartError if the integrator cannot move the mechanism, and the errors of motion.New.
func NewMover(p *kkt.Plan, o *Options) (*Mover, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	m := &Mover{Dynamics: fmt.Sprintf("%v %v, %v", o.Method, p.Ordering(), o.Stabilization)}
	mech := p.Mechanism()
	var projector sim.Projector
	switch o.Integrator {
	case GeneralizedAlpha:
		if err := mech.Holonomic(); err != nil {
			return nil, &StartError{err}
		}
		n := motion.NewNewton(p)
		rho := o.Rho
		if rho == 0 && !o.Annihilate {
			rho = sim.DefaultRho
		}
		m.Stepper = sim.NewGeneralizedAlpha(mech, n, sim.GeneralizedAlphaOptions{
			Rho: rho, Annihilate: o.Annihilate, Tolerance: o.tolerance(), Fixed: o.Step > 0, RawVelocities: o.Stabilization == None,
		})
		projector = n
	case ForceBalance:
		b, err := motion.NewBalance(p, motion.BalanceOptions{})
		if err != nil {
			return nil, &StartError{err}
		}
		m.Stepper, projector = b, motion.NewDynamics(p)
	case Rattle:
		options := o.Rattle
		if options.Tolerance == 0 {
			options.Tolerance = rattleTolerance
		}
		r, err := motion.NewRattle(p, options)
		if err != nil {
			return nil, &StartError{err}
		}
		m.Stepper, projector = r, motion.NewDynamics(p)
	default:
		d, err := motion.New(p, o.Method)
		if err != nil {
			return nil, err
		}
		m.Stepper, projector = o.Explicit(mech, d), d
	}
	if m.Projector = sim.NoProjector; o.Stabilization == Projection {
		m.Projector = projector
	}
	return m, nil
}

// rattleTolerance is the tolerance to which steps of RATTLE close the joints if none is given:
// below sim.DefaultDrift, so that states never have to be projected.
const rattleTolerance = 0.1 * sim.DefaultDrift

// Explicit returns the explicit integrator that the options choose, for dynamics d that the caller supplies, such as the dynamics of a
// piece of a mechanism on a rank.
//
// It panics for implicit integrators, and for Baumgarte if d is no sim.StabilizedDynamics.
func (o *Options) Explicit(m *mechanism.Mechanism, d sim.Dynamics) *sim.RungeKutta {
	if o.Stabilization == Baumgarte {
		s, ok := d.(sim.StabilizedDynamics)
		if !ok {
			panic("motion/runs: dynamics without feedback of violations")
		}
		d = &sim.Baumgarte{Dynamics: s}
	}
	switch o.Integrator {
	case DormandPrince:
		return sim.NewRungeKutta(m, d, sim.DormandPrince(), o.tolerance())
	case RungeKutta4:
		return sim.NewRungeKutta(m, d, sim.RungeKutta4(), o.tolerance())
	}
	panic("motion/runs: no explicit integrator")
}

// tolerance returns the tolerance of steps by error control, and the zero value for fixed steps.
func (o *Options) tolerance() (t sim.Tolerance) {
	if o.Step == 0 {
		t.Relative = o.RelativeTolerance()
	}
	return t
}

// RelativeTolerance returns Tolerance, or the default of the integrator if that is 0; and 0 with a fixed step.
func (o *Options) RelativeTolerance() float64 {
	switch {
	case o.Step > 0:
		return 0
	case o.Tolerance > 0:
		return o.Tolerance
	case o.Integrator == GeneralizedAlpha:
		return AlphaTolerance
	}
	return sim.DefaultTolerance
}

// StartError wraps an error that prevents the start of a run: the mechanism cannot be moved by the integrator, or not from its first state.
type StartError struct{ Err error }

// Error returns the text of Err.
func (e *StartError) Error() string { return fault.Errorf("motion/runs: %w", e.Err).Error() }

// Unwrap returns Err.
func (e *StartError) Unwrap() error { return e.Err }
