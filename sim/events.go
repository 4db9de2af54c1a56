package sim

import "github.com/rung-mbd/rung/mechanism"

// Direction says which zero crossings of an event function count.
type Direction int8

// The directions of an Event.
const (
	Either  Direction = iota
	Rising            // from negative to positive
	Falling           // from positive to negative
)

// Response says how a simulation continues after the action of an event.
type Response int8

// The responses to an Event.
const (
	Continue Response = iota // the simulation continues unchanged; for actions that only look
	Restart                  // the simulation restarts from the state and dynamics as the action has changed them
	Stop                     // the run ends there
)

// Event is a zero crossing of a function of the state.
// A Simulation evaluates the function at samples: at the end of each step and at EventSamples −
// 1 points inside. It finds a crossing where the function has opposite signs at two neighbouring
// samples, or is zero at one. It does not find two crossings between neighbouring samples.
//
// A function may be zero at the start, or where its own action has restarted the run. Crossings count
// again once it has left zero. To determine its sign then, the simulation evaluates it at points down
// to 1e-9 of the way to the next sample, so the function may be zero again at that sample. A
// function that stays within the drift of the state does not leave zero: an action for
// bounces that become ever smaller has to end them.
//
// A function that is NaN has no sign: Run ends with an error that names the event, at the start of the step.
//
// Events that cross at the same instant, up to rounding, all act, in the order of the list.
// Each acts on the state as the actions before it have changed it, whatever they return. Then the run stops if
// an action has returned Stop; otherwise it restarts from the last state if an action has returned Restart.
//
// A Simulation belongs to one mechanism. If an event releases or adds a joint, its action
// stops the run, and another Simulation continues: with the other mechanism, from the state that
// this mechanism adopts (mechanism.Mechanism.Adopt), with a plan from kkt.Plan.Replan; see the
// example of Event.
//
// An error of an action ends Run, as an error of a Recorder does, and the next Run repeats that step.
// It does not repeat actions of the step that have returned Continue. It repeats the
// other actions, as their changes of the state are lost.
type Event struct {
	Name      string
	Function  func(st *mechanism.State) float64
	Direction Direction
	// Action is called with the state at the crossing. Only an action that
	// returns Restart or Stop may change it. nil stands for Continue.
	Action func(st *mechanism.State) (Response, error)
	// Land says that the dynamics have a kink at the crossing. A step of an explicit method over a kink loses its order.
	// So such a step is repeated and ends at the crossing, if steps are chosen by error control.
	Land bool

	dynamicsTell bool // where the function is NaN, the dynamics return an error
}

// maxEventSamples is the largest number of Options.EventSamples.
const maxEventSamples = 1 << 20

// mustWatch panics if an event is invalid, or the number of samples out of range.
func mustWatch(events []Event, samples int) {
	if samples < 0 || samples > maxEventSamples {
		panic("sim: option out of range")
	}
	for i := range events {
		if e := &events[i]; e.Function == nil || e.Direction < Either || e.Direction > Falling {
			panic("sim: event without function, or direction out of range")
		}
	}
}

// MostLandings is the largest number of contacts for which ContactEvents sets Event.Land: with more, some
// contact touches in every step.
const MostLandings = 100
