package simulate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/machine"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// speedInterval is the least time between two updates of the progress bar.
const speedInterval = 200 * time.Millisecond

// runner is one run of rung simulate.
type runner struct {
	f        *Flags
	name     string // of the model in messages
	p        *shell.Progress
	mech     *mechanism.Mechanism
	o        *runs.Options
	run      *runs.Simulation
	pictures *pictures

	signals context.Context
	begun   time.Time
	cpu     time.Duration // processor time of the process at begun
	took    time.Duration // wall time of the run
	worked  time.Duration // processor time of the run
	from    float64       // time of the model at begun, s
	shown   time.Time     // of the last update of the progress bar
	parts   int64         // shown by the progress bar, of progressParts
}

// newRunner reads the model at path and prepares its run, whose rows may go to stdout.
func newRunner(path string, in shell.Input, stdout io.Writer, f *Flags, p *shell.Progress) (*runner, error) {
	m, err := shell.ReadModel(path, in, p)
	if err != nil {
		return nil, err
	}
	r := &runner{f: f, name: shell.ModelFile(path), p: p}
	p.Stage("analysing", 0)
	plan, err := rung.NewPlan(m, rung.Options{Ordering: f.ordering.Ordering, Threads: int(f.threads)})
	if err != nil {
		return nil, err
	}
	r.mech = plan.Mechanism()
	start := plan.Initial()
	if !f.resume {
		if err := checkUntil(f.until, start.Time); err != nil {
			return nil, err
		}
		if closed, err := sim.Closed(r.mech, start); err == nil && !closed {
			p.Stage("closing", 0)
		}
	}
	if err := f.checkNames(r.mech); err != nil {
		return nil, err
	}
	if r.o, err = f.options(m, stdout); err != nil {
		return nil, err
	}
	r.o.OnStep, r.o.OnRow = r.onStep, func(row *sim.Row, values []float64) error {
		r.pictures.add(row, values)
		return nil
	}
	if r.run, err = runs.New(plan, *r.o); err != nil {
		return nil, r.wrong(err)
	}
	r.mech = r.run.Mechanism()
	if c := r.run.Resumed(); c != nil {
		if err := checkUntil(f.until, c.Start); err != nil {
			return nil, err
		}
	}
	r.pictures = &pictures{mech: r.mech, columns: r.run.Columns()}
	return r, r.pictures.choose(f)
}

// wrong turns an error of a run that has not begun into an error of the command. Where the run was to continue, all errors but
// errors of options and of the start count as bad input in the checkpoint.
func (r *runner) wrong(err error) error {
	if r.f.resume && !errors.As(err, new(*runs.OptionError)) && !errors.As(err, new(*runs.StartError)) {
		err = shell.InputError(r.f.checkpoint, err)
	}
	return runError(r.name, err)
}

// open opens the files of the run: the pictures, then checkpoint and trajectory, which therefore stay as they are if a picture
// cannot be written. Its errors count as bad input.
func (r *runner) open(stdout io.Writer) error {
	if err := r.pictures.open(stdout); err != nil {
		return err
	}
	return runError("", r.run.Open())
}

// release gives up the files, so that others may write them.
func (r *runner) release() {
	r.run.Release()
	r.pictures.drop()
}

// do integrates to --until. However the run ends, unless by a failure of the files, it leaves a trajectory of whole rows and a
// checkpoint.
func (r *runner) do(parent context.Context) error {
	defer shell.Keep(parent)()
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process
	r.signals, r.from = ctx, r.run.Time()
	r.begun, r.cpu = time.Now(), machine.ProcessorTime()
	r.shown = r.begun
	r.p.Stage("simulating", progressParts)
	err := r.run.RunContext(ctx, r.f.until)
	r.took, r.worked = time.Since(r.begun), machine.ProcessorTime()-r.cpu
	if isInterrupted(ctx, err) {
		err = r.f.interruption(r.run.Time())
	}
	return r.finish(r.failure(err))
}

// failure turns an error of the run into a failure of a file, or of the computation with the model. nil stays nil.
func (r *runner) failure(err error) error {
	if file := fileFailure(err); file != nil {
		return file
	}
	return simError(r.name, err)
}

// finish closes the files and draws the pictures, after a run that has ended with err. It returns the first error that tells
// more than an interruption.
func (r *runner) finish(err error) error {
	first := func(e error) {
		if e != nil && (err == nil || errors.Is(err, ErrInterrupted)) {
			err = e
		}
	}
	first(r.failure(r.run.Close()))
	for _, where := range r.run.Left() {
		err = shell.Failed("", fmt.Errorf("%w; %s", err, where))
	}
	first(r.pictures.write())
	return err
}

// isInterrupted reports whether err ends a run because its context has ended, or Flags.Interrupted says so.
func isInterrupted(ctx context.Context, err error) bool {
	cause := context.Cause(ctx)
	return errors.Is(err, ErrInterrupted) || cause != nil && errors.Is(err, cause)
}

// onStep is called after each step: it adds the step to the pictures, ends the run at an interrupt, and shows the progress.
func (r *runner) onStep(s *runs.Simulation) error {
	t := s.Time()
	if t >= r.f.until {
		return nil // done
	}
	r.pictures.between(s, r.f.until-r.from)
	if r.signals.Err() != nil || r.f.Interrupted != nil && r.f.Interrupted() {
		return ErrInterrupted
	}
	if now := time.Now(); now.Sub(r.shown) >= speedInterval {
		r.shown = now
		parts := int64(math.Floor(progressParts * (t - r.from) / (r.f.until - r.from)))
		r.p.Add(parts - r.parts)
		r.parts = parts
		r.p.Describe("simulating, " + ratio(t-r.from, now.Sub(r.begun).Seconds()))
	}
	return nil
}

// ratio returns the speed of a run as text: model time over wall time, both in s.
func ratio(modelTime, wall float64) string {
	if wall <= 0 {
		return "at once"
	}
	return sheet.Digits3(modelTime/wall) + " × real time"
}
