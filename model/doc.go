// Package model holds what the user wrote: the plain structs of the document
// format rung-model/1, with its reader, writer and rules.
//
//	m, err := model.ReadFile("arm.json")
//	m.Bodies[0].Mass = 2
//	err = model.Check(m) // all rules that are broken, as Problems
//	err = model.WriteFile("heavier.json", m)
//
// Within documents of other programs, encoding/json writes and reads a Model under the same
// rules, and [Problems] too. [Schema] is the JSON Schema of the format.
//
// Nothing is derived here. A [Model] comes from [Read] or from Go code; [Check]
// applies to both the same rules, and every rule that is broken is reported
// at once, each as a [Problem] with its JSON path.
//
// Frames are named at each field: world axes for poses of bodies, velocities,
// gravity and wrenches, body axes for centres of mass, inertias, joint frames
// and points. Units: SI, radians; quaternions w first.
package model
