// Command gen writes what follows from rung.h: guards.c, whose functions refuse the child of a fork and call Go, and the types of
// arguments of Python's package.
//
//	go run ./cmd/librung/gen   # in the folder of the module
package main
