// Package lanes holds the kernels that know some mechanics: the rows of balls and
// hinges (PinRows), and the same rows, and the recursions along trees of hinges,
// for eight joints or bodies at a time.
//
// Eight things that have the same shape, such as eight trees of hinges, are
// worked on at once: each of their numbers is a Vector of eight. Gather and
// Scatter bring numbers into that form and back. The other functions are steps of
// a few dozen operations, so that a caller can put them together for any shape.
//
// All are in assembly for amd64 with AVX2 and FMA, and in Go for other
// processors and with the build tag noasm or purego. Which is used is decided
// when the program starts. Without vectors, one thing after the other is faster
// than eight at a time (Have). With the build tag check every call compares the
// lengths of its slices with its sizes and panics.
//
// The assembly reads structures of this package by offsets in bytes, which
// layout.go asserts. It is written by the program in internal/avo:
//
//	go generate ./internal/lanes
package lanes
