package simulate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/cmd/rung/internal/machine"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

const (
	// checkpointInterval is the time between two checkpoints, at least
	// checkpointShare times that of writing one.
	checkpointInterval = 5 * time.Second
	checkpointShare    = 20
	// speedInterval is the time between two looks at the speed of a run.
	speedInterval = 200 * time.Millisecond
)

// runner is one run of rung simulate.
type runner struct {
	f     *Flags
	name  string // of the model in messages
	p     *shell.Progress
	mech  *mechanism.Mechanism
	start *mechanism.State // closed
	fit   *startFit        // nil if the state of the model holds
	check *sim.Checkpoint  // nil unless resumed

	stepper  sim.Stepper
	sim      *sim.Simulation
	watch    *watcher
	ground   *groundFiles
	stops    *sim.Stops
	watched  bool           // the stops have events
	samples  int            // of events in a step
	warnings []string       // of the terrains
	marks    *outfile.Place // of the checkpoint; nil: there is none

	signals  context.Context
	begun    time.Time
	cpu      time.Duration // of the process at begun
	took     time.Duration
	worked   time.Duration // of the processor
	from     float64       // time of the model at begun
	shown    time.Time     // of the last look at the speed
	parts    int64         // of progressParts
	nextMark time.Time
}

// startFit is how far the state of the model was from fitting its joints, and how
// far closing has moved it.
type startFit struct{ position, velocity closing.Closing }

// newRunner reads and prepares the model at path.
func newRunner(path string, stdin io.Reader, f *Flags, p *shell.Progress) (*runner, error) {
	m, err := shell.ReadModel(path, stdin, p)
	if err != nil {
		return nil, err
	}
	return prepare(m, shell.ModelFile(path), f, p)
}

// prepare is newRunner for a model that has been read, which messages call name.
func prepare(m *model.Model, name string, f *Flags, p *shell.Progress) (*runner, error) {
	r := &runner{f: f, name: name, p: p}
	if f.Between == 0 {
		f.Between = checkpointInterval
	}
	p.Stage("analysing", 0)
	plan, err := rung.NewPlan(m, rung.Options{Ordering: f.ordering.Ordering, Threads: int(f.threads)})
	if err != nil {
		return nil, err
	}
	if plan.Mechanism().WantsRuts() { // which are this run's
		plan = plan.With(plan.Mechanism().NewInputs())
	}
	r.mech, r.start = plan.Mechanism(), plan.Initial()
	if f.resume {
		err = r.readCheckpoint()
	} else if err = f.checkTimes(r.start.Time); err == nil {
		err = r.closeStart(plan)
	}
	if err != nil {
		return nil, err
	}
	if r.check == nil {
		if err := r.mech.CheckGround(r.start); err != nil {
			return nil, shell.Failed(r.name, plainSim(err))
		}
	}
	columns, err := f.columns(plan, m.Frames)
	if err != nil {
		return nil, err
	}
	r.watch = newWatcher(r.mech, columns)
	if err := r.watch.draw(f); err != nil {
		return nil, err
	}
	move, err := f.newMover(plan)
	if err != nil {
		return nil, err
	}
	r.stepper = move.stepper
	if r.ground, err = newGroundFiles(r.mech, f); err != nil {
		return nil, err
	}
	r.watch.ground = r.ground
	r.warnings = append(groundWarnings(context.Background(), m, r.mech, r.start, f.implicit()), limitWarnings(r.mech, r.start)...)
	if err := r.newStops(plan); err != nil {
		return nil, err
	}
	r.sim = sim.New(r.mech, r.stepper, r.start, sim.Options{
		Step: f.step, Projector: move.projector, Recorder: r.watch, Every: f.every, OnStep: r.onStep, Dynamics: move.settings,
		Events: slices.Concat(sim.ContactEvents(r.mech, r.ground.event), sim.CableEvents(r.mech, nil), r.stopEvents()), EventSamples: r.samples, Dissipation: true,
	})
	if r.check != nil {
		if err := r.sim.Restore(r.check); err != nil {
			return nil, fmt.Errorf("%s: %w", f.checkpoint, plainSim(err))
		}
	}
	return r, nil
}

// readCheckpoint reads where to go on.
func (r *runner) readCheckpoint() error {
	c, err := sim.ReadCheckpoint(r.f.checkpoint)
	if err != nil {
		return plainSim(shell.InputError(r.f.checkpoint, err))
	}
	if err := r.f.checkTimes(c.Start); err != nil {
		return err
	}
	if c.Time > r.f.until {
		return shell.UseErrorf("%s: the run is at %v s already, after --until %v", r.f.checkpoint, c.Time, r.f.until)
	}
	r.check = c
	return nil
}

// closeStart closes r.start if it does not fit the joints.
func (r *runner) closeStart(plan *rung.Plan) error {
	closed, err := sim.Closed(r.mech, r.start)
	if err != nil || closed {
		return shell.Failed(r.name, err)
	}
	r.p.Stage("closing", 0)
	c := closing.NewCloser(plan, closing.Options{Nearest: true, Tolerance: closing.RunTolerance})
	r.fit = new(startFit)
	if err := c.ClosePositions(r.start); err != nil {
		return shell.Failed(r.name, err)
	}
	r.fit.position = c.Closing()
	if err := c.ProjectVelocities(r.start); err != nil {
		return shell.Failed(r.name, err)
	}
	r.fit.velocity = c.Closing()
	return nil
}

// open opens the trajectory. For a new run it writes the first checkpoint, so that there is
// never a checkpoint of another run beside the trajectory. Errors are those of bad input. It
// touches no file before it knows that it, and nobody else, can write checkpoint and pictures.
func (r *runner) open(stdout io.Writer) error {
	var err error
	if r.f.checkpoint != "" {
		if r.marks, err = outfile.Hold(r.f.checkpoint); err != nil {
			return shell.InputError(r.f.checkpoint, err)
		}
	}
	if err := r.watch.openPictures(stdout); err != nil {
		return err
	}
	if err := r.ground.open(r.check); err != nil {
		return err
	}
	t, err := r.f.openTrajectory(r.watch.columns, r.check, stdout)
	if err != nil {
		return err
	}
	r.watch.trajectory = t
	if err := r.mark(); err != nil {
		_, _ = t.leave() // the first error counts
		return err
	}
	return nil
}

// release lets others write the files.
func (r *runner) release() {
	if r.watch.trajectory != nil {
		_ = r.watch.release()
	}
	r.watch.dropPictures()
	r.ground.release()
	if r.marks != nil {
		_ = r.marks.Release()
	}
}

// run integrates, and leaves a trajectory of whole rows and a checkpoint however
// it ends, but for failures of the files.
func (r *runner) run(parent context.Context) error {
	defer shell.Keep(parent)()
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process
	r.signals, r.from = ctx, r.sim.State().Time
	r.begun, r.cpu = time.Now(), machine.ProcessorTime()
	r.shown, r.nextMark = r.begun, r.begun.Add(r.f.Between)
	r.p.Stage("simulating", progressParts)
	r.watch.see(r.sim.State())
	err := r.sim.RunContext(ctx, r.f.until)
	if isInterrupted(ctx, err) {
		err = r.f.interruption(r.sim.State().Time)
	}
	var file *shell.Failure // of writing
	if errors.As(err, &file) {
		err = file
	} else {
		err = simError(r.name, err)
	}
	r.took, r.worked = time.Since(r.begun), machine.ProcessorTime()-r.cpu
	r.watch.see(r.sim.State())
	return r.finish(err, file != nil)
}

// finish writes the last checkpoint, what is in memory, and the pictures, after a run that has ended with err; broken
// says that a file could not be written. It returns the first error that tells more than that the run was interrupted.
//
// The rows take the place of an older trajectory if they are all there or the run can go on, and are left
// beside it otherwise.
func (r *runner) finish(err error, broken bool) error {
	first := func(e error) {
		if e != nil && (err == nil || errors.Is(err, ErrInterrupted)) {
			err = e
		}
	}
	ended := err == nil
	e := r.mark()
	if e == nil && ended {
		e = r.recordEnd()
	}
	if e == nil {
		e = r.ground.flush()
	}
	broken = broken || e != nil
	first(e)
	left, e := r.ground.close(ended || !broken && r.marks != nil)
	broken = broken || e != nil
	first(e)
	for _, where := range left {
		err = shell.Failed("", fmt.Errorf("%w; %s", err, where))
	}
	if t := r.watch.trajectory; ended || !broken && (r.marks != nil || t.fresh()) {
		first(shell.Failed("", shell.InputError(r.f.output, t.finish())))
	} else {
		where, e := t.leave()
		first(shell.Failed("", shell.InputError(r.f.output, e)))
		if where != "" {
			err = shell.Failed("", fmt.Errorf("%w; %s is as it was, the rows so far are in %s", err, r.f.output, where))
		}
	}
	first(r.watch.writePictures())
	return err
}

// recordEnd writes the row at the end where --every does not divide the time. A run that goes on writes over it.
func (r *runner) recordEnd() error {
	err := r.sim.RecordEnd()
	var file *shell.Failure
	if errors.As(err, &file) {
		return file
	}
	return simError(r.name, err)
}

// mark writes a checkpoint if one is wanted. Errors are failures.
func (r *runner) mark() error {
	if r.marks == nil {
		return nil
	}
	begun := time.Now()
	c, err := r.sim.Checkpoint()
	if err != nil {
		return shell.Failed("", plainSim(shell.InputError(r.f.output, err)))
	}
	if err := r.ground.mark(c); err != nil {
		return err
	}
	if err := r.marks.Replace(c.Write); err != nil {
		return shell.Failed("", plainSim(shell.InputError(r.f.checkpoint, err)))
	}
	now := time.Now()
	r.nextMark = now.Add(max(r.f.Between, checkpointShare*now.Sub(begun)))
	return nil
}

// isInterrupted reports whether err ends a run because its context has ended, or Flags.Interrupted says so.
func isInterrupted(ctx context.Context, err error) bool {
	cause := context.Cause(ctx)
	return errors.Is(err, ErrInterrupted) || cause != nil && errors.Is(err, cause)
}

// onStep is called after each step.
func (r *runner) onStep(s *sim.Simulation) error {
	if s.State().Time >= r.f.until {
		return nil // done
	}
	if r.signals.Err() != nil || r.f.Interrupted != nil && r.f.Interrupted() {
		return ErrInterrupted
	}
	now, t := time.Now(), s.State().Time
	if now.Sub(r.shown) >= speedInterval {
		r.shown = now
		parts := int64(math.Floor(progressParts * (t - r.from) / (r.f.until - r.from)))
		r.p.Add(parts - r.parts)
		r.parts = parts
		r.p.Describe("simulating, " + ratio(t-r.from, now.Sub(r.begun).Seconds()))
	}
	if r.f.checkpoint != "" && now.After(r.nextMark) {
		return r.mark()
	}
	return nil
}

// columns returns what is written of each row. Wrenches have a solver of their own, so that they
// change nothing in the run.
func (f *Flags) columns(plan *rung.Plan, markers []model.Frame) (*sim.Columns, error) {
	mech := plan.Mechanism()
	if len(f.chosen) > 0 {
		return Selected(plan, markers, f.chosen)
	}
	bodies, err := f.chosenBodies(mech)
	if err != nil {
		return nil, err
	}
	joints, err := f.chosenJoints(mech)
	if err != nil {
		return nil, err
	}
	c := sim.NewColumns(mech, bodies)
	if len(joints) > 0 {
		c.AddWrenches(motion.NewDynamics(plan), joints)
	}
	couplings, err := f.chosenCouplings(mech)
	if err != nil {
		return nil, err
	}
	if len(couplings) > 0 {
		c.AddMultipliers(motion.NewDynamics(plan), couplings)
	}
	return c, nil
}

// ratio says how fast the time of the model passes.
func ratio(modelTime, wall float64) string {
	if wall <= 0 {
		return "at once"
	}
	return sheet.Digits3(modelTime/wall) + " × real time"
}
