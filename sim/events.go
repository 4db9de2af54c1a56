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
}

// maxEventSamples is the largest number of Options.EventSamples.
const maxEventSamples = 1 << 20

// mustWatch panics if events cannot be looked at.
func mustWatch(o *Options) {
	if o.EventSamples < 0 || o.EventSamples > maxEventSamples {
		panic("sim: option out of range")
	}
	for i := range o.Events {
		if e := &o.Events[i]; e.Function == nil || e.Direction < Either || e.Direction > Falling {
			panic("sim: event without function, or direction out of range")
		}
	}
}

// watch follows one event.
type watch struct {
	sign  int8    // of the function, at the point up to which crossings have been handled
	start int8    // sign at the start of the step
	from  float64 // that point, as a fraction of the step
	left  float64 // where the function has left zero, if it was zero at the start
	root  float64 // the next crossing in the step, +Inf if there is none
	after int8    // the sign behind root
	last  float64 // the last crossing acted upon in the step, −1 if there is none
	side  int8    // the sign behind last

	// At the instant of an event.
	now  bool // this event acts
	near bool // this event crosses just before or behind
	came int8 // sign of the function before the instant
	seen int8 // sign at the sample, before the actions

	fired        int64
	kept, undone int64 // calls in this step; if it is given up, only the undone ones are repeated
	again        int64 // calls of a step given up that are not repeated
}

// armEvents notes the signs at the current state.
func (s *Simulation) armEvents() {
	for i := range s.events {
		s.watches[i].sign = signOf(s.events[i].Function(s.st))
	}
}

// rearmEvents notes the signs at the current state, where the run is restarted from the
// fraction theta of the step.
//
// Events that have acted there start without a sign. So do those whose function had not left zero
// yet. The others start with the sign that their function had before. Projection may have moved
// the state across a crossing near by; the sign from before makes sure that this crossing is
// neither lost nor seen twice. If an action has changed the sign of an event that does not cross
// near by, the new sign counts.
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

// landed is a part of a step. A step is not shortened to a crossing that is so near to its start or end.
const landed = 1e-5

// land does the step last tried, to t1, once more up to the first crossing of an event with Land, and returns its end.
func (s *Simulation) land(t1 float64) (float64, error) {
	if s.o.Step > 0 || s.implicit || !s.lands {
		return t1, nil
	}
	s.findAll()
	first := 1.0
	for i := range s.watches {
		w := &s.watches[i]
		if w.sign = w.start; s.events[i].Land {
			first = min(first, w.root)
		}
	}
	first = s.ranks.least(first)
	if s.ended() {
		return 0, s.orCause(nil)
	}
	h := t1 - s.st.Time
	t := s.st.Time + first*h
	if first < landed || first > 1-landed || t-s.st.Time < shortest(s.st.Time) {
		return t1, nil
	}
	e, err := s.stepper.Try(s.st, t)
	if err == nil && e <= s.limit {
		if err = s.settle(); err == nil {
			return t, nil
		}
	}
	if s.ended() {
		return 0, s.orCause(nil)
	}
	// The shorter step failed. The longer one did not, and is taken after all.
	if _, err := s.stepper.Try(s.st, t1); err != nil {
		return 0, err
	}
	return t1, s.settle()
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

// Samples behind a zero of an event function, at which leaveZero looks.
const (
	leaveSamples = 20 // each four times as far from the zero as the one before
	leaveGrowth  = 2  // a function grows at a sample if it exceeds all samples before by this factor
	leaveGrown   = 3  // samples in turn at which a function has to grow: rounding does so at fewer
	leaveLasting = 10 // samples in turn with one sign that decide for a function that does not grow
)

// leaveZero looks for the sign with which the function of e, about zero at a, leaves zero on
// the way to b. It returns a point where the function has that sign, or b and 0 if the function
// stays at zero.
//
// Rounding, or projection of the state, may put the function on the wrong side at first. So the
// sign that counts is the one with which the function grows beyond all values before. If the
// function does not grow, as one that jumps, the sign that lasts counts.
func (s *Simulation) leaveZero(e *Event, a, b float64) (at float64, sign int8) {
	if s.eventAt(e, b) == 0 && s.eventAt(e, a+(b-a)/2) == 0 {
		return b, 0 // the function stays at zero
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

// passed looks for the next crossing of event i behind the one that has been handled.
func (s *Simulation) passed(i int) {
	w := &s.watches[i]
	w.last, w.side = w.root, w.after
	w.sign, w.from = w.after, w.root
	s.find(i)
}

const (
	// instant is the part of a step within which crossings are at the same instant: twice the
	// bracket that locate leaves.
	instant = 2 * located
	// nearby is the part of a step by which projection may move a crossing.
	nearby = 1e-6
)

// meet sets s.sample to the state at the fraction theta of the step, where an event crosses,
// and marks all events that cross there.
func (s *Simulation) meet(theta float64) {
	s.stepper.AtTo(&s.sample, theta)
	s.sampleTurns()
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

// call calls the action of event i with s.sample. It does not if the action has been called for
// this crossing in a step that was given up.
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

// firstEvent returns the earliest crossing of an event, a part of the
// step, and whether there is one; else the end of the step.
func (s *Simulation) firstEvent() (at float64, crosses bool) {
	at = math.Inf(1)
	for i := range s.watches {
		at = min(at, s.watches[i].root)
	}
	if math.IsInf(at, 1) {
		return 1, false
	}
	return at, true
}

// eventAt returns the function of e at a fraction of the step.
func (s *Simulation) eventAt(e *Event, theta float64) float64 {
	s.stepper.AtTo(&s.sample, theta)
	s.sampleTurns()
	return e.Function(&s.sample)
}

// located is the size of the bracket, as a fraction of the step, at which locate stops.
const located = 1e-15

// locate returns a point at or just behind the crossing in (a, b], where the function has the
// given sign at a and another one at b. The method is regula falsi in the Illinois form, which
// halves the weight of an end that stays, with a bisection at every fourth step and where that
// form leaves the bracket. It stops at a bracket of rounding size.
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
