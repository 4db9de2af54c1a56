// Package mechanism turns a model into the constant description every solver
// works on: bodies and joints by number, joint frames, force elements, the
// graph with its components and loops.
//
// A [Mechanism] never changes after New and may be shared between goroutines.
// Each goroutine can set gravity, forces, springs and prescribed motions in
// [Inputs], a view of the mechanism with its own values.
// A [State] has the poses and velocities of all bodies, and a [Kinematics] has
// the values computed from a State that all solvers use.
//
//	mech, err := mechanism.New(m) // once for a model
//	st := mech.Initial()          // a copy of the state in the model
//	k := mech.NewKinematics()     // once for a goroutine
//	err = mech.KinematicsTo(k, st)
//	e := mech.EnergyAt(k, st)
//	err = mech.Holds(st) // does the state satisfy the joints?
//
// Cost: New takes O(bodies + joints), and so does everything of one state; KinematicsTo does not allocate.
//
// Errors: New returns all problems of the model. Errors about a state name the body, joint or force element, as an [Error].
//
// Frame: world axes. Positions and velocities of a State belong to the origin of the
// body frame. Wrenches on bodies are about the centre of mass, wrenches of
// joints about the origin of the successor frame.
package mechanism
