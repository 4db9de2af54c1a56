package main

// kind is the kind of a figure, which also decides which one of several measured values counts.
type kind string

const (
	processor kind = "processor time" // the least value of all rounds counts
	clock     kind = "time"           // wall time; the least value of all rounds counts
	worst     kind = "longest time"   // wall time; the largest value of all tries counts
	fact      kind = "fact"           // should be the same each time; the largest value counts
	ratio     kind = "ratio"          // of two figures
)

// subject describes a figure. Programs give its value under its name.
type subject struct {
	part, name, title, unit string
	kind                    kind
	most                    float64 // largest wanted value; 0 without none: no value is wanted
	none                    bool    // the wanted value is 0
}

// Parts of the table.
const (
	calls    = "One call"
	batches  = "Batches of crank-rockers, one thread, a state"
	ending   = "What ends a call"
	process  = "The process"
	files    = "Files"
	browsers = "WebAssembly in Node"
)

// subjects are all figures, in the order of the table.
var subjects = []subject{
	{part: calls, name: "empty.c", title: "empty call, C", unit: "ns", kind: processor, most: 55},
	{part: calls, name: "empty.python", title: "empty call, Python", unit: "ns", kind: processor, most: 140},
	{part: calls, name: "four-bar.go", title: "accelerations of the four-bar, Go", unit: "µs", kind: processor},
	{part: calls, name: "four-bar.c", title: "the same, C", unit: "µs", kind: processor, most: 1.4},
	{part: calls, name: "four-bar.python", title: "the same, Python", unit: "µs", kind: processor, most: 2.2},
	{part: calls, name: "ladder.go", title: "accelerations of the ladder of 1000 rungs, Go", unit: "µs", kind: processor},
	{part: calls, name: "ladder.c", title: "the same, C", unit: "µs", kind: processor},
	{part: calls, name: "ladder.python", title: "the same, Python", unit: "µs", kind: processor},
	{part: calls, name: "ladder.more", title: "Python over Go, ladder", unit: "", kind: ratio, most: 1.04},
	{part: calls, name: "bits", title: "accelerations of both that differ between Go, C and Python", unit: "", kind: fact, none: true},
	{part: calls, name: "document", title: "the four-bar as a document with attributes, Python", unit: "µs", kind: processor, most: 870},
	{part: calls, name: "step", title: "one step of a run of the crank-rocker by `Run.to`", unit: "µs", kind: processor, most: 25},
	{part: calls, name: "exchange", title: "derivatives in model exchange, crank-rocker, Python", unit: "µs", kind: processor, most: 22},

	{part: batches, name: "batch.accel.1", title: "accelerations of 1 state, from NumPy to NumPy", unit: "µs", kind: processor, most: 6.4},
	{part: batches, name: "batch.accel.8", title: "8 states", unit: "µs", kind: processor, most: 0.87},
	{part: batches, name: "batch.accel.64", title: "64 states", unit: "µs", kind: processor, most: 0.29},
	{part: batches, name: "batch.accel.512", title: "512 states", unit: "µs", kind: processor, most: 0.19},
	{part: batches, name: "batch.accel.4096", title: "4096 states", unit: "µs", kind: processor, most: 0.12},
	{part: batches, name: "batch.accel.go", title: "4096 states in Go, without rows", unit: "µs", kind: processor},
	{part: batches, name: "batch.step.1", title: "a step of RK4 of 1 state, from NumPy to NumPy", unit: "µs", kind: processor, most: 3.6},
	{part: batches, name: "batch.step.8", title: "8 states", unit: "µs", kind: processor, most: 0.48},
	{part: batches, name: "batch.step.64", title: "64 states", unit: "µs", kind: processor, most: 0.36},
	{part: batches, name: "batch.step.512", title: "512 states", unit: "µs", kind: processor, most: 0.33},
	{part: batches, name: "batch.step.4096", title: "4096 states", unit: "µs", kind: processor, most: 0.35},
	{part: batches, name: "batch.step.go", title: "4096 states in Go, without rows", unit: "µs", kind: processor},

	{part: ending, name: "ctrl-c.run", title: "Ctrl-C in `Run.to`", unit: "ms", kind: worst, most: 50},
	{part: ending, name: "ctrl-c.batch", title: "Ctrl-C in `Batch.step`, 4096 states", unit: "ms", kind: worst, most: 50},
	{part: ending, name: "ctrl-c.document", title: "Ctrl-C in `Model.accel`, a chain of 4000 bodies", unit: "ms", kind: worst, most: 50},
	{part: ending, name: "ctrl-c.close", title: "Ctrl-C in `Model.close_joints`, the same chain", unit: "ms", kind: worst, most: 50},
	{part: ending, name: "fork", title: "the refusal of a call in the child of a fork", unit: "ms", kind: worst, most: 1},

	{part: process, name: "open", title: "dlopen", unit: "ms", kind: clock, most: 3},
	{part: process, name: "first", title: "first call, while the runtime of Go starts", unit: "ms", kind: clock, most: 3},
	{part: process, name: "import", title: "`import rung` after NumPy", unit: "ms", kind: clock, most: 5},
	{part: process, name: "threads.load", title: "threads that loading adds", unit: "", kind: fact, most: 6},
	{part: process, name: "threads.many", title: "threads more after 5000 short threads and 500 at once", unit: "", kind: fact, most: 1},
	{part: process, name: "threads.unit", title: "threads after 60 loads of a unit", unit: "", kind: fact, most: 7},
	{part: process, name: "memory", title: "memory that 300 solvers and 300 loads of a ladder leave", unit: "MB", kind: fact, most: 12},
	{part: process, name: "lock", title: "two Python threads with a solver each over one, ladder", unit: "", kind: ratio, most: 1.3},

	{part: files, name: "library", title: "`librung.so`", unit: "MB", kind: fact, most: 12.6},
	{part: files, name: "library.gzip", title: "`librung.so`, gzip", unit: "MB", kind: fact, most: 4.5},
	{part: files, name: "wheel", title: "the wheel", unit: "MB", kind: fact, most: 4.5},
	{part: files, name: "unit", title: "a unit for simulation tools, one platform", unit: "MB", kind: fact},
	{part: files, name: "tls", title: "thread-local storage of the library", unit: "bytes", kind: fact, most: 8},
	{part: files, name: "glibc", title: "newest symbol of glibc that the library needs, 2.x", unit: "", kind: fact, most: 34},

	{part: browsers, name: "wasm", title: "`rung.wasm`", unit: "MB", kind: fact},
	{part: browsers, name: "wasm.gzip", title: "`rung.wasm`, gzip", unit: "MB", kind: fact},
	{part: browsers, name: "wasm.compile", title: "compile", unit: "ms", kind: clock},
	{part: browsers, name: "wasm.start", title: "start", unit: "ms", kind: clock},
	{part: browsers, name: "wasm.four-bar", title: "accelerations of the four-bar", unit: "µs", kind: processor, most: 36},
}

// largest reports whether the largest of several values counts, not the least.
func (k kind) largest() bool { return k == worst || k == fact }
