// Package mechanics makes the tapes of a mechanism: what its bodies, joints and forces give (docs/theory.md, (9) to (13)), the
// bodies that hang on the ground reduced to their freedoms, (R1) to (R9), and the factorization and the solve of the system.
package mechanics
