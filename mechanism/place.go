package mechanism

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
)

// Error is an error at one joint, one coupling, one body or one force element of a mechanism. The
// packages that work on a mechanism return it, or wrap it, wherever they know the place;
// errors.As finds it.
type Error struct {
	Joint string // name; empty if the place is no joint
	Body  string // name; empty if the place is no body
	Force string // name; empty if the place is no force element

	Coupling string // name; empty if the place is no coupling

	JointIndex int // −1 if the place is no joint
	BodyIndex  int // −1 if the place is no body
	ForceIndex int // −1 if the place is no force element

	CouplingIndex int // −1 if the place is no coupling

	Row int // row of the joint, in the order of joints.Rows; −1 if no single one

	Err error // the fault there
}

// Error returns the place and the fault there.
func (e *Error) Error() string {
	kind, name := "force", e.Force
	switch {
	case e.JointIndex >= 0:
		kind, name = "joint", e.Joint
	case e.BodyIndex >= 0:
		kind, name = "body", e.Body
	case e.CouplingIndex >= 0 && e.Coupling != "":
		kind, name = "coupling", e.Coupling
	}
	row := ""
	if e.Row >= 0 {
		row = fmt.Sprintf(", row %d", e.Row)
	}
	return fmt.Sprintf("mechanism: %s %s%s: %v", kind, fault.Name(name), row, fault.Plain(e.Err))
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// AtJoint returns err as an error at a row of joint j, or at the whole joint if row is −1.
func (m *Mechanism) AtJoint(j, row int, err error) *Error {
	return &Error{Joint: m.JointName(j), JointIndex: j, Row: row, BodyIndex: -1, ForceIndex: -1, CouplingIndex: -1, Err: err}
}

// AtBody returns err as an error at body i.
func (m *Mechanism) AtBody(i int, err error) *Error {
	return &Error{Body: m.BodyName(i), BodyIndex: i, JointIndex: -1, Row: -1, ForceIndex: -1, CouplingIndex: -1, Err: err}
}

// AtForce returns err as an error at force element i, or at user-defined force i − len(Forces).
func (m *Mechanism) AtForce(i int, err error) *Error {
	return &Error{Force: m.ForceName(i), ForceIndex: i, JointIndex: -1, Row: -1, BodyIndex: -1, CouplingIndex: -1, Err: err}
}
