//go:build !small

package simulate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/study"
	"github.com/rung-mbd/rung/study/table"
)

// sweepWorker does runs of a sweep, one at a time.
type sweepWorker struct {
	s      *sweep
	base   *study.Base
	values []float64 // of the parameters
}

func newSweepWorker(s *sweep) (*sweepWorker, error) {
	base, err := s.study.NewBase(s.text, s.path)
	if err != nil {
		return nil, err
	}
	return &sweepWorker{s: s, base: base, values: make([]float64, len(s.study.Parameters))}, nil
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
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return err
	}
	o := w.s.options
	if err := checkUntil(o.Until, plan.Initial().Time); err != nil {
		return err
	}
	o.Model, o.OnRow = m, keep.add
	r, err := runs.New(plan, o)
	if err != nil {
		return runError("", err)
	}
	if err = r.RunContext(ctx, o.Until); isInterrupted(ctx, err) {
		return ErrInterrupted
	}
	return simError("", err)
}

// kept is what the study keeps of the rows of a run.
type kept struct {
	run          int64
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

// add takes in the values of a row.
func (k *kept) add(_ *sim.Row, values []float64) error {
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
