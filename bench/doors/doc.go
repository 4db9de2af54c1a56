// Command doors measures the costs of the interfaces to other languages (package door): calls from C and Python, batches from NumPy,
// the time after which Ctrl-C ends a call, the refusal of calls after a fork, threads and memory of a process with the library, and
// the sizes of the files.
//
//	go run ./bench/doors          # some two minutes; writes record and page of the repository
//	go run ./bench/doors -draw    # the table from the record that is there
//
// It runs on Linux, from a clone with make, a C compiler, python3 and NumPy; Node adds the figures of WebAssembly. It builds the
// library, the wheel, a unit for simulation tools and rung.wasm in a temporary folder as make does, and measures these files:
// Python runs the package of the wheel. A figure that cannot be measured is in the record with the reason.
//
// Calls are measured in rounds, in which Go, C and Python take turns, as processor time of one thread. The least time counts, as
// other work on the machine only adds to it. Ctrl-C and loading are measured as wall time; for Ctrl-C the longest of all tries
// counts.
//
// The figures go into a record, rung-doors/1 (record.schema.json), a JSON document that names the machine. The table of
// docs/doors.md is made from this record alone.
package main
