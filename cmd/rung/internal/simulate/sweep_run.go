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
	"github.com/rung-mbd/rung/study/table"
)

// runSweep runs the share of a sweep that the flags name, writes its tables, and draws the picture; with --from it only draws.
func runSweep(cmd *cobra.Command, path string, f *sweepFlags) error {
	_, stdout, stderr := shell.Streams(cmd)
	bar := stderr
	if f.quiet {
		bar = io.Discard
	}
	s := &sweeper{f: f, path: path, p: shell.NewProgress(bar)}
	defer s.p.End()
	s.warn = func(line string) { s.p.Aside(func() { fmt.Fprintln(stderr, "rung: warning: "+line) }) }
	if err := s.read(); err != nil {
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
	defer shell.Keep(cmd.Context())()
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process
	counts, err := s.do(ctx)
	if err != nil {
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
		fmt.Fprintf(stderr, "%d of %d runs, from number %d on: %d computed now, %d of these failed\n", s.last-s.first, s.study.Runs(), s.first, counts.Computed, counts.Failed)
	}
	return nil
}

// picture returns a function that draws the picture of --plot from tables, and the name of the table of this sweep that it
// draws. Without --plot, draw is nil.
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

// do does the runs of the share and writes the tables. A damaged part of an earlier sweep is a warning, and its runs are done
// again.
func (s *sweeper) do(ctx context.Context) (table.Counts, error) {
	counts, err := table.Run(ctx, s.Sweep, table.Options{
		Runs: s.f.output, Trajectories: s.f.trajectories, Resume: s.f.resume,
		Threads: int(s.f.threads), Index: s.f.index, Of: s.f.of,
		Stage: func(name string, total int) { s.p.Stage(name, int64(total)) },
		Add:   func(n int) { s.p.Add(int64(n)) },
		Warn: func(damage error, run int) {
			s.warn(fmt.Sprintf("%v; the runs from number %d on are computed again", shell.FileError(damage), run))
		},
	})
	failed := new(table.WriteError)
	switch {
	case err == nil:
		return counts, nil
	case errors.Is(err, context.Canceled):
		return counts, shell.Failed("", &shell.Interruption{Text: "; --resume goes on"})
	case errors.As(err, &failed):
		return counts, shell.Failed("", shell.InputError(failed.Path, failed.Err))
	}
	return counts, shell.FileError(err)
}
