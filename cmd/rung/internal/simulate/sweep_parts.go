//go:build !small

package simulate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/study"
	"github.com/rung-mbd/rung/study/sweep"
	"github.com/rung-mbd/rung/study/table"
)

func runSweep(cmd *cobra.Command, path string, f *sweepFlags) error {
	_, stdout, stderr := shell.Streams(cmd)
	bar := stderr
	if f.quiet {
		bar = io.Discard
	}
	s := &sweeper{f: f, path: path, p: shell.NewProgress(bar)}
	defer s.p.End()
	s.warn = func(line string) { s.p.Aside(func() { fmt.Fprintln(stderr, "rung: warning: "+line) }) }
	sum, err := s.read()
	if err != nil {
		return err
	}
	if why := s.Alone(); why != "" {
		s.p.Say(s.study.Run.Integrator + " steps these runs one by one, without lanes: " + why)
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
func (s *sweeper) picture(stdout io.Writer) (draw func(tables []string) error, made string, err error) {
	f := s.f
	switch {
	case f.plot == "":
		return nil, "", nil
	case len(f.curves) > 0:
		p, err := newSweepCurves(s.Model().Name, s.study, s.columns, f.curves)
		return func(tables []string) error { return p.fromTables(tables, f.plot, stdout) }, f.trajectories, err
	}
	p, err := newSweepPicture(s.Model().Name, s.study, s.columns, f.plotColumns)
	return func(tables []string) error { return p.fromTables(s.Draws(), tables, f.plot, stdout) }, f.output, err
}

// open takes the places of the files, and removes the parts that are there unless the sweep goes on with them.
func (s *sweeper) open(sum string) (release func(), err error) {
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
func (s *sweeper) do(ctx context.Context) error {
	if s.f.resume && s.runs.Whole() && (s.paths == nil || s.paths.Whole()) {
		return s.clean() // killed while the parts were removed
	}
	parts := (s.last - s.first + s.part - 1) / s.part
	o := s.share
	o.Store, o.OnRun = s, func() { s.p.Add(1) }
	s.p.Stage("running", int64(s.last-s.first))
	_, err := s.Run(ctx, o)
	switch {
	case errors.Is(err, context.Canceled):
		return shell.Failed("", &shell.Interruption{Text: "; --resume goes on"})
	case err != nil:
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

// Has implements sweep.Store: part k of all tables is there. It says which are damaged: they are not there.
func (s *sweeper) Has(k int) (bool, error) {
	all := true
	for _, t := range [...]*table.Table{s.runs, s.paths} {
		if t == nil {
			continue
		}
		has, err := t.Has(k)
		if errors.Is(err, outfile.ErrDamaged) {
			s.warn(fmt.Sprintf("%v; the runs from number %d on are computed again", shell.FileError(err), s.first+k*s.part))
		} else if err != nil {
			return false, shell.FileError(err)
		}
		all = all && has
	}
	if all {
		s.p.Add(int64(min(s.part, s.last-s.first-k*s.part)))
	}
	return all, nil
}

func (s *sweeper) clean() error {
	err := s.runs.Remove()
	if s.paths != nil {
		err = errors.Join(err, s.paths.Remove())
	}
	return shell.Failed("", err)
}

// Write implements sweep.Store. The part of the runs comes last: where it is, all is.
func (s *sweeper) Write(k int, results []sweep.Result) error {
	var rows, paths [][]table.Cell
	failed := 0
	for i := range results {
		r := &results[i]
		if r.Err != nil {
			failed++
		}
		rows, paths = append(rows, rowOf(r)), pathsOf(paths, r)
	}
	if s.paths != nil {
		if err := s.paths.Write(k, paths); err != nil {
			return shell.Failed("", shell.FileError(err))
		}
	}
	if err := s.runs.Write(k, rows); err != nil {
		return shell.Failed("", shell.FileError(err))
	}
	s.made.Add(int64(len(rows)))
	s.failed.Add(int64(failed))
	return nil
}
