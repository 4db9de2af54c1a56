package motion

import (
	"context"
	"errors"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/team"
)

const (
	// passLeft is the least part of the position errors that a correction leaves next to a singular pose, divided by the rotation of the
	// body that turns furthest in the step, rad. Elsewhere this ratio is one to two.
	passLeft = 3.0
	// passPart is the difference of balance, relative to the kinetic energy, that is always allowed where no pose is singular. Where bodies
	// turn by φ in a step, φ²/4 is allowed, far more than the error φ³/12 of the trapezoidal rule.
	passPart = 1e-4
	// passSpell is the number of steps after a pass that are passes too, as the singular pose may still be ahead of them.
	passSpell = 2
	// passTol is the relative tolerance of a pass, far below the error of a step of RATTLE.
	passTol = 1e-7
	// passWork is the largest number of evaluations of a pass. A pass over a singular pose takes fifty to a hundred.
	passWork = 400
	// passFirst is the first step inside a pass, relative to the whole step.
	passFirst = 1. / 8
)

// errPassWork ends a pass that takes too long.
var errPassWork = errors.New("motion: too many evaluations")

// pass does a step next to a singular pose as simulations with error control do: by shorter steps of the method of Dormand & Prince, with
// closed stages where that helps, and with a way over the pose (theory.md (50)). RATTLE has the directions of the joints' forces at the two
// ends only. Where these directions change by much in the step, it does not close the joints, or loses energy.
func (r *Rattle) pass() error {
	r.held, r.known = false, false
	r.dyn.solver.SetAccuracy(0) // a method of order 5 needs accelerations that are more accurate
	defer r.dyn.solver.SetAccuracy(r.opts.Accuracy)
	k := sim.NewRungeKutta(r.mech, r.dyn, sim.DormandPrince(), sim.Tolerance{Relative: passTol})
	s := sim.New(r.mech, k, &r.from, sim.Options{
		Projector: r.dyn, InitialStep: passFirst * (r.end.Time - r.from.Time),
		OnStep: func(*sim.Simulation) error {
			if k.Evaluations() > passWork {
				return errPassWork
			}
			return nil
		},
	})
	err := s.RunContext(heeding{context.Background(), r.dyn.drift.watch}, r.end.Time)
	r.stats.Evaluations += k.Evaluations()
	if err != nil {
		return fault.Errorf("motion: step from t = %v: next to a singular pose: %w", r.from.Time, err)
	}
	r.end.Angles = s.State().Angles
	copy(r.end.Bodies, s.State().Bodies)
	return nil
}

// heeding is a context whose Err is the error of a watch. It has no Done channel, so a simulation does not watch it in turn.
type heeding struct {
	context.Context
	watch *team.Watch
}

// Err implements context.Context.
func (h heeding) Err() error { return h.watch.Err() }
