package sim

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
)

// watch follows one event. Points of a step are fractions of it, from 0 to 1.
type watch struct {
	from  float64 // point up to which crossings have been handled
	sign  int8    // sign of the function at from; 0 if it has not left zero
	start int8    // sign at the start of the step
	left  float64 // point where the function has left zero, if it was zero at the start
	root  float64 // next crossing in the step, +Inf if there is none
	after int8    // sign behind root
	last  float64 // last crossing in the step whose action has been called, −1 if there is none
	side  int8    // sign behind last

	// At the instant of an event.
	now  bool // this event acts
	near bool // this event crosses within nearby of the instant
	came int8 // sign of the function before the instant
	seen int8 // sign at the sample, before the actions

	fired        int64 // number of calls of the action
	kept, undone int64 // calls in this step that returned Continue, and other calls; if the step is given up, only the latter are repeated
	again        int64 // calls of a step given up that are not repeated
}

// watched are the events of a run.
type watched struct {
	step     *step
	list     []Event
	watches  []watch
	samples  int     // number of points of a step at which event functions are evaluated
	lands    bool    // some event of some rank has Land
	eventful bool    // there are events on some rank
	failed   float64 // time at which a step has been given up
	wrong    error   // error for the first function in the step, or at the start, that is NaN
}

// newWatched returns the watches of a run; samples is Options.EventSamples, 0 for one.
func newWatched(s *step, events []Event, samples int) watched {
	w := watched{step: s, list: events, watches: make([]watch, len(events)), samples: max(samples, 1), eventful: s.ranks.some(len(events) > 0)}
	for i := range events {
		w.lands = w.lands || events[i].Land
	}
	w.lands = s.ranks.some(w.lands)
	return w
}

// arm stores the signs at the current state. It returns an error for a function that is NaN there.
func (s *watched) arm() error {
	s.wrong = nil
	for i := range s.list {
		e := &s.list[i]
		s.watches[i].sign = s.signAt(e, e.Function(s.step.st), s.step.st.Time)
	}
	return s.step.ranks.agree(s.wrong)
}

// signAt returns the sign of x, the value of the function of e at the time t. For the first NaN it stores an error in s.wrong.
func (s *watched) signAt(e *Event, x, t float64) int8 {
	if math.IsNaN(x) && !e.dynamicsTell && s.wrong == nil {
		s.wrong = fault.Errorf("sim: event %s at t = %v: its function is not a number", fault.Name(e.Name), t)
	}
	return signOf(x)
}

// rearm stores the signs at the current state, from which the run is restarted at the
// fraction theta of the step.
//
// Events that have acted there start without a sign. So do those whose function had not left zero
// yet. The others start with the sign that their function had before. Projection may have moved
// the state across a crossing near by; the sign from before makes sure that this crossing is
// neither lost nor seen twice. If an action has changed the sign of an event that does not cross
// near by, the new sign counts.
func (s *watched) rearm(theta float64) {
	for i := range s.list {
		w := &s.watches[i]
		sign := signOf(s.list[i].Function(s.step.st))
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

// findAll finds the first crossing of each event in the step last tried.
func (s *watched) findAll() {
	s.wrong = nil
	for i := range s.watches {
		w := &s.watches[i]
		w.start, w.from, w.left, w.last = w.sign, 0, 0, -1
		s.find(i)
	}
}

// firstLanding returns the first crossing, on all ranks, of an event with Land in the step last tried, a fraction of the step; 1 if
// there is none. The watches stay at the start of the step.
func (s *watched) firstLanding() float64 {
	s.findAll()
	first := 1.0
	for i := range s.watches {
		w := &s.watches[i]
		if w.sign = w.start; s.list[i].Land {
			first = min(first, w.root)
		}
	}
	return s.step.ranks.least(first)
}

// find sets root of event i to its next crossing behind from: before the first sample whose sign differs from the sign of the sample
// before it.
func (s *watched) find(i int) {
	w, e := &s.watches[i], &s.list[i]
	w.root = math.Inf(1)
	prev := w.from // point with the sign w.sign
	for m := 1; m <= s.samples; m++ {
		theta := float64(m) / float64(s.samples)
		if theta <= w.from {
			continue
		}
		sign := s.signAt(e, s.valueAt(e, theta), s.step.sample.Time)
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

// Samples of leaveZero behind a zero of an event function.
const (
	leaveSamples = 20 // number of samples; each is four times as far from the zero as the one before
	leaveGrowth  = 2  // a function grows at a sample if its magnitude exceeds all before by this factor
	leaveGrown   = 3  // number of consecutive samples at which a function has to grow: rounding grows at fewer
	leaveLasting = 10 // number of consecutive samples with the same sign that determine it, if the function does not grow
)

// leaveZero finds the sign with which the function of e, about zero at the fraction a of the step, leaves zero between a and
// b. It returns a point where the function has that sign, or b and 0 if the function
// stays at zero.
//
// Rounding, or projection of the state, may put the function on the wrong side at first. So the
// sign that counts is the one with which the function grows beyond all values before. If the
// function does not grow, as after a jump, the sign that lasts counts.
func (s *watched) leaveZero(e *Event, a, b float64) (at float64, sign int8) {
	if s.valueAt(e, b) == 0 && s.valueAt(e, a+(b-a)/2) == 0 {
		return b, 0 // the function stays at zero
	}
	far := math.Abs(s.valueAt(e, a))
	at = b
	var run int8 // the sign of the last samples
	lasted, grown := 0, 0
	for n := leaveSamples; n > 0; n-- {
		x := a + math.Ldexp(b-a, -2*n)
		f := s.valueAt(e, x)
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

// passed moves the watch of event i past its crossing at root, which has been handled, and finds the next one.
func (s *watched) passed(i int) {
	w := &s.watches[i]
	w.last, w.side = w.root, w.after
	w.sign, w.from = w.after, w.root
	s.find(i)
}

const (
	// instant is the fraction of a step within which crossings count as at the same instant: twice the
	// bracket of locate.
	instant = 2 * located
	// nearby is the fraction of a step by which projection may move a crossing.
	nearby = 1e-6
)

// meet sets s.sample to the state at the fraction theta of the step, where an event crosses,
// and marks all events that cross there.
func (s *watched) meet(theta float64) {
	s.step.sampleAt(theta)
	for i := range s.list {
		s.watches[i].came = signOf(s.list[i].Function(&s.step.sample))
	}
	s.step.closedAt(theta)
	for i := range s.list {
		w := &s.watches[i]
		w.seen = s.signAt(&s.list[i], s.list[i].Function(&s.step.sample), s.step.sample.Time)
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

// call calls the action of event i with s.sample, unless the action has been called for
// this crossing in a step that was given up.
func (s *watched) call(i int) (Response, error) {
	w, e := &s.watches[i], &s.list[i]
	if w.again > 0 {
		w.again--
		w.kept++
		return Continue, nil
	}
	response := Continue
	if e.Action != nil {
		var err error
		if response, err = e.Action(&s.step.sample); err != nil {
			return Continue, fault.Errorf("sim: event %s at t = %v: %w", fault.Name(e.Name), s.step.sample.Time, err)
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

// giveUp sets the events back to the start of the step, which is given up.
func (s *watched) giveUp() {
	s.failed = s.step.sample.Time
	for i := range s.watches {
		w := &s.watches[i]
		w.sign = w.start
		w.fired -= w.undone
		w.again += w.kept
		w.kept, w.undone = 0, 0
	}
}

// done ends an accepted step: the calls of actions in it are final. When the run has come to the crossing at which a step was given up, it
// has passed all crossings whose actions had been called before. From there on every crossing calls its action.
func (s *watched) done() {
	for i := range s.watches {
		w := &s.watches[i]
		w.kept, w.undone = 0, 0
		if s.step.st.Time >= s.failed {
			w.again = 0
		}
	}
}

// firstEvent returns the earliest crossing of an event on all ranks, a fraction of the
// step, and true; if there is none, 1, the end of the step, and false.
func (s *watched) firstEvent() (at float64, crosses bool) {
	at = math.Inf(1)
	for i := range s.watches {
		at = min(at, s.watches[i].root)
	}
	if s.eventful {
		at = s.step.ranks.least(at)
	}
	if math.IsInf(at, 1) {
		return 1, false
	}
	return at, true
}

// act calls the actions of the events that cross at the fraction theta of the step, with s.step.sample. It returns the
// strongest response, and the name of the first event that stops the run. If the response is Continue, it moves the watches past
// these crossings.
func (s *watched) act(theta float64) (response Response, stopped string, err error) {
	s.meet(theta)
	if s.step.ended() {
		return Continue, "", s.step.orCause(nil)
	}
	if err := s.step.ranks.agree(s.wrong); err != nil {
		return Continue, "", err
	}
	for i := range s.list {
		if !s.watches[i].now || err != nil {
			continue
		}
		var r Response
		if r, err = s.call(i); r == Stop && stopped == "" {
			stopped = s.list[i].Name
		}
		response = max(response, r)
	}
	if response, err = only(s.step.ranks, response, err); err != nil || response != Continue {
		return response, stopped, err
	}
	for i := range s.list {
		if s.watches[i].now {
			s.passed(i)
		}
	}
	return Continue, "", nil
}

// valueAt returns the function of e at a fraction of the step.
func (s *watched) valueAt(e *Event, theta float64) float64 {
	s.step.sampleAt(theta)
	return e.Function(&s.step.sample)
}

// located is the length of the bracket, as a fraction of the step, at which locate stops.
const located = 1e-15

// locate returns a fraction of the step at or just behind the crossing in (a, b]. The function of e has the
// given sign at a and another one at b. The method is regula falsi in the Illinois form, which
// halves the weight of an end that stays, with a bisection at every fourth step and where a
// step leaves the bracket. It stops at a bracket of the length located.
func (s *watched) locate(e *Event, sign int8, a, b float64) float64 {
	fa, fb := s.valueAt(e, a), s.valueAt(e, b)
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
		fc := s.valueAt(e, c)
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

// signOf returns −1, 0 or 1; 0 for NaN.
func signOf(x float64) int8 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// errRanksEvent is returned if the action of an event would restart or stop a run on ranks.
var errRanksEvent = errors.New("sim: the action of an event on ranks cannot restart or stop the run")

// only returns the response and error of an action. On ranks the response is Continue, and the error, also for any other response, is
// returned on all of them.
func only(r *ranks, response Response, err error) (Response, error) {
	if r.all == nil {
		return response, err
	}
	if err == nil && response != Continue {
		err = errRanksEvent
	}
	return Continue, r.agree(err)
}

// signs returns the state of the events, for a checkpoint.
func (s *watched) signs() []eventMark {
	list := make([]eventMark, len(s.list))
	for i := range s.list {
		w := &s.watches[i]
		list[i] = eventMark{s.list[i].Name, w.sign, w.fired, w.again}
	}
	return list
}
