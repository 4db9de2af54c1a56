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

// Simulation is a run, as Options configure it. It owns all memory it needs. Only one goroutine may use it.
type Simulation struct {
	o        Options
	mech     *mechanism.Mechanism
	start    *mechanism.State // the first state
	fit      *Fit             // nil if the first state was not closed
	mover    *Mover
	sim      *sim.Simulation
	record   *Record
	stops    *sim.Stops
	warnings []string
	events   []Event
	more     int64 // number of events that are not in events
	plan     *kkt.Plan
	view     *View // of Row; nil before the first call

	check    *sim.Checkpoint // from which the run continues; nil if it begins anew
	marks    *outfile.Place  // file of checkpoints; nil if there is none
	next     time.Time       // when the next checkpoint is due
	opened   bool
	closed   bool
	failed   error   // error of Open
	running  bool    // Run is active, or has ended by a panic
	complete bool    // the last Run has had no error
	until    float64 // end of the present Run, s
}

// Fit has the errors of the joints at the first state, and the changes by closing it.
type Fit struct{ Position, Velocity closing.Closing }

// New sets up a run of a mechanism. It touches no file, except that it reads the checkpoint with Files.Resume.
//
// It returns an *OptionError for options with faults or not suitable for the mechanism, a *StartError if the run cannot
// start, an error that wraps sim.ErrCheckpoint for a checkpoint of another run, and the errors of motion.New. It panics without a plan, or
// if o.From is a state of another mechanism.
func New(p *kkt.Plan, o Options) (*Simulation, error) {
	if p == nil {
		panic("motion/runs: no plan")
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	if p.Mechanism().WantsRuts() { // the run gets its own ground, into which its wheels press ruts
		p = p.With(p.Mechanism().NewInputs())
	}
	s := &Simulation{o: o, mech: p.Mechanism(), plan: p}
	if s.o.Files.Between == 0 {
		s.o.Files.Between = checkpointInterval
	}
	if err := s.setStart(p); err != nil {
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

// setStart sets s.start, the first state, closed if it may be, or the checkpoint from which the run continues. It returns *OptionErrors and
// *StartErrors.
func (s *Simulation) setStart(p *kkt.Plan) error {
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

// closeStart closes the first state if it violates the joints and the options allow closing. It stores the corrections in s.fit. It
// returns a *StartError if the state violates the joints and may not or cannot be closed.
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

// newSim creates s.sim, with events, recorder and controllers, from the first state or the checkpoint. It returns *OptionErrors,
// *StartErrors and the errors of sim.Simulation.Restore.
func (s *Simulation) newSim(p *kkt.Plan) error {
	o := &s.o
	stops, samples := NewStops(p, s.stopped)
	s.stops = stops
	events := slices.Concat(sim.ContactEvents(s.mech, s.touched), sim.CableEvents(s.mech, nil))
	if samples > 1 || s.wantsEvents() || stops.Len() <= sim.MostLandings {
		events = append(events, stops.Events()...)
	}
	if s.check == nil { // a checkpoint has the states of the stops
		if err := stops.Arm(s.start); err != nil {
			return &StartError{err}
		}
	}
	options := sim.Options{
		Start: o.Start, Step: o.Step, Projector: s.mover.Projector, OnStep: s.onStep, Dynamics: s.mover.Dynamics,
		Events: append(events, o.Events...), EventSamples: samples, Dissipation: true, Controllers: o.Controllers,
	}
	if options.Start == sim.Close { // closeStart has closed it
		options.Start = sim.Refuse
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
		options.Recorder, options.Every = s.record, o.Every
	}
	s.sim = sim.New(s.mech, s.mover.Stepper, s.start, options)
	if s.check == nil {
		return nil
	}
	if err := s.sim.Restore(s.check); err != nil {
		return fault.Errorf("motion/runs: %s: %w", o.checkpointName(), err)
	}
	return nil
}

// NewStops returns the stops of the mechanism of a plan, and the sim.Options.EventSamples for them. If some have an
// impact speed, their impulses are computed by an extra solver, and the number of samples is sim.ImpactSamples, else 1. act is as for
// sim.NewStops.
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

// wantsEvents reports whether events are written to a file or given to OnEvent.
func (s *Simulation) wantsEvents() bool { return s.o.Files.Events != "" || s.o.OnEvent != nil }

// Run opens the files if they are not open, and integrates to the time until, s, or to an event that stops the run.
//
// It returns the errors of Open and of sim.Simulation.Run, and a *FileError if a file cannot be written. A further Run continues
// from the state reached. It panics after Close.
func (s *Simulation) Run(until float64) error { return s.RunContext(context.Background(), until) }

// RunContext is Run that ends early when ctx does. It then returns the cause; the next Run continues to the same bits as without the
// interruption.
func (s *Simulation) RunContext(ctx context.Context, until float64) error {
	if s.closed && s.failed == nil {
		panic("motion/runs: Run after Close")
	}
	if err := s.Open(); err != nil {
		return err
	}
	s.until, s.next = until, time.Now().Add(s.o.Files.Between)
	s.running, s.complete = true, false
	s.record.noteState(s.sim.State())
	err := s.sim.RunContext(ctx, until)
	s.record.noteState(s.sim.State())
	s.running, s.complete = false, err == nil
	return err
}

// onStep is called after each step. It calls Options.OnStep, and writes a checkpoint if one is due before the end of Run.
func (s *Simulation) onStep(*sim.Simulation) error {
	if s.o.OnStep != nil {
		if err := s.o.OnStep(s); err != nil {
			return err
		}
	}
	if s.marks != nil && s.sim.State().Time < s.until && time.Now().After(s.next) {
		return s.writeCheckpoint()
	}
	return nil
}

// maxEvents is the largest number of events that a Simulation keeps.
const maxEvents = 1 << 20

// addEvent keeps an event, writes it to the file of events, and calls OnEvent. It returns the first error of these.
func (s *Simulation) addEvent(e Event) error {
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

// touched adds the event that a contact begins to touch, or leaves the ground, at st.
func (s *Simulation) touched(contact int, touches bool, st *mechanism.State) error {
	_, _, element := s.mech.Contact(contact)
	what := sim.StopLeave
	if touches {
		what = sim.StopTouch
	}
	return s.addEvent(Event{st.Time, s.mech.ForceName(element), what})
}

// stopped calls OnStop for a stop with an impact speed, and adds the event of a change of a stop at st.
func (s *Simulation) stopped(resistor int, what sim.StopChange, st *mechanism.State) error {
	f, _ := s.mech.Resistor(resistor)
	if speed, _ := s.mech.ImpactSpeed(resistor); speed > 0 && s.o.OnStop != nil {
		if err := s.o.OnStop(resistor, what, st); err != nil {
			return err
		}
	}
	return s.addEvent(Event{st.Time, stopName(s.mech, f), what})
}
