package batch

import (
	"encoding/binary"
	"math"

	"github.com/rung-mbd/rung/internal/tape"
)

// place is a number of lanes in the workspace.
type place int

// at returns the place n after p.
func (p place) at(n int) place { return p + place(n) }

// program is a tape and the workspace that it is for, while they are made.
type program struct {
	ops    []tape.Op
	fixed  []tape.Op // what depends on constants alone, and is run when they are set
	places int
	values []value
	known  map[string]place // of shared, by the bits of the values

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

func newProgram() *program {
	return &program{places: tape.Reserved, taken: -1, known: map[string]place{}}
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

// shared returns places that hold values and that nothing writes to: the same ones for the same values, as each place takes
// a line of the caches.
func (p *program) shared(list ...float64) place {
	var key []byte
	for _, x := range list {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x))
	}
	at, ok := p.known[string(key)]
	if !ok {
		at = p.constant(list...)
		p.known[string(key)] = at
	}
	return at
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
	o := instruction(code, operands...)
	o.N = uint32(n)
	if len(operands) < 6 {
		o.F = uint32(64 * stride)
	}
	p.ops = append(p.ops, o)
}

// instruction returns an instruction with up to six operands.
func instruction(code tape.Code, operands ...place) tape.Op {
	var q [6]place
	copy(q[:], operands)
	at := func(i int) uint32 { return uint32(64 * q[i]) }
	return tape.Op{Code: code, A: at(0), B: at(1), C: at(2), D: at(3), E: at(4), F: at(5)}
}

// take ends the tape that has been made so far and returns it.
func (p *program) take() []tape.Op {
	out := append(p.ops, tape.Op{Code: tape.End})
	p.ops = nil
	return out
}

// Numbers of the pivot rule and of the checks.
const (
	weakPivot = 1e3 // of kkt: a pivot up to that times ε is that of a redundant row
	tinyPivot = 1e-300
	restPart  = 1e-8 // square of the part of the whole that counts among the terms of each row
	rowTol    = 1e-12
)

// workspace returns the memory of the program.
func (p *program) workspace(epsilon float64) []float64 {
	w := tape.NewWorkspace(p.places, weakPivot*epsilon, tinyPivot, rowTol*rowTol)
	for _, v := range p.values {
		for l := range tape.Lanes {
			w[int(v.at)*tape.Lanes+l] = v.x
		}
	}
	return w
}
