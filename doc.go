// Package rung solves the forward dynamics of mechanisms with many kinematic
// loops by the sparse KKT method of Featherstone, Rigid Body Dynamics
// Algorithms (2008), §8.13: all bodies and joints in one sparse symmetric
// system, factored without pivoting in an order that keeps it banded on
// ladder-like mechanisms, with redundant and nearly singular constraints
// solved and explained by name.
//
// The front door has four steps:
//
//	m, err := rung.Open("four-bar.json")         // or a Builder
//	plan, err := rung.NewPlan(m, rung.Options{}) // graph, order, pattern
//	solver := plan.NewSolver()                   // memory of one goroutine
//	err = solver.Solve(plan.Initial())           // accelerations and multipliers
//
// A Plan is immutable and may be shared between goroutines; each has its own
// Solver. Solve allocates nothing. Solver.Report explains the constraints:
// rank, redundant rows by joint, which reactions are unique, distance to a
// singularity. Accelerate does all of it for one model and returns a Result
// with names, the document that the command "rung accel --json" prints.
//
// Other tasks have packages of their own that take a Plan: closing the joints (closing), motion over
// time (motion, sim), variable mobility (mobility), equilibrium and vibration (linear). Plan, Solver,
// Report and Options are those of package kkt.
//
// Frame: world axes. Accelerations are (ω̇, classical acceleration of the centre
// of mass); wrenches act on a joint's successor, moments about the origin of its
// successor frame. Units: SI.
package rung
