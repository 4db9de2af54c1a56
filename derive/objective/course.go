package objective

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// leastStep is the part of a run up to which two times count as the same: times written in different ways have some rounding. No step is
// that short.
const leastStep = 1e-9

// course is a run, in pieces between its rows. Rows are the times of data, the times of Every, and the end; steps end there. If a term is
// an extreme and Every is 0, the end of each step is a row.
type course struct {
	tab     *sim.Tableau          // nil for generalized-α and RATTLE
	alpha   *sim.GeneralizedAlpha // nil for others
	pieces  []*adjoint.Tape
	impacts *impacts           // nil where no stop has impulses
	jumped  []bool             // by row: an event at a stop took place there
	states  []*mechanism.State // at the rows, one more than there are pieces: the start is the first
	told    RunResult          // what is reported about the run
	leaps   error              // not nil if a force has jumped: there is no gradient
	growth  *adjoint.Growth
	closer  sim.Projector // closes stages; nil: no stage is closed
	known   closings      // stages that the run has closed
}

// marks returns the times of the rows after the start, s, ascending: the times of data, the multiples of Every if a term is an extreme
// (fewRows bounds their number), and the end.
func (g *Problem) marks() []float64 {
	from, until := g.plan.Initial().Time, g.o.Run.Until
	list := []float64{until}
	for _, r := range g.data {
		if r != nil {
			list = append(list, r.times...)
		}
	}
	if g.extremes() && g.o.Run.Every > 0 {
		for k := 1; from+float64(k)*g.o.Run.Every < until; k++ {
			list = append(list, from+float64(k)*g.o.Run.Every)
		}
	}
	slices.Sort(list)
	least, last := leastStep*(until-from), from
	marks := list[:0]
	for _, t := range list {
		if t > last+least {
			marks, last = append(marks, t), t
		}
	}
	if n := len(marks); n > 0 && until-marks[n-1] <= least {
		marks = marks[:n-1] // the end itself is appended below
	}
	return append(marks, until)
}

// fewRows returns an error if the states of the rows of Every alone would fill the memory.
func (g *Problem) fewRows() error {
	every, bytes := g.o.Run.Every, 8*float64(g.plan.Initial().FlatLen())
	rows := (g.o.Run.Until - g.plan.Initial().Time) / every
	if g.extremes() && every > 0 && !(rows*bytes <= adjoint.DefaultMemory) {
		return fmt.Errorf("derive/objective: every is %v: states of %.3g rows fill the memory of %d bytes", every, rows, adjoint.DefaultMemory)
	}
	return nil
}

// rowOf returns the row nearest to a time.
func (c *course) rowOf(t float64) int {
	n := len(c.states)
	i, _ := slices.BinarySearchFunc(c.states, t, func(st *mechanism.State, t float64) int {
		if st.Time < t {
			return -1
		}
		return 1
	})
	switch {
	case i == n:
		return n - 1
	case i > 0 && t-c.states[i-1].Time < c.states[i].Time-t:
		return i - 1
	}
	return i
}

// taping records the states of a run, piece by piece.
type taping struct {
	c        *course
	plan     *kkt.Plan
	o        runs.Options // options of the run
	to       func(ctx context.Context, s *runs.Simulation, until float64) error
	tape     *adjoint.Tape // of this piece
	before   int           // number of steps in earlier pieces
	rows     int           // number of multipliers
	until    *float64      // time at which this piece is to end
	left     int64         // memory that is left, bytes
	kinks    *branches
	all      bool      // each step is a piece
	lastStop *impact   // last event at a stop
	struck   int64     // number of impulses
	lastJump float64   // time of lastStop, s
	ends     []float64 // times of the ends of steps
	bends    *bends    // nil for implicit steps, and if no force has corners
}

// begin begins a piece, with a row at its start.
func (t *taping) begin(s *runs.Simulation) error {
	t.c.states, t.c.jumped = append(t.c.states, s.State().Clone()), append(t.c.jumped, s.State().Time == t.lastJump)
	until := new(float64)
	t.until, t.tape = until, t.newTape()
	t.tape.Before = t.before
	t.tape.Memory = max(t.left, 1)
	t.tape.Repeat = func(ctx context.Context, from *sim.Checkpoint, onStep func(s adjoint.Stand) error) error {
		return t.repeat(ctx, from, *until, onStep)
	}
	return t.tape.AddStep(s)
}

// newTape returns an empty tape for the integrator of the run.
func (t *taping) newTape() *adjoint.Tape {
	m := t.plan.Mechanism()
	if t.c.tab != nil {
		return adjoint.NewTape(m)
	}
	if t.c.alpha == nil {
		return adjoint.NewRattleTape(m, func(s adjoint.Stand) []float64 {
			return s.(*runs.Simulation).Stepper().(*motion.Rattle).Leaves()
		})
	}
	return adjoint.NewAlphaTape(m, t.rows, func(s adjoint.Stand) sim.AlphaEnd {
		return s.(*runs.Simulation).Stepper().(*sim.GeneralizedAlpha).LastEnd()
	})
}

// end ends a piece, and begins the next one.
func (t *taping) end(s *runs.Simulation) error {
	t.left -= t.tape.Bytes()
	t.before += t.tape.Steps()
	t.c.pieces = append(t.c.pieces, t.tape)
	return t.begin(s)
}

// onStep is called after each step.
func (t *taping) onStep(s *runs.Simulation) error {
	bent := t.kinks.see(s.State())
	t.ends = append(t.ends, s.State().Time)
	if err := t.seeImpacts(s.Impacts()); err != nil {
		return err
	}
	if err := t.tape.AddStep(s); err != nil {
		return err
	}
	if err := t.bends.over(t.tape, bent && t.lastJump != s.State().Time, s.State()); err != nil || !t.all {
		return err
	}
	until := *t.until // of the step's piece; the next piece, which end begins, has the same
	err := t.end(s)
	*t.until = until
	return err
}

// repeat repeats the run from a checkpoint up to a time, for a tape (adjoint.Tape.Repeat).
func (t *taping) repeat(ctx context.Context, from *sim.Checkpoint, until float64, onStep func(s adjoint.Stand) error) error {
	o := t.o
	o.OnStop = nil // the events are on the tape already
	o.Resume, o.OnStep = from, func(s *runs.Simulation) error { return onStep(s) }
	s, err := runs.New(t.plan, o)
	if err != nil {
		return err
	}
	if err := onStep(s); err != nil {
		return err
	}
	return t.to(ctx, s, until)
}

// run runs the mechanism and records the run. It returns an error, mostly ErrNotDifferentiable, for runs without derivatives.
func (g *Problem) run(ctx context.Context) (*course, error) {
	if err := g.smooth(); err != nil {
		return nil, err
	}
	c, err := g.newCourse()
	if err != nil {
		return nil, err
	}
	c.setImpacts(g.mech)
	if err := g.fewRows(); err != nil {
		return nil, err
	}
	rows := g.plan.Layout().Pattern.Dim() - 6*g.mech.NumBodies()
	t := &taping{
		c: c, plan: g.plan, to: g.past.repeats.runTo, rows: rows, lastJump: math.Inf(-1), kinks: newBranches(g.mech),
		left: cmp.Or(g.memory, adjoint.DefaultMemory), all: g.extremes() && g.o.Run.Every == 0,
	}
	s, err := g.simulation(t)
	if err != nil {
		return nil, err
	}
	t.kinks.see(s.State())
	t.bends = newBends(g.plan, c.tab, t.kinks, s.State())
	if err := t.begin(s); err != nil {
		return nil, err
	}
	for _, until := range g.marks() { // a piece of the tape ends at each row
		*t.until = until
		if err = t.to(ctx, s, until); err != nil {
			break
		}
		if t.tape.Steps() > 0 {
			if err = t.end(s); err != nil {
				break
			}
		}
		if s.Stopped() != "" {
			break
		}
	}
	if last := s.Close(); err == nil {
		err = last
	}
	if err != nil {
		return nil, err
	}
	if err := plainSteps(s); err != nil {
		return nil, err
	}
	if err := g.stopAt(c, s.Stopped()); err != nil {
		return nil, err
	}
	if err := g.closedStages(c, s); err != nil {
		return nil, err
	}
	c.leaps = t.kinks.jumped()
	*g.past = g.leave(c, t, s)
	return c, nil
}

// leave stores what is reported about a run, and returns what it leaves for others.
func (g *Problem) leave(c *course, t *taping, s *runs.Simulation) (p past) {
	rough := c.tab == nil || t.bends != nil && t.bends.rough
	c.told = RunResult{Steps: s.Stats().Steps, Evaluations: s.Evaluations(), Kinks: t.kinks.told(rough)}
	if g.o.Run.Step == 0 {
		p.ends = t.ends
	}
	p.moves = c.tab != nil && (len(c.told.Kinks) > 0 || c.impacts != nil || g.ending != nil)
	return p
}

// plainSteps returns ErrNotDifferentiable for a run some of whose steps are not steps of its method.
func plainSteps(s *runs.Simulation) error {
	if n := s.Stats().Singular + s.Stats().Undecided; n > 0 {
		return fmt.Errorf("%w: %d of its steps lead over singular poses", ErrNotDifferentiable, n)
	}
	if r, ok := s.Stepper().(*motion.Rattle); ok && r.Stats().Damped+r.Stats().Passed > 0 {
		return fmt.Errorf("%w: %d of its steps are none of RATTLE: they are damped, or pass a singular pose",
			ErrNotDifferentiable, r.Stats().Damped+r.Stats().Passed)
	}
	return nil
}

// closedStages sets the projector that closes stages of the run again, and whether the run has closed stages: in all steps, as rows are
// redundant, or in some, after others were rejected.
func (g *Problem) closedStages(c *course, s *runs.Simulation) error {
	if c.tab == nil || !g.projects() {
		return nil
	}
	at, err := s.Checkpoint()
	if err != nil {
		return err
	}
	for _, t := range c.pieces {
		t.MayClose, t.ClosesAll = at.Stages || s.Stats().Careful > 0, at.Stages
	}
	o := g.o.Run
	m, err := runs.NewMover(g.plan, &o)
	if err != nil {
		return err
	}
	c.known.by = m.Projector
	c.closer = &c.known
	return nil
}

// newCourse returns an empty course with the method of the run.
func (g *Problem) newCourse() (*course, error) {
	switch g.o.Run.Integrator {
	case runs.RungeKutta4:
		return &course{tab: sim.RungeKutta4()}, nil
	case runs.GeneralizedAlpha:
		o := g.o.Run
		m, err := runs.NewMover(g.plan, &o)
		if err != nil {
			return nil, err
		}
		return &course{alpha: m.Stepper.(*sim.GeneralizedAlpha)}, nil
	case runs.Rattle:
		return &course{}, nil
	}
	return &course{tab: sim.DormandPrince()}, nil
}

// fieldsAhead is the number of fields that going forward over the run needs.
func (c *course) fieldsAhead() int {
	if c.tab == nil {
		return 1
	}
	return len(c.tab.B)
}

// fieldsBack is the number of fields that going back over the run needs: one more for explicit steps if the run projects its states.
func (c *course) fieldsBack(projects bool) int {
	if c.tab != nil && projects {
		return c.fieldsAhead() + 1
	}
	return c.fieldsAhead()
}

// simulation returns the simulation of the run, whose states go to t.
func (g *Problem) simulation(t *taping) (*runs.Simulation, error) {
	o := g.o.Run
	o.Every, o.Start, o.Events = 0, g.closes, g.event()
	if len(g.held) > 0 {
		var err error
		if o.From, err = g.closed(closing.RunTolerance); err != nil {
			return nil, err
		}
	}
	g.past.repeats.give(&o, g.plan.Initial().Time)
	t.o, o.OnStep, o.OnStop = o, t.onStep, t.stopHook()
	s, err := runs.New(g.plan, o)
	if err == nil {
		t.c.known.watch(g.mech, s.Stepper())
	}
	return s, err
}

// samples returns for each term the samples of its column, by row; none for integrals.
func (g *Problem) samples(c *course, f *field) ([][]sample, error) {
	list := make([][]sample, len(g.terms))
	for i, t := range g.terms {
		switch t.Take {
		case Final:
			if t.ofTime() {
				continue
			}
			list[i] = []sample{{row: len(c.states) - 1}}
		case Data:
			for k, time := range g.data[i].times {
				list[i] = append(list[i], sample{c.rowOf(time), g.data[i].values[k]})
			}
		}
	}
	if !g.extremes() {
		return list, nil
	}
	ties, err := g.addExtremes(list, c.states, f)
	c.told.Kinks = append(c.told.Kinks, ties...)
	return list, err
}

// smooth returns an error for mechanisms and options whose runs have no derivatives: a run has to be an ordinary differential equation in
// poses and velocities.
func (g *Problem) smooth() error {
	m := g.mech
	if err := g.remembers(); err != nil {
		return err
	}
	if i := g.o.Run.Integrator; g.ending != nil && i != runs.DormandPrince && i != runs.RungeKutta4 {
		return fmt.Errorf("%w: the end of a run of %s at a value (ends_at) has none yet", ErrNotDifferentiable, i)
	}
	if list := m.Nonholonomic(); len(list) > 0 {
		return m.AtConstraint(int(list[0]), -1, fmt.Errorf("%w: rows of velocities alone have none over a run yet", ErrNotDifferentiable))
	}
	for _, p := range g.o.Parameters {
		if slices.ContainsFunc(p.Paths, func(path string) bool { return path == "time" || path == "$.time" }) {
			return fmt.Errorf("%w: by the time of the start", ErrNotDifferentiable)
		}
	}
	return nil
}

// remembers returns an error for mechanisms with internal states, except stops with impulses over explicit steps.
func (g *Problem) remembers() error {
	m, stops := g.mech, 0
	for i := range m.NumResistors() {
		f, _ := m.Resistor(i)
		switch speed, _ := m.ImpactSpeed(i); {
		case m.Bristles(i):
			return m.AtJoint(f.Joint, -1, fmt.Errorf("%w: bristles of friction have none over a run yet", ErrNotDifferentiable))
		case speed > 0 && g.o.Run.Integrator == runs.GeneralizedAlpha:
			return m.AtJoint(f.Joint, -1,
				fmt.Errorf("%w: impulses of a stop have none between steps of generalized-alpha yet", ErrNotDifferentiable))
		case speed > 0:
			stops++
		}
	}
	if m.NumInternal() > stops {
		return fmt.Errorf("%w: there are internal states: bristles or slips of contacts", ErrNotDifferentiable)
	}
	return nil
}

// noJumps returns an error for a run in which a force has jumped, and for an extreme at the instant of an event at a stop: both times move
// with the parameters.
func (g *Problem) noJumps(c *course, samples [][]sample) error {
	if c.leaps != nil {
		return c.leaps
	}
	for i, t := range g.terms {
		if (t.Take == Min || t.Take == Max) && c.jumped[samples[i][0].row] {
			return fmt.Errorf("%w: term %s has its extreme at the instant at which a stop is met, t = %v",
				ErrNotDifferentiable, fault.Name(t.Name), c.states[samples[i][0].row].Time)
		}
	}
	return nil
}

// setImpacts sets c.impacts if a stop has impulses.
func (c *course) setImpacts(m *mechanism.Mechanism) {
	for i := range m.NumResistors() {
		if speed, _ := m.ImpactSpeed(i); speed > 0 {
			c.impacts = &impacts{mech: m}
			return
		}
	}
}

// stopAt records on the tape that the run has ended at ends_at. stopped is the event that has ended the run; it returns errNotReached if
// there is none though there should be.
func (g *Problem) stopAt(c *course, stopped string) error {
	switch {
	case g.ending == nil:
		return nil
	case stopped == "":
		return fmt.Errorf("%w: t = %v, column %s", errNotReached, c.lastState().Time, fault.Name(g.ending.of.Column))
	}
	last := c.lastState().Time
	if c.jumped[len(c.jumped)-1] {
		return fmt.Errorf("%w: %w: column %s, and a stop", ErrNotDifferentiable, adjoint.ErrAtOnce, fault.Name(g.ending.of.Column))
	}
	for i, r := range g.data {
		if r != nil && len(r.times) > 0 && r.times[len(r.times)-1] > last {
			return fmt.Errorf("derive/objective: term %s has a datum at t = %v: ends_at ends the run at t = %v",
				fault.Name(g.terms[i].Name), r.times[len(r.times)-1], last)
		}
	}
	c.pieces[len(c.pieces)-1].Stop(g.ending)
	return nil
}

// lastState returns the state at the end of the run.
func (c *course) lastState() *mechanism.State { return c.states[len(c.states)-1] }

// stopHook returns the function that records events at stops on the tape; nil if no stop has impulses.
func (t *taping) stopHook() func(resistor int, what sim.StopChange, before *mechanism.State) error {
	if t.c.impacts == nil {
		return nil
	}
	return func(resistor int, what sim.StopChange, before *mechanism.State) error {
		e := t.c.impacts.newImpact(resistor, what, before)
		if t.tape.Jump(e, before); e.strikes {
			t.struck++
		}
		t.lastStop = e
		t.lastJump = before.Time
		return nil
	}
}

// seeImpacts returns an error if an impulse has set off another one: n is the number of impulses of the run, of which the hook has seen
// t.struck.
func (t *taping) seeImpacts(n int64) error {
	if n != t.struck {
		return fmt.Errorf("%w: t = %v: the impulse at the %s sets off another one at the same instant",
			ErrNotDifferentiable, t.lastJump, t.lastStop.Name())
	}
	return nil
}

// reason adds ErrNotDifferentiable to errors of a run that has no derivative.
func (g *Problem) reason(err error) error {
	if errors.As(err, new(*adjoint.StepError)) || errors.As(err, new(*adjoint.GrazingError)) || errors.Is(err, adjoint.ErrAtOnce) ||
		errors.Is(err, derive.ErrDoubt) {
		return fault.Errorf("%w: %w", ErrNotDifferentiable, err)
	}
	return err
}
