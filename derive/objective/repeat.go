package objective

import (
	"context"
	"slices"

	"github.com/rung-mbd/rung/motion/runs"
)

// past is what the last run has left for others that repeat it, and the steps that the next one repeats. Copies of a problem share it.
type past struct {
	ends    []float64 // of its steps; nil: they are fixed
	repeats []float64 // ends of the steps that the run takes; nil: it chooses them
	moves   bool      // corners or events, which move with the parameters, are taken out of its gradient
}

// giveSteps sets the options of a run from a time that repeats steps.
func (p *past) giveSteps(o *runs.Options, from float64) {
	if p.repeats != nil {
		o.Step, o.Tolerance = longest(from, p.repeats), 0 // a step to each end
	}
}

// runTo goes on to a time, with the steps that are repeated if there are any.
func (p *past) runTo(ctx context.Context, s *runs.Simulation, until float64) error {
	ends := p.repeats
	i, _ := slices.BinarySearch(ends, s.State().Time)
	for ; i < len(ends) && ends[i] < until; i++ {
		if err := s.RunContext(ctx, ends[i]); err != nil {
			return err
		}
	}
	return s.RunContext(ctx, until)
}

// longest returns the longest step of a run from a time with the given ends of steps.
func longest(from float64, ends []float64) (h float64) {
	for _, t := range ends {
		h, from = max(h, t-from), t
	}
	return h
}
