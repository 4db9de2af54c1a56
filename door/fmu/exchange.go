package fmu

import (
	"context"
	"fmt"

	"github.com/rung-mbd/rung/door"
)

// stateName returns the name of state i of 2·n: n coordinates and then n rates. It does not name a freedom, as the freedom of a
// state may change at an event.
func stateName(i, n int) string {
	if i < n {
		return fmt.Sprintf("state.q[%d]", i+1)
	}
	return fmt.Sprintf("state.qd[%d]", i-n+1)
}

// derivativeName returns the name of the derivative of state i.
func derivativeName(i, n int) string { return "der(" + stateName(i, n) + ")" }

// gapName returns the name of event indicator i.
func gapName(gaps []string, i int) string { return fmt.Sprintf("gap[%d].%s", i+1, gaps[i]) }

// exchanging returns an error with the status Input unless the instance is for model exchange.
func (u *Unit) exchanging() error {
	if u.reduced == nil {
		return refuse(door.Input, "the instance is for co-simulation, and has no states of a tool")
	}
	return nil
}

// explain adds advice to an error of model exchange with the status Failed, as where coordinates become singular.
func (u *Unit) explain(err error) error {
	if err == nil || u.reduced == nil || door.StatusOf(err) != door.Failed {
		return err
	}
	return &door.Error{Status: door.Failed, Err: fmt.Errorf("%w; where shorter steps do not help, take co-simulation", err)}
}

// States returns the number of continuous states.
func (u *Unit) States() int { return u.first.derivatives - u.first.states }

// Gaps returns the number of event indicators.
func (u *Unit) Gaps() int { return u.first.end - u.first.gaps }

// SetTime sets the time of model exchange, s.
func (u *Unit) SetTime(t float64) error {
	if err := u.exchanging(); err != nil {
		return err
	}
	u.stale = true
	return u.reduced.SetTime(t)
}

// SetStates sets the continuous states: coordinates, then rates.
//
// Shapes: x has States entries. The status of an error is Size, or Input for a number that is not finite. States that the joints do not
// allow are an error of DerivativesTo.
func (u *Unit) SetStates(x []float64) error {
	if err := u.exchanging(); err != nil {
		return err
	}
	u.stale = true
	return u.reduced.SetStates(x)
}

// StatesTo stores the continuous states.
//
// Shapes: x has States entries.
func (u *Unit) StatesTo(x []float64) error {
	if err := u.exchanging(); err != nil {
		return err
	}
	return u.reduced.StatesTo(x)
}

// DerivativesTo stores the derivatives of the states.
//
// Shapes: x has States entries. The error has the status Failed where the joints do not close at the states, and at singular poses.
func (u *Unit) DerivativesTo(x []float64) error {
	if err := u.exchanging(); err != nil {
		return err
	}
	return u.explain(u.reduced.RatesTo(x))
}

// NominalsTo stores the nominal value of each state, its typical size.
//
// Shapes: x has States entries.
func (u *Unit) NominalsTo(x []float64) error {
	if err := u.exchanging(); err != nil {
		return err
	}
	return u.reduced.SizesTo(x)
}

// IndicatorsTo stores the event indicators: depths at contacts and stops, and the stretch of cables. Forces have a kink at their zeros.
//
// Shapes: x has Gaps entries. It returns the errors of DerivativesTo.
func (u *Unit) IndicatorsTo(x []float64) error {
	if err := u.exchanging(); err != nil {
		return err
	}
	return u.explain(u.reduced.GapsTo(x))
}

// Completed must be called when the tool has accepted a step to the current time and states. It reports whether the coordinates have
// become a bad choice, so that the unit asks for an event.
func (u *Unit) Completed(ctx context.Context) (event bool, err error) {
	if err := u.exchanging(); err != nil {
		return false, err
	}
	event, err = u.reduced.Completed(ctx)
	return event, u.explain(err)
}

// Choose handles an event: it chooses coordinates anew, and reports whether the states have changed.
func (u *Unit) Choose(ctx context.Context) (changed bool, err error) {
	if err := u.exchanging(); err != nil {
		return false, err
	}
	u.stale = true
	changed, err = u.reduced.Choose(ctx)
	return changed, u.explain(err)
}

// coordinate returns the value of the state or derivative with the value reference r.
func (u *Unit) coordinate(r int) (float64, error) {
	x := make([]float64, u.States())
	if r < u.first.derivatives {
		err := u.reduced.StatesTo(x)
		return x[r-u.first.states], err
	}
	err := u.DerivativesTo(x)
	return x[r-u.first.derivatives], err
}
