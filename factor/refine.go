package factor

import (
	"math"

	"github.com/rung-mbd/rung/sparse"
)

// Limits of iterative refinement.
const (
	maxRefinements = 12
	targetError    = 1e-15 // predicted relative error of the +1 part at which refinement stops
)

// Refinement says how a refined solution came about.
type Refinement struct {
	Steps int     // corrections made after the first solve
	Error float64 // predicted relative error of the +1 part: last correction times contraction
}

// SolveRefinedTo solves K·x = b and stores the residual b − K·x in r, without the proximal term that is in the
// factor: x ← x + (K−E)⁻¹(b − K·x), each step a proximal-point iteration. On
// consistent redundant rows it tends to the multipliers of least norm in the
// metric of E.
//
// Errors are relative to the largest magnitude of the +1 part, or to floor where
// that is larger: what the part would be but for cancellation.
//
// It stops when the next correction is predicted to be below rounding, or when
// corrections no longer shrink; Refinement.Error then says how far it came.
//
// Shapes: m is the matrix of the last Factorize; x and b have Dim entries in
// the original order, as does r, and do not overlap.
// Cost: one solve and one product a step, no allocation.
// It panics on a foreign pattern, a length mismatch, or without a valid factor.
func (f *Factor) SolveRefinedTo(x, r, b []float64, m *sparse.Matrix, floor float64) Refinement {
	if m.P != f.S.P {
		panic("factor: foreign pattern")
	}
	f.SolveTo(x, b)
	if checks {
		assertDisjoint(x, r, b)
	}
	positive := int(m.P.Off[m.P.Positive()])
	last := maxAbs(x[:positive])
	m.ResidualTo(r, b, x)
	out := Refinement{Error: math.Inf(1)}
	for out.Steps < maxRefinements {
		step := f.addSolution(x, r, positive)
		out.Steps++
		m.ResidualTo(r, b, x)
		size := max(maxAbs(x[:positive]), floor)
		if math.IsNaN(step) || math.IsNaN(size) {
			out.Error = math.NaN()
			break
		}
		if step == 0 || step <= targetError*size {
			out.Error = 0
			break
		}
		shrink := max(step/last, f.Contraction)
		out.Error = step / size * min(shrink, 1)
		if out.Error <= targetError || shrink > 0.5 && out.Steps > 1 {
			break
		}
		last = step
	}
	return out
}

// maxAbs returns the largest magnitude in v, NaN if there is one.
func maxAbs(v []float64) (m float64) {
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	return m
}
