// Command precision measures work against precision: how many processor seconds each integrator of Rung, and each
// engine beside it, takes to follow a mechanism up to some error.
//
//	go run ./bench/precision                     # Rung alone
//	bench/peers/run.sh -precision                # beside Simbody and MuJoCo, which it builds
//	go run ./bench/precision -draw               # page and pictures from the record that is there
//
// Each integrator follows each mechanism with ever finer tolerances or steps, until a run takes longer than -longest.
// All of that is repeated -rounds times, so that Rung and its peers run by turns, and the least time of each run
// counts: other work on the machine only adds to it. Everything runs on one thread. Times are those of the steps,
// without reading the model and without its analysis.
//
// The error is the largest distance of a point of the mechanism from its reference at equally spaced
// times, over the largest distance that the reference moves from its start. References are closed forms and
// solutions with 14 digits and more of reference/standard, or, where there is none, a fine run by another method,
// which the record names.
//
// What is measured goes into a record, rung-precision/1 (record.schema.json), a JSON document that names the
// machine, the versions and all settings. Tables of docs/precision.md and the pictures beside it are made from this
// record alone. Without other -record and -page, a call writes over those of the repository.
package main
