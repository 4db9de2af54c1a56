// Package tape runs programs for eight states at a time. A program is a list of instructions without branches. They work on an array of
// vectors, each of which has one number for each of the eight states, its lanes. An instruction is a small piece of mechanics or of a block
// factorization, such as a product of matrices, the rows of a joint or the pivots of a block. The places of all operands are
// computed when a program is made, so running it takes no decision.
//
// The instructions are described once, as lines of lane operations (package lines). Command gen prints the lines as assembly for AVX-512,
// and for AVX2, which takes four lanes at a time. With the build tag purego or noasm, and on other processors, Go interprets the lines.
// That takes 2.1 to 2.6 times as long as Go code printed for each instruction would. All three ways do the same operations in the same
// order, with fused products where the description has them, so they give the same bits. Lanes have no effect on each other: the bits of a
// state do not depend on the other states.
//
// The instructions do not depend on a mechanism; package batch makes the programs.
package tape
