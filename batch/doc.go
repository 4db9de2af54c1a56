// Package batch solves the forward dynamics of one mechanism at thousands of states at once, and
// moves them on in time: for control, learning, identification and tolerances.
//
//	b, err := batch.New(plan, batch.Options{Threads: 2}) // once; plan from rung.NewPlan
//	states, out := b.NewStates(1024), b.NewResults(1024)
//	for i := range states.Len() {
//		states.Set(i, st) // a mechanism.State; see also SetGravity, SetForce, SetWrench
//	}
//	b.Solve(states, out)            // as often as you like
//	a := out.ComAcceleration(17, 0) // of body 0 in state 17
//	failed := out.Failed()          // numbers of the states that have errors
//
// First the states are set, then [Batch.Solve] or [Batch.Rollout] is called, then results are read.
// A [Batch] belongs to one goroutine and uses Options.Threads of them.
//
// Cost: New takes some 0.5 ms a body, far longer than the analysis of the plan. A state of a small mechanism takes
// some 0.05 to 0.15 of the time of a kkt.Solver, on processors with AVX-512 or AVX2, and up to 1.9 times as long on others. Solve
// allocates nothing but errors.
//
// Errors: New refuses parameters that cannot vary and mechanisms that are too large ([ErrOptions]). A state that cannot be solved
// has its error in [Results.Error], and the states beside it are right. A state whose lane is in
// doubt is solved alone by a kkt.Solver, and listed ([Results.OneByOne]); [Batch.OneByOne] says
// whether and why all states are.
//
// # Move states on
//
// A [Rollout] moves all states on by fixed steps, in place, and closes the joints after each step.
//
//	out := b.NewOutcome(states.Len())
//	err := b.Rollout(states, &batch.Rollout{Step: 1e-3, Steps: 200}, out)
//	states.To(st, 17)   // state 17 as a mechanism.State
//	err = out.Error(17) // why it has not moved on, or nil
//
// Rollout.Control is called before each step and may set forces.
//
// # Vary the model
//
// [Vary] names the parameters that differ from state to state: masses, inertias, frames, lengths, springs. The
// setters of [States] refuse values that a model would refuse. After lengths have changed,
// [Batch.CloseJoints] closes the joints of the states again.
//
//	b, err := batch.New(plan, batch.Options{Vary: batch.Vary{Bodies: []int{0}}})
//	err = states.SetBody(17, 0, mass, com, inertia)
//
// # Gradients
//
// With Options.Adjoint, which package derive/many sets, [Batch.AdjointTo] takes the gradient of a sum of weights times accelerations in
// each state: by poses and velocities, and by loads. [Batch.BackTo] goes back over a rollout that a [Record] has kept.
//
// # How it works
//
// Eight states stand side by side in the lanes of a processor. All decisions are
// made before, from the structure of the mechanism alone: a Batch is a list of instructions
// (internal/tape) that evaluates bodies, joints and forces, and factors and solves the system of
// package kkt in the order of its plan, [theory.md (15)]. Each state passes the checks of a kkt.Solver.
// Its bits do not depend on the states beside it or on the number of threads.
// [docs/batch.md] says which parts are evaluated in lanes, and at what cost.
//
// Frame: world axes, accelerations at centres of mass. Units: SI.
//
// [docs/batch.md]: https://github.com/rung-mbd/rung/blob/main/docs/batch.md
// [theory.md (15)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#factorization-without-pivoting
package batch
