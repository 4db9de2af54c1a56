// Package mechanism turns a model into the constant description every solver
// works on: bodies and joints by number, joint frames, force elements, the
// graph with its components and loops.
//
// A [Mechanism] never changes after New and may be shared between goroutines.
// What acts on it, gravity, forces, springs and prescribed motions, can be set for each
// of them in [Inputs], a view of the mechanism with values of its own.
// What changes lives in a [State] (poses and velocities of all bodies) and in a
// [Kinematics] (computed from a State, and used by everybody).
//
//	mech, err := mechanism.New(m) // once a model
//	st := mech.Initial()          // a copy of the state in the model
//	k := mech.NewKinematics()     // once a goroutine
//	err = mech.KinematicsTo(k, st)
//	e := mech.EnergyAt(k, st)
//	err = mech.Holds(st) // does the state satisfy the joints?
//
// Cost: New takes O(bodies + joints), and so does everything of one state; KinematicsTo does not allocate.
//
// Errors: New returns all problems of the model. Errors about a state name the body, joint or force element, as an [Error].
//
// Frame: world axes; positions and velocities of a State are those of the body
// frame's origin, wrenches on bodies are about the centre of mass, those of
// joints about the origin of the successor frame.
package mechanism
