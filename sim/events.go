package sim

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Direction says which zero crossings of an event function count.
type Direction int8

// The directions of an Event.
const (
	Either  Direction = iota
	Rising            // from negative to positive
	Falling           // from positive to negative
)

// Response is what a simulation does after the action of an event.
type Response int8

// The responses to an Event.
const (
	Continue Response = iota // goes on as if nothing had happened: a log
	Restart                  // goes on from the state that the action left, with the dynamics it left
	Stop                     // ends the run there
)

// Event is a zero crossing of a function of the state.
//
// A crossing is seen where the function has opposite signs at two neighbouring
// samples of a step, or is zero at one. Two crossings between neighbouring samples are not
// seen: Simulation looks at the end of each step and at EventSamples − 1 points
// inside. A function that is zero at the start, or where its own action has
// restarted the run, counts again once it has left zero; the way on which it does so is looked for
// down to 1e-9 of the time to the next sample, so that it may be back there. It is not seen to leave where it stays
// within the drift of the state: an action whose bounces become ever smaller has to end them.
//
// Events that cross at the same instant, up to rounding, all act, in the order of the list and each
// on the state that the ones before it have left, whatever these respond. Then the run
// stops if one of them has said Stop, and goes on from the state left if one has said Restart.
//
// A Simulation belongs to one mechanism. Where an event releases or adds a joint, its action stops
// the run, and another one goes on: of the other mechanism, from the state that it adopts
// (mechanism.Mechanism.Adopt), with a plan from kkt.Plan.Replan; see the example of Event.
//
// An error of an action, as one of a Recorder, ends Run, and the next Run does that step again.
// Actions of the step that have returned Continue are not called again then. Others are, as what they
// have done to the state is lost.
type Event struct {
	Name      string
	Function  func(st *mechanism.State) float64
	Direction Direction
	// Action is called with the state at the crossing. Only an action that
	// returns Restart or Stop may change it. nil stands for Continue.
	Action func(st *mechanism.State) (Response, error)
}

// watch follows one event.
type watch struct {
	sign  int8    // at the point up to which crossings have been handled
	start int8    // sign at the start of the step
	from  float64 // that point, as a fraction of the step
	left  float64 // where the function has left zero, if it was zero at the start
	root  float64 // the next crossing in the step, +Inf if there is none
	after int8    // the sign behind it
	last  float64 // the last crossing acted upon in the step, −1 if there is none
	side  int8    // the sign behind that

	// At the instant of an event.
	now  bool // it acts
	near bool // it crosses just before or behind
	came int8 // sign with which it comes there
	seen int8 // sign at the sample, before the actions

	fired        int64
	kept, undone int64 // calls in this step that are not repeated, or are, if it is given up
	again        int64 // calls in a step given up that are not repeated
}

// armEvents notes the signs at the current state.
func (s *Simulation) armEvents() {
	for i := range s.events {
		s.watches[i].sign = signOf(s.events[i].Function(s.st))
	}
}

// rearmEvents notes the signs at the current state, where the run is restarted from the
// fraction theta of the step. Those that have acted there start without a sign, as do those that had
// not left zero yet. Others have the sign with which they came, so that a crossing near by is neither lost nor
// seen twice where projection has moved the state across it, unless an action has changed it.
func (s *Simulation) rearmEvents(theta float64) {
	for i := range s.events {
		w := &s.watches[i]
		sign := signOf(s.events[i].Function(s.st))
		switch {
		case w.now || w.left > theta:
			w.sign = 0
		case sign != w.seen && !w.near:
			w.sign = sign
		default:
			w.sign = w.came
		}
	}
}

// findAll looks for the first crossing of each event in the step last tried.
func (s *Simulation) findAll() {
	for i := range s.watches {
		w := &s.watches[i]
		w.start, w.from, w.left, w.last = w.sign, 0, 0, -1
		s.find(i)
	}
}

// find looks for the next crossing of event i.
func (s *Simulation) find(i int) {
	w, e := &s.watches[i], &s.events[i]
	w.root = math.Inf(1)
	prev := w.from
	for m := 1; m <= s.samples; m++ {
		theta := float64(m) / float64(s.samples)
		if theta <= w.from {
			continue
		}
		sign := signOf(s.eventAt(e, theta))
		if w.sign == 0 {
			at, early := s.leaveZero(e, prev, theta)
			if prev == 0 {
				w.left = at
			}
			if early != 0 {
				prev, w.sign = at, early
			}
		}
		counts := e.Direction == Either || e.Direction == Rising && w.sign < 0 || e.Direction == Falling && w.sign > 0
		if w.sign != 0 && sign != w.sign && counts {
			w.root, w.after = s.locate(e, w.sign, prev, theta), sign
			return
		}
		prev, w.sign = theta, sign
	}
	w.from = 1
}

// Samples behind a zero of an event function, by which it is seen leaving.
const (
	leaveSamples = 20 // each four times as far from the zero as the one before
	leaveGrowth  = 2  // least growth of the function between them,
	leaveGrown   = 3  // and how often it has to grow in turn: more than rounding does
	leaveLasting = 10 // samples of one sign that do where it does not grow
)

// leaveZero looks for the sign with which the function of e, about zero at a, leaves it on the way to b, and
// returns a point where it has it; b and sign 0 if there is none.
//
// The function may begin on the wrong side, by rounding or by projection of the state. So what counts is that it
// grows beyond what it has been; a function that does not, such as one that jumps, has
// the sign in which it lasts.
func (s *Simulation) leaveZero(e *Event, a, b float64) (at float64, sign int8) {
	if s.eventAt(e, b) == 0 && s.eventAt(e, a+(b-a)/2) == 0 {
		return b, 0 // it stays
	}
	far := math.Abs(s.eventAt(e, a))
	at = b
	var run int8 // the sign of the last samples
	lasted, grown := 0, 0
	for n := leaveSamples; n > 0; n-- {
		x := a + math.Ldexp(b-a, -2*n)
		f := s.eventAt(e, x)
		if g := signOf(f); g != run {
			run, lasted, grown = g, 0, 0
		}
		lasted++
		if f = math.Abs(f); f >= leaveGrowth*far && f > 0 {
			grown++
		} else {
			grown = 0
		}
		far = max(far, f)
		if grown == leaveGrown {
			return x, run
		}
		if lasted == leaveLasting && sign == 0 {
			at, sign = x, run
		}
	}
	return at, sign
}

// passed goes on behind the crossing of event i.
func (s *Simulation) passed(i int) {
	w := &s.watches[i]
	w.last, w.side = w.root, w.after
	w.sign, w.from = w.after, w.root
	s.find(i)
}

const (
	// instant is the part of a step within which crossings are at the same instant: twice
	// what locate leaves open.
	instant = 2 * located
	// nearby is the part of a step by which projection may move a crossing.
	nearby = 1e-6
)

// meet sets s.sample to the state at the fraction theta of the step, where an event crosses, and
// marks all that do.
func (s *Simulation) meet(theta float64) {
	s.stepper.AtTo(&s.sample, theta)
	for i := range s.events {
		s.watches[i].came = signOf(s.events[i].Function(&s.sample))
	}
	s.sampleAt(theta)
	for i := range s.events {
		w := &s.watches[i]
		w.seen = signOf(s.events[i].Function(&s.sample))
		w.now = w.root <= theta+instant
		switch ahead, behind := w.root <= theta+nearby, w.last >= 0 && w.last >= theta-nearby; {
		case ahead:
			w.near, w.came = true, w.sign
		case behind:
			w.near, w.came = true, w.side
		default:
			w.near = false
		}
	}
}

// call calls the action of event i with s.sample, unless it has been called for this crossing in a
// step that was given up.
func (s *Simulation) call(i int) (Response, error) {
	w, e := &s.watches[i], &s.events[i]
	if w.again > 0 {
		w.again--
		w.kept++
		return Continue, nil
	}
	response := Continue
	if e.Action != nil {
		var err error
		if response, err = e.Action(&s.sample); err != nil {
			return Continue, fault.Errorf("sim: event %s at t = %v: %w", fault.Name(e.Name), s.sample.Time, err)
		}
	}
	w.fired++
	if response == Continue {
		w.kept++
	} else {
		w.undone++
	}
	return response, nil
}

// giveUpEvents puts the events back to the start of the step.
func (s *Simulation) giveUpEvents() {
	s.failed = s.sample.Time
	for i := range s.watches {
		w := &s.watches[i]
		w.sign = w.start
		w.fired -= w.undone
		w.again += w.kept
		w.kept, w.undone = 0, 0
	}
}

// settleEvents makes what the events did in the step final.
func (s *Simulation) settleEvents() {
	for i := range s.watches {
		w := &s.watches[i]
		w.kept, w.undone = 0, 0
		if s.st.Time >= s.failed {
			w.again = 0
		}
	}
}

// firstEvent returns the event with the earliest crossing, of equal ones the
// first in the list, or −1.
func (s *Simulation) firstEvent() int {
	first, at := -1, math.Inf(1)
	for i := range s.watches {
		if s.watches[i].root < at {
			first, at = i, s.watches[i].root
		}
	}
	return first
}

// eventAt returns the function of e at a fraction of the step.
func (s *Simulation) eventAt(e *Event, theta float64) float64 {
	s.stepper.AtTo(&s.sample, theta)
	return e.Function(&s.sample)
}

// located is the size of the bracket, as a fraction of the step, at which locate stops.
const located = 1e-15

// locate returns a point at or just behind the crossing in (a, b], where the function has the given
// sign at a and another one at b: regula falsi in the Illinois form, which
// halves the weight of an end that stays, and bisection where that does not shrink
// the bracket. It stops at a bracket of rounding size.
func (s *Simulation) locate(e *Event, sign int8, a, b float64) float64 {
	fa, fb := s.eventAt(e, a), s.eventAt(e, b)
	if signOf(fa) != sign {
		fa = float64(sign) * math.SmallestNonzeroFloat64 // rounding at the start of the bracket
	}
	side := 0
	for n := 0; b-a > located && fb != 0 && n < 200; n++ {
		c := b - fb*(b-a)/(fb-fa)
		if n%4 == 3 || !(c > a && c < b) {
			c = a + (b-a)/2
			if !(c > a && c < b) {
				break
			}
		}
		fc := s.eventAt(e, c)
		if signOf(fc) == sign {
			a, fa = c, fc
			if side == -1 {
				fb /= 2
			}
			side = -1
		} else {
			b, fb = c, fc
			if side == 1 {
				fa /= 2
			}
			side = 1
		}
	}
	return b
}

func signOf(x float64) int8 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}
