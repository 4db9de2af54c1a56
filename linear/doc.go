// Package linear looks at a mechanism near one state: where it comes to rest, whether it stays
// there, how it vibrates about it, and the matrices of its linearized equations of motion.
//
//	st := plan.Initial()                                                // plan from rung.NewPlan
//	e, err := linear.Equilibrate(plan, st, linear.EquilibriumOptions{}) // moves st to rest
//	fmt.Println(e.Stability, e.Lowest)
//
//	s := linear.NewSystem(plan) // once a goroutine
//	err = s.Linearize(st)       // at each state; then, in any order:
//	modes, err := s.Modes(linear.ModeOptions{Count: 5})
//	f := modes.List[0].Frequency() // Hz
//	M, C, K, J := s.Matrices()     // dense, for small mechanisms
//
// [Equilibrate] comes first where the modes of an equilibrium are wanted. A state that moves can be
// linearized too. A [System] keeps a reference to the state: it must not change while the System is in use.
//
// Cost: Equilibrate takes three factorizations a Newton step, Linearize one, and both allocate.
// Modes are found by a sparse method, which takes some factorizations and about ten solves a mode,
// or by a dense one in O(bodies³). Work beyond ModeOptions.MaxFlops is refused.
//
// Errors: Linearize refuses a state that violates the joints (*mechanism.ViolationError). An
// [UnbalancedError] names the body that is farthest from balance where no equilibrium is found.
// [ErrTooDear], [ErrSingular] and [ErrNoConvergence] are errors of modes.
//
// # The equations
//
// With x the displacements of the bodies from the state and δλ the change of the multipliers, the
// equations of motion are to first order ([statics-and-modes.md (S1)])
//
//	M·ẍ + C·ẋ + K·x = Jᵀ·δλ,   J·x = 0.
//
// A mode is a solution x = φ·exp(λt) of them. [System.MassTo], [System.DampingTo],
// [System.StiffnessTo] and [System.JacobianTo] are products with the matrices, for mechanisms of
// any size.
//
// # Steady motions
//
// A bicycle that rolls straight ahead is not in equilibrium, and a disc that rolls in a circle has
// velocities that turn. In axes that turn with the motion their equations have constant
// coefficients: [ModeOptions.Steady] asks for the modes there, and [System.StateSpace] for the
// matrix of the system in independent coordinates, ṡ = A·s ([statics-and-modes.md (S9)]). An
// [UnsteadyError] says where a motion is not steady, and by how much. The modes of moving wheels that roll without slip need
// ModeOptions.Steady; at rest, Equilibrate and Modes take such wheels like any other joint.
//
// # Displacements
//
// The displacement of a body has six numbers: the rotation vector from its pose in the state, and
// the travel of its centre of mass. Forces are a moment about the centre of mass and a force. In
// these coordinates gravity has no stiffness of its own: the stiffness of the reaction in a pendulum's joint
// makes the pendulum stable or unstable.
//
// K is symmetric on the displacements that the joints allow if the forces have a potential and
// balance: in equilibrium, without constant torques and without velocities. Elsewhere it is not.
//
// Frame: world axes at centres of mass. Units: SI, radians.
//
// [statics-and-modes.md (S9)]: https://github.com/rung-mbd/rung/blob/main/docs/statics-and-modes.md#steady-motions
// [statics-and-modes.md (S1)]: https://github.com/rung-mbd/rung/blob/main/docs/statics-and-modes.md#coordinates
package linear
