//go:build !unix && !windows

package outfile

// hasLocks reports whether the system can lock files. The systems of WebAssembly cannot.
const hasLocks = false

// noRoom are the errors of the system that Full looks for. These systems have none in common.
var noRoom = [...]error{}
