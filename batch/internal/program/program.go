package program

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/tape"
)

// Program collects the instructions of tapes, their workspace and the numbers that they share.
type Program struct {
	ops    []tape.Op // of the tape that is being made
	fixed  []tape.Op // instructions of Fix
	places int       // size of the workspace so far
	values []value   // constants of the workspace

	// Shared numbers are the same for all states, and nothing writes to them. They stand in one array, list behind list.
	numbers []float64
	starts  []Place          // first place of each list, increasing
	lists   map[string]Place // first place of a list, by the bits of its numbers
	spread  map[Place]Place  // copies of lists in the workspace, for instructions without a form for shared numbers

	// Scratch places are reused by each part between Passing and Lasting, so that they stay in the first cache. They begin at scratch, and
	// taken of them are in use. taken is negative outside such parts.
	scratch Place
	taken   int
}

// scratchPlaces is the number of scratch places.
const scratchPlaces = 320

// Passing begins a part whose new places, except constants, are not used after it.
func (p *Program) Passing() {
	if p.scratch == 0 {
		p.scratch = Place(p.places)
		p.places += scratchPlaces
	}
	p.taken = 0
}

// Lasting ends the part that Passing has begun.
func (p *Program) Lasting() { p.taken = -1 }

// value is a constant of the workspace.
type value struct {
	at Place
	x  float64
}

// New returns an empty program whose shared numbers begin with front.
func New(front []float64) *Program {
	return &Program{places: 1, taken: -1, numbers: front, lists: map[string]Place{}, spread: map[Place]Place{}}
}

// Places returns the number of places of the workspace.
func (p *Program) Places() int { return p.places }

// Numbers returns the shared numbers.
func (p *Program) Numbers() []float64 { return p.numbers }

// Room returns n new places. Between Passing and Lasting they are scratch places, as long as there are any.
func (p *Program) Room(n int) Place {
	if p.taken >= 0 && p.taken+n <= scratchPlaces {
		at := p.scratch.At(p.taken)
		p.taken += n
		return at
	}
	return p.LastingRoom(n)
}

// LastingRoom returns n new places that are never reused.
func (p *Program) LastingRoom(n int) Place {
	at := Place(p.places)
	p.places += n
	return at
}

// Constant returns new places that hold the values of a list in each lane at the beginning.
func (p *Program) Constant(list ...float64) Place {
	at := p.LastingRoom(len(list))
	p.Set(at, list...)
	return at
}

// Shared returns the place of a list of shared numbers. Equal lists have the same place.
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

// inLanes returns the place of a copy of a shared number in the workspace; copies of the rest of its list follow.
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

// Set gives the places from at on the values of a list in each lane at the beginning.
func (p *Program) Set(at Place, list ...float64) {
	for i, x := range list {
		p.values = append(p.values, value{at.At(i), x})
	}
}

// Op adds an instruction with up to six operands.
func (p *Program) Op(code tape.Code, operands ...Place) { p.OpN(code, 0, 0, operands...) }

// OpN adds an instruction with a count n, and with a stride of rows in places or with a sixth operand.
func (p *Program) OpN(code tape.Code, n, stride int, operands ...Place) {
	o := p.Instruction(code, operands...)
	o.N = uint32(n)
	if len(operands) < 6 {
		o.F = uint32(64 * stride)
	}
	p.Add(o)
}

// Instruction returns an instruction with up to six operands. If the code has a form for shared numbers, and all operands that the form
// takes so are shared, it returns that form. Else it reads the copies of shared numbers in the workspace.
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

// Tape returns a tape of the instructions that emit adds.
func (p *Program) Tape(emit func()) []tape.Op {
	outer := p.ops
	p.ops = nil
	emit()
	out := append(p.ops, tape.Op{Code: tape.End})
	p.ops = outer
	return out
}

// Add adds an instruction to the tape that is being made.
func (p *Program) Add(o tape.Op) { p.ops = append(p.ops, o) }

// Fix adds an instruction that depends on constants alone to the tape of OfConstants, which runs once, after the constants are set.
func (p *Program) Fix(o tape.Op) { p.fixed = append(p.fixed, o) }

// OfConstants returns the tape of the instructions of Fix.
func (p *Program) OfConstants() []tape.Op { return append(p.fixed, tape.Op{Code: tape.End}) }

// Copies calls visit for each shared number that has a copy in the workspace, with the place of the copy.
func (p *Program) Copies(visit func(number int, lanes Place)) {
	for at, lanes := range p.spread {
		for k := range int(p.endOf(at) - at) {
			visit(int(at-firstShared)+k, lanes.At(k))
		}
	}
}

// Workspace allocates the memory of the program, with its constants set.
func (p *Program) Workspace() []float64 {
	w := tape.NewWorkspace(p.places)
	for _, v := range p.values {
		for l := range tape.Lanes {
			w[int(v.at)*tape.Lanes+l] = v.x
		}
	}
	return w
}
