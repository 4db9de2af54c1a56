// Package batch solves the forward dynamics of one mechanism at many states at once, for control, learning,
// identification and tolerances.
//
// Eight states stand side by side in the lanes of a processor. All that has to be decided is decided before, from the
// structure of the mechanism alone: a Batch is a list of instructions (internal/tape) that evaluates bodies, joints
// and forces, and factors and solves the system of package kkt in the order of its plan. Each state is checked as a
// kkt.Solver checks its own; a state that does not pass goes to such a solver, and is listed.
//
// Frame: world axes, accelerations at centres of mass. Units: SI. The equations are those of package assemble,
// docs/theory.md (2) to (18); see docs/batch.md.
package batch
