// Package linear looks at a mechanism near one state: its linearized equations of
// motion, its equilibrium, its modes of vibration.
//
// With x the displacements of the bodies from the state and δλ the change of the
// multipliers, the equations of motion are to first order (statics-and-modes.md (S1))
//
//	M·ẍ + C·ẋ + K·x = Jᵀ·δλ,   J·x = 0.
//
// A [System] holds M, C, K and J ([System.Linearize]). [Equilibrate] moves a state to
// rest where all forces balance. [System.Modes] finds the modes, solutions
// x = φ·exp(λt).
//
// Frame: world axes at centres of mass. The displacement of a body has six
// numbers: the rotation vector from its pose in the state, and the travel of its
// centre of mass. Forces are a moment about the centre of mass and a force. In these
// coordinates gravity has no stiffness of its own: the stiffness of its joint's
// reaction holds a pendulum upright or lets it fall.
//
// K is symmetric on the displacements that the joints allow if the forces have a
// potential and balance: in equilibrium, without constant torques and without
// velocities. Elsewhere it is not.
//
// Units: SI, radians.
package linear
