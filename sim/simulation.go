package sim

import (
	"context"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/guard"
	"github.com/rung-mbd/rung/mechanism"
)

// Simulation is a run: a state that moves through time. It owns all memory it
// needs and belongs to one goroutine.
type Simulation struct {
	guard guard.Guard
	o     Options
	print uint64 // Fingerprint of the mechanism at the start
	*stepping
	start       float64 // time of the start, s
	controllers controllers
	events      watched
	rows        rows
	loss        *dissipation // nil: no energy is dissipated, or it is not wanted
	wears       bool         // some rank has a loss
	ruts        *rutted      // nil: no wheel leaves ruts

	placed  bool  // the state at the start has been projected
	moved   Moved // change of the first state by projection
	begun   bool  // the first row has been written
	stopped string
}

// New returns a simulation that starts from a copy of st.
//
// It panics if m or stepper is nil, if st is of another mechanism, if an option is negative or not
// finite, if there is a Controller without Period or Sample, a Recorder without Every,
// CloseStages without a Projector, or joints that can drift and no Projector, or if there is neither a Step nor
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
	o.must(m, stepper)
	o.Drift = o.Drift.withDefaults()
	all := new(ranks)
	if r, ok := stepper.(interface{ ranked() *ranks }); ok {
		all = r.ranked()
	}
	s := &Simulation{o: o, print: Fingerprint(m), start: st.Time, controllers: controllers{o.Controllers, make([]int64, len(o.Controllers))}}
	step := newStep(m, stepper, st, all)
	step.closer = newCloser(m, all, &step.ending.halt, &s.o)
	_, explicit := stepper.(*RungeKutta)
	step.quick = o.Quick && explicit
	shareSearches(stepper, &step.closer.kin)
	if s.o.Projector == nil {
		step.closer.ends, _ = stepper.(violated)
	}
	if o.Dissipation {
		s.loss = newDissipation(m, step.st, all)
	}
	s.wears = all.some(s.loss != nil)
	s.events = newWatched(step, o.Events, o.EventSamples)
	s.ruts = newRutted(m, step.st)
	step.carry()
	s.rows = rows{recorder: o.Recorder, every: o.Every}
	s.stepping = newStepping(step, &s.o)
	return s
}

// State returns the current state. It belongs to the simulation: the caller may only read it, and
// should Clone a state that has to last.
func (s *Simulation) State() *mechanism.State { return s.st }

// Stats returns the counts of the work so far.
func (s *Simulation) Stats() Stats { return s.stats }

// Stopped returns the name of the event that stopped the run, "" if none did.
func (s *Simulation) Stopped() string { return s.stopped }

// Moved returns the change of the first state by projection; zeros before Run, and if the state has not been changed.
func (s *Simulation) Moved() Moved { return s.moved }

// Dissipated returns the energy that contacts have taken from the motion since the simulation was made, J: the integral of
// contact.Result.Power, if Options.Dissipation is set, else 0. It includes the energy that bends bristles, which may return. On
// ranks (Ranks) it is the energy of the piece.
func (s *Simulation) Dissipated() float64 {
	if s.loss == nil {
		return 0
	}
	return s.loss.work
}

// DissipatedByJoints is Dissipated for the stops and the friction of joints, without the energy that impulses at stops take.
func (s *Simulation) DissipatedByJoints() float64 {
	if s.loss == nil {
		return 0
	}
	return s.loss.joints
}

// Stiffness returns the motion that limits the steps of error control by stability. It returns nil if most steps follow all motions, if
// there have been few steps, if the stepper is not a RungeKutta with a suitable method, and on ranks.
//
// Cost: O(force elements).
func (s *Simulation) Stiffness() *Stiffness { return s.stiff.tell(s.mech, &s.stats) }

// Fired returns the number of times that the action of event i has been called.
//
// It panics if i is out of range.
func (s *Simulation) Fired(i int) int64 {
	if uint(i) >= uint(len(s.events.watches)) {
		panic("sim: event out of range")
	}
	return s.events.watches[i].fired
}

// Run moves the state on to the time until, or to an event that stops the run.
//
// If the first state violates the joints by more than mechanism.HoldTolerance, Run returns a
// *mechanism.ViolationError that names the worst joint, unless Options.Start says otherwise. The Projector removes smaller
// violations.
//
// Run does nothing if the time until is reached or has passed. A later Run continues from the
// state reached. The last step of a run ends at until. If it is shorter for this reason, the
// steps that error control chooses afterwards do not become shorter.
//
// It returns errors of dynamics, events, Projector, Controllers, Recorder and OnStep and, with error control, an error that wraps
// ErrStepTooSmall. If a body has left the terrain or is too deep in the ground, the error is a mechanism.Error that names the contact and
// wraps a mechanism.GroundError. The simulation is then at its last good state, and a later Run, or a run from a Checkpoint,
// repeats the step. Rows that have been written are not written again. It panics if until is NaN.
//
// RunContext can be ended from outside.
//
// Angles with springs are followed over any number of turns (mechanism.State.Angles), as long
// as no two bodies turn relative to each other by half a turn in a step. Error control ensures
// that. The states of the run carry all other angles too, so that mechanism.Mechanism.Coordinate is continuous past
// half a turn: in State, in rows, in events and in controllers.
func (s *Simulation) Run(until float64) error { return s.RunContext(context.Background(), until) }

// RunContext is Run, and ends early when ctx does, also in the middle of a step if stepper and Projector are Watchers or
// have one. It then returns the cause for which ctx has ended, and the next Run repeats that step, with the same bits.
// The same holds if a user-defined function, such as a force, a controller or the Recorder, panics and the caller recovers.
func (s *Simulation) RunContext(ctx context.Context, until float64) error {
	if s == nil || s.stepping == nil {
		panic("sim: zero Simulation; use New")
	}
	if !s.guard.Enter() {
		panic("sim: Simulation used by two goroutines")
	}
	defer s.guard.Leave()
	if math.IsNaN(until) {
		panic("sim: time is not a number")
	}
	if err := s.ranks.sameRun(s.st.Time, until, func() string { return s.stepper.Settings() + s.settings() }); err != nil {
		return err
	}
	defer s.ending.follow(ctx, s.stepper, s.o.Projector)()
	if err := s.begin(); err != nil {
		return s.orCause(groundFirst(err))
	}
	for s.st.Time < until && s.stopped == "" {
		next, err := s.controllers.callDue(s.step, s.start, until)
		if err != nil {
			return err
		}
		if err := s.advance(next); err != nil {
			return err
		}
		if s.o.Step == 0 {
			if err := s.keepPace(until); err != nil {
				return err
			}
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

// begin prepares the run, once: it projects the state at the start, presses the ground, arms the events and writes the first row.
func (s *Simulation) begin() error {
	if s.begun {
		return nil
	}
	if err := s.place(); err != nil {
		return err
	}
	if err := s.ruts.pressStart(s.st); err != nil {
		return err
	}
	if s.o.Step > 0 && s.gauged != nil && !s.o.CloseStages && !s.o.OpenStages {
		var err error
		if s.control.redundant, err = s.gauged.redundantAt(s.st); err != nil {
			return err
		}
		s.closeStages(s.control.redundant)
	}
	if err := s.events.arm(); err != nil {
		return err
	}
	if err := s.rows.writeNow(s.step); err != nil {
		return err
	}
	s.begun = true
	return nil
}

// place checks the state at the start and projects it, as Options.Start says, once. After an error the state is unchanged, so that the
// next Run does the same.
func (s *Simulation) place() error {
	if s.placed {
		return nil
	}
	if s.o.Start == Refuse {
		if err := startHolds(&s.closer, s.st); err != nil {
			return err
		}
	}
	copyTo(&s.next, s.st)
	changed := false
	if s.o.Start != AsItIs {
		var err error
		if changed, err = s.closeNext(); err != nil {
			return err
		}
	}
	if changed {
		s.moved.moves(s.st, &s.next)
		s.stats.Projections++
	}
	copyTo(s.st, &s.next)
	s.placed = true
	return nil
}

// advance does one step: it tries steps until one is good enough, writes rows and handles
// events in the order of time, and accepts the step. After an error or a panic the run is at the start of the step.
func (s *Simulation) advance(until float64) error {
	if s.ended() {
		return s.orCause(nil)
	}
	s.hold()
	panics := true
	defer func() { // a user-defined function may panic: the next Run repeats the step
		if panics {
			s.giveUp()
		}
	}()
	err := s.heldStep(until)
	panics = false
	return err
}

// heldStep is advance after hold has stored the start of the step.
func (s *Simulation) heldStep(until float64) error {
	t1, err := s.findStep(until)
	if err == nil && !s.ended() && s.events.lands && s.o.Step == 0 && !s.implicit { // after an error there may be no step
		t1, err = s.land(t1, s.events.firstLanding())
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
		s.take(s.projected)
	}
	s.events.done()
	s.stats.Steps++
	return nil
}

// giveUp goes back to the start of the step. Rows that have been written stay.
func (s *Simulation) giveUp() {
	s.goBack()
	s.events.giveUp()
}

// groundFirst returns the error of a contact that err wraps (mechanism.GroundFault), or err itself if there is none. The other parts of
// err, such as that shorter steps do not help, would hide the cause.
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
	s.events.findAll()
	for {
		if s.ended() { // crossings found after the end of the context may be wrong
			return false, s.orCause(nil)
		}
		if s.events.eventful {
			if err := s.ranks.agree(s.events.wrong); err != nil {
				return false, err
			}
		}
		theta, crosses := s.events.firstEvent()
		if err := s.rows.writeUpTo(s.step, s.start, t1, theta); err != nil {
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

// act handles the events that cross at the fraction theta of the step. It
// reports whether the run restarts or stops there instead of finishing the step to t1.
func (s *Simulation) act(t1, theta float64) (gone bool, err error) {
	response, stopped, err := s.events.act(theta)
	if err != nil || response == Continue {
		return false, err
	}
	copyTo(&s.next, &s.sample)
	changed, err := s.closeNext()
	if err == nil {
		err = s.wear(t1, theta)
	}
	if err != nil {
		return false, err
	}
	s.take(changed)
	s.startAnew()
	s.stopped = stopped
	s.events.rearm(theta)
	return true, nil
}

// wear updates the dissipated energy and the ruts for a step up to its fraction theta, where it ends in the state s.next; the step was
// tried up to t1. The work of the contacts comes first, as it belongs to the ground before the step.
//
// After an error nothing has been added, and the step can be done again.
func (s *Simulation) wear(t1, theta float64) (err error) {
	work, joints := s.Dissipated(), s.DissipatedByJoints()
	if s.wears {
		err = s.ranks.agree(s.loss.addWork(s.step, t1, theta))
	}
	if err == nil {
		err = s.ruts.press(s.step, t1, theta)
	}
	if err != nil && s.loss != nil {
		s.loss.work, s.loss.joints = work, joints
	}
	return err
}

// RecordEnd writes the row of the present state, unless the last row has this state. Call it after Run for a last row at the end, if
// Every need not divide the time. A run that continues does not count this row, nor does a Checkpoint: take the Checkpoint
// before, so that a file is resumed without this row.
//
// Cost: as a row. It does nothing without a Recorder or before Run. It returns the errors of Run.
func (s *Simulation) RecordEnd() error {
	if !s.begun {
		return nil
	}
	return s.rows.writeEnd(s.step, s.start)
}

// settings returns the options on which results depend, as text. The first step and the recorder are not
// included.
func (s *Simulation) settings() string {
	return fmt.Sprintf("step %v, at most %v, drift %v %v, projected %t, stages %t %t, rows every %v, samples %d%s",
		s.o.Step, s.o.MaxStep, s.o.Drift.Position, s.o.Drift.Velocity, s.o.Projector != nil,
		s.o.CloseStages, s.o.OpenStages, s.o.Every, s.events.samples, s.controllers.periods()+s.o.wayText())
}
