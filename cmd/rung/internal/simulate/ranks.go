package simulate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/rung-mbd/rung/cmd/rung/internal/ranks"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/machine"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/spf13/cobra"
)

// checkRanks is check with --ranks: it also refuses flags that a run on ranks does not follow.
func (f *Flags) checkRanks(path string) error {
	switch {
	case f.method.Method != motion.Sparse:
		return shell.UseErrorf("--ranks needs --method sparse")
	case !f.ordering.IsAuto():
		return shell.UseErrorf("--ordering is not for --ranks: each rank finds the order of its piece")
	case f.integrator == runs.GeneralizedAlpha.String() || f.integrator == runs.ForceBalance.String():
		return shell.UseErrorf("--ranks is for explicit methods, not for %s", f.integrator)
	case len(f.wrenches)+len(f.multipliers) > 0:
		return shell.UseErrorf("--wrenches and --multipliers are not known on ranks")
	case f.events != "":
		return shell.UseErrorf("--events is not for --ranks: each rank knows those of its own bodies")
	}
	_, err := f.check(path)
	return err
}

// refuseRanks returns an error if the model has a joint stop with an impact speed, which a run on ranks does not follow.
func refuseRanks(m *mechanism.Mechanism) error {
	for i := range m.NumResistors() {
		if speed, _ := m.ImpactSpeed(i); speed > 0 {
			f, _ := m.Resistor(i)
			return fmt.Errorf("--ranks: joint %s has a stop with an impact speed, whose impulses go through all pieces", fault.Name(m.JointName(f.Joint)))
		}
	}
	return nil
}

// rankRun is the part of one rank in a run.
type rankRun struct {
	*ranks.Rank
	f        *Flags
	o        *runs.Options
	name     string
	plan     *dist.Plan
	solver   *dist.Solver
	rows     *gatherer
	store    *dist.Store     // nil without checkpoints
	check    *sim.Checkpoint // from which the run continues; nil: a new run
	step     *sim.RungeKutta
	sim      *sim.Simulation
	watch    *runs.Record         // writes the rows; only on rank 0
	whole    *mechanism.Mechanism // the part of the whole model that energy and columns need (newWatch); only on rank 0
	pictures *pictures            // only on rank 0
	bar      *shell.Progress
	warnings []string        // only on rank 0
	taken    [2]float64      // energy dissipated by contacts, and by stops and friction of joints, J
	signals  context.Context // of the command
	stop     context.Context // ends with signals or at an interrupt of this process
	begun    time.Time
	from     float64    // time of the model at begun, s
	nextMark time.Time  // of the next checkpoint
	requests [2]float64 // buffer of onStep: above 0 if a rank asks for the end of the run, for a checkpoint
}

// loaded is the model as ranks.ReadModel has read it, and the progress bar.
type loaded struct {
	model ranks.Model
	bar   *shell.Progress
}

// simulateOnRanks runs rung simulate with --ranks on the model at path.
func simulateOnRanks(cmd *cobra.Command, path string, f *Flags) error {
	load := func(r *ranks.Rank) (of loaded, err error) {
		if err := f.checkRanks(path); err != nil {
			return of, err
		}
		bar := r.Stderr
		if f.quiet || f.json || f.output == shell.Stdio && shell.Terminal(r.Stdout) {
			bar = io.Discard
		}
		of.bar = shell.NewProgress(bar)
		of.model, err = ranks.ReadModel(r, path, shell.InputOf(cmd), of.bar)
		if err != nil {
			of.bar.End()
		}
		return of, err
	}
	return ranks.Launch(cmd, &f.ranks, load, func(r *ranks.Rank, of loaded) error {
		if r.Head() || r.Processes {
			defer of.bar.End()
		}
		own := *f // a copy, as ranks that share a process each set the times in the flags
		p := &rankRun{Rank: r, f: &own, name: shell.ModelFile(path), bar: of.bar, signals: cmd.Context()}
		return p.simulate(&of.model)
	})
}

// simulate prepares and does the run on this rank, all ranks together.
func (p *rankRun) simulate(of *ranks.Model) error {
	err := p.prepare(of)
	if p.watch != nil {
		defer p.release()
	}
	if err != nil {
		return err
	}
	err = p.do()
	if p.Head() {
		p.bar.End()
	}
	return p.finish(err)
}

// prepare makes everything that the run needs, and writes its first checkpoint. If one rank fails, all ranks return an error.
func (p *rankRun) prepare(of *ranks.Model) (err error) {
	f := p.f
	if p.o, err = f.options(nil, p.Stdout); err != nil {
		return err
	}
	if err = of.Read(p.Rank); err != nil {
		return err
	}
	view, err := of.View(p.Rank, f.ask)
	if err != nil {
		return err
	}
	var seen *mechanism.Mechanism // the mechanism of the view; nil but on rank 0
	if p.Head() {
		if seen, err = mechanism.New(view.Model); err == nil {
			err = refuseRanks(seen)
		}
	}
	if err = dist.Agree(p.Comm, err); err != nil {
		return err
	}
	p.Options.Threads = int(f.threads)
	if p.plan, err = of.Plan(p.Rank, p.Options); err != nil {
		return shell.Failed(p.name, err)
	}
	if p.solver, err = p.plan.NewSolver(); err != nil {
		return shell.Failed(p.name, err)
	}
	if err = p.resumeFrom(); err != nil {
		return err
	}
	if err = dist.Agree(p.Comm, p.newWatch(seen, view.Model)); err != nil {
		return err
	}
	p.rows = newGatherer(p.Rank, p.plan, view, p.watch, p.whole)
	if err = p.newSim(); err != nil {
		return err
	}
	if err = dist.Agree(p.Comm, p.open()); err != nil {
		return err
	}
	return p.mark()
}

// resumeFrom opens the store of checkpoints and, with --resume, reads the latest checkpoint that all ranks have. It returns
// an error if --until or the times of output do not follow the time at which the run begins or continues.
func (p *rankRun) resumeFrom() error {
	f := p.f
	start := p.plan.Mechanism().Initial().Time
	if f.checkpoint != "" {
		p.store = dist.NewStore(p.Comm, f.checkpoint)
	}
	if f.resume {
		var err error
		if p.check, err = p.store.Latest(); err != nil {
			return fault.Plain(err)
		}
		if p.check == nil {
			return fmt.Errorf("%s: there is no checkpoint that all of %d ranks have", f.checkpoint, p.Size())
		}
		start = p.check.Start
	}
	if err := checkUntil(f.until, start); err != nil {
		return err
	}
	if err := p.o.Span(start); err != nil {
		return inFlags(err)
	}
	if p.check != nil && p.check.Time > f.until {
		return shell.UseErrorf("%s: the run is at %v s already, after --until %v", f.checkpoint, p.check.Time, f.until)
	}
	return nil
}

// ask returns the bodies and joints of a piece, by their places there, that columns of the trajectory need: the argument of
// ranks.Model.View.
func (f *Flags) ask(p *dist.Piece) (bodies, joints []int, err error) {
	if len(f.chosen) > 0 {
		m, err := mechanism.New(p.Model)
		if err != nil {
			return nil, nil, err
		}
		bodies, joints = sim.NewCatalogue(m, nil).Subjects(f.chosen)
		own, _ := slices.BinarySearch(bodies, p.Own)
		return bodies[:own], joints, nil
	}
	for i := range p.Own {
		if len(f.bodies) == 0 || slices.Contains(f.bodies, p.Model.Bodies[i].Name) {
			bodies = append(bodies, i)
		}
	}
	return bodies, nil, nil
}

// newWatch makes the record of the rows and the pictures, on rank 0; on other ranks it does nothing. m is the part of the whole
// model that rank 0 has, and whole the mechanism of m. They have all joints and force elements that energy and columns need,
// but not the bodies whose energy is computed on their own ranks and summed (gatherer.other).
func (p *rankRun) newWatch(whole *mechanism.Mechanism, m *model.Model) error {
	if !p.Head() {
		return nil
	}
	f := p.f
	if err := f.checkNames(whole); err != nil {
		return err
	}
	p.o.Model = m
	if len(f.chosen) > 0 {
		all, err := runs.Catalogue(whole, m)
		if err != nil {
			return inFlags(err)
		}
		if all.NeedsReactions(f.chosen) {
			return shell.UseErrorf("--columns: accelerations, reactions and forces of drives are not known on ranks")
		}
	}
	columns, err := p.o.SelectColumns(whole, nil)
	if err != nil {
		return inFlags(err)
	}
	if p.check == nil {
		if err := whole.CheckGround(whole.Initial()); err != nil {
			return shell.Failed(p.name, fault.Plain(err))
		}
	}
	p.whole, p.pictures = whole, &pictures{mech: whole, columns: columns}
	if err := p.pictures.choose(f); err != nil {
		return err
	}
	p.watch, err = runs.NewRecord(whole, columns, p.o.Files, func(row *sim.Row, values []float64) error {
		p.pictures.add(row, values)
		return nil
	})
	p.warnings = runs.Warnings(whole, whole.Initial(), m, p.o.Integrator)
	return inFlags(err)
}

// localEvents returns the events of the bodies of this rank: contacts touch or leave, cables become taut or slack, joints reach
// their stops. Steps end at events of a kind (Event.Land) unless the whole mechanism has more than sim.MostLandings of them, as
// in one process.
func (p *rankRun) localEvents() []sim.Event {
	m := p.plan.Mechanism()
	lists := [...][]sim.Event{sim.ContactEvents(m, nil), sim.CableEvents(m, nil), sim.NewStops(m, nil, nil).Events()}
	var many [len(lists)]float64 // 1 for a kind of which there are too many
	if p.Head() {
		whole, stops := p.whole, sim.NewStops(p.whole, nil, nil) // the view of rank 0 has all contacts, cables and stops
		for i, n := range [...]int{whole.NumContacts(), whole.NumCables(), stops.Len()} {
			if n > sim.MostLandings {
				many[i] = 1
			}
		}
	}
	p.solver.Largest(many[:])
	if many[2] > 0 {
		lists[2] = nil
	}
	for i, list := range lists {
		for k := range list {
			list[k].Land = many[i] == 0
		}
	}
	return slices.Concat(lists[:]...)
}

// newSim makes the simulation of this rank's piece, at the state of the checkpoint if there is one.
func (p *rankRun) newSim() error {
	f, mech := p.f, p.plan.Mechanism()
	start := mech.Initial()
	o := sim.Options{Projector: sim.NoProjector, Step: f.step, Recorder: p.rows, Every: p.o.Every, OnStep: p.onStep, Events: p.localEvents(), Dissipation: true, Dynamics: fmt.Sprintf("%d ranks, root %s, %s", p.Size(), f.ranks.RootName(), f.stabilize)}
	if p.o.Stabilization == runs.Projection {
		o.Projector = p.solver.NewProjector()
	}
	if err := p.closedAt(start); err != nil {
		return err
	}
	if f.stepSet && p.o.Stabilization == runs.Projection { // with redundant constraints stages are closed, as in one process
		if err := p.solver.Solve(start); err != nil {
			return shell.Failed(p.name, err)
		}
		o.CloseStages = p.solver.Redundant() != 0
	}
	p.step = p.o.Explicit(mech, p.solver)
	p.sim = sim.New(mech, p.step, start, o)
	if p.check == nil {
		return nil
	}
	err := p.sim.Restore(p.check)
	if err != nil {
		err = fmt.Errorf("%s: %w", f.checkpoint, fault.Plain(err))
	}
	return dist.Agree(p.Comm, err)
}

// closedAt returns an error, on all ranks, if the state of the model violates its joints. A continued run is not checked.
func (p *rankRun) closedAt(st *mechanism.State) error {
	if p.check != nil {
		return nil
	}
	closed, err := sim.Closed(p.plan.Mechanism(), st)
	if err == nil && !closed {
		err = fmt.Errorf("%s: the state of the model does not fit its joints, and ranks do not close it: rung assemble does", p.name)
	}
	return dist.Agree(p.Comm, err)
}

// open clears the store of checkpoints for a new run, and opens the trajectory and the pictures on rank 0.
func (p *rankRun) open() error {
	if p.store != nil && p.check == nil {
		if err := p.store.Clear(); err != nil {
			return err
		}
	}
	if !p.Head() {
		return nil
	}
	if err := p.pictures.open(p.Stdout); err != nil {
		return err
	}
	return runError("", p.watch.Open(p.check))
}

// release gives up the files of rank 0, so that others may write them.
func (p *rankRun) release() {
	p.watch.Release()
	p.pictures.drop()
}

// do integrates to --until. The first interrupt ends the run after its current step, with an interruption error; a second one
// ends the process.
func (p *rankRun) do() error {
	defer shell.Keep(p.signals)()
	ctx, stop := signal.NotifyContext(p.signals, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	p.stop, p.from = ctx, p.sim.State().Time
	p.begun = time.Now()
	p.nextMark = runs.NextCheckpoint(p.begun, p.f.Between)
	if p.Head() {
		p.bar.Stage("simulating", 0)
	}
	p.rows.noteEnergy(p.sim.State())
	err := p.sim.Run(p.f.until)
	if errors.Is(err, ErrInterrupted) {
		return p.f.interruption(p.sim.State().Time)
	}
	return simError(p.name, err)
}

// onStep is called after each step, on all ranks. Rank 0 decides when checkpoints are written, and a signal to any rank ends the
// run on all.
func (p *rankRun) onStep(s *sim.Simulation) error {
	if s.State().Time >= p.f.until {
		return nil
	}
	p.requests = [2]float64{}
	if p.stop.Err() != nil || p.f.Interrupted != nil && p.f.Interrupted() {
		p.requests[0] = 1
	}
	if p.Head() && p.store != nil && time.Now().After(p.nextMark) {
		p.requests[1] = 1
	}
	p.solver.Largest(p.requests[:])
	switch {
	case p.requests[0] > 0:
		return ErrInterrupted
	case p.requests[1] > 0:
		return p.mark()
	}
	return nil
}

// mark writes a checkpoint of each rank; without a store it does nothing.
func (p *rankRun) mark() error {
	if p.store == nil {
		return nil
	}
	begun := time.Now()
	c, err := p.sim.Checkpoint()
	if err != nil {
		return shell.Failed("", fault.Plain(err))
	}
	if p.Head() {
		err = runError("", p.watch.MarkLines(c))
	}
	if err = dist.Agree(p.Comm, err); err != nil {
		return err
	}
	if err := dist.Agree(p.Comm, p.store.Save(c)); err != nil {
		return shell.Failed("", fault.Plain(err))
	}
	p.nextMark = runs.NextCheckpoint(begun, p.f.Between)
	return nil
}

// finish writes the last checkpoint, the rest of the rows, the pictures and the summary after a run that has ended with err. It
// returns the first error that tells more than an interruption.
func (p *rankRun) finish(err error) error {
	took := time.Since(p.begun)
	p.rows.noteEnergy(p.sim.State())
	ended := err == nil
	first := func(e error) {
		if e != nil && (err == nil || errors.Is(err, ErrInterrupted)) {
			err = e
		}
	}
	if ended || errors.Is(err, ErrInterrupted) {
		first(p.mark())
	}
	if err == nil {
		first(simError(p.name, p.sim.RecordEnd()))
	}
	sent := []float64{float64(p.solver.Sent())}
	p.solver.Largest(sent)
	p.taken = [2]float64{p.sim.Dissipated(), p.sim.DissipatedByJoints()}
	p.solver.Sum(p.taken[:])
	var e error
	if p.Head() {
		e = runError("", p.watch.Close(ended, p.store != nil))
		first(e)
		for _, where := range p.watch.Left() {
			err = shell.Failed("", fmt.Errorf("%w; %s", err, where))
		}
		if x := p.pictures.write(); e == nil {
			e = x
		}
		if x := p.print(took, int64(sent[0])); e == nil {
			e = x
		}
	}
	first(dist.Agree(p.Comm, e))
	return err
}

// print writes the summary on rank 0: the document on stdout with --json, else lines on stderr. took is the wall time, bytes the
// largest amount that a rank has sent.
func (p *rankRun) print(took time.Duration, bytes int64) error {
	n, told, f := p.sim.Stats(), p.watch.Told(p.taken[0], p.taken[1]), p.f
	_, held := p.plan.HeldRows()
	end := p.sim.State().Time
	s := &Simulation{
		Format: "rung-simulation/1", Name: p.whole.Name, Integrator: f.integrator, Step: f.step, Start: p.from, End: end, Until: f.until,
		Resumed: f.resume, Finished: end >= f.until,
		effort: effort{Evaluations: p.step.Evaluations(), CPU: machine.ProcessorTime().Seconds(), Wall: took.Seconds()},
		Creep:  runs.CreepAt(p.whole, p.rows.state), Warnings: p.warnings,
		Ranks: &RanksResult{Ranks: p.Size(), Root: f.ranks.RootName(), Held: held, Bytes: bytes},
	}
	s.add(&n, &told)
	for _, note := range p.plan.Notes() {
		s.Warnings = append(s.Warnings, fault.Escape(note))
	}
	if !f.ranks.TellsPivots() && p.o.Stabilization == runs.Projection {
		s.Warnings = append(s.Warnings, "MUMPS does not tell its pivots, so it is not known whether the motion has passed a singular pose; --root go tells")
	}
	if s.Tolerance = p.o.RelativeTolerance(); s.Tolerance > 0 && p.step.Relative() > s.Tolerance {
		s.Least = p.step.Relative()
	}
	if f.json {
		return shell.WriteJSON(p.Stdout, s)
	}
	if !f.quiet {
		page := sheet.NewPage(p.Stderr, shell.Columns(p.Stderr))
		printSimulation(page, s)
		_ = page.Flush() // errors of messages on stderr are ignored
	}
	return nil
}
