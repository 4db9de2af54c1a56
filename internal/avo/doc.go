// Command avo writes the assembly of package kernel, and the assembly of PinRows in package lanes. The vectors of PinRows hold one number
// for each axis of a joint. The kernels of package lanes for eight lanes at a time are lines of internal/tape/lines.
//
// The command is a module of its own, so that the assembly generator avo is not among
// the requirements of Rung. Run it with
//
//	go generate ./internal/kernel ./internal/lanes
package main
