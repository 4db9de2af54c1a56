package main

// A kernel is one instruction of the tape: straight lines of lane operations, with at most one loop. Each line works on all lanes alike.
// All three forms of a kernel, AVX-512, AVX2 and Go, are printed from the same lines, so they have the same bits.
type kernel struct {
	name, doc string
	lines     []line
	values    int
	pinned    map[val]bool
	from, to  int // lines of the loop, from ≥ 0 if there is one
	noAVX2    bool
	narrow    *kernel // the same operations in an order for the fewer registers of AVX2; nil if it is the same
	shared    string  // operands that are one number for all lanes, from an array of such numbers
	mayShare  string  // the same of the second form of the kernel, or of this one where there is no other; empty if there is none
}

// val is a value in a register.
type val int

// mem is a place in memory: an operand of the instruction, an offset in lanes, and a multiple of one of the two strides.
type mem struct {
	ptr    byte // 'A' to 'F', or 'Z' for the numbers at the front of those that are shared
	off    int
	stride byte // 0, 'K' for N lanes, 'L' for F bytes
	times  int
}

// line is one lane operation.
type line struct {
	op      string
	dst     val
	args    []any // val or mem
	ptr     byte  // of step
	lanes   int
	inPlace bool // dst is the first argument, which changes
}

func newKernel(name, doc string) *kernel {
	return &kernel{name: name, doc: doc, pinned: map[val]bool{}, from: -1}
}

func at(ptr byte, off int) mem      { return mem{ptr: ptr, off: off} }
func constant(i int) mem            { return mem{ptr: 'Z', off: i} }
func (m mem) row(s byte, n int) mem { m.stride, m.times = s, n; return m }

func (k *kernel) add1(op string, args ...any) val {
	v := val(k.values)
	k.values++
	k.lines = append(k.lines, line{op: op, dst: v, args: args})
	return v
}

func (k *kernel) ld(m mem) val         { return k.add1("ld", m) }
func (k *kernel) add(a, b any) val     { return k.add1("add", k.reg(a), b) }
func (k *kernel) sub(a, b any) val     { return k.add1("sub", k.reg(a), b) }
func (k *kernel) mul(a, b any) val     { return k.commute("mul", a, b) }
func (k *kernel) div(a, b any) val     { return k.add1("div", k.reg(a), b) }
func (k *kernel) max(a, b any) val     { return k.add1("max", k.reg(a), b) }
func (k *kernel) sqrt(a any) val       { return k.add1("sqrt", a) }
func (k *kernel) null() val            { return k.add1("null") }
func (k *kernel) abs(a val) val        { return k.max(k.sub(k.null(), a), a) }
func (k *kernel) fma(a, b, c any) val  { return k.fused("fma", a, b, c) }  // a·b + c
func (k *kernel) fnma(a, b, c any) val { return k.fused("fnma", a, b, c) } // −a·b + c

// more returns x where a > b and y elsewhere.
func (k *kernel) more(a, b, x, y any) val {
	return k.add1("more", k.reg(a), b, k.reg(x), k.reg(y))
}

func (k *kernel) reg(a any) val {
	if m, ok := a.(mem); ok {
		return k.ld(m)
	}
	return a.(val)
}

func (k *kernel) commute(op string, a, b any) val {
	if _, ok := a.(mem); ok {
		a, b = b, a
	}
	return k.add1(op, k.reg(a), b)
}

func (k *kernel) fused(op string, a, b, c any) val {
	if _, ok := a.(mem); ok {
		a, b = b, a
	}
	return k.add1(op, k.reg(c), k.reg(a), b)
}

// gather changes acc to op(a, b, acc).
func (k *kernel) gather(op string, acc val, a, b any) {
	if _, ok := a.(mem); ok {
		a, b = b, a
	}
	k.lines = append(k.lines, line{op: op, dst: acc, args: []any{acc, k.reg(a), b}, inPlace: true})
}

func (k *kernel) st(m mem, v val) {
	k.lines = append(k.lines, line{op: "st", dst: -1, args: []any{v, m}})
}

// pin keeps a value to the end of the kernel.
func (k *kernel) pin(v val) val { k.pinned[v] = true; return v }

// changes reports whether a value is an accumulator, whose register changes.
func (k *kernel) changes(v val) bool {
	for _, l := range k.lines {
		if l.inPlace && l.dst == v {
			return true
		}
	}
	return false
}

// step moves an operand on by some lanes.
func (k *kernel) step(ptr byte, lanes int) {
	k.lines = append(k.lines, line{op: "step", dst: -1, ptr: ptr, lanes: lanes})
}

// loop repeats what body adds N times.
func (k *kernel) loop(body func()) {
	k.from = len(k.lines)
	body()
	k.to = len(k.lines)
}

// stepL moves an operand on by F bytes.
func (k *kernel) stepL(ptr byte) {
	k.lines = append(k.lines, line{op: "stepL", dst: -1, ptr: ptr})
}

// vec loads n values.
func (k *kernel) vec(m mem, n int) []val {
	out := make([]val, n)
	for i := range out {
		out[i] = k.ld(at(m.ptr, m.off+i))
	}
	return out
}

func (k *kernel) put(m mem, list ...val) {
	for i, v := range list {
		k.st(at(m.ptr, m.off+i), v)
	}
}

// dot returns x·y for lists of values or places.
func (k *kernel) dot(x, y []any) val {
	s := k.mul(x[0], y[0])
	for i := 1; i < len(x); i++ {
		s = k.fma(x[i], y[i], s)
	}
	return s
}

// total returns a sum: numbers next to each other first, so that few sums wait for each other.
func (k *kernel) total(list []val) val {
	for len(list) > 1 {
		var half []val
		for i := 0; i+1 < len(list); i += 2 {
			half = append(half, k.add(list[i], list[i+1]))
		}
		if len(list)%2 == 1 {
			half = append(half, list[len(list)-1])
		}
		list = half
	}
	return list[0]
}

// cross returns x×y.
func (k *kernel) cross(x, y []val) []val {
	out := make([]val, 3)
	for i := range out {
		a, b := (i+1)%3, (i+2)%3
		out[i] = k.fnma(x[b], y[a], k.mul(x[a], y[b]))
	}
	return out
}

// lower returns M·x for a lower triangle (00 11 22 10 20 21) at m.
func (k *kernel) lower(m mem, x []val) []val {
	M := func(i int) mem { return at(m.ptr, m.off+i) }
	return []val{
		k.mul(x[0], M(0)),
		k.fma(x[1], M(1), k.mul(x[0], M(3))),
		k.fma(x[2], M(2), k.fma(x[1], M(5), k.mul(x[0], M(4)))),
	}
}

func anys[T any](list []T) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}

// lanesOf returns n places with a step between them.
func lanesOf(ptr byte, off, n, step int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = at(ptr, off+i*step)
	}
	return out
}
