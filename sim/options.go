package sim

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/mechanism"
)

// ErrStepTooSmall is wrapped by the error of a run whose error control needs steps below
// rounding: at a singularity, at a jump, or with dynamics that fail. It also ends a run after
// 20 000 consecutive steps that are so small that the end is more than 1e9 such steps away. With explicit methods, a mechanism.Error in
// the error names the row of a joint, or the coupling, that demands half of the estimated error or more, else the body with the largest
// error.
var ErrStepTooSmall = errors.New("sim: step too small")

// Options choose how a simulation runs. The zero value, with a Stepper that
// estimates errors, records nothing; it is for mechanisms without joints, and for steppers that close the joints.
type Options struct {
	Step        float64 // fixed step, s, which an implicit method halves where necessary; 0: steps by error control
	InitialStep float64 // error control: first step, s; 0: a short one
	MinStep     float64 // error control: the run ends with an error below this step, s; 0: rounding of the time
	MaxStep     float64 // error control: largest step, s; 0: no bound
	Even        bool    // error control: the last steps before the end of a Run are equally long, so that no short step remains
	// Start says how to treat a first state that violates the joints. The zero value refuses it.
	Start Start
	// Projector projects states that violate the joints. It is necessary where joints can drift; NoProjector leaves states
	// unchanged.
	Projector Projector
	// Drift is the largest drift for which Projector is not called, lengths in units of mechanism.Mechanism.DriftUnit (1 m, or less in
	// small mechanisms). Zeros stand for DefaultDrift.
	Drift Drift
	// Quick saves an evaluation after a projection, for a RungeKutta whose last stage is the first stage of the next step: the next step
	// starts with the accelerations of that stage, although the Projector has moved the end. It moves the end by what the joints have
	// drifted, which is a part of the errors of the steps since the last projection, and the effect on the next end is smaller by a factor
	// of the order of the step. So the order of the method stays. Error control bounds the errors of the steps; with a fixed Step nothing
	// bounds them, nor what Quick adds. Ends that are projected to rounding, next to singular poses, are evaluated in any case.
	Quick bool
	// CloseStages makes the Projector close every stage of every step, at two to three times the
	// cost. Mechanisms that only geometry makes movable, such as the Bricard linkage, need it.
	// Error control does so by itself for steps that have been rejected. Fixed steps do so if
	// rows of the joints are redundant at the start and the dynamics are a Gauge, unless
	// OpenStages is set.
	CloseStages, OpenStages bool

	Events       []Event
	EventSamples int // number of points of a step at which event functions are evaluated (Event), at most 2²⁰; 0 stands for 1, its end

	Recorder Recorder // gets rows at the start and every Every seconds; nil: no rows
	Every    float64  // s, above 0 with a Recorder

	Dissipation bool // whether to sum up the work that contacts, stops and friction take (Simulation.Dissipated, DissipatedByJoints)
	// Dynamics names the way in which accelerations are computed, with all that determines their bits,
	// such as an ordering. A run can be resumed only with an equal one.
	Dynamics string

	Controllers []Controller
	// OnStep is called after each step; an error ends the run there, and Run may continue from there.
	OnStep func(s *Simulation) error
}

// wayText returns the part of the settings for Even and Quick.
func (o *Options) wayText() (text string) {
	if o.Even {
		text = ", even"
	}
	if o.Quick {
		text += ", quick"
	}
	return text
}

// must panics if the options are invalid for m and stepper. It replaces NoProjector by nil.
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

// mustProject panics if joints can drift and there is no Projector, or one is missing that other options need. It replaces NoProjector by
// nil.
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
