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

// Event is an instant at which a function of the state crosses zero, and what happens there: as a sim.Event with its derivatives.
// Parameters are those of the fields.
type Event interface {
	Name() string
	// FunctionTo adds to x and to p scale times the derivatives of the function at a state, and returns its derivative by time alone.
	// Shapes: x has PerBody entries a body; p has one a parameter, or none.
	FunctionTo(x, p []float64, st *mechanism.State, scale float64) (byTime float64, err error)
	// JumpTo adds to x and to p the cotangents of the state before the action, for those of the state after it, y: the transpose of the
	// derivative of what the action does at an instant. Events that only stop the run are not asked.
	JumpTo(x, p, y []float64, before *mechanism.State) error
}

// grazingTol is the rate of an event function, relative to what its terms amount to, below which the time of the event has no derivative.
const grazingTol = 1e-6

// GrazingError says that the function of an event hardly crosses zero, so that the time of the event has no derivative.
type GrazingError struct {
	Time float64 // s
	Name string
	Rate float64 // of the function, relative to its terms
}

// Error says so.
func (e *GrazingError) Error() string {
	return fmt.Sprintf("derive/adjoint: event %s at t = %v only grazes: its rate is %.3g of its terms", fault.Name(e.Name), e.Time, e.Rate)
}

// ErrAtOnce is for two events at one instant, which have no derivative: their order changes with the state.
var ErrAtOnce = errors.New("derive/adjoint: events take place at one instant")

// jump is an event at the end of a step.
type jump struct {
	step  int
	event Event
	at    []float64 // the state before it
}

// Jump says that the step whose end is added next has ended at a state where an event took place, and that its action has made of that
// state what is added: to be called from sim.Event.Action, which has the state before it changes it.
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

// Stop says that the last state is where an event has ended the run.
//
// It panics without a step.
func (t *Tape) Stop(e Event) {
	if t.steps < 1 {
		panic("derive/adjoint: a tape without a step")
	}
	t.stopped = e
}

// jumpAt returns the event at the end of step k, numbered from 1, nil for none. It returns an error if there are several.
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

// crossing is memory for what events do to cotangents.
type crossing struct {
	before, after, slope, x, p []float64
	state                      *mechanism.State
}

// cross takes the cotangents in g from the state after an event to the state before it, theory.md (V16). after is nil where the run ends.
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
	jumps := make([]float64, len(g)) // by how much rates change, then what they are after it
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

// flowTo stores in f how a state goes on, PerBody numbers a body, and adds sign times the rates of the objectives there to values.
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
