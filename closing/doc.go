// Package closing makes states satisfy the joints of a mechanism: poses by damped Gauss–Newton steps, docs/theory.md
// (37), velocities by a projection, (42), both with the least change in the metric of the inertias.
//
// A Closer solves with the system of package kkt, and with its factor where it shares that of a kkt.Solver.
//
// Frame: world axes. Units: SI.
package closing
