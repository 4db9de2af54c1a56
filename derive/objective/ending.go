package objective

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// errNotReached is the error for a run that ends at its time, before its column has reached the value of ends_at.
var errNotReached = errors.New("derive/objective: the run ends at its time before its column is at the value of ends_at")

// ending is the event at which a run ends (Ending). It implements adjoint.Event.
type ending struct {
	of     *Ending
	output derive.Output
	f      *field // nil before the way over the run
}

// event returns the event that ends the run; nil if there is none.
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

// JumpTo implements adjoint.Event. It is never called, as the run ends there.
func (e *ending) JumpTo(_, _, _ []float64, _ *mechanism.State) error {
	panic("derive/objective: a run goes on after its end")
}
