// Command librung is Rung as a shared library with the interface of rung.h.
//
//	go build -buildmode=c-shared -o librung.so ./cmd/librung
//
// It gives package door handles for objects and statuses for errors, and knows nothing else. What must not depend on Go is in door.c.
package main

import "C" // without cgo there is no package
