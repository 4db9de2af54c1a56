// Package simulate has the subcommands about motion in time: rung simulate, and rung validate, which compares the
// standard benchmarks with their references.
package simulate
