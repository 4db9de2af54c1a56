package linear

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// ErrUnsteady is wrapped by the error, an *UnsteadyError, for a state that does not move steadily.
var ErrUnsteady = errors.New("linear: not a steady motion")

// UnsteadyError names the body that is farthest from moving steadily.
type UnsteadyError struct {
	Body      string       // name of the body
	BodyIndex int          // its number
	Turning   spatial.Vec3 // angular velocity of the axes in which the motion is nearest to a steady one, rad/s, world axes
	After     float64      // time after which the motion is found not to be steady, s; 0 for the state itself

	// Relative is the deviation from a steady motion: the force for accelerations in those axes, relative to the largest force on a
	// body; or the change of an inertia, or of a term of the equations, relative to the largest.
	Relative float64
	// These are zero, or nil, if they do not apply: accelerations in those axes, rad/s² and m/s²; the rate at which the body spins about
	// an axis about which its inertia is not symmetric, rad/s; and the error of linearizing after the time, as for joints that do not hold.
	Angular, Linear float64
	Spin            float64
	Open            error
}

// Error names the body.
func (e *UnsteadyError) Error() string {
	when := ""
	if e.After > 0 {
		when = fmt.Sprintf(" after %.3g s", e.After)
	}
	in := "in the axes of the world"
	if t := e.Turning; t != (spatial.Vec3{}) {
		in = fmt.Sprintf("in axes that turn at (%.4g, %.4g, %.4g) rad/s", t[0], t[1], t[2])
	}
	body := fault.Name(e.Body)
	switch {
	case e.Open != nil:
		return fmt.Sprintf("%v:%s it would lead to where %v", ErrUnsteady, when, fault.Plain(e.Open))
	case e.Spin > 0:
		const text = "%v:%s body %s spins at %.3g rad/s %s, about an axis that its inertia is not symmetric about"
		return fmt.Sprintf(text, ErrUnsteady, when, body, e.Spin, in)
	case e.Angular > 0 || e.Linear > 0:
		const text = "%v:%s the velocities of body %s change by %.3g m/s² and %.3g rad/s² %s"
		return fmt.Sprintf(text, ErrUnsteady, when, body, e.Linear, e.Angular, in)
	}
	return fmt.Sprintf("%v:%s what acts on body %s is another by %.2g of the largest term, %s", ErrUnsteady, when, body, e.Relative, in)
}

// Unwrap returns a *mechanism.Error with the body, which wraps ErrUnsteady.
func (e *UnsteadyError) Unwrap() error {
	return &mechanism.Error{Body: e.Body, BodyIndex: e.BodyIndex, JointIndex: -1, ForceIndex: -1, CouplingIndex: -1, Row: -1, Err: ErrUnsteady}
}
