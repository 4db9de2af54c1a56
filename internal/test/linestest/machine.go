package linestest

import (
	"math"

	"github.com/rung-mbd/rung/internal/tape/lines"
)

// lanes is the number of lanes.
const lanes = 8

// Machine runs kernels, and holds their memory.
type Machine struct {
	Lanes  []float64 // eight numbers at a place
	Shared []float64 // shared numbers, first the constants of package places
	Place  [6]int    // offsets of the operands A to F, in numbers
	N      int       // number of turns of loops
	F      int       // number of numbers in F bytes

	values [][lanes]float64
}

// Run runs a kernel. It changes Place.
func (m *Machine) Run(k *lines.Kernel) {
	m.values = make([][lanes]float64, k.Values)
	if k.From < 0 {
		m.each(k, k.Lines)
		return
	}
	m.each(k, k.Lines[:k.From])
	for range m.N {
		m.each(k, k.Lines[k.From:k.To])
	}
	m.each(k, k.Lines[k.To:])
}

// each runs lines of a kernel one after another, each in all lanes.
func (m *Machine) each(k *lines.Kernel, list []lines.Line) {
	for i := range list {
		l := &list[i]
		switch l.Op {
		case "step":
			m.Place[l.Ptr-'A'] += lanes * l.Lanes
			continue
		case "stepL":
			m.Place[l.Ptr-'A'] += m.F
			continue
		}
		for lane := range lanes {
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

// number returns a pointer to the number in a lane of a value or of a place in memory.
func (m *Machine) number(k *lines.Kernel, arg any, lane int) *float64 {
	a, inMemory := arg.(lines.Mem)
	switch {
	case !inMemory:
		return &m.values[arg.(lines.Val)][lane]
	case a.Ptr == 'Z':
		return &m.Shared[a.Off]
	case k.IsShared(a):
		return &m.Shared[m.Place[a.Ptr-'A']+a.Off]
	}
	stride := map[byte]int{'K': m.N * lanes, 'L': m.F}[a.Stride]
	return &m.Lanes[m.Place[a.Ptr-'A']+lanes*a.Off+a.Times*stride+lane]
}

// result returns the result of an operation in one lane.
func result(op string, x [4]float64) float64 {
	larger := func(a, b float64) float64 { // the maximum in the way of the processor: b if one of the two is NaN
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
