// Command gradients measures how exact derivatives are and what they cost, of Rung and of programs beside it: Simbody with central
// differences, MuJoCo's mjd_transitionFD, and ADOL-C on a dense system of the same equations.
//
//	go run ./bench/gradients                     # Rung alone
//	bench/peers/run.sh -derivatives              # beside the others, which it builds
//	go run ./bench/gradients -draw               # the tables from the record that is there
//
// Of each mechanism it takes the derivatives of all accelerations along its directions (for a mechanism with coordinates, those of
// ∂q̈/∂q and ∂q̈/∂q̇), and the gradient of one acceleration by loads, masses, centres of mass and inertias. Times begin with the
// state and are the least of -rounds rounds, in which all programs run by turns, on one thread. Plans, tapes and memory are made
// before.
//
// Errors are against the same derivatives in 32 digits (truth), by dense equations that have nothing of Rung.
//
// What is measured goes into a record, rung-gradients/1 (record.schema.json), from which the tables of docs/derivatives.md are made.
// Without other -record and -page, a call writes over those of the repository.
package main
