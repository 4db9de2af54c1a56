package sim

import (
	"math"

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
// restarted the run, counts again once it has left zero.
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
	from  float64 // that point, as a fraction of the step
	root  float64 // the next crossing in the step, +Inf if there is none
	after int8    // the sign behind it
	fired int64
}

// armEvents notes the signs at the current state; fired, if not negative, is the
// event that led there, which starts without a sign.
func (s *Simulation) armEvents(fired int) {
	for i := range s.events {
		s.watches[i].sign = signOf(s.events[i].Function(s.st))
	}
	if fired >= 0 {
		s.watches[fired].sign = 0
	}
}

// findAll looks for the first crossing of each event in the step last tried.
func (s *Simulation) findAll() {
	for i := range s.watches {
		s.watches[i].from = 0
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
		counts := e.Direction == Either || e.Direction == Rising && w.sign < 0 || e.Direction == Falling && w.sign > 0
		if w.sign != 0 && sign != w.sign && counts {
			w.root, w.after = s.locate(e, w.sign, prev, theta), sign
			return
		}
		prev, w.sign = theta, sign
	}
	w.from = 1
}

// passed goes on behind the crossing of event i.
func (s *Simulation) passed(i int) {
	w := &s.watches[i]
	w.fired++
	w.sign, w.from = w.after, w.root
	s.find(i)
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

// locate returns a point at or just behind the crossing in (a, b], where the function has the given
// sign at a and another one at b: regula falsi in the Illinois form, which
// halves the weight of an end that stays, and bisection where that does not shrink
// the bracket. It stops at a bracket of rounding size.
func (s *Simulation) locate(e *Event, sign int8, a, b float64) float64 {
	fa, fb := s.eventAt(e, a), s.eventAt(e, b)
	if signOf(fa) != sign {
		fa = float64(sign) * math.SmallestNonzeroFloat64 // rounding at the start of the bracket
	}
	const resolution = 1e-15 // of the step
	side := 0
	for n := 0; b-a > resolution && fb != 0 && n < 200; n++ {
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
