package motion

import "errors"

var (
	// ErrStep is wrapped by the error of a step that Rattle or Balance cannot do: the joints do not close, a body turns too far, the
	// kinetic energy does not follow the power of the forces, or the forces of the ground do not come into balance. A simulation then
	// tries a shorter step.
	ErrStep = errors.New("motion: the step fails")
	// ErrUnsupported is wrapped by the errors of NewRattle, NewBalance and NewReduced for a mechanism with elements that the method cannot
	// treat: internal states, stops, friction, nonholonomic rows.
	ErrUnsupported = errors.New("motion: the method does not know what the mechanism has")
)

// reason is an error with its own text that unwraps to ErrStep or ErrUnsupported.
type reason struct {
	is   error
	text string
}

func (r *reason) Error() string { return r.text }

func (r *reason) Unwrap() error { return r.is }

var (
	errRattle       error = &reason{ErrStep, "motion: the joints do not close at the end of the step"}
	errRattleTurn   error = &reason{ErrStep, "motion: a body turns too far in a step"}
	errRattleEnergy error = &reason{ErrStep, "motion: kinetic energy and power of the forces disagree"}
	errBalance      error = &reason{ErrStep, "motion: the forces of the ground did not come into balance"}

	errRattleStates   error = &reason{ErrUnsupported, "motion: the method RATTLE is for mechanisms without internal states"}
	errRattleBearings error = &reason{ErrUnsupported, "motion: the method RATTLE knows no friction that grows with a reaction"}
	errReducedStates  error = &reason{ErrUnsupported, "motion: independent coordinates are for mechanisms without internal states"}
	errBalanceStates  error = &reason{ErrUnsupported, "motion: force-balance steps are for contacts without internal states"}
	errBalanceJoints  error = &reason{ErrUnsupported, "motion: force-balance steps know no stops and no friction of joints"}
)
