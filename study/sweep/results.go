package sweep

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/study"
)

// Result is what a run has given.
type Result struct {
	Run        int       // its number in the study
	Parameters []float64 // in the order of the study
	Outputs    []float64 // in the order of the study; of a run that failed they are not defined
	// Rows are the time, s, and the columns that the study keeps over time, in their order, at each row; of
	// a run that failed those before.
	Rows [][]float64
	Err  error // why the run failed; nil: it has not

	Gradients   []float64 // of each output by each number of Study.Gradients; nil: there are none
	GradientErr error     // why a run that has been done has no gradients
	Doubts      string    // what gradients hold for only: corners of forces, exponential growth; "": nothing of this
}

// kept is what the study keeps of the rows of a run.
type kept struct {
	Result
	trajectories int // columns over time, time left out
	outputs      []int
	takes        []study.Output
	any          bool
}

func newKept(s *Sweep, run int, parameters []float64) *kept {
	return &kept{
		Result:       Result{Run: run, Parameters: slices.Clone(parameters), Outputs: make([]float64, len(s.study.Outputs))},
		trajectories: s.columns.Trajectories, outputs: s.columns.Outputs, takes: s.study.Outputs,
	}
}

// add takes in the values of a row.
func (k *kept) add(_ *sim.Row, values []float64) error {
	for i, c := range k.outputs {
		x := values[1+c]
		switch {
		case !k.any || k.takes[i].Take == study.Final:
			k.Outputs[i] = x
		case k.takes[i].Take == study.Min:
			k.Outputs[i] = math.Min(k.Outputs[i], x)
		default:
			k.Outputs[i] = math.Max(k.Outputs[i], x)
		}
	}
	k.any = true
	if k.trajectories > 0 {
		k.Rows = append(k.Rows, slices.Clone(values[:1+k.trajectories]))
	}
	return nil
}
