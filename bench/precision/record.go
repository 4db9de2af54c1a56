package main

import (
	"fmt"
	"io"
	"math"

	"github.com/rung-mbd/rung/bench/internal/beside"
)

// recordFormat is the name of the record's format.
const recordFormat = "rung-precision/1"

// record has the results of one call of the command.
type record struct {
	Format     string          `json:"format"`
	Machine    beside.Host     `json:"machine"`
	Settings   settings        `json:"settings"`
	Engines    []beside.Engine `json:"engines"`
	Mechanisms []diagram       `json:"mechanisms"`
}

// settings are the flags that decide about the measurement.
type settings struct {
	Rounds  int     `json:"rounds"`
	Longest float64 `json:"longest_seconds"`
	Samples int     `json:"samples"`
}

// diagram is a mechanism with the results of all integrators.
type diagram struct {
	Name      string   `json:"name"`
	Title     string   `json:"title"`
	Bodies    int      `json:"bodies"`
	Joints    int      `json:"joints"`
	Seconds   float64  `json:"seconds"` // of motion
	Body      string   `json:"body"`    // carries the reference point
	Reference string   `json:"reference"`
	Vouched   float64  `json:"reference_error"` // estimate, relative to Scale like run.Error
	Scale     float64  `json:"scale"`           // m, to which errors are relative
	Longest   float64  `json:"longest_seconds"` // processor time from which on a run is the finest of its integrator
	Series    []series `json:"series"`
}

// series has the runs of one integrator, from coarse to fine.
type series struct {
	Engine     string `json:"engine"`
	Integrator string `json:"integrator"`
	By         string `json:"by"` // tolerance or step
	Settings   string `json:"settings,omitempty"`
	Runs       []run  `json:"runs"`
	Ended      string `json:"ended"` // reason for which there is no finer run
}

// run is the result of one run. A run with a Failure has no other results.
type run struct {
	At      float64 `json:"at"` // tolerance, or step in s
	Steps   int64   `json:"steps,omitempty"`
	Seconds float64 `json:"processor_seconds,omitempty"`
	Error   float64 `json:"error,omitempty"`
	Failure string  `json:"failure,omitempty"`
}

// name returns the name of the series in legends and tables.
func (s *series) name() string { return s.Engine + ", " + s.Integrator }

// least returns the run with an error of at most e that takes the least time; nil if there is none.
func (s *series) least(e float64) (best *run) {
	for i := range s.Runs {
		if r := &s.Runs[i]; r.Failure == "" && r.Error <= e && (best == nil || r.Seconds < best.Seconds) {
			best = r
		}
	}
	return best
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

// check returns an error for runs that no measurement can have: without a time or a setting, or with a negative or infinite error.
func (r *record) check() error {
	if err := beside.IsFormat(r.Format, recordFormat); err != nil {
		return err
	}
	for i := range r.Mechanisms {
		m := &r.Mechanisms[i]
		for k := range m.Series {
			s := &m.Series[k]
			for n := range s.Runs {
				x := &s.Runs[n]
				if ok := x.Seconds > 0 && x.Error >= 0 && !math.IsInf(x.Error, 0); x.Failure == "" && !ok || !(x.At > 0) {
					return fmt.Errorf("mechanisms[%d].series[%d].runs[%d]: at %v, %v s, error %v", i, k, n, x.At, x.Seconds, x.Error)
				}
			}
		}
	}
	return nil
}
