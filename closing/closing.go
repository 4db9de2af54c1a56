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

// CloseError names the row with the largest error where closing ended.
type CloseError struct {
	At                     mechanism.Error // the joint and its row, or the coupling
	Predecessor, Successor string          // bodies of the joint; empty for a coupling
	Linear                 bool            // the row is a length, not an angle
	Rate                   bool            // the error is of a velocity, not of a position
	Off                    float64         // size of the error: m or rad, m/s or rad/s; of a coupling, for the freedom with the largest factor
	Steps                  int             // as Closing.Steps
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

// Error names the joint and its bodies, or the coupling, with the size of the error.
func (e *CloseError) Error() string {
	if e.At.Coupling != "" {
		return fmt.Sprintf("%v: coupling %s is off by %.3g %s", ErrCannotClose, fault.Name(e.At.Coupling), e.Off, e.Unit())
	}
	return fmt.Sprintf("%v: joint %s between %s and %s is off by %.3g %s (row %d)",
		ErrCannotClose, fault.Name(e.At.Joint), fault.Name(e.Predecessor), fault.Name(e.Successor), e.Off, e.Unit(), e.At.Row)
}

// Unwrap returns At, which wraps ErrCannotClose.
func (e *CloseError) Unwrap() error { return &e.At }

// Options choose the bodies that a Closer moves, the pose that it seeks and its tolerance. The zero value is the default.
type Options struct {
	Hold []int // numbers of the bodies that keep pose and velocity

	// Nearest continues from the first closed pose to the nearest one, theory.md (41): along the
	// motions that the joints allow, until the displacement from the start has no part in these
	// motions.
	Nearest bool

	// Tolerance is the largest error of a row that is accepted if no step makes the errors
	// smaller: an angle in rad, or a length relative to the length of the joint's bodies. Redundant joints
	// that do not quite fit need one. 0 stands for 5e-13. Joints that can
	// be closed to rounding are closed to rounding with any tolerance.
	Tolerance float64
}

// RunTolerance is the Tolerance for states of simulations and equilibria: the drift up to which
// package sim does not correct states.
const RunTolerance = 1e-10

// RunOptions returns the options for closing the initial states of runs and tasks: the nearest pose, with RunTolerance.
func RunOptions() Options { return Options{Nearest: true, Tolerance: RunTolerance} }

// Closing describes the last ClosePositions or ProjectVelocities.
type Closing struct {
	Before, After float64 // largest error of a row: m or rad, m/s or rad/s
	Steps         int     // Gauss–Newton steps for poses, solves for velocities
	Distance      float64 // size of the change in the metric of the inertias: √Σ(m·s² + φᵀIφ), √kg m, or √kg m/s for velocities

	// Nearest says that the pose is the nearest closed one, to 1e-9 of Distance or to rounding. Along is the remaining part of
	// the displacement along motions that the joints allow, in the same metric. The search for the nearest
	// pose may end without it, after a hundred steps or when the distance shrinks no more; the pose is still
	// closed. Without Options.Nearest, Nearest is false and Along 0.
	Nearest bool
	Along   float64

	mechanism.Change // of poses, or of velocities
}
