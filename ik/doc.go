// Package ik finds where the driven freedoms of a mechanism have to go so that its targets are met: the tool is
// there, both hands hold, the centre of mass is above the feet. Loops are closed exactly.
//
// A Task names targets and driven freedoms, a Problem is the analysis of a task on a mechanism, and a Solver
// moves states. The methods are damped least squares with limits, feedback inverse kinematics, and a sparse method for
// whole mechanisms.
package ik
