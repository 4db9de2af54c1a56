package sim

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
)

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

// watched are the events of a run.
type watched struct {
	step     *step
	list     []Event
	watches  []watch
	samples  int     // points of a step at which events are looked at
	lands    bool    // some event of some rank has Land
	eventful bool    // there are events on some rank
	failed   float64 // time at which a step has been given up
	wrong    error   // the first function in the step, or at the start, that is not a number
}

// newWatched returns the watches of a run that looks at events at so many points of each step, 0 for one.
func newWatched(s *step, events []Event, samples int) watched {
	w := watched{step: s, list: events, watches: make([]watch, len(events)), samples: max(samples, 1), eventful: s.ranks.some(len(events) > 0)}
	for i := range events {
		w.lands = w.lands || events[i].Land
	}
	w.lands = s.ranks.some(w.lands)
	return w
}

// arm notes the signs at the current state. It returns an error for a function that is not a number there.
func (s *watched) arm() error {
	s.wrong = nil
	for i := range s.list {
		e := &s.list[i]
		s.watches[i].sign = s.signAt(e, e.Function(s.step.st), s.step.st.Time)
	}
	return s.step.ranks.agree(s.wrong)
}

// signAt returns the sign of x, the function of e at the time t, and notes in s.wrong that it has none.
func (s *watched) signAt(e *Event, x, t float64) int8 {
	if math.IsNaN(x) && !e.dynamicsTell && s.wrong == nil {
		s.wrong = fault.Errorf("sim: event %s at t = %v: its function is not a number", fault.Name(e.Name), t)
	}
	return signOf(x)
}

// rearm notes the signs at the current state, where the run is restarted from the
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

// findAll looks for the first crossing of each event in the step last tried.
func (s *watched) findAll() {
	s.wrong = nil
	for i := range s.watches {
		w := &s.watches[i]
		w.start, w.from, w.left, w.last = w.sign, 0, 0, -1
		s.find(i)
	}
}

// firstLanding returns the first crossing, of all ranks, of an event with Land in the step last tried, a part of the step; 1 if
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

// find looks for the next crossing of event i behind the point from of its watch: for the first sample of the step whose sign is another
// than that before.
func (s *watched) find(i int) {
	w, e := &s.watches[i], &s.list[i]
	w.root = math.Inf(1)
	prev := w.from // where the sign is w.sign
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

// passed looks for the next crossing of event i behind the one that has been handled.
func (s *watched) passed(i int) {
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

// call calls the action of event i with s.sample. It does not if the action has been called for
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

// giveUp puts the events back to the start of the step.
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

// done makes what the events did in the step final. Crossings of a step that was given up are past once a step has reached the time at
// which it was: later ones call actions again.
func (s *watched) done() {
	for i := range s.watches {
		w := &s.watches[i]
		w.kept, w.undone = 0, 0
		if s.step.st.Time >= s.failed {
			w.again = 0
		}
	}
}

// firstEvent returns the earliest crossing of an event, of all ranks, a part of the
// step, and whether there is one; else the end of the step.
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
// strongest response, and the name of the first event that stops the run. If the response is Continue, these crossings are past, and
// later ones of the step come next.
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

// located is the size of the bracket, as a fraction of the step, at which locate stops.
const located = 1e-15

// locate returns a point at or just behind the crossing in (a, b], where the function has the
// given sign at a and another one at b. The method is regula falsi in the Illinois form, which
// halves the weight of an end that stays, with a bisection at every fourth step and where that
// form leaves the bracket. It stops at a bracket of rounding size.
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

// errRanksEvent is returned where the action of an event would restart or stop a run on ranks.
var errRanksEvent = errors.New("sim: the action of an event on ranks cannot restart or stop the run")

// only returns the response to an event that all ranks can give: on ranks it is Continue, or an error on all of them.
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
