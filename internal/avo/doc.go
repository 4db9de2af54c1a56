// Command avo writes the assembly of package kernel, and of the rows of one joint in package lanes (PinRows), whose vectors hold
// a number for each axis of the joint. The kernels for eight things at a time are lines of internal/tape/lines.
//
// It is a module of its own, so that the generator of assembly is not among
// the requirements of Rung. Run it with
//
//	go generate ./internal/kernel ./internal/lanes
package main
