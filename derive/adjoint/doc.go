// Package adjoint computes gradients of objectives over a run by the discrete adjoint: the exact gradient of the run as it was computed,
// with its steps taken as given.
//
//	run := adjoint.NewTape(plan.Mechanism())
//	err := run.Add(plan.Initial()) // and the state after each step: runs.Options.OnStep
//	fmt.Println(run.Steps(), err)
//
// A [Sweep] goes back over the tape of a run of an explicit Runge–Kutta method, and [Tangents] go forward over it, along several
// directions.
// [AlphaSweep] and [AlphaTangents] are for runs by generalized-α, [RattleSweep] and [RattleTangents] for runs by RATTLE.
//
// A [Field] has the equations of motion and the transpose of their derivative; each stage of the method has its own. Package
// derive/objective makes the fields of a mechanism, and reads objectives from documents. The tape keeps the states between steps, 13
// numbers a body, and never a factor. On the way back each step is computed once more. If the states need more than Tape.Memory, the run is
// repeated from checkpoints (Tape.Repeat).
//
// Cost: for each step an evaluation a stage, and for each objective a transposed derivative a stage; a step allocates nothing.
//
// Events that stop the run or change its state are recorded on the tape with their derivatives ([Event], [Tape.Jump], [Tape.Stop]).
//
// Errors: a *GrazingError for an event that hardly crosses zero; a *StepError for a step that ends elsewhere than the run went on when it
// is computed again, as after an impact that is not on the tape; a *MemoryError; ErrNotRepeatable; the errors of the field and of the
// context.
//
// Frame: world axes. A body has twelve cotangents: of its rotation R → exp(φ×)R, of the position of its centre of mass, of its angular
// velocity, and of the velocity of its centre of mass. Units: the unit of the objective divided by SI units. The equations are (V1) to
// (V5), (V8), (V15) to (V18) and (V20) to (V23) of [docs/theory.md].
//
// [docs/theory.md]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#gradients-of-runs
package adjoint
