// Package motion makes the solver of package kkt what the integrators of package sim ask for.
//
// Dynamics is for explicit methods: accelerations, and states put back on the joints. Newton is for implicit ones: the
// residual of the equations of motion at the end of a step, and solutions with the Newton matrix of the step. Tree is a
// Dynamics with the accelerations of a method on a spanning tree. New takes a Method and returns one or the other.
// Follower needs no integrator: it follows motions that are prescribed.
//
// Frame: world axes. Units: SI.
package motion
