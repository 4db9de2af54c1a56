// Package state has the subcommands about one state of a mechanism: accelerations, inverse dynamics, the system's matrix,
// closing the joints, equilibrium, modes and the analysis of loops and constraints.
package state
