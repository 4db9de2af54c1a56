// Package kkt solves the forward dynamics of a mechanism by one sparse symmetric system of all
// bodies and joints, docs/theory.md (2) (RBDA §8.13).
//
// A Plan is everything that does not depend on the state: graph, pattern, elimination order,
// structure of the factor. It is immutable, and any number of goroutines may share it. A Solver
// is the memory of one goroutine; Solve allocates nothing. Solver.Report explains the
// constraints: rank, redundant rows by joint, which reactions are unique, distance to a
// singularity. An Inverse finds the forces of actuators for wanted accelerations.
//
// The system is factored as in theory.md (15). Where many bodies hang on the world by few
// freedoms, a smaller system without these is solved first. Where no factorization with doubles
// is good enough, an orthogonal one is tried, (31), and then one with twice the digits,
// theory.md (26).
//
// Frame: world axes. Accelerations are (ω̇, classical acceleration of the centre of mass);
// wrenches act on a joint's successor, moments about the origin of its successor frame. Units:
// SI.
package kkt
