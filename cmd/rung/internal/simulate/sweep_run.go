//go:build !small

package simulate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/study"
	"github.com/rung-mbd/rung/study/table"
)

// sweepWorker does runs of a sweep, one at a time.
type sweepWorker struct {
	s      *sweep
	base   *study.Base
	values []float64 // of the parameters
	p      *shell.Progress
}

func newSweepWorker(s *sweep) (*sweepWorker, error) {
	base, err := s.study.NewBase(s.text, s.path)
	if err != nil {
		return nil, err
	}
	return &sweepWorker{s: s, base: base, values: make([]float64, len(s.study.Parameters)), p: shell.NewProgress(io.Discard)}, nil
}

// part implements partWorker.
func (w *sweepWorker) part(ctx context.Context, first, last int) (rows, paths [][]table.Cell, err error) {
	for i := first; i < last; i++ {
		row, path, err := w.run(ctx, i)
		if err != nil {
			return nil, nil, err
		}
		rows, paths = append(rows, row), append(paths, path...)
		w.s.p.Add(1)
	}
	return rows, paths, nil
}

// run does run i and returns its row and its trajectory. The only errors
// are ErrInterrupted and those of documents that cannot be written.
func (w *sweepWorker) run(ctx context.Context, i int) (row []table.Cell, rows [][]table.Cell, err error) {
	w.s.draws.ValuesTo(w.values, i)
	text, err := w.base.With(w.values)
	if err != nil {
		return nil, nil, fmt.Errorf("run %d: %w", i, err)
	}
	keep := newKept(w.s, i)
	err = w.simulate(ctx, text, keep)
	if errors.Is(err, ErrInterrupted) {
		return nil, nil, err
	}
	return keep.row(w.values, err), keep.rows, nil
}

// simulate integrates the model of a document.
func (w *sweepWorker) simulate(ctx context.Context, text []byte, keep *kept) error {
	m, err := model.ReadIn(context.Background(), bytes.NewReader(text), "model", w.s.folder)
	if err != nil {
		return err
	}
	f := w.s.flags // which preparing changes
	r, err := prepare(m, "", &f, w.p)
	if err != nil {
		return err
	}
	keep.columns = r.watch.columns
	r.watch.trajectory = keep
	r.signals, r.from, r.begun = ctx, r.sim.State().Time, time.Now()
	r.shown = r.begun
	if err = r.sim.RunContext(ctx, f.until); isInterrupted(ctx, err) {
		return ErrInterrupted
	}
	return simError("", err)
}

// kept is the recorder of a run: what the study keeps of its rows.
type kept struct {
	run          int64
	columns      *sim.Columns
	trajectories int // columns over time, time left out
	outputs      []int
	takes        []study.Output
	values       []float64 // of the outputs
	rows         [][]table.Cell
	any          bool
}

func newKept(s *sweep, run int) *kept {
	return &kept{run: int64(run), trajectories: s.columns.Trajectories, outputs: s.columns.Outputs, takes: s.study.Outputs, values: make([]float64, len(s.study.Outputs))}
}

// row returns the row of a run with these parameters, which has ended with err.
func (k *kept) row(parameters []float64, err error) []table.Cell {
	row := []table.Cell{{Int: k.run}}
	for _, x := range parameters {
		row = append(row, table.Cell{Float: x})
	}
	status, reason := table.Cell{Text: study.Done}, table.Cell{Null: true}
	if err != nil {
		status, reason = table.Cell{Text: study.Failed}, table.Cell{Text: fault.Line(fault.Plain(err).Error())}
	}
	row = append(row, status, reason)
	for _, x := range k.values {
		row = append(row, table.Cell{Float: x, Null: err != nil})
	}
	return row
}

// Record implements sim.Recorder.
func (k *kept) Record(r *sim.Row) error {
	if err := k.columns.Fill(r); err != nil {
		return err
	}
	values := k.columns.Values
	for i, c := range k.outputs {
		x := values[1+c]
		switch {
		case !k.any || k.takes[i].Take == study.Final:
			k.values[i] = x
		case k.takes[i].Take == study.Min:
			k.values[i] = math.Min(k.values[i], x)
		default:
			k.values[i] = math.Max(k.values[i], x)
		}
	}
	k.any = true
	if k.trajectories == 0 {
		return nil
	}
	row := make([]table.Cell, 0, 2+k.trajectories)
	row = append(row, table.Cell{Int: k.run})
	for _, x := range values[:1+k.trajectories] {
		row = append(row, table.Cell{Float: x})
	}
	k.rows = append(k.rows, row)
	return nil
}

// The rest of a trajectory: there is no file.
func (k *kept) Mark() (int64, error)   { return int64(len(k.rows)), nil }
func (k *kept) Sum() string            { return "" }
func (k *kept) fresh() bool            { return true }
func (k *kept) finish() error          { return nil }
func (k *kept) leave() (string, error) { return "", nil }
func (k *kept) release() error         { return nil }
