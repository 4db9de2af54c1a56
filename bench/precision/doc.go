// Command precision measures work against precision: the processor time that each integrator of Rung, and each integrator of
// other engines, takes to simulate a mechanism with a given error.
//
//	go run ./bench/precision                     # Rung alone
//	bench/peers/run.sh -precision                # beside Simbody and MuJoCo, which it builds
//	go run ./bench/precision -draw               # page and pictures from the record that is there
//
// Each integrator simulates each mechanism with ever finer tolerances or steps, until a run takes longer than -longest.
// All runs are repeated -rounds times, so that Rung and its peers run by turns, and the least time of each run
// counts: other work on the machine only adds to it. Everything runs on one thread. Times are of the steps only,
// without reading and analysing the model.
//
// The error is the largest distance of a point of the mechanism from its reference at equally spaced
// times, relative to the largest distance of the reference from its start. References are closed forms and
// solutions with 14 digits and more from reference/standard, or, where there is none, a fine run by another method,
// which the record names.
//
// The results go into a record, rung-precision/1 (record.schema.json), a JSON document that names the
// machine, the versions and all settings. The tables of docs/precision.md and the pictures beside it are made from this
// record alone. Without other -record and -page, a call overwrites the record and the page of the repository.
package main
