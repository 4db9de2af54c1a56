//go:build !noasm && !purego

package tape

import "golang.org/x/sys/cpu"

// run512 runs a program with AVX-512, for all eight lanes.
//
//go:noescape
func run512(w, shared *float64, list *Op)

// run256 runs a program with AVX2 for four lanes, whose first numbers are at w.
//
//go:noescape
func run256(w, shared *float64, list *Op)

// set is the set of instructions in use.
var set = best()

// best returns the widest set of instructions that the processor has.
func best() string {
	x := cpu.X86
	switch {
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512VL:
		return "AVX-512"
	case x.HasAVX2 && x.HasFMA:
		return "AVX2"
	}
	return "Go"
}

// Set returns the set of instructions in use: AVX-512, AVX2 or Go.
func Set() string { return set }

// Rows returns the largest number of rows of a tile with c columns in the set of instructions in use.
func Rows(c int) int {
	if set == "AVX2" && c > 4 {
		return 2
	}
	return 3
}

// runBest is Run with the set in use.
func runBest(w, shared []float64, list []Op) {
	switch set {
	case "AVX-512":
		run512(&w[0], &shared[0], &list[0])
	case "AVX2":
		run256(&w[0], &shared[0], &list[0])
		run256(&w[Lanes/2], &shared[0], &list[0])
	default:
		runGo(w, shared, list)
	}
}
