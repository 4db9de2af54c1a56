package ik

import (
	"errors"
	"fmt"
)

// ErrUnreached is wrapped by the error of a task whose targets are not
// all within their tolerances. The result is filled and says why.
var ErrUnreached = errors.New("ik: targets not reached")

// Unreached is the error of Reach: it wraps ErrUnreached and names the target that is farthest from its tolerance.
// Target and Off are zero where each target is within its tolerance, but the posture has not ended or a limit does not hold.
type Unreached struct {
	Status Status
	Target string
	Off    float64 // error of the target, in Unit
	Unit   string  // m or rad
}

// Error names the status and the target, if one is off.
func (u *Unreached) Error() string {
	if u.Off == 0 {
		return fmt.Sprintf("%v (%v), though each is within its tolerance", ErrUnreached, u.Status)
	}
	return fmt.Sprintf("%v (%v): target %q is off by %.3g %s", ErrUnreached, u.Status, u.Target, u.Off, u.Unit)
}

// Unwrap returns ErrUnreached.
func (u *Unreached) Unwrap() error { return ErrUnreached }

// ErrEngine is returned where the engine that is asked for cannot do a problem.
var ErrEngine = errors.New("ik: engine cannot do this task")

// ErrOverflow is wrapped by the error of a mechanism whose size, or distance from its targets, is too large for floating-point numbers.
var ErrOverflow = errors.New("ik: numbers overflow")

var (
	// errUnknown is returned for a name that no target has.
	errUnknown = errors.New("ik: no such target")
	// errPlace is returned for a wanted place with a number that is not finite or beyond 1e50, an orientation that is no unit quaternion,
	// or a length that is not positive.
	errPlace = errors.New("ik: place not finite or beyond 1e50, orientation no unit quaternion, or length not positive")
)
