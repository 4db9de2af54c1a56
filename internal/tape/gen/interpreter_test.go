package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/lines"
)

// machine runs the lines of kernels as they stand, without registers, code or printing: the oracle of what is printed.
type machine struct {
	w, shared []float64
	values    [][tape.Lanes]float64
	place     [6]int // of the operands A to F, in numbers
	k, l      int    // the two strides, in numbers
}

// run does one instruction, whose kernel is k.
func (m *machine) run(k *lines.Kernel, o *tape.Op) {
	for i, at := range [6]uint32{o.A, o.B, o.C, o.D, o.E, o.F} {
		m.place[i] = int(at) / 8
	}
	m.k, m.l = int(o.N)*tape.Lanes, int(o.F)/8
	m.values = make([][tape.Lanes]float64, k.Values)
	if k.From < 0 {
		m.each(k, k.Lines)
		return
	}
	m.each(k, k.Lines[:k.From])
	for range o.N {
		m.each(k, k.Lines[k.From:k.To])
	}
	m.each(k, k.Lines[k.To:])
}

func (m *machine) each(k *lines.Kernel, list []lines.Line) {
	for i := range list {
		l := &list[i]
		switch l.Op {
		case "step":
			m.place[l.Ptr-'A'] += tape.Lanes * l.Lanes
			continue
		case "stepL":
			m.place[l.Ptr-'A'] += m.l
			continue
		}
		for lane := range tape.Lanes {
			var x [4]float64
			for j, a := range l.Args {
				x[j] = *m.number(k, a, lane)
			}
			if l.Op == "st" {
				*m.number(k, l.Args[1], lane) = x[0]
				continue
			}
			m.values[l.Dst][lane] = result(l.Op, x)
		}
	}
}

// number returns where a lane of a value or of a place in memory stands.
func (m *machine) number(k *lines.Kernel, arg any, lane int) *float64 {
	a, inMemory := arg.(lines.Mem)
	switch {
	case !inMemory:
		return &m.values[arg.(lines.Val)][lane]
	case a.Ptr == 'Z':
		return &m.shared[a.Off]
	case k.IsShared(a):
		return &m.shared[m.place[a.Ptr-'A']+a.Off]
	}
	stride := map[byte]int{'K': m.k, 'L': m.l}[a.Stride]
	return &m.w[m.place[a.Ptr-'A']+tape.Lanes*a.Off+a.Times*stride+lane]
}

// result is what an operation makes of its arguments in one lane.
func result(op string, x [4]float64) float64 {
	larger := func(a, b float64) float64 { // of the processor: the second one if one of the two is no number
		if a > b {
			return a
		}
		return b
	}
	switch op {
	case "ld":
		return x[0]
	case "null":
		return 0
	case "add":
		return x[0] + x[1]
	case "sub":
		return x[0] - x[1]
	case "mul":
		return x[0] * x[1]
	case "div":
		return x[0] / x[1]
	case "sqrt":
		return math.Sqrt(x[0])
	case "max":
		return larger(x[0], x[1])
	case "most":
		return larger(x[1], x[0])
	case "more":
		if x[0] > x[1] {
			return x[2]
		}
		return x[3]
	case "fma":
		return math.FMA(x[1], x[2], x[0])
	case "fnma":
		return math.FMA(-x[1], x[2], x[0])
	}
	panic("no operation " + op)
}

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
				m := machine{w: numbers(size, uint64(i)), shared: shared}
				m.run(form, &o)
				for at, want := range m.w {
					if math.Float64bits(want) != math.Float64bits(got[at]) && !(math.IsNaN(want) && math.IsNaN(got[at])) {
						t.Fatalf("%s, N = %d, place %d, lane %d: %v, its lines make %v", k.Name, n, at/tape.Lanes, at%tape.Lanes, got[at], want)
					}
				}
			}
		}
	}
}
