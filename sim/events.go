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

// Response says how a simulation goes on after the action of an event.
type Response int8

// The responses to an Event.
const (
	Continue Response = iota // goes on as if nothing had happened: a log
	Restart                  // goes on from the state that the action left, with the dynamics it left
	Stop                     // ends the run there
)

// Event is a zero crossing of a function of the state.
//
// A Simulation looks at the function at samples: at the end of each step and at EventSamples −
// 1 points inside. It sees a crossing where the function has opposite signs at two neighbouring
// samples, or is zero at one. It does not see two crossings between neighbouring samples.
//
// A function may be zero at the start, or where its own action has restarted the run. It counts
// again once it has left zero. To find out with which sign, the simulation looks at points down
// to 1e-9 of the way to the next sample. So the function may be back at zero at that sample. A
// function that stays within the drift of the state is not seen to leave zero: an action whose
// bounces become ever smaller has to end them.
//
// A function that is not a number has no sign: Run ends with an error that names the event, and stands at the start of the step.
//
// Events that cross at the same instant, up to rounding, all act, in the order of the list.
// Each acts on the state after the actions before it, whatever those return. Then the run stops if
// one of them has returned Stop; otherwise it restarts from the last state if one has returned Restart.
//
// A Simulation belongs to one mechanism. An event may release or add a joint. Its action then
// stops the run, and another Simulation goes on: with the other mechanism, from the state that
// this one adopts (mechanism.Mechanism.Adopt), with a plan from kkt.Plan.Replan; see the
// example of Event.
//
// An error of an action ends Run, as one of a Recorder does, and the next Run does that step
// again. It does not repeat actions of the step that have returned Continue. It repeats the
// others, as their changes of the state are lost.
type Event struct {
	Name      string
	Function  func(st *mechanism.State) float64
	Direction Direction
	// Action is called with the state at the crossing. Only an action that
	// returns Restart or Stop may change it. nil stands for Continue.
	Action func(st *mechanism.State) (Response, error)
	// Land says that the dynamics have a kink at the crossing. A step of an explicit method over a kink loses its order.
	// So such a step, if it is by error control, is done once more and ends at the crossing.
	Land bool

	dynamicsTell bool // where the function is not a number, the dynamics fail
}

// maxEventSamples is the largest number of Options.EventSamples.
const maxEventSamples = 1 << 20

// mustWatch panics if events cannot be looked at.
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

// MostLandings is the number of contacts up to which steps of ContactEvents end at touch and departure: with more, some
// contact touches in every step.
const MostLandings = 100
