package factor

import (
	"math"

	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/sparse"
)

// Span is an orthonormal basis of the column space of V = D^(−½)·W, theory.md (28). W is the
// off-diagonal part of a matrix, and D a positive diagonal. The basis is kept as the
// reflections that make it (multifrontal orthogonal factorization, Liu 1986; dependent columns,
// Heath 1982). No product WᵀW is formed. So the columns before a column may leave as little of it as
// rounding times its length before it has to count as dependent; with a product this would be the root of rounding. Within a
// node, the column of which most is left comes first.
type Span struct {
	heeds

	plan   *SpanPlan
	m      *sparse.Matrix
	fronts []reflections

	mixed bool       // the column of which most is left comes first among all pivots of a front, not of a node alone
	ahead precedence // which column comes first

	live []bool // by scalar row of W: it holds a row of R
	rank int
	gap  SpanGap

	root    []float64 // by scalar row: 1/√D
	norm    []float64 // of the columns
	dropped []bool    // columns that depend on those before
	stack   []float64 // rows that wait for the fronts of their parents, front by front
	work    spanWork
	y       []float64 // of one front, of reflect

	// Memory that fronts are cut from.
	ints   carver[int32]
	lists  carver[reflection]
	floats carver[float64]
}

// SpanGap says how clear the rank is. The remainder of a column is the part of it that is orthogonal to the columns before, relative
// to the length of the column.
type SpanGap struct {
	Smallest float64 // smallest remainder of an independent column; +Inf if there is none
	Dropped  float64 // largest remainder of a dependent column; 0 if there is none
}

// reflections has the reflections and the rows of R of one front.
type reflections struct {
	slot []int32 // by row of the front: the scalar row of W whose place it has
	list []reflection
	v    []float64 // vectors of the reflections one after the other, each without its leading 1
	kept int32     // rows that hold rows of R
	wait int32     // rows after them that go to the parent
	lead []int32   // by row that goes to the parent: its first column, counted in the columns below

	// Rows of R: first the columns of its pivots, then the dropped columns, then the columns below.
	column  []int32   // scalar columns of W
	dropped int32     // number of columns that depend on columns before
	r       []float64 // kept×len(column), row-major
}

// reflection is 1 − tau·v·vᵀ on the rows row … row+n−1 of a front, with v[0] = 1.
type reflection struct {
	row, n int32
	tau    float64
}

// NewSpan allocates the basis of a plan; most of its memory is allocated by Factorize.
func (p *SpanPlan) NewSpan() *Span {
	n := p.p.Dim()
	return &Span{
		plan: p, ahead: precedence{headStart, 1, false}, fronts: make([]reflections, len(p.dual.fronts)), live: make([]bool, n),
		root: make([]float64, n), norm: make([]float64, p.p.Off[p.p.Positive()]), dropped: make([]bool, p.p.Off[p.p.Positive()]),
		y: make([]float64, 0, 64),
	}
}

// Factorize finds the basis Q of theory.md (28) for the values of m, with D in scale: entries of the −1 rows are
// positive, the others are not read. A column counts as dependent if the columns before leave
// no more than tol of its length.
//
// Cost: about twice the work of a factorization of WᵀW, and memory for the reflections, of the
// size of its factor and the rows of W together; allocates. It panics if m is of another
// pattern, or on a length mismatch.
func (q *Span) Factorize(m *sparse.Matrix, scale []float64, tol float64) {
	p := q.plan.p
	if m.Pattern != p {
		panic("factor: foreign pattern")
	}
	if len(scale) != p.Dim() {
		panic("factor: length mismatch")
	}
	q.m, q.work.tol = m, tol
	first := p.Off[p.Positive()]
	for i := int(first); i < len(scale); i++ {
		q.root[i] = 1 / math.Sqrt(scale[i])
	}
	q.columnNorms(m)
	clear(q.live)
	clear(q.dropped)
	q.rank, q.gap, q.stack = 0, SpanGap{Smallest: math.Inf(1)}, q.stack[:0]
	for k := range q.fronts {
		if q.watch.Up() {
			return
		}
		q.front(k, m)
	}
}

// Rank returns the number of independent columns.
func (q *Span) Rank() int { return q.rank }

// Gap says how clear Rank is.
func (q *Span) Gap() SpanGap { return q.gap }

// columnNorms stores the lengths of the columns of D^(−½)·W.
func (q *Span) columnNorms(m *sparse.Matrix) {
	p := m.Pattern
	clear(q.norm)
	for i := p.Positive(); i < p.Len() && !q.watch.Every(i); i++ {
		for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
			o, n := int(p.Off[p.Ind[k]]), int(p.Size[p.Ind[k]])
			v := m.Val[p.Pos[k]:p.Pos[k+1]]
			for a := range int(p.Size[i]) {
				root := q.root[int(p.Off[i])+a]
				for c, x := range v[n*a : n*a+n] {
					x *= root
					q.norm[o+c] += x * x
				}
			}
		}
	}
	for i, x := range q.norm {
		q.norm[i] = math.Sqrt(x)
	}
}

// front assembles, reduces and stores front k.
func (q *Span) front(k int, m *sparse.Matrix) {
	s := q.plan.dual
	f, out := &s.fronts[k], &q.fronts[k]
	w := &q.work
	base := w.collect(q, f)
	w.fill(q, f, m, base)
	q.stack = q.stack[:base]
	w.limits(q, f)
	if w.reduce(q.watch, q.ahead); q.watch.Up() {
		return
	}
	q.rank += w.kept
	q.gap.Smallest = min(q.gap.Smallest, w.gap.Smallest)
	q.gap.Dropped = max(q.gap.Dropped, w.gap.Dropped)
	w.storeTo(q, out)
	for _, r := range out.slot[:out.kept] {
		q.live[r] = true
	}
	for _, c := range out.column[out.kept : out.kept+out.dropped] {
		q.dropped[c] = true
	}
	q.stack = w.push(q.stack)
}

// ProjectTo stores in y the orthogonal projection of x on the column space, theory.md (28). y
// may be x.
//
// Shapes: x and y have an entry a scalar row of the pattern; those of the +1 nodes are not
// read, and are zero in y.
// Cost: two products with each reflection, no allocation. q has been factored. It panics on a
// length mismatch.
func (q *Span) ProjectTo(y, x []float64) {
	if len(x) != len(q.live) || len(y) != len(x) {
		panic("factor: length mismatch")
	}
	copy(y, x)
	q.reflectAll(y)
	for i, live := range q.live {
		if !live {
			y[i] = 0
		}
	}
	q.reflectBack(y)
}

// reflectAll applies the reflections of all fronts to y in their order. y is unfinished if the context of q has ended.
func (q *Span) reflectAll(y []float64) {
	for i := range q.fronts {
		if q.watch.Every(i) {
			return
		}
		f := &q.fronts[i]
		x, start := q.gather(f, y), 0
		for k := range f.list {
			h := &f.list[k]
			end := start + int(h.n) - 1
			h.apply(x, f.v[start:end])
			start = end
		}
		f.scatter(y, x)
	}
}

// reflectBack is reflectAll in the opposite order.
func (q *Span) reflectBack(y []float64) {
	for i := range q.fronts {
		if q.watch.Every(i) {
			return
		}
		f := &q.fronts[len(q.fronts)-1-i]
		x, end := q.gather(f, y), len(f.v)
		for k := len(f.list) - 1; k >= 0; k-- {
			h := &f.list[k]
			start := end - int(h.n) + 1
			h.apply(x, f.v[start:end])
			end = start
		}
		f.scatter(y, x)
	}
}

// gather returns the rows of y that f reflects. They are in q.y until the next gather.
func (q *Span) gather(f *reflections, y []float64) []float64 {
	x := q.y[:0]
	if len(f.list) == 0 {
		return x
	}
	for _, r := range f.slot {
		x = append(x, y[r])
	}
	q.y = x
	return x
}

// scatter stores x, the rows that gather has returned, in y.
func (f *reflections) scatter(y, x []float64) {
	for i := range x {
		y[f.slot[i]] = x[i]
	}
}

// apply replaces x, the rows of a front, by (1 − tau·u·uᵀ)·x with u = (1, v).
func (h *reflection) apply(x, v []float64) {
	x = x[h.row : h.row+h.n]
	t := [1]float64{-x[0]}
	if len(v) == 0 {
		x[0] += h.tau * t[0]
		return
	}
	kernel.SubMulT(t[:], v, len(v), len(v), 1, x[1:])
	t[0] *= -h.tau
	x[0] -= t[0]
	kernel.SubMul(x[1:], v, len(v), len(v), 1, t[:])
}
