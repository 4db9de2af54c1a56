// Command librung is Rung as a shared library with the interface of rung.h.
//
//	go build -buildmode=c-shared -o librung.so ./cmd/librung
//
// It wraps package door: objects become handles, and errors become statuses. Functions that must not depend on Go are in door.c.
package main

import "C" // without cgo there is no package
