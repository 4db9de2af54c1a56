package algebra

import "math"

// Settling detects the convergence of a fixed-point iteration. Changes are relative to the iterated quantity.
type Settling struct{ last float64 } // last is the change of the last step

const (
	// settled is the relative change up to which the iteration has converged.
	settled = 1e-13
	// stirred is the largest relative change that may be rounding: a change up to it that is no smaller than the previous change
	// ends the iteration. Ill-conditioned equations give no better answer.
	stirred = 1e-9
)

// Begin prepares for the first step of an iteration.
func (s *Settling) Begin() { s.last = math.Inf(1) }

// Rests reports whether the iteration has converged, given the relative change of the step just done.
func (s *Settling) Rests(change float64) bool {
	rounding := change <= stirred && change >= s.last
	s.last = change
	return change <= settled || rounding
}
