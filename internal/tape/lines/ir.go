package lines

// Kernel is one instruction of the tape: a list of lines, each a lane operation, with at most one loop. Each line does the same in all
// lanes. The assembly printed for AVX-512 and AVX2 and the interpreter do the same operations, and so give the same bits.
type Kernel struct {
	Name, Doc string
	Lines     []Line
	Values    int          // number of values
	Pinned    map[Val]bool // values that keep their registers to the end
	From, To  int          // the loop is lines From to To−1; From is −1 without a loop
	NoAVX2    bool         // not for AVX2, which has too few registers
	Narrow    *Kernel      // the same operations in an order for the fewer registers of AVX2; nil if the order is the same
	Shared    string       // letters of the operands that are shared: one number for all lanes
}

// Val is a value in a register.
type Val int

// Mem is a place in memory: an operand of the instruction, an offset in vectors, and a multiple of one of the two strides.
type Mem struct {
	Ptr    byte // 'A' to 'F', or 'Z' for the constants of package places, which begin the shared numbers
	Off    int  // offset in vectors, or in numbers for a shared operand
	Stride byte // 0 for none, 'K' for N vectors, 'L' for F bytes
	Times  int  // multiple of the stride
}

// Line is one lane operation.
type Line struct {
	Op      string
	Dst     Val   // the result; −1 if there is none
	Args    []any // Val or Mem
	Ptr     byte  // operand that step and stepL move
	Lanes   int   // number of vectors by which step moves it
	InPlace bool  // Dst is the first argument, whose register changes
}

// newKernel returns a kernel without lines and without a loop.
func newKernel(name, doc string) *Kernel {
	return &Kernel{Name: name, Doc: doc, Pinned: map[Val]bool{}, From: -1}
}

// at returns the place off vectors behind the begin of an operand.
func at(ptr byte, off int) Mem { return Mem{Ptr: ptr, Off: off} }

// behind returns the place off vectors behind m.
func (m Mem) behind(off int) Mem { return Mem{Ptr: m.Ptr, Off: m.Off + off} }

// constant returns the place of constant i of package places.
func constant(i int) Mem { return Mem{Ptr: 'Z', Off: i} }

// row returns the place n strides s behind m.
func (m Mem) row(s byte, n int) Mem { m.Stride, m.Times = s, n; return m }

// add1 appends a line and returns its result.
func (k *Kernel) add1(op string, args ...any) Val {
	v := Val(k.Values)
	k.Values++
	k.Lines = append(k.Lines, Line{Op: op, Dst: v, Args: args})
	return v
}

// The following methods append a line and return its result. Arguments are values or places.

func (k *Kernel) ld(m Mem) Val         { return k.add1("ld", m) }
func (k *Kernel) add(a, b any) Val     { return k.add1("add", k.reg(a), b) }
func (k *Kernel) sub(a, b any) Val     { return k.add1("sub", k.reg(a), b) }
func (k *Kernel) mul(a, b any) Val     { return k.commute("mul", a, b) }
func (k *Kernel) div(a, b any) Val     { return k.add1("div", k.reg(a), b) }
func (k *Kernel) max(a, b any) Val     { return k.add1("max", k.reg(a), b) }
func (k *Kernel) sqrt(a any) Val       { return k.add1("sqrt", a) }
func (k *Kernel) null() Val            { return k.add1("null") }
func (k *Kernel) abs(a Val) Val        { return k.max(k.sub(k.null(), a), a) }
func (k *Kernel) fma(a, b, c any) Val  { return k.fused("fma", a, b, c) }  // a·b + c
func (k *Kernel) fnma(a, b, c any) Val { return k.fused("fnma", a, b, c) } // −a·b + c

// more returns x in lanes with a > b, and y in the other lanes.
func (k *Kernel) more(a, b, x, y any) Val {
	return k.add1("more", k.reg(a), b, k.reg(x), k.reg(y))
}

// reg returns a as a value, and loads it if it is a place.
func (k *Kernel) reg(a any) Val {
	if m, ok := a.(Mem); ok {
		return k.ld(m)
	}
	return a.(Val)
}

// commute appends an operation whose arguments may be exchanged. It makes a place the second argument.
func (k *Kernel) commute(op string, a, b any) Val {
	if _, ok := a.(Mem); ok {
		a, b = b, a
	}
	return k.add1(op, k.reg(a), b)
}

// fused appends a product with a sum, fma or fnma of a, b and c. It makes a place the last argument.
func (k *Kernel) fused(op string, a, b, c any) Val {
	if _, ok := a.(Mem); ok {
		a, b = b, a
	}
	return k.add1(op, k.reg(c), k.reg(a), b)
}

// gather appends op, which is fma or fnma, of a, b and acc, and stores the result in acc.
func (k *Kernel) gather(op string, acc Val, a, b any) {
	if _, ok := a.(Mem); ok {
		a, b = b, a
	}
	k.Lines = append(k.Lines, Line{Op: op, Dst: acc, Args: []any{acc, k.reg(a), b}, InPlace: true})
}

// st appends the store of v at m.
func (k *Kernel) st(m Mem, v Val) {
	k.Lines = append(k.Lines, Line{Op: "st", Dst: -1, Args: []any{v, m}})
}

// pin keeps the register of a value to the end of the kernel, and returns the value.
func (k *Kernel) pin(v Val) Val { k.Pinned[v] = true; return v }

// Changes reports whether a value is an accumulator: some line changes its register.
func (k *Kernel) Changes(v Val) bool {
	for _, l := range k.Lines {
		if l.InPlace && l.Dst == v {
			return true
		}
	}
	return false
}

// step moves an operand by this number of vectors.
func (k *Kernel) step(ptr byte, lanes int) {
	k.Lines = append(k.Lines, Line{Op: "step", Dst: -1, Ptr: ptr, Lanes: lanes})
}

// loop makes the lines that body appends the loop, which is repeated N times.
func (k *Kernel) loop(body func()) {
	k.From = len(k.Lines)
	body()
	k.To = len(k.Lines)
}

// stepL moves an operand by F bytes.
func (k *Kernel) stepL(ptr byte) {
	k.Lines = append(k.Lines, Line{Op: "stepL", Dst: -1, Ptr: ptr})
}

// vec loads n vectors from m on.
func (k *Kernel) vec(m Mem, n int) []Val {
	out := make([]Val, n)
	for i := range out {
		out[i] = k.ld(at(m.Ptr, m.Off+i))
	}
	return out
}

// put stores values at m and behind it.
func (k *Kernel) put(m Mem, list ...Val) {
	for i, v := range list {
		k.st(at(m.Ptr, m.Off+i), v)
	}
}

// dot returns Σ x[i]·y[i] for lists of values or places.
func (k *Kernel) dot(x, y []any) Val {
	s := k.mul(x[0], y[0])
	for i := 1; i < len(x); i++ {
		s = k.fma(x[i], y[i], s)
	}
	return s
}

// total returns the sum of the values. It adds in pairs, so that few additions wait for each other.
func (k *Kernel) total(list []Val) Val {
	for len(list) > 1 {
		var half []Val
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
func (k *Kernel) cross(x, y []Val) []Val {
	out := make([]Val, 3)
	for i := range out {
		a, b := (i+1)%3, (i+2)%3
		out[i] = k.fnma(x[b], y[a], k.mul(x[a], y[b]))
	}
	return out
}

// lower returns M·x for the lower triangle M at m, stored as 00, 11, 22, 10, 20, 21.
func (k *Kernel) lower(m Mem, x []Val) []Val {
	M := func(i int) Mem { return at(m.Ptr, m.Off+i) }
	return []Val{
		k.mul(x[0], M(0)),
		k.fma(x[1], M(1), k.mul(x[0], M(3))),
		k.fma(x[2], M(2), k.fma(x[1], M(5), k.mul(x[0], M(4)))),
	}
}

// lowerT returns Mᵀ·x for the lower triangle M at m; see lower.
func (k *Kernel) lowerT(m Mem, x []Val) []Val {
	return []Val{
		k.fma(x[2], m.behind(4), k.fma(x[1], m.behind(3), k.mul(x[0], m.behind(0)))),
		k.fma(x[2], m.behind(5), k.mul(x[1], m.behind(1))),
		k.mul(x[2], m.behind(2)),
	}
}

// times returns M·x for the 3×3 matrix M at m, stored by rows.
func (k *Kernel) times(m Mem, x []Val) []Val { return k.rows(m, x, 3, 1) }

// timesT returns Mᵀ·x for the 3×3 matrix M at m, stored by rows.
func (k *Kernel) timesT(m Mem, x []Val) []Val { return k.rows(m, x, 1, 3) }

// rows returns the products of x with three rows at m. Rows are row apart, and numbers of a row are step apart.
func (k *Kernel) rows(m Mem, x []Val, row, step int) []Val {
	out := make([]Val, 3)
	for i := range out {
		out[i] = k.dot(anys(x), lanesOf(m.Ptr, m.Off+i*row, 3, step))
	}
	return out
}

// column loads column j of the 3×3 matrix at m.
func (k *Kernel) column(m Mem, j int) []Val {
	return []Val{k.ld(m.behind(j)), k.ld(m.behind(3 + j)), k.ld(m.behind(6 + j))}
}

// centripetal returns w×(w×r).
func (k *Kernel) centripetal(w, r []Val) []Val { return k.cross(w, k.cross(w, r)) }

// less returns x − y.
func (k *Kernel) less(x, y []Val) []Val {
	out := make([]Val, len(x))
	for i := range out {
		out[i] = k.sub(x[i], y[i])
	}
	return out
}

// scaled returns s·x.
func (k *Kernel) scaled(s Val, x []Val) []Val {
	out := make([]Val, len(x))
	for i := range out {
		out[i] = k.mul(s, x[i])
	}
	return out
}

// anys returns a list as a list of any.
func anys[T any](list []T) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}

// lanesOf returns n places of an operand, step vectors apart, from off on.
func lanesOf(ptr byte, off, n, step int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = at(ptr, off+i*step)
	}
	return out
}
