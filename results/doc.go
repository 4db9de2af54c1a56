// Package results holds the forward dynamics of one state under the names of the model, as Go structs and as the JSON document
// rung-result/1. The command and package rung return it.
//
//	r, err := rung.Accelerate(m, rung.Options{}) // all of it for the state of a model
//
// A solver that has solved already gives it without solving again:
//
//	err := solver.Solve(st)
//	r, err := results.New(solver)
//	arm, err := r.Body("arm") // an error says which name may be meant
//	fmt.Println(arm.AngularAcceleration)
//	text, err := json.Marshal(r) // what "rung accel --json" prints
//
// [NewState] fills the part that needs no solution: energies, force elements, violations. [Schema] is the
// JSON Schema of the document, and [docs/cli.md] explains its fields. [New] costs a report of the solver, which
// factors a few times more.
//
// Frame: world axes. Wrenches act on the successor of a joint, moments about the origin of its successor frame. Units: SI.
//
// [docs/cli.md]: https://github.com/rung-mbd/rung/blob/main/docs/cli.md
package results
