package adjoint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Event is an instant at which a function of the state crosses zero, with an action on the state there: a sim.Event with its derivatives.
// Its parameters are the parameters of the fields.
type Event interface {
	Name() string
	// FunctionTo adds scale times the derivatives of the function at st to x and to p, and returns its partial derivative by time. Shapes:
	// x has PerBody entries a body; p has one a parameter, or none.
	FunctionTo(x, p []float64, st *mechanism.State, scale float64) (byTime float64, err error)
	// JumpTo is the transpose of the derivative of the action, with the instant held. For the cotangents y of the state after the action it
	// adds the cotangents of the state before it to x, and the cotangents of the parameters to p. It is not called for events that only
	// stop the run.
	JumpTo(x, p, y []float64, before *mechanism.State) error
}

// grazingTol is the least rate of an event function, relative to the sum of the absolute terms of the rate. Below it the time of the event
// has no derivative.
const grazingTol = 1e-6

// GrazingError says that the function of an event hardly crosses zero, so that the time of the event has no derivative.
type GrazingError struct {
	Time float64 // s
	Name string
	Rate float64 // rate of the function, relative to the sum of its absolute terms
}

// Error returns the text of the error.
func (e *GrazingError) Error() string {
	return fmt.Sprintf("derive/adjoint: event %s at t = %v only grazes: its rate is %.3g of its terms", fault.Name(e.Name), e.Time, e.Rate)
}

// ErrAtOnce is the error for two events at one instant. They have no derivative, as their order changes with the state.
var ErrAtOnce = errors.New("derive/adjoint: events take place at one instant")

// jump is an event at the end of a step.
type jump struct {
	step  int // number of the step, from 1
	event Event
	at    []float64 // the state before the event, flat
}

// Jump records an event at the end of the step whose end is added next: the action of e changes the state before to the state that is
// added. It is called from sim.Event.Action, which has the state before it changes it.
//
// Cost: O(bodies), allocates. It panics without a state at the start.
func (t *Tape) Jump(e Event, before *mechanism.State) {
	if t.steps < 0 {
		panic("derive/adjoint: an empty tape")
	}
	at := make([]float64, len(t.first))
	before.FlatTo(at)
	t.jumps = append(t.jumps, jump{t.steps + 1, e, at})
}

// Stop records that the event e has ended the run at the last state.
//
// It panics without a step.
func (t *Tape) Stop(e Event) {
	if t.steps < 1 {
		panic("derive/adjoint: a tape without a step")
	}
	t.stopped = e
}

// jumpAt returns the event at the end of step k, numbered from 1; nil if there is none. It returns ErrAtOnce if there are several.
func (t *Tape) jumpAt(k int) (*jump, error) {
	i, _ := slices.BinarySearchFunc(t.jumps, k, func(j jump, k int) int { return cmp.Compare(j.step, k) })
	if i == len(t.jumps) || t.jumps[i].step != k {
		return nil, nil
	}
	if j := i + 1; j < len(t.jumps) && t.jumps[j].step == k {
		return nil, fault.Errorf("%w: %s and %s", ErrAtOnce, fault.Name(t.jumps[i].event.Name()), fault.Name(t.jumps[j].event.Name()))
	}
	return &t.jumps[i], nil
}

// crossing is memory for taking cotangents over an event.
type crossing struct {
	before, after, slope, x, p []float64
	state                      *mechanism.State
}

// cross replaces the cotangents in g of the state after an event by the cotangents of the state before it, theory.md (V16). after is nil if
// the run ends at the event.
func (s *Sweep[F]) cross(e Event, before, after *mechanism.State, of []Objective[F], g []Gradient) error {
	c := &s.crossing
	n := PerBody * len(before.Bodies)
	for _, v := range [4]*[]float64{&c.before, &c.after, &c.slope, &c.x} {
		if len(*v) != n {
			*v = make([]float64, n)
		}
		clear(*v)
	}
	most := 0
	for i := range g {
		most = max(most, len(g[i].Parameters))
	}
	c.p = make([]float64, most)
	jumps := make([]float64, len(g)) // r⁺ − r⁻ of (V16) by objective; −r⁻ where the run ends
	if after != nil {
		if err := s.flowTo(c.after, after, of, jumps, 1); err != nil {
			return err
		}
	}
	if err := s.flowTo(c.before, before, of, jumps, -1); err != nil {
		return err
	}
	byTime, err := e.FunctionTo(c.slope, c.p, before, 1)
	if err != nil {
		return err
	}
	rate, err := crossingRate(e, c.slope, c.before, byTime, before.Time)
	if err != nil {
		return err
	}
	for i := range g {
		scale := jumps[i]
		if after != nil {
			clear(c.x)
			if err := e.JumpTo(c.x, g[i].Parameters, g[i].Start, before); err != nil {
				return err
			}
			scale += algebra.Dot(c.after, g[i].Start)
			copy(g[i].Start, c.x)
		}
		scale -= algebra.Dot(c.before, g[i].Start)
		if _, err := e.FunctionTo(g[i].Start, g[i].Parameters, before, scale/rate); err != nil {
			return err
		}
	}
	return nil
}

// flowTo stores in f the time derivative of the state st, PerBody numbers a body, and adds sign times the rates of the objectives there to
// values.
func (s *Sweep[F]) flowTo(f []float64, st *mechanism.State, of []Objective[F], values []float64, sign float64) error {
	if err := s.step.flowTo(f, st); err != nil {
		return err
	}
	for i := range of {
		if of[i].Rate == nil {
			continue
		}
		clear(s.crossing.x)
		value, err := s.step.stages[0].field.PullTo(s.crossing.x, s.crossing.p, s.none, of[i].Rate, 0)
		if err != nil {
			return err
		}
		values[i] += sign * value
	}
	return nil
}
