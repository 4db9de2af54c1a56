package sim

import (
	"context"
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/guard"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/team"
)

// ErrStepTooSmall is wrapped by the error of a run whose error control asks for steps below
// rounding: at a singularity, at a jump, or with dynamics that fail. It also ends a run after
// 20 000 steps in a row that are so small that the end is more than 1e9 of them away.
var ErrStepTooSmall = errors.New("sim: step too small")

// Options choose how a simulation runs. The zero value, with a Stepper that
// estimates errors, records nothing; it is for mechanisms without joints, and for steppers that close the joints.
type Options struct {
	Step        float64 // fixed step, s, which an implicit method halves where it has to; 0: by error control
	InitialStep float64 // first step of error control, s; 0: a short one
	MinStep     float64 // of error control, s: it gives up below; 0: rounding of the time
	MaxStep     float64 // of error control, s; 0: no bound

	// Start says what becomes of a first state that violates the joints. The zero value refuses it.
	Start Start

	// Projector brings drifted states back. Where joints can drift there has to be one; NoProjector leaves states as
	// they are.
	Projector Projector
	Drift     Drift // drift above which Projector is called, lengths in units of mechanism.Mechanism.DriftUnit (1 m, or less in small mechanisms); zeros stand for DefaultDrift

	// CloseStages has the Projector close every stage of every step, at two to three times the
	// cost. Mechanisms that only geometry makes movable, such as the Bricard linkage, need it.
	// Error control does so by itself for steps that have been rejected. Fixed steps do so if
	// rows of the joints are redundant at the start and the dynamics are a Gauge, unless
	// OpenStages is set.
	CloseStages, OpenStages bool

	Events       []Event
	EventSamples int // points of a step at which events are looked at (Event), 2²⁰ at most; 0 stands for 1, its end

	Recorder Recorder // gets rows at the start and every Every seconds; nil: no rows
	Every    float64  // s, above 0 with a Recorder

	Dissipation bool // whether the work that contacts, stops and friction take is added up (Simulation.Dissipated, DissipatedByJoints)

	// Dynamics names how the accelerations are computed, with all that decides about their bits,
	// such as an ordering. A run is resumed only under an equal one.
	Dynamics string

	Controllers []Controller

	// OnStep is called after each step; an error ends the run there, from where Run may go on.
	OnStep func(s *Simulation) error
}

// Stats count what a run has done.
type Stats struct {
	Steps    int64 `json:"steps"`
	Rejected int64 `json:"rejected"`
	Careful  int64 `json:"careful"`          // rejected steps that were tried again with closed stages
	Helped   int64 `json:"helped,omitempty"` // of these, steps that closed stages alone made good
	Singular int64 `json:"singular"`         // steps next to singular poses

	// Stiff counts steps of those that are looked at, every eighth, that are too long to follow the fastest motion
	// (Simulation.Stiffness).
	Stiff int64 `json:"stiff,omitempty"`

	// Undecided counts steps after which the motion may be on another branch than computed: steps
	// in singular poses that are too slow for the branch to be known, and steps over singular
	// poses whose error is above the tolerance because of rounding. UndecidedAt is the time at
	// which the first of these steps began, s. Doubt is the largest error of the second kind in
	// units of the tolerance.
	Undecided   int64   `json:"undecided"`
	UndecidedAt float64 `json:"undecided_at"`
	Doubt       float64 `json:"doubt"`

	Projections int64 `json:"projections"` // of states the run goes on from
	Worst       Drift `json:"worst"`       // largest drift met at the end of a step, before projection
}

// Simulation is a run: a state that moves through time. It owns all memory it
// needs and belongs to one goroutine.
type Simulation struct {
	guard    guard.Guard
	mech     *mechanism.Mechanism
	stepper  Stepper
	ranks    *ranks
	o        Options
	events   []Event
	watches  []watch
	samples  int
	lands    bool           // some event has Land
	travels  bool           // there are contacts on some rank
	eventful bool           // there are events on some rank
	wears    bool           // energy is lost on some rank
	unit     float64        // of lengths, for drift
	drifts   DriftProjector // the projector if it is a DriftProjector, else nil
	turner   turner         // the stepper if it is a turner, else nil
	gauged   gauged         // the stepper if it is gauged and steps can be led over singular poses, else nil
	exact    *exactly       // the projector if it can project to rounding and gauged is there, else nil
	exactly  bool           // ends of steps are projected to rounding
	beside   bool           // the step at hand is next to a singular pose
	limit    float64        // error up to which a step is settled: 1, unless rounding does not allow that
	tried    [3]float64     // errors of the last tries of one step
	implicit bool           // the stepper closes the joints by itself
	print    uint64         // of the mechanism as it was at the start

	st        *mechanism.State
	next      mechanism.State // the end of a step, projected
	projected bool            // projection has changed next, but not to rounding
	sample    mechanism.State // of rows and events
	kin       mechanism.Kinematics
	row       Row

	start   float64
	base    float64 // fixed steps end at base + count·Step
	count   int64
	control control
	rows    int64   // rows written
	called  []int64 // samples of each controller that are done
	placed  bool    // the state at the start has been projected
	moved   Moved   // by which the start has been closed
	begun   bool
	stopped string
	failed  float64 // time at which a step has been given up
	stats   Stats
	stiff   stiff
	back    foothold
	pace    pace
	loss    *dissipation // nil: nothing is lost, or it is not wanted
	ruts    *rutted      // nil: no wheel leaves any
	turns   turns

	ctx  context.Context // of the run
	halt team.Watch      // of ctx
}

// turner is a Stepper that knows the largest angle of a body in the step last tried, rad.
type turner interface{ furthest() float64 }

// gauged is a Stepper that knows how near two states are to a singular pose, as Gauge says: the
// first state after Restart, and the end of the step last tried. The number is 0 if its
// dynamics do not tell.
type gauged interface {
	places() (first, end place)
	slow(path float64) bool
	// middle returns where in a step a singular pose is farthest from all stages, as a part of the step.
	middle() float64
	// redundantAt reports whether rows of the joints are redundant at st, from which the next step starts.
	redundantAt(st *mechanism.State) (bool, error)
}

// New returns a simulation that starts from a copy of st.
//
// It panics if st is of another mechanism, if an option is negative or not
// finite, if there is a Controller without Period or Sample, a Recorder without Every or
// CloseStages without a Projector, or if there is neither a Step nor
// an error estimate.
func New(m *mechanism.Mechanism, stepper Stepper, st *mechanism.State, o Options) *Simulation {
	switch {
	case m == nil:
		panic("sim: no mechanism")
	case stepper == nil:
		panic("sim: no stepper")
	case !m.Owns(st):
		panic("sim" + fault.ForeignState)
	}
	for _, x := range []float64{o.Step, o.InitialStep, o.MinStep, o.MaxStep, o.Every} {
		if !(x >= 0) || math.IsInf(x, 1) {
			panic("sim: option out of range")
		}
	}
	_, embedded := stepper.Order()
	if o.Step == 0 && embedded == 0 {
		panic("sim: method without error estimate needs a step")
	}
	o.mustProject(m, stepper)
	if o.Recorder != nil && o.Every == 0 {
		panic("sim: recorder without interval")
	}
	mustControl(o.Controllers)
	mustWatch(&o)
	o.Drift = o.Drift.withDefaults()
	all := new(ranks)
	if r, ok := stepper.(interface{ ranked() *ranks }); ok {
		all = r.ranked()
	}
	s := &Simulation{
		mech: m, stepper: stepper, o: o, events: o.Events,
		watches: make([]watch, len(o.Events)), samples: max(o.EventSamples, 1), ranks: all,
		unit: all.driftUnit(m), travels: all.some(m.NumContacts() > 0), print: fingerprint(m), st: st.Clone(), next: *st.Clone(), sample: *st.Clone(),
		kin:   newKinematics(m),
		start: st.Time, base: st.Time, limit: 1, called: make([]int64, len(o.Controllers)),
	}
	if n := m.NumInternal(); len(st.Internal) != n {
		s.st.Internal, s.next.Internal, s.sample.Internal = make([]float64, n), make([]float64, n), make([]float64, n)
	}
	if o.Dissipation {
		s.loss = newDissipation(m, s.st, all)
	}
	s.wears = all.some(s.loss != nil)
	s.eventful = all.some(len(s.events) > 0)
	s.ruts = newRutted(m, s.st)
	for i := range s.events {
		s.lands = s.lands || s.events[i].Land
	}
	s.lands = all.some(s.lands)
	m.FollowAngles(&s.kin, s.st)
	s.turns = newTurns(m, s.st)
	s.next.Angles, s.sample.Angles = s.st.Angles, s.st.Angles
	s.row.State = &s.sample
	s.drifts, _ = o.Projector.(DriftProjector)
	s.turner, _ = stepper.(turner)
	if p, ok := o.Projector.(ExactProjector); ok {
		if s.gauged, ok = stepper.(gauged); ok {
			s.exact = &exactly{p}
		}
	}
	_, s.implicit = stepper.(interface{ ClosesJoints() })
	s.closeStages(s.stagesClosed())
	s.control = control{h: o.InitialStep, old: firstError, order: float64(embedded + 1), steady: s.implicit, most: mostTurn}
	if all.some(m.NumSprung() > 0) {
		s.control.most = mostTurn / 2
	}
	return s
}

// State returns the current state. It is the simulation's own: read it, and Clone
// what has to last.
func (s *Simulation) State() *mechanism.State { return s.st }

// Stats returns what has been done so far.
func (s *Simulation) Stats() Stats { return s.stats }

// StepSize returns the step that error control will try next, s.
func (s *Simulation) StepSize() float64 { return s.control.h }

// Stopped returns the name of the event that stopped the run, "" if none did.
func (s *Simulation) Stopped() string { return s.stopped }

// Fired returns how often event i has been acted upon.
//
// It panics if i is out of range.
func (s *Simulation) Fired(i int) int64 {
	if uint(i) >= uint(len(s.watches)) {
		panic("sim: event out of range")
	}
	return s.watches[i].fired
}

// Run goes on to the time until, or to an event that stops the run.
//
// A first state that violates the joints by more than mechanism.HoldTolerance ends the run before it begins, with a
// *mechanism.ViolationError that names the worst joint; Options.Start asks for something else by name. What is
// violated by less the Projector takes away.
//
// Run does nothing if the time until is reached or has passed. A later Run goes on from the
// state reached. The last step of a run ends at until. If it is shorter for that, the
// steps that error control chooses afterwards do not become shorter.
//
// It returns errors of dynamics, Projector, Controllers, Recorder and OnStep and, under error control, what wraps
// ErrStepTooSmall. Where a body has left the terrain or sunk too deep they are a mechanism.Error of the contact with a
// mechanism.GroundError. The simulation then stands at its last good state, and a later Run, or one from a Checkpoint,
// does the step again. Rows that have been written are not written again. It panics if until is NaN.
//
// RunContext is the same with an end from outside.
//
// Angles with springs are followed over any number of turns (mechanism.State.Angles), as long
// as no two bodies turn against each other by half a turn in a step. Error control sees to
// that. The states of the run carry all other angles too, so that mechanism.Mechanism.Coordinate goes on past
// half a turn: in State, in rows, in events and in controllers.
func (s *Simulation) Run(until float64) error { return s.RunContext(context.Background(), until) }

// RunContext is Run, and ends early when ctx does, also in the middle of a step if stepper and Projector are Watchers or
// have one. It then returns the cause for which ctx has ended, and the next Run does that step again, with the same bits.
// So it does after a panic of what the user has given, such as a force, a controller or the Recorder, from which the caller has recovered.
func (s *Simulation) RunContext(ctx context.Context, until float64) error {
	if s == nil || s.mech == nil {
		panic("sim: zero Simulation; use New")
	}
	if !s.guard.Enter() {
		panic("sim: Simulation used by two goroutines")
	}
	defer s.guard.Leave()
	if math.IsNaN(until) {
		panic("sim: time is not a number")
	}
	if err := s.ranks.sameRun(s, until); err != nil {
		return err
	}
	defer s.watch(ctx)()
	if err := s.begin(); err != nil {
		return s.orCause(groundFirst(err))
	}
	for s.st.Time < until && s.stopped == "" {
		next, err := s.callControllers(until)
		if err != nil {
			return err
		}
		if err := s.step(next); err != nil {
			return err
		}
		if err := s.keepPace(until); err != nil {
			return err
		}
		if s.o.OnStep == nil {
			continue
		}
		if err := s.o.OnStep(s); err != nil {
			return err
		}
	}
	return nil
}

// begin projects the state at the start and writes the first row.
func (s *Simulation) begin() error {
	if s.begun {
		return nil
	}
	if err := s.place(); err != nil {
		return err
	}
	if err := s.ruts.begin(s.st); err != nil {
		return err
	}
	if s.o.Step > 0 && s.gauged != nil && !s.o.CloseStages && !s.o.OpenStages {
		var err error
		if s.control.redundant, err = s.gauged.redundantAt(s.st); err != nil {
			return err
		}
		s.closeStages(s.control.redundant)
	}
	s.armEvents()
	if s.o.Recorder != nil {
		copyTo(&s.sample, s.st)
		if err := s.record(); err != nil {
			return err
		}
	}
	s.begun = true
	return nil
}

// place projects the state at the start, once. An error leaves it as it was, so that the next Run does the same.
func (s *Simulation) place() error {
	if s.placed {
		return nil
	}
	if err := s.startHolds(); err != nil {
		return err
	}
	copyTo(&s.next, s.st)
	changed := false
	if s.o.Start != AsItIs {
		var err error
		if changed, err = s.project(&s.next); err != nil {
			return err
		}
	}
	if changed {
		s.noteMoved(s.st, &s.next)
	}
	copyTo(s.st, &s.next)
	s.countProjected(changed)
	s.placed = true
	return nil
}

// step does one step: tries it until it is good enough, goes through rows and
// events in the order of time, and accepts it.
func (s *Simulation) step(until float64) error {
	if s.ended() {
		return s.orCause(nil)
	}
	s.hold()
	panics := true
	defer func() { // what the user has given may panic: the next Run does the step again
		if panics {
			s.giveUp()
		}
	}()
	err := s.heldStep(until)
	panics = false
	return err
}

// heldStep is step, once what it has to go back to is held.
func (s *Simulation) heldStep(until float64) error {
	t1, err := s.try(until)
	if err == nil && !s.ended() { // else there may be no step
		t1, err = s.land(t1)
	}
	err = groundFirst(err)
	if s.ended() {
		s.giveUp()
		return s.orCause(nil)
	}
	if err != nil {
		return err
	}
	gone, err := s.passEvents(t1)
	if err != nil {
		s.giveUp()
		return groundFirst(err)
	}
	if !gone {
		s.stepper.Accept()
		s.countProjected(s.projected)
		s.countTurns()
		copyTo(s.st, &s.next)
		s.mech.FollowAngles(&s.kin, s.st)
	}
	s.settleEvents()
	s.stats.Steps++
	return nil
}

// groundFirst returns the fault of a contact if err has one. The rest of err, such as that shorter steps do not help,
// would hide it.
func groundFirst(err error) error {
	if err == nil {
		return nil
	}
	if e := mechanism.GroundFault(err); e != nil {
		return fault.Errorf("sim: %w", e)
	}
	return err
}

// passEvents writes the rows and handles the events of the step to t1 in the order of
// time. It reports whether an event has ended the step.
func (s *Simulation) passEvents(t1 float64) (gone bool, err error) {
	t0 := s.st.Time
	s.findAll()
	for {
		if s.ended() { // what has been found since may be wrong
			return false, s.orCause(nil)
		}
		theta, crosses := s.firstEvent()
		if s.eventful {
			theta, crosses = s.ranks.first(theta, crosses)
		}
		if err := s.recordUpTo(t0, t1, theta); err != nil {
			return false, err
		}
		if !crosses {
			return false, s.wear(t1, 1)
		}
		if gone, err := s.act(t1, theta); gone || err != nil {
			return gone, err
		}
	}
}

// sampleAt sets s.sample to the state at a fraction of the step, projected where
// it has drifted. Where that cannot be done it stays as it is; its drift tells.
func (s *Simulation) sampleAt(theta float64) {
	s.stepper.AtTo(&s.sample, theta)
	if _, err := s.project(&s.sample); err != nil {
		s.stepper.AtTo(&s.sample, theta)
	}
	s.sampleTurns()
}

// act handles the crossing of an event at the fraction theta of the step, and all other events at the same instant. It
// reports whether the run continues from there instead of finishing the step to t1.
func (s *Simulation) act(t1, theta float64) (gone bool, err error) {
	s.meet(theta)
	if s.ended() {
		return false, s.orCause(nil)
	}
	response, stopped := Continue, ""
	for i := range s.events {
		if !s.watches[i].now || err != nil {
			continue
		}
		var r Response
		if r, err = s.call(i); r == Stop && stopped == "" {
			stopped = s.events[i].Name
		}
		response = max(response, r)
	}
	if response, err = s.ranks.only(response, err); err != nil {
		return false, err
	}
	if response == Continue {
		for i := range s.events {
			if s.watches[i].now {
				s.passed(i)
			}
		}
		return false, nil
	}
	copyTo(&s.next, &s.sample)
	changed, err := s.project(&s.next)
	if err == nil {
		err = s.wear(t1, theta)
	}
	if err != nil {
		return false, err
	}
	s.countProjected(changed)
	s.countTurns()
	copyTo(s.st, &s.next)
	s.mech.FollowAngles(&s.kin, s.st)
	s.stepper.Restart()
	s.base, s.count = s.st.Time, 0
	s.control.restart()
	s.stopped = stopped
	s.rearmEvents(theta)
	return true, nil
}

// stagesClosed reports whether the stages of all steps are closed.
func (s *Simulation) stagesClosed() bool { return s.o.CloseStages || s.control.redundant }

// closeStages sets whether stages are closed.
func (s *Simulation) closeStages(on bool) {
	var p Projector
	if on {
		p = s.o.Projector
	}
	s.stepper.CloseStages(p)
}

// settle makes s.next from the step last tried: its end, projected where it has drifted.
// An error says that the run cannot go on from there.
func (s *Simulation) settle() error {
	s.stepper.AtTo(&s.next, 1)
	var changed bool
	var err error
	if s.exactly {
		changed, err = true, project(s.exact, &s.next)
	} else if s.drifts != nil {
		changed, err = s.projectEnd()
	} else {
		changed, err = s.project(&s.next)
	}
	if err != nil {
		return err
	}
	s.projected = changed && !s.exactly
	s.settleTurns()
	return s.stepper.Lead(&s.next, changed)
}

// recordUpTo writes the rows that are due up to the fraction theta of the step
// from t0 to t1.
func (s *Simulation) recordUpTo(t0, t1, theta float64) error {
	if s.o.Recorder == nil {
		return nil
	}
	// A row may be due by rounding behind the end of a step that was meant for it.
	end := t0 + theta*(t1-t0) + dueSlack*s.o.Every
	for {
		due := s.start + float64(s.rows)*s.o.Every
		if due > end {
			return nil
		}
		s.sampleAt(min(max((due-t0)/(t1-t0), 0), theta))
		if s.ended() {
			return s.orCause(nil)
		}
		if err := s.record(); err != nil {
			return err
		}
	}
}

// dueSlack is the part of an output interval that rounding of times may take.
const dueSlack = 1e-10

// RecordEnd writes the row of the present state, unless the last row is of it. Call it after Run where Every need not
// divide the time, for a last row at the end. A run that goes on does not count it, nor does a Checkpoint: take that one
// before, so that a file is resumed without this row.
//
// Cost: that of a row. It does nothing without a Recorder or before Run. Errors are those of Run.
func (s *Simulation) RecordEnd() error {
	if s.o.Recorder == nil || !s.begun || s.st.Time <= s.start+float64(s.rows-1)*s.o.Every+dueSlack*s.o.Every {
		return nil
	}
	copyTo(&s.sample, s.st)
	if err := s.record(); err != nil {
		return err
	}
	s.rows--
	return nil
}

// record writes the row of s.sample.
func (s *Simulation) record() error {
	d, err := s.driftAt(&s.sample)
	if err != nil {
		return err
	}
	s.row.Drift = driftIn(&d, 1)
	s.row.Energy = s.mech.EnergyAt(&s.kin, &s.sample)
	if err := s.bearings(&s.sample); err != nil {
		return err
	}
	if err := s.o.Recorder.Record(&s.row); err != nil {
		return fault.Errorf("sim: row at t = %v: %w", s.sample.Time, err)
	}
	s.rows++
	return nil
}
