// Package lanes holds the kernels that know some mechanics: the rows of balls and
// hinges (PinRows), and the same rows, and the recursions along trees of hinges,
// for eight joints or bodies at a time.
//
// Eight things that have the same shape, such as eight trees of hinges, are
// worked on at once: each of their numbers is a Vector of eight. Gather and
// Scatter bring numbers into that form and back. The other functions are steps of
// a few dozen operations, so that a caller can put them together for any shape.
//
// PinRows is in assembly for amd64 with AVX2 and FMA, and in Go for other
// processors and with the build tag noasm or purego. The functions on vectors are
// in assembly alone, AVX-512 or AVX2: without vectors, one thing after the other
// is faster than eight at a time, and Have tells who calls them. What is used is
// decided when the program starts; AVX-512 and AVX2 give the same bits. With the
// build tag check every call compares the lengths of its slices with its sizes
// and panics.
//
// The functions on vectors and their structures are described in
// internal/tape/lines, and printed by internal/tape/gen. PinRows is written by
// the program in internal/avo; it reads a Pin by offsets in bytes, which
// pin_layout_amd64.go asserts.
//
//	go generate ./internal/lanes
package lanes
