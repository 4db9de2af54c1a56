// Command gen writes two files from rung.h: guards.c, whose functions call Go unless the process is the child of a fork, and the types
// of arguments for Python's package.
//
//	go run ./cmd/librung/gen   # in the folder of the module
package main
