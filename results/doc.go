// Package results is what the command and package rung tell of one state: the forward dynamics with names, as Go structs and as the
// JSON document rung-result/1.
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
// [NewState] tells no more than a state without forces of the joints has: energies, force elements, violations. [Schema] is the
// JSON Schema of the document, and [docs/cli.md] says what its fields mean. [New] costs a report of the solver, which
// factors a few times more.
//
// Frame: world axes. Wrenches act on the successor of a joint, moments about the origin of its successor frame. Units: SI.
//
// [docs/cli.md]: https://github.com/rung-mbd/rung/blob/main/docs/cli.md
package results
