// Package mechanics makes the tapes of a mechanism. They evaluate its bodies, joints and forces (docs/theory.md, (9) to (13)), reduce the
// bodies that hang on the ground to their freedoms, (R1) to (R9), and factor and solve the system.
//
// A method of the compiler or the system that adds something appends its instructions to the tape that is being made. A place is the
// address of numbers in the workspace, eight lanes each. A method that returns a value returns its place, and the numbers are there when
// the tape runs.
package mechanics
