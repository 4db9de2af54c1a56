package sim

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/mechanism"
)

// ErrStepTooSmall is wrapped by the error of a run whose error control asks for steps below
// rounding: at a singularity, at a jump, or with dynamics that fail. It also ends a run after
// 20 000 steps in a row that are so small that the end is more than 1e9 of them away. With explicit methods a mechanism.Error in it names
// the row of a joint, or the coupling, that demands half of the estimated error or more, else the body that has the largest.
var ErrStepTooSmall = errors.New("sim: step too small")

// Options choose how a simulation runs. The zero value, with a Stepper that
// estimates errors, records nothing; it is for mechanisms without joints, and for steppers that close the joints.
type Options struct {
	Step        float64 // fixed step, s, which an implicit method halves where it has to; 0: by error control
	InitialStep float64 // first step of error control, s; 0: a short one
	MinStep     float64 // of error control, s: it gives up below; 0: rounding of the time
	MaxStep     float64 // of error control, s; 0: no bound
	Even        bool    // under error control the last steps up to the end of a Run are equally long, so that the last one is no rest

	// Start says what becomes of a first state that violates the joints. The zero value refuses it.
	Start Start

	// Projector brings drifted states back. Where joints can drift there has to be one; NoProjector leaves states as
	// they are.
	Projector Projector
	// Drift is that above which Projector is called, lengths in units of mechanism.Mechanism.DriftUnit (1 m, or less in small
	// mechanisms). Zeros stand for DefaultDrift.
	Drift Drift

	// Quick lets the next step of a RungeKutta whose last stage is its first one begin with the accelerations of that stage also where
	// the Projector has moved the end. It moves it by no more than what the error estimate allows, of which a part of the order of the
	// step goes over into the next end. So a step with a projection costs no evaluation more. Ends that are projected to rounding, next to
	// singular poses, are evaluated all the same.
	Quick bool

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

// wayText says in settings that steps are Even or Quick.
func (o *Options) wayText() (text string) {
	if o.Even {
		text = ", even"
	}
	if o.Quick {
		text += ", quick"
	}
	return text
}

// must panics unless a run can be made with the options. It makes NoProjector nil.
func (o *Options) must(m *mechanism.Mechanism, stepper Stepper) {
	for _, x := range []float64{o.Step, o.InitialStep, o.MinStep, o.MaxStep, o.Every} {
		if !(x >= 0) || math.IsInf(x, 1) {
			panic("sim: option out of range")
		}
	}
	if _, embedded := stepper.Order(); o.Step == 0 && embedded == 0 {
		panic("sim: method without error estimate needs a step")
	}
	o.mustProject(m, stepper)
	if o.Recorder != nil && o.Every == 0 {
		panic("sim: recorder without interval")
	}
	mustControl(o.Controllers)
	mustWatch(o.Events, o.EventSamples)
}

// mustProject panics unless the options say what becomes of drift, and makes NoProjector nil.
func (o *Options) mustProject(m *mechanism.Mechanism, stepper Stepper) {
	_, none := o.Projector.(noProjector)
	if none {
		o.Projector = nil
	}
	switch {
	case o.Start > AsItIs:
		panic("sim: option out of range")
	case o.Projector != nil:
		return
	case o.CloseStages || o.Start == Close:
		panic("sim: no projector")
	case none:
		return
	}
	if _, closes := stepper.(interface{ ClosesJoints() }); closes {
		if d, ok := stepper.(interface{ JointsDrift() bool }); !ok || !d.JointsDrift() {
			return
		}
	}
	for i := range m.NumConstraints() {
		if m.ConstraintRows(i) > 0 {
			panic("sim: joints drift without a projector; Options.Projector is sim.NoProjector for a run that lets them")
		}
	}
}
