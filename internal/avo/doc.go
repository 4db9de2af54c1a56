// Command avo writes the assembly of packages kernel and lanes.
//
// It is a module of its own, so that the generator of assembly is not among
// the requirements of Rung. Run it with
//
//	go generate ./internal/kernel ./internal/lanes
package main
