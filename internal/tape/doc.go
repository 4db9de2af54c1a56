// Package tape runs programs of lane operations: straight lists of instructions on a workspace of numbers that are eight wide, a number for each of eight
// states. An instruction is a small piece of mechanics or of a block factorization, such as a product of matrices, the rows of a joint or the pivots of a block.
// Whoever makes a program computes all places in it, so that running it takes no decision.
//
// The kernels of the instructions are printed from one description (gen) as AVX-512, as AVX2, which takes four lanes at a time, and as Go. All three
// have the same operations in the same order, with fused products where the description has them. So they have the same bits, and the lanes do not know of
// each other: the bits of a state do not depend on its neighbours. With the build tag purego, or noasm, and on other processors it is Go.
//
// The instructions know no mechanism; package batch makes the programs.
package tape
