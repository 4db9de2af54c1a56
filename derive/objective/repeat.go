package objective

import (
	"context"
	"slices"

	"github.com/rung-mbd/rung/motion/runs"
)

// past is what the last run has left for others that repeat it, and the steps that the next one repeats. Copies of a problem share it.
type past struct {
	ends    stepEnds // of its steps; nil: they are fixed
	repeats stepEnds // of the steps that the run takes; nil: it chooses them
	moves   bool     // corners or events, which move with the parameters, are taken out of its gradient
}

// stepEnds are the times of the ends of the steps of a run, s, ascending.
type stepEnds []float64

// give sets the options of a run from a time that takes these steps. Without any, it leaves them as they are.
func (e stepEnds) give(o *runs.Options, from float64) {
	if e != nil {
		o.Step, o.Tolerance = e.longest(from), 0 // a step to each end
	}
}

// runTo goes on to a time, by these steps if there are any.
func (e stepEnds) runTo(ctx context.Context, s *runs.Simulation, until float64) error {
	i, _ := slices.BinarySearch(e, s.State().Time)
	for ; i < len(e) && e[i] < until; i++ {
		if err := s.RunContext(ctx, e[i]); err != nil {
			return err
		}
	}
	return s.RunContext(ctx, until)
}

// longest returns the longest step of a run from a time.
func (e stepEnds) longest(from float64) (h float64) {
	for _, t := range e {
		h, from = max(h, t-from), t
	}
	return h
}
