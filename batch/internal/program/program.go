package program

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/tape"
)

// Program is the workspace of some tapes and the numbers that they share, while they are made.
type Program struct {
	ops    []tape.Op // of the tape that is being made
	fixed  []tape.Op
	places int
	values []value

	// Shared numbers are the same for all states, and nothing writes to them. They stand in one array, list behind list.
	numbers []float64
	starts  []Place          // of the lists
	lists   map[string]Place // by the bits of their numbers
	spread  map[Place]Place  // where a list stands in lanes too, for instructions without a form for shared numbers

	// Places that serve again, so that they stay in the first cache: from scratch on, so many of them taken. Not in
	// use while taken is negative.
	scratch Place
	taken   int
}

// scratchPlaces is the number of places that serve again.
const scratchPlaces = 320

// Passing begins a part whose new places, but for constants, are of no use after it.
func (p *Program) Passing() {
	if p.scratch == 0 {
		p.scratch = Place(p.places)
		p.places += scratchPlaces
	}
	p.taken = 0
}

// Lasting ends it.
func (p *Program) Lasting() { p.taken = -1 }

// value is a constant of the workspace.
type value struct {
	at Place
	x  float64
}

// New returns an empty program with the first of its shared numbers.
func New(front []float64) *Program {
	return &Program{places: 1, taken: -1, numbers: front, lists: map[string]Place{}, spread: map[Place]Place{}}
}

// Places returns the number of places of the workspace, and Numbers the shared numbers.
func (p *Program) Places() int        { return p.places }
func (p *Program) Numbers() []float64 { return p.numbers }

// Room returns n new places.
func (p *Program) Room(n int) Place {
	if p.taken >= 0 && p.taken+n <= scratchPlaces {
		at := p.scratch.At(p.taken)
		p.taken += n
		return at
	}
	return p.LastingRoom(n)
}

// LastingRoom returns n new places that no other part uses.
func (p *Program) LastingRoom(n int) Place {
	at := Place(p.places)
	p.places += n
	return at
}

// Constant returns new places that hold values.
func (p *Program) Constant(list ...float64) Place {
	at := p.LastingRoom(len(list))
	p.Set(at, list...)
	return at
}

// Shared returns where shared numbers stand: the same list stands there once.
func (p *Program) Shared(list ...float64) Place {
	var key []byte
	for _, x := range list {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x))
	}
	at, ok := p.lists[string(key)]
	if !ok {
		at = firstShared.At(len(p.numbers))
		p.numbers = append(p.numbers, list...)
		p.lists[string(key)] = at
		p.starts = append(p.starts, at)
	}
	return at
}

// inLanes returns the places of a shared number, and of those behind it in its list, in lanes.
func (p *Program) inLanes(at Place) Place {
	k, found := slices.BinarySearch(p.starts, at)
	if !found {
		k--
	}
	first := p.starts[k]
	end := p.endOf(first)
	lanes, ok := p.spread[first]
	if !ok {
		lanes = p.Constant(p.numbers[first-firstShared : end-firstShared]...)
		p.spread[first] = lanes
	}
	return lanes.At(int(at - first))
}

// endOf returns the end of the list that begins at a place.
func (p *Program) endOf(first Place) Place {
	if k, _ := slices.BinarySearch(p.starts, first); k+1 < len(p.starts) {
		return p.starts[k+1]
	}
	return firstShared.At(len(p.numbers))
}

// Set gives places values to begin with.
func (p *Program) Set(at Place, list ...float64) {
	for i, x := range list {
		p.values = append(p.values, value{at.At(i), x})
	}
}

// Op adds an instruction with up to six operands.
func (p *Program) Op(code tape.Code, operands ...Place) { p.OpN(code, 0, 0, operands...) }

// OpN adds an instruction with a count, and with rows of stride lanes or with a sixth operand.
func (p *Program) OpN(code tape.Code, n, stride int, operands ...Place) {
	o := p.Instruction(code, operands...)
	o.N = uint32(n)
	if len(operands) < 6 {
		o.F = uint32(64 * stride)
	}
	p.Add(o)
}

// Instruction returns an instruction with up to six operands. If it has a form for shared numbers, and all operands of that
// form are such, it is that form. Else shared numbers are read where they stand in lanes.
func (p *Program) Instruction(code tape.Code, operands ...Place) tape.Op {
	form, bits := tape.SharedForm(code)
	for i := range 6 {
		if bits>>i&1 == 1 && !operands[i].isShared() {
			if form == code {
				panic("program: a number of an instruction on shared ones is not shared")
			}
			form, bits = 0, 0
		}
	}
	if form != 0 {
		code = form
	}
	var at [6]uint32
	for i, q := range operands {
		switch {
		case bits>>i&1 == 1:
			at[i] = uint32(8 * (q - firstShared))
			continue
		case q.isShared():
			q = p.inLanes(q)
		}
		at[i] = uint32(64 * q)
	}
	return tape.Op{Code: code, A: at[0], B: at[1], C: at[2], D: at[3], E: at[4], F: at[5]}
}

// Tape returns the instructions that emit adds, as a tape.
func (p *Program) Tape(emit func()) []tape.Op {
	outer := p.ops
	p.ops = nil
	emit()
	out := append(p.ops, tape.Op{Code: tape.End})
	p.ops = outer
	return out
}

// Add adds an instruction, and Fix adds one that depends on constants alone: it runs once, when they are set.
func (p *Program) Add(o tape.Op) { p.ops = append(p.ops, o) }
func (p *Program) Fix(o tape.Op) { p.fixed = append(p.fixed, o) }

// OfConstants returns the tape of Fix.
func (p *Program) OfConstants() []tape.Op { return append(p.fixed, tape.Op{Code: tape.End}) }

// Copies calls visit with each shared number that stands in lanes too, and with where it does.
func (p *Program) Copies(visit func(number int, lanes Place)) {
	for at, lanes := range p.spread {
		for k := range int(p.endOf(at) - at) {
			visit(int(at-firstShared)+k, lanes.At(k))
		}
	}
}

// Workspace returns the memory of the program.
func (p *Program) Workspace() []float64 {
	w := tape.NewWorkspace(p.places)
	for _, v := range p.values {
		for l := range tape.Lanes {
			w[int(v.at)*tape.Lanes+l] = v.x
		}
	}
	return w
}
