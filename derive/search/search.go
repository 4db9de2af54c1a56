package search

import (
	"fmt"
	"math"
	"strings"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/internal/fault"
)

// Options are those of both searches. The zero value is the default.
type Options struct {
	// Iterations is the largest number of iterations; 0 stands for DefaultIterations.
	Iterations int
	// From are the iterates of a search for the same document that has been stopped; it goes on from the last one.
	From []Iteration
	// OnIteration is called after each iteration. The search ends with its error.
	OnIteration func(*Iteration) error
}

// DefaultIterations bounds the iterations of a search.
const DefaultIterations = 100

// Status says how a search has ended.
type Status string

// How searches end.
const (
	Converged Status = "converged" // no direction leads further down
	AtBounds  Status = "bounds"    // the same, with numbers at their bounds
	Limit     Status = "limit"     // of the number of iterations
	Stalled   Status = "stalled"   // no step leads further down, although the derivative says so, or one leads to where there is none
)

// Iteration is one iterate of a search.
type Iteration struct {
	Value    float64 `json:"value"`    // of what is made least
	Gradient float64 `json:"gradient"` // its size, of a scale that the search says
	Step     float64 `json:"step"`     // the size of the step from here, in the same scale; 0 at the end
	// Parameters are the values here, and Damping what the search goes on with.
	Parameters []float64 `json:"parameters"`
	Damping    float64   `json:"damping"`
}

// ProblemError says what the document does not allow a search to do.
type ProblemError struct {
	Name   string // of the term or of the parameter
	Reason string
}

// Error returns the name and the reason.
func (e *ProblemError) Error() string {
	if e.Name == "" {
		return "derive/search: " + e.Reason
	}
	return fmt.Sprintf("derive/search: %s %s", fault.Name(e.Name), e.Reason)
}

// reasonOf returns the first line of why a mechanism cannot be so.
func reasonOf(err error) string {
	text, _, _ := strings.Cut(fault.Plain(err).Error(), "\n")
	return text
}

// box are the bounds of parameters.
type box struct{ lo, hi []float64 }

// newBox returns the bounds of the parameters of a problem. It returns a *ProblemError if there is no parameter, bounds have no
// width, or a start is out of them.
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

// holds returns a *ProblemError if an iterate to go on from is none of a search within the bounds.
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

// clamp brings x to the nearest place within the bounds.
func (b *box) clamp(x []float64) {
	for k := range x {
		x[k] = min(max(x[k], b.lo[k]), b.hi[k])
	}
}

// at returns which bound x is at: −1 the least value, 1 the largest, 0 none.
func (b *box) at(k int, x float64) int {
	switch {
	case x <= b.lo[k]:
		return -1
	case x >= b.hi[k]:
		return 1
	}
	return 0
}

// sizes returns what changes of parameters are compared with: their values at the start, the widths of their bounds where these are zero,
// and 1 without.
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
