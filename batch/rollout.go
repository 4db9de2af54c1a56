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

// ErrStep is wrapped by the errors of states that a step has lost, or the way back over one.
var ErrStep = errors.New("batch: the step failed")

// Rollout says how states are moved on in time.
type Rollout struct {
	Integrator Integrator
	Step       float64 // s
	Steps      int

	// Control, if it is not nil, is called before each step for states first to first+n−1, which stand side by side.
	// It may read and set these states (States.To, States.SetForce and so on), and no others. Calls for different
	// states come from several goroutines at once with more than one thread. If it panics, Rollout panics with
	// the same value on the goroutine that called it. The states are then somewhere on their way, and the Batch can be
	// used again.
	Control func(step, first, n int)

	// Seen, if it is not nil, is called after every Every steps, from part 0 on, for states first to first+n−1; Every 0 stands for
	// 1. It may read these states, and is called as Control is.
	Seen  func(part, first, n int)
	Every int

	// Passing is called around all steps of some states. With a context that has ended (Batch.Watch) both are called of all states.
	Passing Passing

	// Record, if it is not nil, takes the states on their way, so that Batch.BackTo can go back over the rollout.
	Record *Record

	// AsItIs takes states as they are. Otherwise one that violates the joints by more than mechanism.HoldTolerance is
	// not moved: its error is a *mechanism.ViolationError. Batch.CloseJoints closes states.
	AsItIs bool
}

// rolling is what Rollout has given the workers.
type rolling struct {
	states *States
	how    *Rollout
	out    *Outcome
}
