package batch

import "errors"

// Integrator is a method with fixed steps.
type Integrator uint8

// The integrators. Both put poses and velocities back on the joints after each step.
const (
	RungeKutta4  Integrator = iota // the classical method of order four, rotations by their logarithm
	SemiImplicit                   // velocities by the accelerations at the beginning, poses by the new velocities; order one: the energy of a long motion drifts
)

// ErrRollout is wrapped by the errors of Rollout.
var ErrRollout = errors.New("batch: rollout refused")

// ErrStep is wrapped by the errors of states for which a step has failed, or the gradient over a step (Batch.BackTo).
var ErrStep = errors.New("batch: the step failed")

// Rollout has the options of Batch.Rollout.
type Rollout struct {
	Integrator Integrator
	Step       float64 // s
	Steps      int

	// Control, if it is not nil, is called before each step for states first to first+n−1, which stand side by side.
	// It may read and set these states (States.To, States.SetForce and so on), and no others. With more than one thread, calls
	// for different states come from several goroutines at the same time. If it panics, Rollout panics with
	// the same value on the goroutine that called it. The states have then made different numbers of steps, and the Batch can be
	// used again.
	Control func(step, first, n int)

	// Seen, if it is not nil, is called after every Every steps for states first to first+n−1, with part counting the calls from 0; Every 0
	// stands for 1. It may read these states. It is called from goroutines as Control is.
	Seen  func(part, first, n int)
	Every int

	// Passing is called before and after all steps of some states. Its functions are called for all states even after the context has ended
	// (Batch.Watch).
	Passing Passing

	// Record, if it is not nil, takes the states on their way, so that Batch.BackTo can go back over the rollout.
	Record *Record

	// AsItIs moves states even if they violate the joints. Without it, a state that violates them by more than mechanism.HoldTolerance is
	// not moved: its error is a *mechanism.ViolationError. Batch.CloseJoints closes states.
	AsItIs bool
}

// rolling has the arguments of Rollout for the workers.
type rolling struct {
	states *States
	how    *Rollout
	out    *Outcome
}
