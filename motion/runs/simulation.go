package runs

import (
	"context"
	"slices"
	"time"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// Simulation is a run with what Options add to it. It owns all memory it needs, and belongs to one goroutine.
type Simulation struct {
	o        Options
	mech     *mechanism.Mechanism
	start    *mechanism.State
	fit      *Fit
	mover    *Mover
	sim      *sim.Simulation
	record   *Record
	stops    *sim.Stops
	warnings []string
	events   []Event
	more     int64
	plan     *kkt.Plan
	view     *View // of Row; nil before the first one

	check    *sim.Checkpoint // nil unless resumed
	marks    *outfile.Place  // of the checkpoint; nil: there is none
	next     time.Time       // of the next checkpoint
	opened   bool
	closed   bool
	failed   error   // of opening
	running  bool    // in Run, or a panic has ended it
	complete bool    // the last Run has had no error
	until    float64 // of the Run at hand
}

// Fit is how far the first state was from fitting its joints, and how far closing has moved it.
type Fit struct{ Position, Velocity closing.Closing }

// New sets up a run of a mechanism. It touches no file but to read the checkpoint with Files.Resume.
//
// It returns an *OptionError for options that are wrong or do not suit the mechanism, a *StartError if the run cannot
// start, what wraps sim.ErrCheckpoint for a checkpoint that does not fit, and the errors of motion.New.
func New(p *kkt.Plan, o Options) (*Simulation, error) {
	if p == nil {
		panic("motion/runs: no plan")
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	if p.Mechanism().WantsRuts() { // which are this run's
		p = p.With(p.Mechanism().NewInputs())
	}
	s := &Simulation{o: o, mech: p.Mechanism(), plan: p}
	if s.o.Files.Between == 0 {
		s.o.Files.Between = checkpointInterval
	}
	if err := s.place(p); err != nil {
		return nil, err
	}
	columns, err := s.o.SelectColumns(s.mech, p)
	if err != nil {
		return nil, err
	}
	if s.mover, err = NewMover(p, &s.o); err != nil {
		return nil, err
	}
	if s.record, err = NewRecord(s.mech, columns, s.o.Files, s.o.OnRow); err != nil {
		return nil, err
	}
	s.warnings = Warnings(s.mech, s.start, o.Model, o.Integrator)
	if err := s.newSim(p); err != nil {
		return nil, err
	}
	return s, nil
}

// place finds the first state.
func (s *Simulation) place(p *kkt.Plan) error {
	o := &s.o
	if s.start = p.Initial(); o.From != nil {
		if !s.mech.Owns(o.From) {
			panic("motion/runs" + fault.ForeignState)
		}
		s.start = o.From.Clone()
	}
	if o.Files.Resume || o.Resume != nil {
		return s.findCheckpoint()
	}
	if err := o.Span(s.start.Time); err != nil {
		return err
	}
	if err := s.closeStart(p); err != nil {
		return err
	}
	if err := s.mech.CheckGround(s.start); err != nil {
		return &StartError{err}
	}
	return nil
}

// closeStart closes the first state if it does not fit the joints and may be closed.
func (s *Simulation) closeStart(p *kkt.Plan) error {
	if s.o.Start == sim.AsItIs {
		return nil
	}
	closed, err := sim.Closed(s.mech, s.start)
	if err != nil {
		return &StartError{err}
	}
	if closed {
		return nil
	}
	if s.o.Start == sim.Refuse {
		if err := s.mech.Holds(s.start); err != nil {
			return &StartError{err}
		}
	}
	c := closing.NewCloser(p, closing.RunOptions())
	s.fit = new(Fit)
	if err := c.ClosePositions(s.start); err != nil {
		return &StartError{err}
	}
	s.fit.Position = c.Closing()
	if err := c.ProjectVelocities(s.start); err != nil {
		return &StartError{err}
	}
	s.fit.Velocity = c.Closing()
	return nil
}

// newSim makes the simulation below.
func (s *Simulation) newSim(p *kkt.Plan) error {
	o := &s.o
	stops, samples := NewStops(p, s.stopped)
	s.stops = stops
	events := slices.Concat(sim.ContactEvents(s.mech, s.touched), sim.CableEvents(s.mech, nil))
	if samples > 1 || s.tells() || stops.Len() <= sim.MostLandings {
		events = append(events, stops.Events()...)
	}
	if s.check == nil { // else it has which are in flight
		if err := stops.Arm(s.start); err != nil {
			return &StartError{err}
		}
	}
	how := sim.Options{
		Start: o.Start, Step: o.Step, Projector: s.mover.Projector, OnStep: s.onStep, Dynamics: s.mover.Dynamics,
		Events: append(events, o.Events...), EventSamples: samples, Dissipation: true, Controllers: o.Controllers,
	}
	if how.Start == sim.Close { // it is closed
		how.Start = sim.Refuse
	}
	toFiles := o.Files.Trajectory != "" || o.Files.CSV != nil || o.Files.Contacts != ""
	if s.record.keeps = o.Every > 0 && !toFiles && o.OnRow == nil; toFiles || o.OnRow != nil || s.record.keeps {
		if err := o.checkEvery(s.start.Time); err != nil {
			return err
		}
		if s.record.keeps {
			if err := o.checkKept(s.start.Time, s.record.columns.Len()); err != nil {
				return err
			}
		}
		how.Recorder, how.Every = s.record, o.Every
	}
	s.sim = sim.New(s.mech, s.mover.Stepper, s.start, how)
	if s.check == nil {
		return nil
	}
	if err := s.sim.Restore(s.check); err != nil {
		return fault.Errorf("motion/runs: %s: %w", o.resumes(), err)
	}
	return nil
}

// NewStops returns the stops of the mechanism of a plan and the sim.Options.EventSamples that suit them. Where some have an
// impact speed, their impulses have a solver of their own, and there are sim.ImpactSamples. act is that of sim.NewStops.
func NewStops(p *kkt.Plan, act func(resistor int, what sim.StopChange, st *mechanism.State) error) (*sim.Stops, int) {
	m, samples := p.Mechanism(), 1
	var r sim.Responder
	for i := range m.NumResistors() {
		if speed, _ := m.ImpactSpeed(i); speed > 0 {
			r, samples = motion.NewDynamics(p), sim.ImpactSamples
			break
		}
	}
	return sim.NewStops(m, r, act), samples
}

// tells reports whether somebody wants to know of events.
func (s *Simulation) tells() bool { return s.o.Files.Events != "" || s.o.OnEvent != nil }

// Run opens the files, where that has not been done, and goes on to the time until, or to an event that stops the run.
//
// It returns the errors of Open and of sim.Simulation.Run, and a *FileError if a file cannot be written. The run can go
// on from there.
func (s *Simulation) Run(until float64) error { return s.RunContext(context.Background(), until) }

// RunContext is Run, and ends early when ctx does, with the cause; the next Run goes on with the same bits.
func (s *Simulation) RunContext(ctx context.Context, until float64) error {
	if s.closed && s.failed == nil {
		panic("motion/runs: Run after Close")
	}
	if err := s.Open(); err != nil {
		return err
	}
	s.until, s.next = until, time.Now().Add(s.o.Files.Between)
	s.running, s.complete = true, false
	s.record.see(s.sim.State())
	err := s.sim.RunContext(ctx, until)
	s.record.see(s.sim.State())
	s.running, s.complete = false, err == nil
	return err
}

// onStep is called after each step.
func (s *Simulation) onStep(*sim.Simulation) error {
	if s.o.OnStep != nil {
		if err := s.o.OnStep(s); err != nil {
			return err
		}
	}
	if s.marks != nil && s.sim.State().Time < s.until && time.Now().After(s.next) {
		return s.mark()
	}
	return nil
}

// maxEvents is the number of events that a Simulation keeps.
const maxEvents = 1 << 20

// happened notes, writes and tells an event.
func (s *Simulation) happened(e Event) error {
	if len(s.events) < maxEvents {
		s.events = append(s.events, e)
	} else {
		s.more++
	}
	if err := s.record.Event(&e); err != nil {
		return err
	}
	if s.o.OnEvent != nil {
		return s.o.OnEvent(e)
	}
	return nil
}

// touched is told that a contact touches or leaves.
func (s *Simulation) touched(contact int, touches bool, st *mechanism.State) error {
	_, _, element := s.mech.Contact(contact)
	what := sim.StopLeave
	if touches {
		what = sim.StopTouch
	}
	return s.happened(Event{st.Time, s.mech.ForceName(element), what})
}

// stopped is told what happens at a stop.
func (s *Simulation) stopped(resistor int, what sim.StopChange, st *mechanism.State) error {
	f, _ := s.mech.Resistor(resistor)
	if speed, _ := s.mech.ImpactSpeed(resistor); speed > 0 && s.o.OnStop != nil {
		if err := s.o.OnStop(resistor, what, st); err != nil {
			return err
		}
	}
	return s.happened(Event{st.Time, stopName(s.mech, f), what})
}
