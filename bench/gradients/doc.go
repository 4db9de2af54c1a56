// Command gradients measures the accuracy and the cost of derivatives, by Rung and by other programs (peers): Simbody with central
// differences, MuJoCo's mjd_transitionFD, and ADOL-C on a dense system of the same equations.
//
//	go run ./bench/gradients                     # Rung alone
//	bench/peers/run.sh -derivatives              # beside the others, which it builds
//	go run ./bench/gradients -draw               # the tables from the record that is there
//
// For each mechanism it measures the derivatives of all accelerations along its directions (the columns of ∂q̈/∂q and ∂q̈/∂q̇ if the
// mechanism has coordinates), and the gradient of one acceleration by loads, masses, centres of mass and inertias. Times include the
// evaluation from the state, but not the making of plans, tapes and memory. They are the least of -rounds rounds, in which all
// programs run by turns, on one thread.
//
// Errors are the differences to the same derivatives with 32 digits (truth), by dense equations that share no code with Rung's.
//
// The results go into a record, rung-gradients/1 (record.schema.json), from which the tables of docs/derivatives.md are made.
// Without other -record and -page, a call overwrites the record and the page of the repository.
package main
