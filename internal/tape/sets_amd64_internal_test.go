//go:build amd64 && !noasm && !purego

package tape

import "golang.org/x/sys/cpu"

// sets returns the sets of instructions of the processor.
func sets() map[string]func(w, shared []float64, list []Op) {
	out := map[string]func(w, shared []float64, list []Op){}
	if best() == "AVX-512" {
		out["AVX-512"] = func(w, shared []float64, list []Op) { run512(&w[0], &shared[0], &list[0]) }
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		out["AVX2"] = func(w, shared []float64, list []Op) {
			run256(&w[0], &shared[0], &list[0])
			run256(&w[Lanes/2], &shared[0], &list[0])
		}
	}
	return out
}
