package sim

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// errHalfTurn is wrapped by HalfTurnError: the
// step is too long for exponential coordinates. With couplings, which count the turns of one body relative to another, a
// quarter of a turn is too much.
var errHalfTurn = errors.New("sim: half a turn or more in one step")

// HalfTurnError names the body that would turn by turnBound or more in a step: half a turn, or a quarter.
type HalfTurnError struct {
	At    mechanism.Error // the body
	Time  float64         // at the start of the step, s
	Angle float64         // angle by which the body would turn in Span, rad
	Span  float64         // the step, or the part of it up to a stage, s

	elsewhere error // the error of the rank that has the body, on other ranks (Ranks)
}

// Error implements error.
func (e *HalfTurnError) Error() string {
	if e.elsewhere != nil {
		return e.elsewhere.Error()
	}
	if e.Angle < math.Pi {
		return fmt.Sprintf("sim: step from t = %v: body %s would turn by %.3g rad in %.3g s: a quarter of a turn or more, "+
			"by which the turns of coupled angles are lost", e.Time, fault.Name(e.At.Body), e.Angle, e.Span)
	}
	return fmt.Sprintf("sim: step from t = %v: body %s would turn by %.3g rad in %.3g s: %v",
		e.Time, fault.Name(e.At.Body), e.Angle, e.Span, fault.Plain(errHalfTurn))
}

// Unwrap returns At.
func (e *HalfTurnError) Unwrap() error { return &e.At }

// turnBound returns the angle, rad, below which the rotation of a body in a step has to stay: half a turn, or a quarter of
// a turn if there are couplings, which count the turns of one body relative to another, or joints with values that are followed
// (mechanism.Mechanism.HasFollowed).
func turnBound(m *mechanism.Mechanism) float64 {
	if m.NumCouplings() > 0 || m.HasFollowed() {
		return math.Pi / 2
	}
	return math.Pi
}

// halfTurn returns e, with the body of that number as its place, on all ranks. own tells that this rank has the body, as is the case
// without ranks. A rank that does not have the body gets the text of the error from the rank that has it.
func (r *ranks) halfTurn(m *mechanism.Mechanism, body int, own bool, e HalfTurnError) error {
	e.At = mechanism.Error{JointIndex: -1, BodyIndex: -1, ForceIndex: -1, CouplingIndex: -1, Row: -1, Err: errHalfTurn}
	if own {
		e.At = *m.AtBody(body, errHalfTurn)
	}
	switch {
	case r.all == nil:
	case own:
		_ = r.all.Agree(&e) // tells the others
	default:
		e.elsewhere = r.all.Agree(nil)
	}
	return &e
}
