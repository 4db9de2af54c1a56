// Package simulate has the subcommands about motion in time: rung simulate (also on ranks), rung kinematics, rung sweep, and
// rung validate, which compares the standard benchmarks with their references.
package simulate
