// Package lanes holds the kernels of mechanics. PinRows computes the constraint rows of a ball
// joint or a hinge. The other functions compute the same rows, and the recursions along trees of
// hinges, for eight joints or bodies at a time, or differentiate a body or a
// joint along eight directions.
//
// Eight things of the same shape, such as eight trees of hinges, are
// computed side by side, one in each lane: each of their numbers is a Vector of eight. Gather and
// Scatter convert numbers to that form and back. The other functions are steps of
// a few dozen operations, which a caller combines for any shape.
//
// PinRows is in assembly for amd64 with AVX2 and FMA, and in Go for other
// processors and with the build tag noasm or purego. The functions on vectors are
// only in assembly, for AVX-512 or AVX2. Without vector registers, eight things one after another
// are faster than side by side. Have tells a caller whether the assembly is there. The choice
// is made when the program starts; AVX-512 and AVX2 give the same bits. With the
// build tag check every call compares the lengths of its slices with its sizes,
// and panics if a slice is too short.
//
// The functions on vectors and their structures are described in
// internal/tape/lines, and printed by internal/tape/gen. PinRows is written by
// the program in internal/avo; it reads a Pin by offsets in bytes, which
// pin_layout_amd64.go asserts.
//
//	go generate ./internal/lanes
package lanes
