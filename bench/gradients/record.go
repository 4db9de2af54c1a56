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

// record is what one call has measured.
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

// diagram is a mechanism with what all programs did on it.
type diagram struct {
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	Bodies      int      `json:"bodies"`
	Joints      int      `json:"joints"`
	Coordinates int      `json:"coordinates"` // 0: the directions are random ones
	Directions  int      `json:"directions"`
	Results     []result `json:"results"`
}

// result is what one program did in one way. One with a failure has nothing else. A time of 0 says that it was not measured.
type result struct {
	Engine            string  `json:"engine"`
	Way               string  `json:"way"`
	Evaluation        float64 `json:"evaluation_seconds,omitempty"`
	AccelerationError float64 `json:"acceleration_error,omitempty"`
	Matrix            float64 `json:"matrix_seconds,omitempty"`
	MatrixError       float64 `json:"matrix_error,omitempty"`
	Step              float64 `json:"step,omitempty"` // of differences, the best of those tried
	Gradient          float64 `json:"gradient_seconds,omitempty"`
	GradientError     float64 `json:"gradient_error,omitempty"`
	Numbers           int     `json:"numbers,omitempty"` // by which the gradient is
	Failure           string  `json:"failure,omitempty"`
}

// again takes the least times of two rounds, and the larger errors: a program that iterates need not end at the same number. One
// that has failed in one round has failed.
func (r *result) again(x *result) {
	if r.Failure != "" || x.Failure != "" {
		*r = result{Engine: r.Engine, Way: r.Way, Failure: cmp.Or(r.Failure, x.Failure)}
		return
	}
	r.Evaluation, r.Matrix, r.Gradient = min(r.Evaluation, x.Evaluation), min(r.Matrix, x.Matrix), min(r.Gradient, x.Gradient)
	r.AccelerationError = max(r.AccelerationError, x.AccelerationError)
	r.MatrixError, r.GradientError = max(r.MatrixError, x.MatrixError), max(r.GradientError, x.GradientError)
}

// readRecord reads a record, and refuses what is none.
func readRecord(path string) (*record, error) { return beside.ReadRecord(path, decodeRecord) }

func decodeRecord(f io.Reader) (*record, error) {
	r := &record{}
	if err := beside.DecodeRecord(r, f); err != nil {
		return nil, err
	}
	return r, r.check()
}

// check refuses numbers that no measurement has.
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
