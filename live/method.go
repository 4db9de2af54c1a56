package live

import (
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// The number of steps of RATTLE a second depends on the size of the mechanism, the dimension of its KKT system.
const (
	leastRate, mostRate = 60, 1920
	// rateAtSize is the number of steps a second at the size rateSize, where the steps of a
	// ladder take about half of the time of a processor.
	rateSize, rateAtSize = 12000, 240
	// coarseSize is the size from which the tolerance of the joints is coarse instead of fine.
	coarseSize   = 5000
	fine, coarse = 1e-6, 1e-5
	// Three numbers are for mechanisms with redundant rows. Such rows contradict each other where the joints are violated,
	// and the accelerations then solve them in the sense of least squares. finest is the tolerance of the joints. known is the
	// relative error of the accelerations, in large mechanisms too: refinement down to rounding would take most of the time.
	// finestRate is the largest number of steps a second: large loose linkages turn small errors of poses into velocities,
	// which are the larger the shorter the steps are.
	finest     = 1e-8
	known      = 1e-6
	finestRate = 480
)

const (
	// implicitTol is the relative tolerance of generalized-α, and explicitTol the tolerance of Dormand & Prince. explicitDrift is the
	// violation of the joints from which that method projects: each projection costs several solves.
	implicitTol, explicitTol = 1e-3, 1e-5
	explicitDrift            = 1e-7
	// controlledWork is the cost of a step of these methods in steps of RATTLE. Large mechanisms have longer steps by it.
	controlledWork = 8
)

// method is the way in which a mechanism is moved.
type method struct {
	step    float64 // the step of RATTLE, or the longest step of the other methods, s
	even    bool    // steps of the other methods up to a time are equally long, so that implicit ones keep their matrix
	hand    float64 // the step that decides how stiff pulls are (hand.hold), s
	drift   float64 // the violation from which joints are projected; 0: sim.DefaultDrift
	stepper sim.Stepper
	project sim.Projector
	rattle  *motion.Rattle // nil: a method with error control
	text    string         // the method and its accuracy, for the pages
}

// newMethod chooses the method for runs that start from st: Dormand & Prince for rolling wheels, generalized-α for stiff
// mechanisms, else RATTLE.
func newMethod(p *kkt.Plan, st *mechanism.State) (*method, error) {
	m := p.Mechanism()
	size := p.Layout().Pattern.Dim()
	free := rateAtSize * rateSize / float64(max(size, 1))
	rate := rateIn(free, mostRate)
	tol, accuracy := fine, 0.0
	switch redundant, err := p.RedundantRows(st); {
	case err != nil:
		return nil, err
	case slices.ContainsFunc(redundant, func(n int) bool { return n > 0 }):
		tol, accuracy, rate = finest, known, min(rate, finestRate)
	case size >= coarseSize:
		tol, accuracy = coarse, known
	}
	switch controlled := rateIn(free/controlledWork, rateAtSize); {
	case m.Holonomic() != nil:
		return newExplicit(p, controlled)
	case stiff(p, st, 1/rate, free < mostRate):
		return newImplicit(p, controlled), nil
	}
	r, err := motion.NewRattle(p, motion.RattleOptions{Tolerance: tol, Accuracy: accuracy, Damp: true})
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("RATTLE of order 2, %g steps a second, joints closed to %g", rate, tol)
	if accuracy > 0 {
		text += fmt.Sprintf(", accelerations to %g", accuracy)
	}
	return &method{step: 1 / rate, hand: 1 / rate, stepper: r, rattle: r, text: text}, nil
}

// newImplicit returns generalized-α, with steps no longer than 1/rate.
func newImplicit(p *kkt.Plan, rate float64) *method {
	n := motion.NewNewton(p)
	k := sim.NewGeneralizedAlpha(p.Mechanism(), n, sim.GeneralizedAlphaOptions{Tolerance: sim.Tolerance{Relative: implicitTol}, Quick: true})
	return &method{step: 1 / rate, even: true, hand: 1. / rateAtSize, project: n, stepper: k,
		text: fmt.Sprintf("generalized-α, relative tolerance %g a step, %g steps a second at least", implicitTol, rate)}
}

// newExplicit returns the method of Dormand & Prince, with steps no longer than 1/rate. It is for wheels that roll without slip, for
// which implicit steps are not made.
func newExplicit(p *kkt.Plan, rate float64) (*method, error) {
	move, err := runs.NewMover(p, &runs.Options{Integrator: runs.DormandPrince, Tolerance: explicitTol})
	if err != nil {
		return nil, err
	}
	return &method{step: 1 / rate, hand: 1. / rateAtSize, drift: explicitDrift, project: move.Projector, stepper: move.Stepper,
		text: fmt.Sprintf("Dormand–Prince of order 5, relative tolerance %g a step, %g steps a second at least", explicitTol, rate)}, nil
}

// rateIn returns the largest leastRate·2ⁿ, n ≥ 0, that is not above rate, but at most most and at least leastRate.
func rateIn(rate, most float64) float64 {
	rate = math.Exp2(math.Floor(math.Log2(rate/leastRate))) * leastRate
	return min(max(rate, leastRate), most)
}

// options returns the options of a simulation from st, in which the stops that have impulses are armed.
func (d *method) options(p *kkt.Plan, st *mechanism.State) (sim.Options, error) {
	o := sim.Options{Projector: sim.NoProjector, Step: d.step, OpenStages: true}
	if d.rattle != nil {
		return o, nil
	}
	o = sim.Options{
		MaxStep: 1.01 * d.step, // so that a frame that rounding makes longer has no step more
		Even:    d.even, Quick: true, Projector: d.project, Drift: sim.Drift{Position: d.drift, Velocity: d.drift},
	}
	if stops, samples := runs.NewStops(p, nil); samples > 1 {
		if err := stops.Arm(st); err != nil {
			return o, err
		}
		o.Events, o.EventSamples = stops.Events(), samples
	}
	return o, nil
}
