//go:build !small

package simulate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/study"
	"github.com/rung-mbd/rung/study/table"
)

// sweep is a study with what its runs share.
type sweep struct {
	f       *sweepFlags
	path    string // of the study
	study   *study.Study
	text    []byte // of the model
	name    string // of the model
	folder  fs.FS  // of the files of the model
	draws   *study.Draws
	columns *study.Columns
	flags   Flags // of each run

	first, last int // runs of the share
	part        int // runs of a part
	runs        *table.Table
	paths       *table.Table // nil: none
	p           *shell.Progress

	made, failed atomic.Int64 // runs of this process
}

func runSweep(cmd *cobra.Command, path string, f *sweepFlags) error {
	_, stdout, stderr := shell.Streams(cmd)
	bar := stderr
	if f.quiet {
		bar = io.Discard
	}
	s := &sweep{f: f, path: path, p: shell.NewProgress(bar)}
	defer s.p.End()
	sum, err := s.read()
	if err != nil {
		return err
	}
	var pic *sweepPicture
	if f.plot != "" {
		if pic, err = newSweepPicture(s.name, s.study, s.columns, f.plotColumns); err != nil {
			return err
		}
	}
	if len(f.from) > 0 {
		return pic.fromTables(s.draws, f.from, f.plot, stdout)
	}
	release, err := s.open(sum)
	if err != nil {
		return err
	}
	defer release()
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process
	if err := s.do(ctx); err != nil {
		return err
	}
	if pic != nil {
		s.p.Stage("drawing", 0)
		if err := pic.fromTables(s.draws, []string{f.output}, f.plot, stdout); err != nil {
			return err
		}
	}
	s.p.End()
	if !f.quiet {
		fmt.Fprintf(stderr, "%d of %d runs, from number %d on: %d computed now, %d of these failed\n", s.last-s.first, s.study.Runs(), s.first, s.made.Load(), s.failed.Load())
	}
	return nil
}

// read reads the study and its model, and returns the checksum of what the rows depend on.
func (s *sweep) read() (sum string, err error) {
	text, err := os.ReadFile(s.path)
	if err != nil {
		return "", shell.InputError(s.path, err)
	}
	if s.study, err = study.Read(bytes.NewReader(text), s.path); err != nil {
		return "", err
	}
	at := s.study.Model
	if !filepath.IsAbs(at) {
		at = filepath.Join(filepath.Dir(s.path), at)
	}
	refuse := func(path, value, rule string) error {
		return &model.Problems{List: []*model.Problem{{File: s.path, Path: path, Value: value, Rule: rule}}}
	}
	if !shell.IsModel(at) {
		return "", refuse("$.model", s.study.Model, "is no file of a model: those end in "+strings.Join(shell.Endings(true), ", "))
	}
	for _, out := range [...]string{s.f.output, s.f.trajectories, s.f.plot} {
		if err := shell.Apart(out, "the file would replace the model", at); err != nil {
			return "", err
		}
	}
	if s.text, err = shell.ReadDocument(at, s.p); err != nil {
		return "", err
	}
	s.folder = model.Folder(filepath.Dir(at))
	m, err := model.ReadIn(context.Background(), bytes.NewReader(s.text), at, s.folder)
	if err != nil {
		return "", err
	}
	if _, err := s.study.NewBase(s.text, s.path); err != nil {
		return "", err
	}
	s.name = m.Name
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return "", shell.Failed(at, err)
	}
	all, err := catalogueOf(plan.Mechanism(), m.Frames)
	if err != nil {
		return "", err
	}
	if s.columns, err = s.study.Columns(all, s.path); err != nil {
		return "", err
	}
	if place, value, err := s.setFlags(); err != nil {
		return "", refuse("$.run."+place, value, err.Error())
	}
	if err := s.flags.check(at); err != nil {
		return "", refuse("$.run", "", err.Error())
	}
	f := s.flags
	if err := f.checkTimes(plan.Initial().Time); err != nil {
		return "", refuse("$.run", "", err.Error())
	}
	if (len(s.study.Trajectories) > 0) != (s.f.trajectories != "") && len(s.f.from) == 0 {
		if s.f.trajectories == "" {
			return "", shell.UseErrorf("the study keeps trajectories: give --trajectories a file")
		}
		return "", shell.UseErrorf("--trajectories: the study keeps none")
	}
	s.draws = s.study.NewDraws()
	s.first, s.last = s.study.Share(s.f.index, s.f.of)
	s.part = max(leastPartRuns, (s.last-s.first)/mostParts+1)
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %d %d\n", s.f.index, s.f.of, len(text), len(s.text))
	h.Write(text)
	h.Write(s.text)
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

const (
	leastPartRuns = 32 // runs of a part
	mostParts     = 1 << 16
)

// setFlags sets the flags of rung simulate that stand for the runs. It returns the field that is wrong.
func (s *sweep) setFlags() (field, value string, err error) {
	r := &s.study.Run
	s.flags = Flags{
		until: r.Until, untilSet: true, every: r.Every, everySet: r.Every > 0, integrator: r.Integrator, step: r.Step, stepSet: r.Step > 0,
		tol: r.Tolerance, tolSet: r.Tolerance > 0, rho: sim.DefaultRho, output: shell.Stdio, stabilize: Projection, chosen: s.columns.Names,
	}
	if r.RhoGiven {
		s.flags.rho, s.flags.rhoSet = r.Rho, true
	}
	if r.Method != "" {
		if err := s.flags.method.Set(r.Method); err != nil {
			return "method", fault.Name(r.Method), err
		}
	}
	if r.Stabilize != "" {
		if err := s.flags.stabilize.Set(r.Stabilize); err != nil {
			return "stabilize", fault.Name(r.Stabilize), err
		}
	}
	if !s.flags.tolSet {
		s.flags.tol = sim.DefaultTolerance
		if s.flags.implicit() {
			s.flags.tol = alphaTolerance
		}
	}
	return "", "", nil
}

// open takes the places of the files, and removes the parts that are there unless the sweep goes on with them.
func (s *sweep) open(sum string) (release func(), err error) {
	var held []*table.Table
	release = func() {
		for _, t := range held {
			_ = t.Release() // the files are whole by then
		}
	}
	defer func() {
		if err != nil {
			release()
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
		return release, nil
	}
	columns = []table.Column{{Name: study.RunColumn, Kind: table.Int}, {Name: "time", Kind: table.Float}}
	for _, name := range s.columns.Names[:s.columns.Trajectories] {
		columns = append(columns, table.Column{Name: name, Kind: table.Float})
	}
	s.paths, err = begin(s.f.trajectories, study.TrajectoriesFormat, columns)
	return release, err
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
			return err
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

// has reports whether part k of all tables is there.
func (s *sweep) has(k int) (bool, error) {
	has, err := s.runs.Has(k)
	if has && err == nil && s.paths != nil {
		has, err = s.paths.Has(k)
	}
	return has, err
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
	workers := make([]*sweepWorker, min(max(1, int(s.f.threads)), len(todo)))
	for i := range workers {
		var err error
		if workers[i], err = s.newWorker(); err != nil {
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
		return shell.Failed("", fmt.Errorf("%w; --resume goes on", ErrInterrupted))
	default:
		return shell.Failed("", shell.InputError(s.f.output, err))
	}
}

// computePart does the runs of part k and writes it. The part of the runs comes last: where it is, all is.
func (s *sweep) computePart(ctx context.Context, w *sweepWorker, k int) error {
	first := s.first + k*s.part
	var rows, paths [][]table.Cell
	failed := 0
	for i := first; i < min(first+s.part, s.last); i++ {
		row, path, err := w.run(ctx, i)
		if err != nil {
			return err
		}
		if row[1+len(s.study.Parameters)].Text == study.Failed {
			failed++
		}
		rows, paths = append(rows, row), append(paths, path...)
		s.p.Add(1)
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
