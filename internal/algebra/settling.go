package algebra

import "math"

// Settling tells when an iteration by substitution has come to rest. Changes are relative to what is iterated.
type Settling struct{ last float64 }

const (
	// settled is a change that is none.
	settled = 1e-13
	// stirred is the change up to which one that is no smaller than the one before is rounding: equations that lose as many digits give
	// no better answer.
	stirred = 1e-9
)

// Begin begins an iteration.
func (s *Settling) Begin() { s.last = math.Inf(1) }

// Rests takes in the change of one step, and reports whether the next ones change nothing any more.
func (s *Settling) Rests(change float64) bool {
	rounding := change <= stirred && change >= s.last
	s.last = change
	return change <= settled || rounding
}
