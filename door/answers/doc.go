// Package answers answers questions about a model at one state. Each answer is a document with a schema:
//
//	Analyze      rung-analysis/1     loops, mobility, redundant rows, joints to release, orderings
//	Assemble     rung-assembly/1     the state closed onto the joints, and the movements
//	Equilibrate  rung-equilibrium/1  the equilibrium at rest
//	FindModes    rung-modes/1        frequencies, damping and shapes of vibration
//	SolveInverse rung-inverse/1      forces of actuators that make wanted accelerations
//
// The subcommands of rung of the same names print these documents, and package door passes them to programs in other languages.
// Programs in Go that want numbers in place of a document use the packages below: mobility, closing, linear, kkt, tree.
package answers
