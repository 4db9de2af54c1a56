package door

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// Status says how a call has ended. The numbers are part of the interface to C and never change.
type Status int32

const (
	OK      Status = 0
	Input   Status = 1 // model, option or number refused; nothing has changed
	Failed  Status = 2 // no solution at this state
	Handle  Status = 3 // no such object
	Busy    Status = 4 // the object is in use by another thread
	Size    Status = 5 // an array of another length
	Forked  Status = 6 // the process is the child of a fork
	Stopped Status = 7 // ended from outside
	Bug     Status = 8 // a panic
	More    Status = 9 // the budget of time is used up: call again
)

// Error is an error with its Status.
type Error struct {
	Status Status
	Err    error
}

// Error returns the text.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// refuse returns an error with a status.
func refuse(s Status, format string, args ...any) error {
	return &Error{s, fault.Errorf("door: "+format, args...)}
}

// as gives an error the status s, or Stopped if it is the end of a context. An error that has a status keeps it, and nil stays nil.
func as(s Status, err error) error {
	switch known := new(Error); {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, ErrStopped), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		s = Stopped
	}
	return &Error{s, err}
}

// ErrStopped is the cause with which a caller ends the context of a call that it stops.
var ErrStopped = errors.New("door: stopped")

// StatusOf returns the status of an error of this package, OK for nil, and Bug for an error without a status.
func StatusOf(err error) Status {
	if err == nil {
		return OK
	}
	if known := new(Error); errors.As(err, &known) {
		return known.Status
	}
	return Bug
}

// details are the fields of Details.
type details struct {
	Status   Status           `json:"status"`
	Text     string           `json:"text"`
	Body     string           `json:"body,omitempty"`
	Joint    string           `json:"joint,omitempty"`
	Coupling string           `json:"coupling,omitempty"`
	Force    string           `json:"force,omitempty"`
	Problems []*model.Problem `json:"problems,omitempty"`
	More     int              `json:"more,omitempty"` // problems beyond these
}

// Details returns a JSON object with the status and the text of an error, the names of its body, joint, coupling or force if it has
// them, and the problems of a document with file, path, value and rule.
func Details(err error) []byte {
	d := details{Status: StatusOf(err)}
	if err != nil {
		d.Text = err.Error()
	}
	if at := new(mechanism.Error); errors.As(err, &at) {
		d.Body, d.Joint, d.Coupling, d.Force = at.Body, at.Joint, at.Coupling, at.Force
	}
	if p := new(model.Problems); errors.As(err, &p) {
		d.Problems, d.More = p.List, p.More
	}
	text, err := json.Marshal(&d)
	if err != nil {
		panic("door: details are no JSON: " + err.Error())
	}
	return text
}
