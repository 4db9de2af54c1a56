package mechanism

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// GroundError says that a contact cannot be evaluated: its body is off the terrain, too deep in the ground, or at a place
// that is too steep. It is wrapped by an Error that names the contact.
type GroundError struct {
	Body  string       // name of the body
	Place spatial.Vec3 // position of the body, world axes, m
	Time  float64      // s
	Err   error        // contact.ErrOffTerrain, contact.ErrBuried, contact.ErrSteep, …
}

// Error names the fault, and its place and time.
func (e *GroundError) Error() string {
	return fmt.Sprintf("mechanism: %v: body %s at (%.4g, %.4g, %.4g), t = %.9g s", fault.Plain(e.Err), fault.Name(e.Body), e.Place[0], e.Place[1], e.Place[2], e.Time)
}

// Unwrap returns Err.
func (e *GroundError) Unwrap() error { return e.Err }

// ContactError returns err, an error of the evaluation of contact i at s, in a GroundError in an Error.
func (m *Mechanism) ContactError(i int, s *State, err error) *Error {
	t := &m.contacts[i]
	return m.AtForce(int(t.index), &GroundError{Body: m.BodyName(int(t.body)), Place: s.Bodies[t.body].Position, Time: s.Time, Err: err})
}

// CheckGround returns the error of the first contact that cannot be evaluated at s, or nil.
//
// Cost: as the contacts; allocates.
func (m *Mechanism) CheckGround(s *State) error {
	if len(m.contacts) == 0 {
		return nil
	}
	k := m.NewKinematics()
	k.I = nil
	if err := m.KinematicsTo(k, s); err != nil {
		return err
	}
	for i := range m.contacts {
		if _, err := m.ContactAt(i, k, s); err != nil {
			return err
		}
	}
	return nil
}

// GroundFault returns the Error in the chain of err that wraps a GroundError, or nil if there is none.
func GroundFault(err error) *Error {
	if e, g := new(Error), new(GroundError); errors.As(err, &e) && errors.As(e, &g) {
		return e
	}
	return nil
}
