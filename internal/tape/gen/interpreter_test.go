package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/lines"
	"github.com/rung-mbd/rung/internal/test/linestest"
)

// numbers returns n places of numbers of all signs.
func numbers(n int, seed uint64) []float64 {
	rng, w := rand.New(rand.NewPCG(seed, 1)), tape.NewWorkspace(n)
	for i := range w {
		w[i] = rng.NormFloat64()
	}
	return w
}

// TestPrintedKernels: each instruction has the bits of its lines, in the form that is printed for the processor and in the
// one for few registers. Package tape holds the
// sets of instructions to each other.
func TestPrintedKernels(t *testing.T) {
	check.Long(t)
	const size = 4096
	place := func(n int) uint32 { return uint32(64 * (1 + n)) }
	shared := append(tape.Front(1e-9, 1e-24), numbers(size, 99)...)
	for i, k := range lines.Kernels() {
		if tape.Code(i+1).String() != k.Name {
			t.Fatalf("code %d is %v, kernel %s", i+1, tape.Code(i+1), k.Name)
		}
		if tape.Set() == "AVX2" && k.NoAVX2 {
			continue
		}
		for n := uint32(1); n <= 6; n++ {
			o := tape.Op{Code: tape.Code(i + 1), N: n, A: place(0), B: place(300), C: place(600), D: place(900), E: place(1200), F: 64 * 7}
			if reads, writes := spansOf(k); reads[5].used || writes[5].used {
				o.F = place(1500)
			}
			got := numbers(size, uint64(i))
			tape.Run(got, shared, []tape.Op{o, {Code: tape.End}})
			for _, form := range []*lines.Kernel{k, k.Narrow} {
				if form == nil {
					continue
				}
				m := linestest.Machine{Lanes: numbers(size, uint64(i)), Shared: shared, N: int(o.N), F: int(o.F) / 8}
				for j, at := range [6]uint32{o.A, o.B, o.C, o.D, o.E, o.F} {
					m.Place[j] = int(at) / 8
				}
				m.Run(form)
				for at, want := range m.Lanes {
					if math.Float64bits(want) != math.Float64bits(got[at]) && !(math.IsNaN(want) && math.IsNaN(got[at])) {
						t.Fatalf("%s, N = %d, place %d, lane %d: %v, its lines make %v", k.Name, n, at/tape.Lanes, at%tape.Lanes, got[at], want)
					}
				}
			}
		}
	}
}
