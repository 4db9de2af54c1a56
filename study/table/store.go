package table

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/study"
	"github.com/rung-mbd/rung/study/sweep"
)

// Options say which runs of a sweep are done, and which files get their results. Runs must not be empty.
type Options struct {
	Runs         string // file with a row for each run, of study.RunsFormat
	Trajectories string // file with the rows over time of all runs, of study.TrajectoriesFormat; "" for a study that keeps none
	Resume       bool   // go on with the parts that an interrupted sweep has left; otherwise they are removed

	Threads, Index, Of int // as in sweep.Options

	// Stage is called when a stage begins, with its name and the number of its steps: the runs of "running", the parts of
	// "joining". Add is called after each n of these steps, by any of the goroutines. Nil: neither is called.
	Stage func(name string, total int)
	Add   func(n int)
	// Warn is called for each damaged part, with the damage and the number of its first run. The part is computed again. Nil:
	// nothing is called, and the part is computed again all the same.
	Warn func(damage error, run int)
}

// Counts say how many runs a sweep has done.
type Counts struct {
	Computed int // by this call; the files had the other runs of the share
	Failed   int // of the computed ones
}

// WriteError says that a file of a sweep could not be written.
type WriteError struct {
	Path string // of the file, or of its part
	Err  error
}

// Error returns the path and the error.
func (e *WriteError) Error() string {
	reason := e.Err
	if p := new(fs.PathError); errors.As(reason, &p) {
		reason = p.Err
	}
	return fault.Errorf("study/table: %s: %w", e.Path, reason).Error()
}

// Unwrap returns Err.
func (e *WriteError) Unwrap() error { return e.Err }

// Run does the runs of a sweep, and writes its files as rung sweep does. Until all runs are done, the rows are in parts beside the
// files. A process that ends, by whatever cause, loses the parts that were being computed, and no others. With Resume the
// next process goes on, and the files have the bytes of a sweep that was never interrupted, on any number of goroutines.
// With Resume, parts of another study, model or share are an error; without, they are removed.
//
// Cost: as Sweep.Run, and writing all rows twice. Memory: the rows of a part for each goroutine.
//
// It returns the cause for which ctx has ended, a *fs.PathError for a file that cannot be opened for writing, a *WriteError
// for a file that fails later, an error for a foreign file that has the name of a part, and an error if there are
// trajectories without a file for them or a file without trajectories. Parts that are written by then are whole. It panics
// if Runs is empty or if there is no such share.
func Run(ctx context.Context, s *sweep.Sweep, o Options) (Counts, error) {
	if o.Runs == "" {
		panic("study/table: no file for the runs")
	}
	st := newStore(s, o)
	defer st.release()
	if err := st.open(); err != nil {
		return Counts{}, err
	}
	if !st.whole() { // else the sweep was killed while its parts were removed
		if err := st.run(ctx); err != nil {
			return Counts{}, err
		}
	}
	if err := st.remove(); err != nil {
		return Counts{}, err
	}
	return Counts{int(st.computed.Load()), int(st.failed.Load())}, nil
}

// store is a sweep with its files. It implements sweep.Store.
type store struct {
	sweep             *sweep.Sweep
	o                 Options
	share             sweep.Options
	first, last, part int    // runs of the share, and the number of runs of a part
	runs              *table // nil: not open
	paths             *table // nil: not open, or none

	computed, failed atomic.Int64 // numbers of runs, for Counts
}

// newStore returns the store of a sweep, with no file open.
func newStore(s *sweep.Sweep, o Options) *store {
	if o.Stage == nil {
		o.Stage = func(string, int) {}
	}
	if o.Add == nil {
		o.Add = func(int) {}
	}
	if o.Warn == nil {
		o.Warn = func(error, int) {}
	}
	st := &store{sweep: s, o: o}
	st.share = sweep.Options{Threads: o.Threads, Index: o.Index, Of: o.Of, Store: st, OnRun: func() { o.Add(1) }}
	st.first, st.last, st.part = s.Share(st.share)
	return st
}

// tables returns the table of the runs, and the table of the trajectories if there is one.
func (st *store) tables() []*table {
	if st.paths == nil {
		return []*table{st.runs}
	}
	return []*table{st.runs, st.paths}
}

// open begins the tables of the sweep, in the files that the options name.
func (st *store) open() error {
	s := st.sweep.Study()
	if keeps, file := len(s.Trajectories) > 0, st.o.Trajectories != ""; keeps && !file {
		return errors.New("study/table: the study keeps trajectories, and there is no file for them")
	} else if file && !keeps {
		return fmt.Errorf("study/table: %s: the study keeps no trajectories", st.o.Trajectories)
	}
	sum, err := st.sweep.Sum(st.share)
	if err != nil {
		return err
	}
	if st.runs, err = st.begin(st.o.Runs, study.RunsFormat, sum, runsColumns(s)); err != nil {
		return err
	}
	if st.o.Trajectories != "" {
		st.paths, err = st.begin(st.o.Trajectories, study.TrajectoriesFormat, sum, pathsColumns(st.sweep.Columns()))
	}
	return err
}

// begin opens a table of the sweep. Unless the sweep is resumed, it removes the parts of an earlier one.
func (st *store) begin(path, format, sum string, columns []Column) (*table, error) {
	t, err := newTable(path, format, sum, columns)
	if err == nil && !st.o.Resume {
		if err = t.remove(); err != nil {
			_ = t.release() // nothing was written
			return nil, err
		}
	}
	return t, err
}

// release gives up the locks of the files, so that others may write them.
func (st *store) release() {
	for _, t := range st.tables() {
		if t != nil {
			_ = t.release() // the files are whole by then
		}
	}
}

// whole reports whether the sweep is resumed and its files are complete: there is nothing left to run.
func (st *store) whole() bool {
	return st.o.Resume && st.runs.whole() && (st.paths == nil || st.paths.whole())
}

// run does the runs of missing parts, and joins the parts. The file of the runs is joined last: once it exists, both files are
// complete.
func (st *store) run(ctx context.Context) error {
	st.o.Stage("running", st.last-st.first)
	if _, err := st.sweep.Run(ctx, st.share); err != nil {
		return err
	}
	parts := (st.last - st.first + st.part - 1) / st.part
	st.o.Stage("joining", parts)
	if st.paths != nil {
		if err := st.paths.join(parts, func() {}); err != nil {
			return &WriteError{st.o.Trajectories, err}
		}
	}
	if err := st.runs.join(parts, func() { st.o.Add(1) }); err != nil {
		return &WriteError{st.o.Runs, err}
	}
	return nil
}

// remove removes the parts of all tables.
func (st *store) remove() error {
	var err error
	for _, t := range st.tables() {
		if e := t.remove(); e != nil {
			err = errors.Join(err, &WriteError{t.folder(), e})
		}
	}
	return err
}

// Has implements sweep.Store. It reports whether part k of every table is there and whole, and then adds its runs to those that are done
// (Add). A damaged part is a warning, and counts as missing.
func (st *store) Has(k int) (bool, error) {
	all := true
	for _, t := range st.tables() {
		has, err := t.has(k)
		if errors.Is(err, outfile.ErrDamaged) {
			st.o.Warn(err, st.first+k*st.part)
		} else if err != nil {
			return false, err
		}
		all = all && has
	}
	if all {
		st.o.Add(min(st.part, st.last-st.first-k*st.part))
	}
	return all, nil
}

// Write implements sweep.Store. It writes part k of the trajectories first and part k of the runs last: once the part of the runs
// exists, so does the other.
func (st *store) Write(k int, results []sweep.Result) error {
	var rows, paths [][]Cell
	failed, gradients := 0, len(st.sweep.Study().GradientColumns())
	for i := range results {
		r := &results[i]
		if r.Err != nil {
			failed++
		}
		rows, paths = append(rows, runsRow(r, gradients)), appendPaths(paths, r)
	}
	if st.paths != nil {
		if err := st.paths.write(k, paths); err != nil {
			return &WriteError{st.paths.part(k), err}
		}
	}
	if err := st.runs.write(k, rows); err != nil {
		return &WriteError{st.runs.part(k), err}
	}
	st.computed.Add(int64(len(rows)))
	st.failed.Add(int64(failed))
	return nil
}

// runsColumns returns the columns of the file of the runs, in the order of runsRow.
func runsColumns(s *study.Study) []Column {
	list := []Column{{Name: study.RunColumn, Kind: Int}}
	for i := range s.Parameters {
		list = append(list, Column{Name: s.Parameters[i].Name, Kind: Float})
	}
	list = append(list, Column{Name: study.StatusColumn, Kind: Text}, Column{Name: study.ReasonColumn, Kind: Text})
	for i := range s.Outputs {
		list = append(list, Column{Name: s.Outputs[i].Name, Kind: Float})
	}
	for _, name := range s.GradientColumns() {
		list = append(list, Column{Name: name, Kind: Float})
	}
	return list
}

// runsRow returns the row of a run in the file of the runs. gradients is the number of columns of gradients.
func runsRow(r *sweep.Result, gradients int) []Cell {
	row := []Cell{{Int: int64(r.Run)}}
	for _, x := range r.Parameters {
		row = append(row, Cell{Float: x})
	}
	status, reason := Cell{Text: study.Done}, Cell{Null: true}
	switch {
	case r.Err != nil:
		status, reason = Cell{Text: study.Failed}, Cell{Text: reasonOf(r.Err)}
	case r.GradientErr != nil:
		reason = Cell{Text: "no gradients: " + reasonOf(r.GradientErr)}
	case r.Doubts != "":
		reason = Cell{Text: r.Doubts}
	}
	row = append(row, status, reason)
	for _, x := range r.Outputs {
		row = append(row, Cell{Float: x, Null: r.Err != nil})
	}
	for i := range gradients {
		if r.Gradients == nil {
			row = append(row, Cell{Null: true})
		} else {
			row = append(row, Cell{Float: r.Gradients[i]})
		}
	}
	return row
}

// reasonOf returns the error of a run as one line, without the introduction of a runs.StartError.
func reasonOf(err error) string {
	if e := new(runs.StartError); errors.As(err, &e) {
		err = e.Err
	}
	return fault.Line(fault.Plain(err).Error())
}

const timeColumn = "time"

// pathsColumns returns the columns of the file of the trajectories, in the order of appendPaths.
func pathsColumns(c *study.Columns) []Column {
	list := []Column{{Name: study.RunColumn, Kind: Int}, {Name: timeColumn, Kind: Float}}
	for _, name := range c.Names[:c.Trajectories] {
		list = append(list, Column{Name: name, Kind: Float})
	}
	return list
}

// appendPaths appends the rows over time of a run to rows.
func appendPaths(rows [][]Cell, r *sweep.Result) [][]Cell {
	for _, values := range r.Rows {
		row := make([]Cell, 0, 1+len(values))
		row = append(row, Cell{Int: int64(r.Run)})
		for _, x := range values {
			row = append(row, Cell{Float: x})
		}
		rows = append(rows, row)
	}
	return rows
}
