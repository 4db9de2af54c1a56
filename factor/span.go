package factor

import (
	"math"

	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/sparse"
)

// Span is an orthonormal basis of the column space of V = D^(−½)·W, theory.md (28). W is the
// off-diagonal part of a matrix, and D a positive diagonal. The basis is kept as the
// reflections that make it (multifrontal orthogonal factorization, Liu 1986; dependent columns,
// Heath 1982). No product WᵀW is formed. So a column counts as dependent on those before it at
// about rounding times its length, and not at the root of that. Within a node, the
// column of which most is left comes first.
type Span struct {
	heeds

	plan   *SpanPlan
	m      *sparse.Matrix
	fronts []reflections

	mixed bool // of all pivots of a front, not of a node alone, the column of which most is left comes first
	ahead precedence

	live []bool // by scalar row of W: it holds a row of R
	rank int
	gap  SpanGap

	root    []float64 // by scalar row: 1/√D
	norm    []float64 // of the columns
	dropped []bool    // columns that depend on those before
	stack   []float64 // rows that wait for their parents' fronts, one front's after the other
	work    spanWork
	y       []float64 // of one front, of reflect

	// Memory that fronts are cut from.
	ints   carver[int32]
	lists  carver[reflection]
	floats carver[float64]
}

// SpanGap says how clear the rank is. Its sizes are of what the columns before leave of a
// column, relative to the column's length.
type SpanGap struct {
	Smallest float64 // that counts; +Inf if none does
	Dropped  float64 // largest that does not
}

// reflections has the reflections and the rows of R of one front.
type reflections struct {
	slot []int32 // scalar rows of W that its rows stand for
	list []reflection
	v    []float64 // what follows the leading 1 of each reflection's vector
	kept int32     // rows that hold rows of R
	wait int32     // rows after them that go to the parent
	lead []int32   // first column of each of these, in the columns below

	// Rows of R: first the columns of its pivots, then the dropped columns, then the columns below.
	column  []int32   // scalar columns of W
	dropped int32     // columns that depend on those before
	r       []float64 // kept×len(column) by rows
}

// reflection is 1 − tau·v·vᵀ on the rows row … row+n−1 of a front.
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
	q.reflectAll(y, false)
	for i, live := range q.live {
		if !live {
			y[i] = 0
		}
	}
	q.reflectAll(y, true)
}

// reflectAll applies the reflections of all fronts to y, in order, or backwards. It is not finished if the context of q
// has ended.
func (q *Span) reflectAll(y []float64, back bool) {
	for i := range q.fronts {
		if q.watch.Every(i) {
			return
		}
		k := i
		if back {
			k = len(q.fronts) - 1 - i
		}
		q.reflect(&q.fronts[k], y, back)
	}
}

// reflect applies the reflections of a front to its rows of y. If back is set, the last one
// goes first.
func (q *Span) reflect(f *reflections, y []float64, back bool) {
	if len(f.list) == 0 {
		return
	}
	x := q.y[:0]
	for _, r := range f.slot {
		x = append(x, y[r])
	}
	q.y = x
	if back {
		end := len(f.v)
		for i := len(f.list) - 1; i >= 0; i-- {
			h := &f.list[i]
			start := end - int(h.n) + 1
			h.apply(x, f.v[start:end])
			end = start
		}
	} else {
		start := 0
		for i := range f.list {
			h := &f.list[i]
			end := start + int(h.n) - 1
			h.apply(x, f.v[start:end])
			start = end
		}
	}
	for i, r := range f.slot {
		y[r] = x[i]
	}
}

// apply replaces x by (1 − tau·v·vᵀ)·x.
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
