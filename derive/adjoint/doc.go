// Package adjoint has gradients of objectives over a run, by the discrete adjoint of explicit Runge–Kutta methods: that is
// the exact gradient of the run as it was computed, its steps taken as given.
//
//	run := adjoint.NewTape(plan.Mechanism())
//	err := run.Add(plan.Initial()) // and the state after each step: runs.Options.OnStep
//	fmt.Println(run.Steps(), err)
//
// A [Sweep] goes back over a tape, and [Tangents] go forward over it, along several directions. Those of runs by generalized-α are
// [AlphaSweep] and [AlphaTangents], and those of RATTLE [RattleSweep] and [RattleTangents].
//
// A [Field] has the equations of motion and the transpose of their derivative, one for each stage of the method.
// Package derive/objective makes those of a mechanism, and has the objectives of documents. States between steps are
// kept, 13 numbers a body, and factors never are. On the way back each step is computed once more. Where the states take more
// than Tape.Memory, the run is repeated from checkpoints (Tape.Repeat).
//
// Cost: for each step an evaluation a stage, and for each objective a transposed derivative a stage; a step allocates nothing.
//
// Events that stop the run or change its state are told to the tape with their derivatives ([Event], [Tape.Jump], [Tape.Stop]).
//
// Errors: a *GrazingError where an event hardly crosses zero; a *StepError where a step that is computed again does not end
// where the run went on, as after an impact of which nobody has told; a *MemoryError; ErrNotRepeatable; those of the field; that
// of a context.
//
// Frame: world axes. Cotangents of a body are twelve numbers: of its rotation R → exp(φ×)R, of the place of its centre of mass, of
// its angular velocity, and of the velocity of its centre of mass. Units: those of the objective over SI. The equations are (V1) to
// (V5), (V8), (V15) to (V18) and (V20) to (V23) of [docs/theory.md].
//
// [docs/theory.md]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#gradients-of-runs
package adjoint
