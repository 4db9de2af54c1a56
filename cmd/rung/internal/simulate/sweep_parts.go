//go:build !small

package simulate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/study"
	"github.com/rung-mbd/rung/study/table"
)

func runSweep(cmd *cobra.Command, path string, f *sweepFlags) error {
	_, stdout, stderr := shell.Streams(cmd)
	bar := stderr
	if f.quiet {
		bar = io.Discard
	}
	s := &sweep{f: f, path: path, p: shell.NewProgress(bar)}
	defer s.p.End()
	s.warn = func(line string) { s.p.Aside(func() { fmt.Fprintln(stderr, "rung: warning: "+line) }) }
	sum, err := s.read()
	if err != nil {
		return err
	}
	if study.IsRollout(s.study.Run.Integrator) {
		if s.rollout, err = newRollout(s); err != nil {
			return err
		}
		if why := s.rollout.alone; why != "" {
			s.p.Say(s.study.Run.Integrator + " steps these runs one by one, without lanes: " + why)
		}
	}
	if err := s.checkEnd(); err != nil {
		return err
	}
	draw, made, err := s.picture(stdout)
	if err != nil {
		return err
	}
	if len(f.from) > 0 {
		return draw(f.from)
	}
	release, err := s.open(sum)
	if err != nil {
		return err
	}
	defer release()
	defer shell.Keep(cmd.Context())()
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process
	if err := s.do(ctx); err != nil {
		return err
	}
	if draw != nil {
		s.p.Stage("drawing", 0)
		if err := draw([]string{made}); err != nil {
			return err
		}
	}
	s.p.End()
	if !f.quiet {
		fmt.Fprintf(stderr, "%d of %d runs, from number %d on: %d computed now, %d of these failed\n", s.last-s.first, s.study.Runs(), s.first, s.made.Load(), s.failed.Load())
	}
	return nil
}

// picture returns what draws the picture from tables, nil if none is wanted, and the table of this sweep that it draws.
func (s *sweep) picture(stdout io.Writer) (draw func(tables []string) error, made string, err error) {
	f := s.f
	switch {
	case f.plot == "":
		return nil, "", nil
	case len(f.curves) > 0:
		p, err := newSweepCurves(s.name, s.study, s.columns, f.curves)
		return func(tables []string) error { return p.fromTables(tables, f.plot, stdout) }, f.trajectories, err
	}
	p, err := newSweepPicture(s.name, s.study, s.columns, f.plotColumns)
	return func(tables []string) error { return p.fromTables(s.draws, tables, f.plot, stdout) }, f.output, err
}

// open takes the places of the files, and removes the parts that are there unless the sweep goes on with them.
func (s *sweep) open(sum string) (release func(), err error) {
	var held []*table.Table
	let := func() {
		for _, t := range held {
			_ = t.Release() // the files are whole by then
		}
	}
	defer func() {
		if err != nil {
			let()
		}
	}()
	begin := func(path, format string, columns []table.Column) (*table.Table, error) {
		t, err := table.New(path, format, sum, columns)
		if err != nil {
			return nil, shell.InputError(path, err)
		}
		held = append(held, t)
		if !s.f.resume {
			err = t.Remove()
		}
		return t, err
	}
	columns := []table.Column{{Name: study.RunColumn, Kind: table.Int}}
	for i := range s.study.Parameters {
		columns = append(columns, table.Column{Name: s.study.Parameters[i].Name, Kind: table.Float})
	}
	columns = append(columns, table.Column{Name: study.StatusColumn, Kind: table.Text}, table.Column{Name: study.ReasonColumn, Kind: table.Text})
	for i := range s.study.Outputs {
		columns = append(columns, table.Column{Name: s.study.Outputs[i].Name, Kind: table.Float})
	}
	if s.runs, err = begin(s.f.output, study.RunsFormat, columns); err != nil {
		return nil, err
	}
	if s.f.trajectories == "" {
		return let, nil
	}
	columns = []table.Column{{Name: study.RunColumn, Kind: table.Int}, {Name: "time", Kind: table.Float}}
	for _, name := range s.columns.Names[:s.columns.Trajectories] {
		columns = append(columns, table.Column{Name: name, Kind: table.Float})
	}
	s.paths, err = begin(s.f.trajectories, study.TrajectoriesFormat, columns)
	return let, err
}

// do does the runs whose parts are not there, and joins the parts.
func (s *sweep) do(ctx context.Context) error {
	if s.f.resume && s.runs.Whole() && (s.paths == nil || s.paths.Whole()) {
		return s.clean() // killed while the parts were removed
	}
	parts := (s.last - s.first + s.part - 1) / s.part
	var todo []int
	for k := range parts {
		has, err := s.has(k)
		if err != nil {
			return shell.FileError(err)
		}
		if !has {
			todo = append(todo, k)
		}
	}
	s.p.Stage("running", int64(len(todo)*s.part))
	if err := s.compute(ctx, todo); err != nil {
		return err
	}
	s.p.Stage("joining", int64(parts))
	if s.paths != nil {
		if err := s.paths.Join(parts, func() {}); err != nil {
			return shell.Failed("", shell.InputError(s.f.trajectories, err))
		}
	}
	if err := s.runs.Join(parts, func() { s.p.Add(1) }); err != nil {
		return shell.Failed("", shell.InputError(s.f.output, err))
	}
	return s.clean()
}

// has reports whether part k of all tables is there. It says which are damaged: they are not there.
func (s *sweep) has(k int) (bool, error) {
	all := true
	for _, t := range [...]*table.Table{s.runs, s.paths} {
		if t == nil {
			continue
		}
		has, err := t.Has(k)
		if errors.Is(err, outfile.ErrDamaged) {
			s.warn(fmt.Sprintf("%v; the runs from number %d on are computed again", shell.FileError(err), s.first+k*s.part))
		} else if err != nil {
			return false, err
		}
		all = all && has
	}
	return all, nil
}

func (s *sweep) clean() error {
	err := s.runs.Remove()
	if s.paths != nil {
		err = errors.Join(err, s.paths.Remove())
	}
	return shell.Failed("", err)
}

// compute does the runs of parts.
func (s *sweep) compute(ctx context.Context, todo []int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var group sync.WaitGroup
	workers := make([]partWorker, min(max(1, int(s.f.threads)), len(todo)))
	for i := range workers {
		var err error
		if workers[i], err = s.newPartWorker(); err != nil {
			return err
		}
	}
	for _, w := range workers {
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(todo) {
					return
				}
				if err := s.computePart(ctx, w, todo[i]); err != nil {
					cancel(err)
				}
			}
		})
	}
	group.Wait()
	switch err := context.Cause(ctx); {
	case err == nil:
		return nil
	case errors.Is(err, ErrInterrupted), errors.Is(err, context.Canceled):
		return shell.Failed("", &shell.Interruption{Text: "; --resume goes on"})
	default:
		return shell.Failed("", shell.FileError(err))
	}
}

// partWorker does the runs of parts, one part at a time.
type partWorker interface {
	// part does the runs from first up to last, which is not one of them,
	// and returns their rows and trajectories. Errors end the sweep.
	part(ctx context.Context, first, last int) (rows, paths [][]table.Cell, err error)
}

func (s *sweep) newPartWorker() (partWorker, error) {
	if s.rollout != nil {
		return s.rollout.newWorker()
	}
	return newSweepWorker(s)
}

// computePart does the runs of part k and writes it. The part of the runs comes last: where it is, all is.
func (s *sweep) computePart(ctx context.Context, w partWorker, k int) error {
	first := s.first + k*s.part
	rows, paths, err := w.part(ctx, first, min(first+s.part, s.last))
	if err != nil {
		return err
	}
	failed := 0
	for _, row := range rows {
		if row[1+len(s.study.Parameters)].Text == study.Failed {
			failed++
		}
	}
	if s.paths != nil {
		if err := s.paths.Write(k, paths); err != nil {
			return err
		}
	}
	if err := s.runs.Write(k, rows); err != nil {
		return err
	}
	s.made.Add(int64(len(rows)))
	s.failed.Add(int64(failed))
	return nil
}
