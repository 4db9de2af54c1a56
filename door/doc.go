// Package door is what programs in other languages see of Rung: models by path or text, states as flat arrays, what may be
// set by number, and documents as text. C, Python, FMI and WebAssembly share it; it knows none of them.
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
// A state is one array of numbers, mechanism.State.FlatTo: time; seven numbers a body, its position and its quaternion w x y z;
// six numbers a body, its velocity and its angular velocity; angles, internal states and bearings. World axes, SI. A quaternion of
// another length than 1 is normalized; one that has next to no length is refused with the name of the body.
//
// # Knobs
//
// A Knob is a number that may be set between two computations: gravity, forces, springs, targets. Knobs have the paths of studies and
// are told by their place in Model.Knobs.
//
// # Documents
//
// Model.Document returns what the command prints as JSON, and pictures. Options are JSON objects; a field that is not known is refused
// with the name that is near.
//
// # Errors
//
// All errors have a Status (StatusOf) and details for programs (Details). What an error has refused has changed nothing.
//
// Frame: world axes, accelerations at centres of mass. Units: SI.
package door
