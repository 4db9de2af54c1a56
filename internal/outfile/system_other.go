//go:build !unix && !windows

package outfile

// hasLocks says whether the system locks files. Those of WebAssembly do not.
const hasLocks = false

// noRoom are the errors of the system that Full looks for; these systems have no common ones.
var noRoom = [...]error{}
