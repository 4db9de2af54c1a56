// Package answers has what is asked of a model at one state, each answer as a document with a schema:
//
//	Analyze      rung-analysis/1     loops, mobility, redundant rows, joints to release, orderings
//	Assemble     rung-assembly/1     the state closed, and how far it was moved
//	Equilibrate  rung-equilibrium/1  the equilibrium at rest
//	FindModes    rung-modes/1        frequencies, damping and shapes of vibration
//	SolveInverse rung-inverse/1      forces of actuators that make wanted accelerations
//
// The subcommands of rung of the same names print them, and package door hands them to programs in other languages.
// Programs in Go that want numbers in place of a document take the packages that do the work: mobility, closing, linear, kkt, tree.
package answers
