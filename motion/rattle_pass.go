package motion

import (
	"context"
	"errors"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/team"
)

const (
	// passLeft is the part of the errors of poses, in units of the angle of the fastest body in the step, that a correction
	// leaves next to a singular pose, at least: elsewhere it is one to two.
	passLeft = 3.0
	// passPart is the least part of the kinetic energy that a step may lose or gain where no pose is singular.
	// Where bodies turn by φ in a step, φ²/4 is allowed, which is far above what the rule of balance leaves, φ³/12.
	passPart = 1e-4
	// passSpell is the number of steps after a pass that are passes too, as the singular pose may be ahead of them still.
	passSpell = 2
	// passTol is the relative tolerance of a pass, far below what a step of RATTLE keeps.
	passTol = 1e-7
	// passWork is the largest number of evaluations of a pass. Over a singular pose it takes fifty to a hundred.
	passWork = 400
	// passFirst is the first step of a pass, as a part of the whole.
	passFirst = 1. / 8
)

// errPassWork ends a pass that takes too long.
var errPassWork = errors.New("motion: too many evaluations")

// pass does a step next to a singular pose as simulations with error control do it: by steps of the method of Dormand
// & Prince, with stages closed where that helps, and led over the pose (theory.md (50)). RATTLE has the directions of the
// joints' forces at either end only. Where they turn by much in the step, it does not close the joints, or loses energy.
func (r *Rattle) pass() error {
	r.held, r.known = false, false
	r.dyn.solver.SetAccuracy(0) // errors of a thousandth of a step's are no errors of a method of order 5
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

// heeding is a context that has ended when a watch has. Nothing can wait for it, so a simulation does not watch it in turn.
type heeding struct {
	context.Context
	watch *team.Watch
}

// Err implements context.Context.
func (h heeding) Err() error { return h.watch.Err() }
