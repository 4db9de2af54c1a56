// Command doors measures what the doors to other languages cost: calls from C and Python, batches from NumPy, how soon Ctrl-C ends a
// call, what a fork gets, what a process carries once the library is loaded, and how large the files are.
//
//	go run ./bench/doors          # some two minutes; writes record and page of the repository
//	go run ./bench/doors -draw    # the table from the record that is there
//
// It runs on Linux, from a clone with make, a C compiler, python3 and NumPy; Node adds the figures of WebAssembly. It builds the
// library, the wheel, a unit for simulation tools and rung.wasm in a temporary folder as make does, and measures what it has built:
// Python runs the package of the wheel. A figure that cannot be measured stands in the record with the reason.
//
// Calls are measured in rounds, in which Go, C and Python take turns, and the least counts: other work on the machine only adds to
// it. They are processor time of one thread. Ctrl-C and loading are time of the clock, and for Ctrl-C the worst of all tries counts.
//
// What is measured goes into a record, rung-doors/1 (record.schema.json), a JSON document that names the machine. The table of
// docs/doors.md is made from this record alone.
package main
