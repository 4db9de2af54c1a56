package sweep

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/study"
)

// Result is the result of one run.
type Result struct {
	Run        int       // its number in the study
	Parameters []float64 // in the order of the study
	Outputs    []float64 // in the order of the study; of a run that failed they are not defined
	// Rows are the rows over time: the time, s, and then the columns that the study keeps over time, in their
	// order. A run that failed has the rows before the failure.
	Rows [][]float64
	Err  error // why the run failed; nil: it has not

	Gradients   []float64 // of each output by each number of Study.Gradients; nil: there are none
	GradientErr error     // why a run that has been done has no gradients
	Doubts      string    // limits of the validity of the gradients, such as corners of forces or exponential growth; "": none
}

// kept collects the result of a run, row by row.
type kept struct {
	Result
	trajectories int            // columns over time, time left out
	outputs      []int          // the column of each output
	takes        []study.Output // the outputs
	any          bool           // there was a row
}

// newKept returns the result of a run before its first row.
func newKept(s *Sweep, run int, parameters []float64) *kept {
	return &kept{
		Result:       Result{Run: run, Parameters: slices.Clone(parameters), Outputs: make([]float64, len(s.study.Outputs))},
		trajectories: s.columns.Trajectories, outputs: s.columns.Outputs, takes: s.study.Outputs,
	}
}

// add updates the outputs by the values of a row, which begin with the time, and appends the row to the trajectories.
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
