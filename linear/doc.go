// Package linear looks at a mechanism near one state: its linearized equations of
// motion, its equilibrium, its modes of vibration.
//
// With x the displacements of the bodies from the state and δλ the change of the
// multipliers, the equations of motion are to first order
//
//	M·ẍ + C·ẋ + K·x = Jᵀ·δλ,   J·x = 0.
//
// System holds M, C, K and J, Equilibrium moves a state to rest where all forces
// balance, and Analyze finds solutions x = φ·exp(λt), the modes.
//
// Frame: world axes at centres of mass. The displacement of a body is the rotation
// vector from its pose in the state and the travel of its centre of mass, six
// numbers, the angular ones first; forces are a moment about the centre of mass and
// a force. In these coordinates gravity has no stiffness of its own: what holds a
// pendulum upright or lets it fall is the stiffness of its joint's reaction.
//
// K is symmetric on the displacements that the joints allow if the forces have a
// potential and balance: in equilibrium, without constant torques and without
// velocities. Elsewhere it is not.
//
// Units: SI, radians.
package linear
