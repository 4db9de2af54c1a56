package search

import (
	"fmt"
	"math"
	"strings"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/internal/fault"
)

// Options are the options of both searches. The zero value is the default.
type Options struct {
	// Iterations is the largest number of iterations; 0 stands for DefaultIterations.
	Iterations int
	// From are the iterates of a stopped search for the same document; the search continues at the last one.
	From []Iteration
	// OnIteration is called after each iteration. The search ends with its error.
	OnIteration func(*Iteration) error
}

// DefaultIterations is the default of Options.Iterations.
const DefaultIterations = 100

// Status says how a search ended.
type Status string

// The values of Status.
const (
	Converged Status = "converged" // the first-order conditions hold
	AtBounds  Status = "bounds"    // the same, with numbers at their bounds
	Limit     Status = "limit"     // the largest number of iterations was reached
	Stalled   Status = "stalled"   // no step decreases the value although its derivative says so, or the derivative does not exist
)

// Iteration is one iterate of a search.
type Iteration struct {
	Value      float64   `json:"value"`      // the function that is minimized
	Gradient   float64   `json:"gradient"`   // its size in the scale of the search (Fit, Optimize)
	Step       float64   `json:"step"`       // size of the step from here, in the same scale; 0 at the end
	Parameters []float64 `json:"parameters"` // values here
	Damping    float64   `json:"damping"`    // damping, or penalty, of the next step
}

// ProblemError says why a document does not allow a search.
type ProblemError struct {
	Name   string // name of the term or the parameter; "" for none
	Reason string
}

// Error returns the name and the reason.
func (e *ProblemError) Error() string {
	if e.Name == "" {
		return "derive/search: " + e.Reason
	}
	return fmt.Sprintf("derive/search: %s %s", fault.Name(e.Name), e.Reason)
}

// The argument slopes of functions that compute values, and derivatives if these are wanted.
const (
	valuesOnly = false
	withSlopes = true
)

// reasonOf returns the first line of an error.
func reasonOf(err error) string {
	text, _, _ := strings.Cut(fault.Plain(err).Error(), "\n")
	return text
}

// box holds the bounds of the parameters.
type box struct{ lo, hi []float64 }

// newBox returns the bounds of the parameters of a problem. It returns a *ProblemError if there is no parameter, or a parameter has bounds
// in the wrong order or a start outside of them.
func newBox(p *objective.Problem) (*box, error) {
	list, values := p.Objective().Parameters, p.Values()
	if len(list) == 0 {
		return nil, &ProblemError{Reason: "there are no parameters to search for"}
	}
	b := &box{}
	for k := range list {
		lo, hi := math.Inf(-1), math.Inf(1)
		if x := list[k].Bounds; x != nil {
			lo, hi = x[0], x[1]
		}
		switch x := values[k]; {
		case !(lo < hi):
			return nil, &ProblemError{list[k].Name, fmt.Sprintf("has a least value, %v, that is not below its largest, %v", lo, hi)}
		case !(x >= lo):
			return nil, &ProblemError{list[k].Name, fmt.Sprintf("is %v in the model, below its least value, %v", x, lo)}
		case !(x <= hi):
			return nil, &ProblemError{list[k].Name, fmt.Sprintf("is %v in the model, above its largest value, %v", x, hi)}
		}
		b.lo, b.hi = append(b.lo, lo), append(b.hi, hi)
	}
	return b, nil
}

// holds returns a *ProblemError if the iterate to continue at cannot belong to a search within the bounds.
func (b *box) holds(p *objective.Problem, at *Iteration) error {
	if !(at.Damping > 0) || math.IsInf(at.Damping, 1) {
		return &ProblemError{Reason: fmt.Sprintf("the last iterate to go on from has a damping of %v", at.Damping)}
	}
	for k, x := range at.Parameters {
		if !(x >= b.lo[k] && x <= b.hi[k]) {
			name := p.Objective().Parameters[k].Name
			return &ProblemError{name, fmt.Sprintf("is %v in the last iterate to go on from, outside of its bounds, %v and %v", x, b.lo[k], b.hi[k])}
		}
	}
	return nil
}

// clamp moves x to the nearest point within the bounds.
func (b *box) clamp(x []float64) {
	for k := range x {
		x[k] = min(max(x[k], b.lo[k]), b.hi[k])
	}
}

// at returns −1 if x is at the lower bound of parameter k, 1 if at its upper bound, else 0.
func (b *box) at(k int, x float64) int {
	switch {
	case x <= b.lo[k]:
		return -1
	case x >= b.hi[k]:
		return 1
	}
	return 0
}

// sizes returns the sizes of the parameters, to which their changes are relative: their values at the start x or, where these are zero, the
// widths of their bounds, or 1.
func (b *box) sizes(x []float64) []float64 {
	list := make([]float64, len(x))
	for k := range x {
		list[k] = math.Abs(x[k])
		if width := b.hi[k] - b.lo[k]; list[k] == 0 && !math.IsInf(width, 1) {
			list[k] = width
		}
		if list[k] == 0 {
			list[k] = 1
		}
	}
	return list
}
