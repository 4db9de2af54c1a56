package tape

import (
	"slices"
	"sync"

	"github.com/rung-mbd/rung/internal/tape/lines"
)

// compiled returns the programs of all instructions for runGo, in the order of their codes. They are made at the first call.
var compiled = sync.OnceValue(func() (list []program) {
	for _, k := range lines.Kernels() {
		list = append(list, newProgram(k))
	}
	return list
})

// program is an instruction in the form for runGo: the lines of its kernel. A line is done in all lanes before the next line. A number
// that a line loads is read directly from memory, without a copy, if nothing is stored there before its last use. All operands are in the
// workspace or in the scratch behind it.
type program struct {
	ops      []operation
	from, to int // the loop is operations from to to−1; from is −1 without a loop
	bases    []base
	numbers  []number
}

// operation is a line. Its operands, the destination first, are vectors of Lanes numbers, each off numbers behind a base.
type operation struct {
	op   opcode
	base [5]uint8 // indices of the bases; 0 is the scratch, i is bases[i−1]
	off  [5]int16
}

// base is a place from which operands are counted.
type base struct {
	ptr    uint8 // operand, 0 for A to 5 for F
	stride byte
	times  int
}

// number is a shared number that is copied to the scratch before the lines run.
type number struct {
	front bool  // a constant of Front
	ptr   uint8 // operand, 0 for A to 5 for F
	off   int
	to    int16 // place in the scratch
}

// room is the number of places in the scratch for the values of an instruction. No instruction has more values at a time.
const room = 96

// opcode is the operation of a line.
type opcode uint8

// The operations.
const (
	opCopy opcode = iota
	opNull
	opAdd
	opSub
	opMul
	opDiv
	opSqrt
	opMax
	opMore
	opFma
	opFnma
	opStep
	opStepL
)

// opcodes are the operations by their names in kernels.
var opcodes = map[string]opcode{
	"ld": opCopy, "st": opCopy, "null": opNull, "add": opAdd, "sub": opSub, "mul": opMul, "div": opDiv, "sqrt": opSqrt, "max": opMax,
	"most": opMax, "more": opMore, "fma": opFma, "fnma": opFnma, "step": opStep, "stepL": opStepL,
}

// maker is the state of newProgram.
type maker struct {
	program
	k    *lines.Kernel
	last map[lines.Val]int       // last line that reads a value
	read map[lines.Val]lines.Mem // place in memory of a value that is read without a copy
	at   map[lines.Val]int16     // place of a value in the scratch
	used [room]bool              // by place in the scratch
}

// newProgram returns the program of a kernel.
func newProgram(k *lines.Kernel) program {
	m := &maker{k: k, last: map[lines.Val]int{}, read: map[lines.Val]lines.Mem{}, at: map[lines.Val]int16{}}
	m.from, m.to = -1, -1
	m.lasts()
	for i := range k.Lines {
		if l := &k.Lines[i]; l.Op == "ld" && !k.Changes(l.Dst) && (k.IsShared(l.Args[0].(lines.Mem)) || m.stays(i)) {
			m.read[l.Dst] = l.Args[0].(lines.Mem)
		}
	}
	m.spread()
	for i := range k.Lines {
		if i == k.From {
			m.from = len(m.ops)
		}
		m.add(i)
		if k.From >= 0 && i == k.To-1 {
			m.to = len(m.ops)
		}
	}
	return m.program
}

// lasts finds the last line that reads each value. A value from before the loop that is read in the loop is kept to the loop's end.
func (m *maker) lasts() {
	made := map[lines.Val]int{}
	for i, l := range m.k.Lines {
		for _, a := range l.Args {
			v, ok := a.(lines.Val)
			if !ok {
				continue
			}
			m.last[v] = max(m.last[v], i)
			if m.inLoop(i) && made[v] < m.k.From {
				m.last[v] = max(m.last[v], m.k.To-1)
			}
		}
		if _, ok := made[l.Dst]; !ok && l.Dst >= 0 {
			made[l.Dst] = i
		}
	}
	for v := range m.k.Pinned {
		m.last[v] = len(m.k.Lines)
	}
}

// inLoop reports whether a line is in the loop.
func (m *maker) inLoop(i int) bool { return m.k.From >= 0 && i >= m.k.From && i < m.k.To }

// stays reports whether the number that line i loads remains at its place in memory until the kernel reads it for the last time.
func (m *maker) stays(i int) bool {
	l := &m.k.Lines[i]
	last := m.last[l.Dst]
	if m.inLoop(i) != m.inLoop(last) || m.k.From >= 0 && i < m.k.From && last >= m.k.To {
		return false
	}
	ptr := l.Args[0].(lines.Mem).Ptr
	for _, x := range m.k.Lines[i:last] {
		if x.Op == "st" && x.Args[1].(lines.Mem).Ptr == ptr || x.Ptr == ptr {
			return false
		}
	}
	return true
}

// spread assigns places in the scratch to the shared numbers, and adds the bases of all operands. It does so before any line is added,
// because a step also has to move bases that only later lines use.
func (m *maker) spread() {
	for _, l := range m.k.Lines {
		for _, a := range l.Args {
			x, ok := a.(lines.Mem)
			if !ok {
				continue
			}
			if !m.k.IsShared(x) {
				m.operand(x)
				continue
			}
			if slices.ContainsFunc(m.numbers, func(n number) bool { return n.is(x) }) {
				continue
			}
			n := number{front: x.Ptr == 'Z', off: x.Off, to: m.take()}
			if !n.front {
				n.ptr = x.Ptr - 'A'
			}
			m.numbers = append(m.numbers, n)
		}
	}
}

// is reports whether x is the place of the number.
func (n number) is(x lines.Mem) bool {
	return x.Off == n.off && (n.front && x.Ptr == 'Z' || !n.front && x.Ptr == n.ptr+'A')
}

// take returns a free place in the scratch.
func (m *maker) take() int16 {
	p := slices.Index(m.used[:], false)
	if p < 0 {
		panic("tape: no room for " + m.k.Name)
	}
	m.used[p] = true
	return int16(p)
}

// add adds line i.
func (m *maker) add(i int) {
	l := &m.k.Lines[i]
	if _, ok := m.read[l.Dst]; ok && l.Op == "ld" {
		return
	}
	if l.Op == "step" || l.Op == "stepL" {
		for j, b := range m.bases {
			if b.ptr == l.Ptr-'A' {
				m.ops = append(m.ops, operation{op: opcodes[l.Op], base: [5]uint8{uint8(j + 1)}, off: [5]int16{int16(Lanes * l.Lanes)}})
			}
		}
		return
	}
	o := operation{op: opcodes[l.Op]}
	args := slices.Clone(l.Args)
	switch l.Op {
	case "st":
		o.base[0], o.off[0] = m.operand(args[1])
		args = args[:1]
	case "most": // the accumulator is the first argument, but the second argument of the maximum
		slices.Reverse(args)
	}
	for j, a := range args {
		o.base[1+j], o.off[1+j] = m.operand(a)
	}
	for _, a := range l.Args {
		if v, ok := a.(lines.Val); ok && m.last[v] == i {
			m.free(v)
		}
	}
	if l.Op != "st" {
		if _, ok := m.at[l.Dst]; !ok {
			m.at[l.Dst] = m.take()
		}
		o.base[0], o.off[0] = m.operand(l.Dst)
	}
	m.ops = append(m.ops, o)
}

// free frees the place of a value in the scratch.
func (m *maker) free(v lines.Val) {
	if p, ok := m.at[v]; ok {
		m.used[p] = false
		delete(m.at, v)
	}
}

// operand returns the base of an operand, and its offset from the base in numbers.
func (m *maker) operand(a any) (uint8, int16) {
	x, ok := a.(lines.Mem)
	if !ok {
		v := a.(lines.Val)
		if x, ok = m.read[v]; !ok {
			return 0, Lanes * m.at[v]
		}
	}
	if m.k.IsShared(x) {
		n := slices.IndexFunc(m.numbers, func(n number) bool { return n.is(x) })
		return 0, Lanes * m.numbers[n].to
	}
	b := base{x.Ptr - 'A', x.Stride, x.Times}
	j := slices.Index(m.bases, b)
	if j < 0 {
		j = len(m.bases)
		m.bases = append(m.bases, b)
	}
	return uint8(j + 1), int16(Lanes * x.Off)
}
