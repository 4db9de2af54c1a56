package answers

import (
	"math"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Stage is called with the name of each part of the work before it begins, such as "analysing". It may be nil.
type Stage func(name string)

// begins calls s unless it is nil.

func (s Stage) begins(name string) {
	if s != nil {
		s(name)
	}
}

// BodyChange is the largest change of one kind and its body, "" if nothing changes.
type BodyChange struct {
	Body  string  `json:"body"`
	Value float64 `json:"value"`
}

// changeOf returns the change x of body i, the zero value for −1.
func changeOf(mech *mechanism.Mechanism, i int, x float64) BodyChange {
	if i < 0 {
		return BodyChange{}
	}
	return BodyChange{mech.BodyName(i), x}
}

// Unmet is the joint or coupling that is farthest from holding.
type Unmet struct {
	Joint       string  `json:"joint"`
	Predecessor string  `json:"predecessor"`
	Successor   string  `json:"successor"`
	Row         int     `json:"row"`
	Level       string  `json:"level"` // position or velocity
	Error       float64 `json:"error"`
	Unit        string  `json:"unit"`

	Coupling string `json:"coupling,omitempty"` // in place of the joint
}

// newUnmet returns the joint or coupling of e.
func newUnmet(e *closing.CloseError) *Unmet {
	u := &Unmet{e.At.Joint, e.Predecessor, e.Successor, max(e.At.Row, 0), "position", e.Off, e.Unit(), e.At.Coupling}
	if e.Rate {
		u.Level = "velocity"
	}
	return u
}

// Unbalanced is the net force on the body that is farthest from balance.
type Unbalanced struct {
	Body     string       `json:"body"`
	Force    spatial.Vec3 `json:"force"`              // N, world axes
	Moment   spatial.Vec3 `json:"moment"`             // N m, about the centre of mass
	Relative *float64     `json:"relative,omitempty"` // to the largest force on a body
}

// newUnbalanced returns u in the form of a document. relative may be nil.
func newUnbalanced(u *linear.Unbalanced, relative *float64) *Unbalanced {
	return &Unbalanced{Body: u.Body, Force: u.Force, Moment: u.Moment, Relative: relative}
}

// number returns a pointer to x, nil for NaN.
func number(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}
