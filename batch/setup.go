package batch

import (
	"math"

	"github.com/rung-mbd/rung/kkt"
)

// setup is shared by a batch, its workers and its states. It does not change after New.
type setup struct {
	plan    *kkt.Plan
	options Options
	at      *variables
	why     string  // why all states are solved one by one; empty if they are solved in lanes
	drift   float64 // largest violation that is closed in lanes, m or rad
}

// driftPart is the largest violation after a step that is closed in lanes, relative to the unit of drifts
// of the mechanism.
const driftPart = 1e-2

// mustCount panics if n is negative or n states would take more than 2³⁷ numbers, 1 TiB.
func (s *setup) mustCount(n int) {
	if n < 0 {
		panic("batch: negative number of states")
	}
	if each := max(s.at.Length, 6*s.plan.Mechanism().NumBodies(), 1); n > min(1<<37, math.MaxInt)/each-lanes {
		panic("batch: too many states")
	}
}

// numAngles returns the number of angles of a state.
func (s *setup) numAngles() int {
	if s.options.Angles {
		return s.plan.Mechanism().NumAngles()
	}
	return s.plan.Mechanism().NumSprung()
}

// forcePlace returns the place in a state of force k of Options.Forces.
func (s *setup) forcePlace(k int) int { return s.at.first - len(s.options.Forces) + k }
