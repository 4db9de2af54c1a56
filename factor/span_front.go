package factor

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/team"
)

// spanPanel is the number of reflections that are applied together to the columns after them,
// theory.md (29) (Schreiber & Van Loan 1989).
const spanPanel = 16

// spanWork is the scratch of one front: a dense matrix with the rows of its leaves and the rows
// that its children hand on, sorted by their first columns.
type spanWork struct {
	rows, cols, width int
	tol               float64   // of dependent columns
	f                 []float64 // rows×cols by columns
	lead              []int32   // by row: its first column; increasing
	slot              []int32   // by row: the scalar row of W whose place it has
	at                []int32   // by row in the order of collection: its place in f
	count             []int32   // by column, of the sort
	length            []float64 // by pivot: length of the whole column
	block             []int32   // by pivot: end of the range of columns among which the largest comes first
	raw               []int32   // lead in the order of collection
	rawSlot           []int32   // slot in the order of collection
	scalar            []int32   // by column: the scalar column of W
	order             []int32   // scratch of storeR
	r                 []float64 // scratch of storeR

	list  []reflection
	v     []float64
	pivot []int32 // column of each row of R
	kept  int     // rows of R in the pivots
	gap   SpanGap

	panel       []float64                      // V by columns
	tri         [spanPanel * spanPanel]float64 // T by columns
	sum, turned [spanPanel]float64
	panelRow    int // first row of the panel
	panelEnd    int // row after its last
	panelWidth  int // reflections in it
}

func resize[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n, n+n/2)
	}
	return v[:n]
}

// collect lists the rows of front f and sorts them by their first columns. It returns the end
// of the stack without the rows of the children.
func (w *spanWork) collect(q *Span, f *front) int {
	s := q.plan.dual
	w.cols, w.width = f.rows(), int(f.width)
	w.raw, w.rawSlot = w.raw[:0], w.rawSlot[:0]
	for i := f.leafLo; i < f.leafHi; i++ {
		l := &s.leaves[i]
		for a := range int32(l.size) {
			w.raw = append(w.raw, s.blocks[l.lo].Row)
			w.rawSlot = append(w.rawSlot, l.first+a)
		}
	}
	base := len(q.stack)
	for _, c := range s.kids[f.kidLo:f.kidHi] {
		g, r := &s.fronts[c], &q.fronts[c]
		base -= int(r.wait) * int(g.below)
		for i := range r.wait {
			w.raw = append(w.raw, placeOf(s.runs[g.upLo:g.upHi], r.lead[i]))
			w.rawSlot = append(w.rawSlot, r.slot[r.kept+i])
		}
	}
	w.sort()
	return base
}

// placeOf returns the column of the parent's front that column c below a front becomes. runs map columns of the front to columns
// of the parent.
func placeOf(runs []run, c int32) int32 {
	for _, r := range runs {
		if c < r.n {
			return r.dst + c
		}
		c -= r.n
	}
	panic("factor: column out of range")
}

// sort orders the rows by their first columns. Rows with the same first column stay in their
// order.
func (w *spanWork) sort() {
	n := len(w.raw)
	w.rows = n
	w.count = resize(w.count, w.cols+1)
	clear(w.count)
	for _, c := range w.raw {
		w.count[c+1]++
	}
	for c := range w.cols {
		w.count[c+1] += w.count[c]
	}
	w.at, w.lead, w.slot = resize(w.at, n), resize(w.lead, n), resize(w.slot, n)
	for i, c := range w.raw {
		r := w.count[c]
		w.count[c]++
		w.at[i], w.lead[r], w.slot[r] = r, c, w.rawSlot[i]
	}
}

// fill stores the rows of front f in w.f, rows of leaves scaled by 1/√D. The rows of its children are on the stack from base on.
func (w *spanWork) fill(q *Span, f *front, m *sparse.Matrix, base int) {
	s := q.plan.dual
	w.f = resize(w.f, w.rows*w.cols)
	clear(w.f)
	i := 0
	for j := f.leafLo; j < f.leafHi; j++ {
		l := &s.leaves[j]
		n := int(l.size)
		for _, b := range s.blocks[l.lo:l.hi] {
			v := m.Val[b.W:]
			for a := range n {
				root := q.root[int(l.first)+a]
				o := int(w.at[i+a]) + int(b.Row)*w.rows
				for c, x := range v[int(b.N)*a : int(b.N)*(a+1)] {
					w.f[o+c*w.rows] = root * x
				}
			}
		}
		i += n
	}
	src := q.stack[base:]
	for _, c := range s.kids[f.kidLo:f.kidHi] {
		g, n := &s.fronts[c], int(q.fronts[c].wait)
		col := 0
		for _, r := range s.runs[g.upLo:g.upHi] {
			for k := range int(r.n) {
				dst := w.f[(int(r.dst)+k)*w.rows:]
				for a, x := range src[col*n : (col+1)*n] {
					dst[w.at[i+a]] = x
				}
				col++
			}
		}
		i += n
		src = src[n*int(g.below):]
	}
}

// limits stores the scalar column of W of each column of the front, and the length and the end of the block of each pivot. A block is the
// columns of a +1 node, or with q.mixed all pivots.
func (w *spanWork) limits(q *Span, f *front) {
	column, s := q.plan.column, q.plan.dual
	w.scalar = append(w.scalar[:0], column[f.first:f.first+f.width]...)
	for _, r := range s.runs[f.rowLo:f.rowHi] {
		w.scalar = append(w.scalar, column[r.dst:r.dst+r.n]...)
	}
	w.length, w.block = w.length[:0], w.block[:0]
	off := q.plan.p.Off
	for i, c := range w.scalar[:w.width] {
		w.length = append(w.length, q.norm[c])
		switch {
		case q.mixed:
			w.block = append(w.block, int32(w.width))
		case i == 0 || w.block[i-1] == int32(i):
			node, _ := slices.BinarySearch(off, c+1)
			w.block = append(w.block, int32(i)+off[node]-c)
		default:
			w.block = append(w.block, w.block[i-1])
		}
	}
}

// reduce brings the front to rows of R by reflections, panel by panel. In the loop, row is the next row of R, and rows row … end−1 are
// those after it that begin before column next. p says which column comes first. The front is unfinished if the context of watch has ended.
func (w *spanWork) reduce(watch *team.Watch, p precedence) {
	w.list, w.v, w.pivot = w.list[:0], w.v[:0], w.pivot[:0]
	w.kept, w.gap = 0, SpanGap{Smallest: math.Inf(1)}
	row, end := 0, 0
	for j, next := 0, 0; j < w.cols && !(w.large() && watch.Up()); {
		for w.begin(row); j < w.cols; {
			to := j + 1
			if j < w.width {
				to = int(w.block[j])
			}
			if w.panelWidth > 0 && w.panelWidth+to-j > spanPanel {
				break
			}
			for next = to; end < w.rows && int(w.lead[end]) < next; {
				end++
			}
			if j, row = w.columns(j, next, row, end, p); j == w.width {
				w.kept = row
			}
		}
		for c := max(j, next); c < w.cols; c++ { // columns before next have had all reflections
			if w.large() && watch.Every(c) {
				return
			}
			w.turn(c)
		}
	}
}

// columns makes the reflections of the columns j … next−1, a block or a single column, in the rows row … end−1, until the panel is full. It
// returns the column to go on with and the first row after the rows of R. In a block the column of which most is left comes first, by p.
// A column of which little is left would put rounding errors of the others, divided by its remainder, into the columns after it.
func (w *spanWork) columns(j, next, row, end int, p precedence) (on, after int) {
	for c := j; c < next; c++ {
		w.turn(c)
	}
	for ; j < next && row < end; j++ {
		if w.panelWidth == spanPanel {
			return j, row
		}
		if next-j > 1 {
			first := w.best(j, next, row, end, p)
			for ; p.inOrder && first > j+1; first-- {
				w.swap(first, first-1)
			}
			w.swap(j, first)
		}
		if !w.column(j, row, end) {
			continue
		}
		h := &w.list[len(w.list)-1]
		for c := j + 1; c < next; c++ {
			h.apply(w.f[c*w.rows:(c+1)*w.rows], w.v[len(w.v)-int(h.n)+1:])
		}
		row++
	}
	return next, row
}

// headStart is the factor by which the squared remainder of a column has to exceed the one of the next column in order to come before it.
// A larger value leaves more columns in their order, and rounding errors that are larger by its root.
const headStart = 4

// precedence says which column comes first. A column replaces the best one so far if its squared remainder is larger by a factor: next if
// the best so far is the next column in the order, other if it is not.
type precedence struct {
	next, other float64
	inOrder     bool // columns that wait stay in their order; otherwise the next column changes places with the one that comes first
}

// best returns the column among the pivots j … next−1 to take first.
func (w *spanWork) best(j, next, row, end int, p precedence) int {
	best, most := j, 0.0
	for c := j; c < next; c++ {
		x := w.f[c*w.rows+row : c*w.rows+end]
		part := algebra.Dot(x, x) / (w.length[c] * w.length[c])
		switch {
		case c == j:
			most = part * p.next
		case part > most:
			best, most = c, part*p.other
		}
	}
	return best
}

// swap exchanges two pivots.
func (w *spanWork) swap(a, b int) {
	if a == b {
		return
	}
	x, y := w.f[a*w.rows:(a+1)*w.rows], w.f[b*w.rows:(b+1)*w.rows]
	for i := range x {
		x[i], y[i] = y[i], x[i]
	}
	w.scalar[a], w.scalar[b] = w.scalar[b], w.scalar[a]
	w.length[a], w.length[b] = w.length[b], w.length[a]
}

// large reports whether the front has so many rows that it takes long to apply a panel of reflections to all columns.
func (w *spanWork) large() bool { return w.rows > stopRows }

// column makes the reflection that turns the rows row … end−1 of column j to (beta, 0, …, 0). It returns false without a
// reflection if the column depends on the columns before, or is zero.
func (w *spanWork) column(j, row, end int) bool {
	x := w.f[j*w.rows+row : j*w.rows+end]
	size := norm2(x)
	if j < w.width {
		part := 0.0 // stays for a column of zeros: a direction in which no row holds a body
		if size > 0 {
			part = size / w.length[j]
		}
		if !(part > w.tol) {
			w.gap.Dropped = max(w.gap.Dropped, part)
			clear(x)
			return false
		}
		w.gap.Smallest = min(w.gap.Smallest, part)
	} else if size == 0 {
		return false
	}
	beta := -math.Copysign(size, x[0])
	tau := (beta - x[0]) / beta
	scale := 1 / (x[0] - beta)
	x[0] = beta
	v := x[1:]
	for i := range v {
		v[i] *= scale
	}
	w.list = append(w.list, reflection{int32(row), int32(end - row), tau})
	w.v = append(w.v, v...)
	clear(v)
	w.pivot = append(w.pivot, int32(j))
	w.keep(row, end, tau, w.v[len(w.v)-len(v):])
	return true
}

// norm2 returns the Euclidean norm of x.
func norm2(x []float64) float64 {
	big := algebra.MaxAbs(x)
	if big == 0 || !algebra.Finite(big) {
		return big
	}
	sum := 0.0
	for _, v := range x {
		v /= big
		sum += v * v
	}
	return big * math.Sqrt(sum)
}
