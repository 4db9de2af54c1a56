package objective

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// Ending is where a run ends before its time: at the first instant at which a column of poses or velocities passes a value.
type Ending struct {
	Column    string
	Value     float64
	Direction sim.Direction
}

var directionNames = []string{"either", "rising", "falling"} // as those of package sim are numbered

// timeColumn is the column of the time at which a run ends.
const timeColumn = "time"

// ofTime reports whether a term is of the time at which the run ends.
func (t *Term) ofTime() bool { return t.Column == timeColumn }

// ErrNotReached is for a run that ends at its time, before the column of its Ending has come to the value.
var ErrNotReached = errors.New("derive/objective: the run ends at its time before its column is at the value of ends_at")

// ending is the event of an Ending. It implements adjoint.Event.
type ending struct {
	of     *Ending
	output derive.Output
	f      *field // nil before the run is gone over
}

// addEnding finds the column at which the run ends.
func (g *Problem) addEnding(place string, bad *noted) {
	e := g.o.Ends
	if e == nil {
		return
	}
	o, err := g.d.Output(e.Column)
	if err == nil && g.d.OutputOf(o) == nil {
		err = errors.New("is an acceleration; a run ends at poses and velocities")
	}
	if err != nil {
		bad.add(place+".ends_at.column", e.Column, err)
	}
	g.ending = &ending{of: e, output: o}
}

// event returns the event that ends the run, and nil where there is none.
func (g *Problem) event() []sim.Event {
	if g.ending == nil {
		return nil
	}
	column, value := g.d.OutputOf(g.ending.output), g.ending.of.Value
	return []sim.Event{{
		Name: g.ending.Name(), Direction: g.ending.of.Direction, Land: true,
		Function: func(st *mechanism.State) float64 { return column(st) - value },
		Action:   func(*mechanism.State) (sim.Response, error) { return sim.Stop, nil },
	}}
}

// Name implements adjoint.Event.
func (e *ending) Name() string { return fmt.Sprintf("%s at %v", e.of.Column, e.of.Value) }

// FunctionTo implements adjoint.Event.
func (e *ending) FunctionTo(x, p []float64, st *mechanism.State, scale float64) (float64, error) {
	if err := e.f.d.At(st); err != nil {
		return 0, err
	}
	_, err := e.f.PullTo(x, p, e.f.none, &term{raw: true}, scale)
	return 0, err
}

// JumpTo implements adjoint.Event. The run ends there.
func (e *ending) JumpTo(_, _, _ []float64, _ *mechanism.State) error {
	panic("derive/objective: a run goes on after its end")
}

// prepare makes room for the derivatives of events over the run.
func (g *Problem) prepare(c *course) error {
	if c.impacts != nil {
		if err := c.impacts.prepare(g); err != nil {
			return err
		}
	}
	if g.ending == nil {
		return nil
	}
	list, err := g.newFields(1, 0)
	if err != nil {
		return err
	}
	g.ending.f = list[0]
	g.ending.f.outputs = []derive.Output{g.ending.output}
	return nil
}

// endsAt notes on the tape that an event has ended the run, and sees that it has if it should.
func (g *Problem) endsAt(c *course, stopped string) error {
	switch {
	case g.ending == nil:
		return nil
	case stopped == "":
		return fmt.Errorf("%w: t = %v, column %s", ErrNotReached, c.end().Time, fault.Name(g.ending.of.Column))
	}
	last := c.end().Time
	if c.jumped[len(c.jumped)-1] {
		return fmt.Errorf("%w: %w: column %s, and a stop", ErrNotDifferentiable, adjoint.ErrAtOnce, fault.Name(g.ending.of.Column))
	}
	for i, r := range g.data {
		if r != nil && len(r.times) > 0 && r.times[len(r.times)-1] > last {
			return fmt.Errorf("derive/objective: term %s has a datum at t = %v: ends_at ends the run at t = %v",
				fault.Name(g.terms[i].Name), r.times[len(r.times)-1], last)
		}
	}
	c.pieces[len(c.pieces)-1].Stop(g.ending)
	return nil
}

// end returns the state at the end of the run.
func (c *course) end() *mechanism.State { return c.states[len(c.states)-1] }

var _ adjoint.Event = (*ending)(nil)
