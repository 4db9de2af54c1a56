// Package door is the interface of Rung for programs in other languages: models by path or text, states as flat arrays, knobs by
// number, and documents as text. C, Python, FMI and WebAssembly share it; it knows none of them.
//
//	m, err := door.Open(ctx, "four-bar.json", nil)
//	state := make([]float64, m.Sizes().State)
//	err = m.InitialTo(state)
//	solver := m.NewSolver()
//	acc := make([]float64, 6*m.Sizes().Bodies)
//	err = solver.AccelerationsTo(acc, state)
//
// A Model never changes, and goroutines may share it. A Solver, a Run and a Batch belong to one goroutine at a time.
//
// # States
//
// A state is one array of numbers, mechanism.State.FlatTo: time; seven numbers for each body, its position and its quaternion w x y z;
// six numbers for each body, its velocity and its angular velocity; angles, internal states and bearings. World axes, SI. A quaternion
// is normalized; one of nearly no length is refused with the name of the body.
//
// # Knobs
//
// A Knob is a number that may be set between two computations: gravity, forces, springs, targets. Knobs have paths as in studies, and
// calls take them by their index in Model.Knobs.
//
// # Documents
//
// Model.Document returns the documents that the command prints as JSON, and pictures. Options are JSON objects; the error for an unknown
// field suggests a similar name.
//
// # Errors
//
// All errors have a Status (StatusOf) and details for programs (Details). A call that is refused has changed nothing.
//
// Frame: world axes, accelerations at centres of mass. Units: SI.
package door
