// Package tape runs programs of lane operations: straight lists of instructions on a workspace of numbers that are eight wide, a number for each of eight
// states. An instruction is a small piece of mechanics or of a block factorization, such as a product of matrices, the rows of a joint or the pivots of a block.
// Whoever makes a program computes all places in it, so that running it takes no decision.
//
// The instructions are described once, as lines of lane operations (lines). Command gen prints the lines as AVX-512, and as AVX2, which
// takes four lanes at a time. With the build tag purego, or noasm, and on other processors Go runs the lines as they stand. That takes 2.1
// to 2.6 times as long as Go that is printed for each instruction. All three have the same operations in the same order, with fused products
// where the description has them. So they have the same bits, and the lanes do not know of each other: the bits of a state do not depend on
// its neighbours.
//
// The instructions know no mechanism; package batch makes the programs.
package tape
