package runs

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// Mover is what moves a mechanism in time.
type Mover struct {
	Stepper   sim.Stepper
	Projector sim.Projector // sim.NoProjector unless drift is projected away
	Dynamics  string        // method, ordering and stabilization, as sim.Options.Dynamics has them
}

// NewMover returns the integrator of the options for a plan.
//
// It returns an *OptionError, a *StartError if the integrator cannot move the mechanism, and the errors of motion.New.
func NewMover(p *kkt.Plan, o *Options) (*Mover, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	m := &Mover{Dynamics: fmt.Sprintf("%v %v, %v", o.Method, p.Ordering(), o.Stabilization)}
	mech := p.Mechanism()
	var back sim.Projector
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
		back = n
	case ForceBalance:
		b, err := motion.NewBalance(p, motion.BalanceOptions{})
		if err != nil {
			return nil, &StartError{err}
		}
		m.Stepper, back = b, motion.NewDynamics(p)
	case Rattle:
		how := o.Rattle
		if how.Tolerance == 0 {
			how.Tolerance = rattleTolerance
		}
		r, err := motion.NewRattle(p, how)
		if err != nil {
			return nil, &StartError{err}
		}
		m.Stepper, back = r, motion.NewDynamics(p)
	default:
		d, err := motion.New(p, o.Method)
		if err != nil {
			return nil, err
		}
		m.Stepper, back = o.Explicit(mech, d), d
	}
	if m.Projector = sim.NoProjector; o.Stabilization == Projection {
		m.Projector = back
	}
	return m, nil
}

// rattleTolerance is up to what steps of RATTLE close the joints:
// below sim.DefaultDrift, so that nothing is left to project.
const rattleTolerance = 0.1 * sim.DefaultDrift

// Explicit returns the explicit integrator of the options for dynamics of one's own, such as those of a piece of a
// mechanism on a rank.
//
// It panics for the other integrators, and if the dynamics cannot be stabilized as the options say.
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

// tolerance is that of steps; none of fixed ones.
func (o *Options) tolerance() (t sim.Tolerance) {
	if o.Step == 0 {
		t.Relative = o.RelativeTolerance()
	}
	return t
}

// RelativeTolerance returns Tolerance, or what stands for it; 0 with a fixed step.
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

// StartError is wrapped around the error of a start: the mechanism cannot be run so, or not from this state.
type StartError struct{ Err error }

// Error says why.
func (e *StartError) Error() string { return fault.Errorf("motion/runs: %w", e.Err).Error() }

// Unwrap returns the error.
func (e *StartError) Unwrap() error { return e.Err }
