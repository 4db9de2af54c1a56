package batch

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/tape"
)

// place is a number of lanes in the workspace.
type place int

// firstShared is the place of the first shared number: the places of lanes are below.
const firstShared place = 1 << 26

// isShared reports whether p is in the array of shared numbers.
func (p place) isShared() bool { return p >= firstShared }

// at returns the place n after p.
func (p place) at(n int) place { return p + place(n) }

// program is a tape and the workspace that it is for, while they are made.
type program struct {
	ops    []tape.Op
	fixed  []tape.Op // what depends on constants alone, and is run when they are set
	places int
	values []value

	// Shared numbers are the same for all states, and nothing writes to them. They stand in one array, list behind list.
	numbers []float64
	starts  []place          // of the lists
	lists   map[string]place // by the bits of their numbers
	spread  map[place]place  // where a list stands in lanes too, for instructions without a form for shared numbers

	// Places that serve again, so that they stay in the first cache: from scratch on, so many of them taken. Not in
	// use while taken is negative.
	scratch place
	taken   int
}

// scratchPlaces is the number of places that serve again.
const scratchPlaces = 320

// passing begins a part whose new places, but for constants, are of no use after it.
func (p *program) passing() {
	if p.scratch == 0 {
		p.scratch = place(p.places)
		p.places += scratchPlaces
	}
	p.taken = 0
}

// lasting ends it.
func (p *program) lasting() { p.taken = -1 }

// value is a constant of the workspace.
type value struct {
	at place
	x  float64
}

func newProgram(epsilon float64) *program {
	front := tape.Front(weakPivot*epsilon, rowTol*rowTol)
	return &program{places: 1, taken: -1, numbers: front, lists: map[string]place{}, spread: map[place]place{}}
}

// room returns n new places.
func (p *program) room(n int) place {
	if p.taken >= 0 && p.taken+n <= scratchPlaces {
		at := p.scratch.at(p.taken)
		p.taken += n
		return at
	}
	return p.lastingRoom(n)
}

// lastingRoom returns n new places that no other part uses.
func (p *program) lastingRoom(n int) place {
	at := place(p.places)
	p.places += n
	return at
}

// constant returns new places that hold values.
func (p *program) constant(list ...float64) place {
	at := p.lastingRoom(len(list))
	p.set(at, list...)
	return at
}

// shared returns where shared numbers stand: the same list stands there once.
func (p *program) shared(list ...float64) place {
	var key []byte
	for _, x := range list {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x))
	}
	at, ok := p.lists[string(key)]
	if !ok {
		at = firstShared.at(len(p.numbers))
		p.numbers = append(p.numbers, list...)
		p.lists[string(key)] = at
		p.starts = append(p.starts, at)
	}
	return at
}

// inLanes returns the places of a shared number, and of those behind it in its list, in lanes.
func (p *program) inLanes(at place) place {
	k, found := slices.BinarySearch(p.starts, at)
	if !found {
		k--
	}
	first, end := p.starts[k], firstShared.at(len(p.numbers))
	if k+1 < len(p.starts) {
		end = p.starts[k+1]
	}
	lanes, ok := p.spread[first]
	if !ok {
		lanes = p.constant(p.numbers[first-firstShared : end-firstShared]...)
		p.spread[first] = lanes
	}
	return lanes.at(int(at - first))
}

// set gives places values to begin with.
func (p *program) set(at place, list ...float64) {
	for i, x := range list {
		p.values = append(p.values, value{at.at(i), x})
	}
}

// op adds an instruction with up to six operands.
func (p *program) op(code tape.Code, operands ...place) { p.opN(code, 0, 0, operands...) }

// opN adds an instruction with a count, and with rows of stride lanes or with a sixth operand.
func (p *program) opN(code tape.Code, n, stride int, operands ...place) {
	o := p.instruction(code, operands...)
	o.N = uint32(n)
	if len(operands) < 6 {
		o.F = uint32(64 * stride)
	}
	p.ops = append(p.ops, o)
}

// instruction returns an instruction with up to six operands. If it has a form for shared numbers, and all operands of that
// form are such, it is that form. Else shared numbers are read where they stand in lanes.
func (p *program) instruction(code tape.Code, operands ...place) tape.Op {
	form, bits := tape.SharedForm(code)
	for i := range 6 {
		if bits>>i&1 == 1 && !operands[i].isShared() {
			if form == code {
				panic("batch: a number of an instruction on shared ones is not shared")
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

// take ends the tape that has been made so far and returns it.
func (p *program) take() []tape.Op {
	out := append(p.ops, tape.Op{Code: tape.End})
	p.ops = nil
	return out
}

// Numbers of the pivot rule and of the checks.
const (
	weakPivot = 1e3  // of kkt: a pivot up to that times ε is that of a redundant row
	restPart  = 1e-8 // square of the part of the whole that counts among the terms of each row
	rowTol    = 1e-12
)

// workspace returns the memory of the program.
func (p *program) workspace() []float64 {
	w := tape.NewWorkspace(p.places)
	for _, v := range p.values {
		for l := range tape.Lanes {
			w[int(v.at)*tape.Lanes+l] = v.x
		}
	}
	return w
}
