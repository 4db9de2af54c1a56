package main

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"github.com/rung-mbd/rung/bench/internal/beside"
)

// recordFormat is the name of the record's format.
const recordFormat = "rung-gradients/1"

// record has the results of one call of the command.
type record struct {
	Format   string          `json:"format"`
	Machine  beside.Host     `json:"machine"`
	Settings settings        `json:"settings"`
	Engines  []beside.Engine `json:"engines"`
	Cases    []diagram       `json:"cases"`
}

// settings are the flags that decide about the measurement.
type settings struct {
	Rounds int     `json:"rounds"`
	Enough float64 `json:"enough_seconds"` // of processor time for each figure in each round
}

// diagram is a mechanism with the results of all programs on it.
type diagram struct {
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	Bodies      int      `json:"bodies"`
	Joints      int      `json:"joints"`
	Coordinates int      `json:"coordinates"` // 0: the directions are random ones
	Directions  int      `json:"directions"`
	Results     []result `json:"results"`
}

// result is the result of one program in one way. A result with a failure has no numbers; a time of 0 was not measured.
type result struct {
	Engine            string  `json:"engine"`
	Way               string  `json:"way"`
	Evaluation        float64 `json:"evaluation_seconds,omitempty"`
	AccelerationError float64 `json:"acceleration_error,omitempty"`
	Matrix            float64 `json:"matrix_seconds,omitempty"`
	MatrixError       float64 `json:"matrix_error,omitempty"`
	Step              float64 `json:"step,omitempty"` // of differences, the best one tried
	Gradient          float64 `json:"gradient_seconds,omitempty"`
	GradientError     float64 `json:"gradient_error,omitempty"`
	Numbers           int     `json:"numbers,omitempty"` // count of inputs by which the gradient is taken
	Failure           string  `json:"failure,omitempty"`
}

// again merges the result x of another round into r: the lesser times and the larger errors, as a program that iterates need not end
// at the same numbers. A failure in one round is a failure of both.
func (r *result) again(x *result) {
	if r.Failure != "" || x.Failure != "" {
		*r = result{Engine: r.Engine, Way: r.Way, Failure: cmp.Or(r.Failure, x.Failure)}
		return
	}
	r.Evaluation, r.Matrix, r.Gradient = min(r.Evaluation, x.Evaluation), min(r.Matrix, x.Matrix), min(r.Gradient, x.Gradient)
	r.AccelerationError = max(r.AccelerationError, x.AccelerationError)
	r.MatrixError, r.GradientError = max(r.MatrixError, x.MatrixError), max(r.GradientError, x.GradientError)
}

// readRecord reads the record at path. It returns an error if the file has no valid record (check).
func readRecord(path string) (*record, error) { return beside.ReadRecord(path, decodeRecord) }

// decodeRecord reads and checks a record.
func decodeRecord(f io.Reader) (*record, error) {
	r := &record{}
	if err := beside.DecodeRecord(r, f); err != nil {
		return nil, err
	}
	return r, r.check()
}

// check returns an error for results that no measurement can have: without times, or with negative or infinite numbers.
func (r *record) check() error {
	if err := beside.IsFormat(r.Format, recordFormat); err != nil {
		return err
	}
	for i := range r.Cases {
		for k := range r.Cases[i].Results {
			x := &r.Cases[i].Results[k]
			good := x.Evaluation > 0 && (x.Matrix > 0 || x.Gradient > 0)
			for _, e := range [6]float64{x.Evaluation, x.Matrix, x.Gradient, x.AccelerationError, x.MatrixError, x.GradientError} {
				good = good && e >= 0 && !math.IsInf(e, 0)
			}
			if x.Failure == "" && !good {
				return fmt.Errorf("cases[%d].results[%d]: times %v, %v, %v s, errors %v, %v, %v", i, k,
					x.Evaluation, x.Matrix, x.Gradient, x.AccelerationError, x.MatrixError, x.GradientError)
			}
		}
	}
	return nil
}
