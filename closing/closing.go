package closing

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// ErrCannotClose is wrapped by the error, a *CloseError, of a Closer that finds no poses or
// velocities that satisfy all joints.
var ErrCannotClose = errors.New("closing: joints cannot be closed")

// CloseError names the row that is farthest from holding where closing ended.
type CloseError struct {
	At                     mechanism.Error // the joint and its row, or the coupling
	Predecessor, Successor string          // bodies of the joint; empty for a coupling
	Linear                 bool            // the row is a length, not an angle
	Rate                   bool            // a velocity is meant, not a position
	Off                    float64         // what is left: m or rad, m/s or rad/s; of a coupling, of the freedom with the largest factor
	Steps                  int
}

// Unit returns the unit of Off.
func (e *CloseError) Unit() string {
	u := "rad"
	if e.Linear {
		u = "m"
	}
	if e.Rate {
		u += "/s"
	}
	return u
}

// Error names joint and bodies, or the coupling.
func (e *CloseError) Error() string {
	if e.At.Coupling != "" {
		return fmt.Sprintf("%v: coupling %s is off by %.3g %s", ErrCannotClose, fault.Name(e.At.Coupling), e.Off, e.Unit())
	}
	return fmt.Sprintf("%v: joint %s between %s and %s is off by %.3g %s (row %d)",
		ErrCannotClose, fault.Name(e.At.Joint), fault.Name(e.Predecessor), fault.Name(e.Successor), e.Off, e.Unit(), e.At.Row)
}

// Unwrap returns the place, which wraps ErrCannotClose.
func (e *CloseError) Unwrap() error { return &e.At }

// Options choose what a Closer may move. The zero value is the default.
type Options struct {
	Hold []int // bodies that keep pose and velocity

	// Nearest goes on from the first closed pose to the nearest one, theory.md (41): along the
	// motions that the joints allow, until the displacement from the start has no part in these
	// motions.
	Nearest bool

	// Tolerance is the largest error of a row that is accepted where no step makes the errors
	// smaller: an angle, or a length relative to that of the joint's bodies. Redundant joints
	// that do not quite fit cannot be closed any further. 0 stands for 5e-13. Joints that can
	// be closed to rounding are, whatever the tolerance.
	Tolerance float64
}

// RunTolerance is the Tolerance for states of simulations and equilibria: the drift that
// package sim does not correct.
const RunTolerance = 1e-10

// RunOptions are those with which states are closed from which runs and tasks begin: the nearest pose, to RunTolerance.
func RunOptions() Options { return Options{Nearest: true, Tolerance: RunTolerance} }

// Closing says what the last ClosePositions or ProjectVelocities did.
type Closing struct {
	Before, After float64 // largest error of a row: m or rad, m/s or rad/s
	Steps         int     // Gauss–Newton steps, or solves
	Distance      float64 // of the change in the metric of the inertias, √Σ(m·s² + φᵀIφ)

	// Nearest says that the pose is the nearest closed one, to 1e-9 of Distance or to rounding, and Along is the part of
	// the displacement that is left along motions that the joints allow, in the same metric. The search for the nearest
	// pose may end without it, after a hundred steps or where the distance shrinks no more; the pose is closed all
	// the same. Without Options.Nearest, Nearest is false and Along 0.
	Nearest bool
	Along   float64

	mechanism.Change // of poses, or of velocities
}
