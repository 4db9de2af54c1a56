package factor

import "github.com/rung-mbd/rung/internal/kernel"

// begin starts an empty panel at a row of the front.
func (w *spanWork) begin(row int) {
	w.panelRow, w.panelEnd, w.panelWidth = row, row, 0
	w.panel = resize(w.panel, (w.rows-row)*spanPanel)
}

// keep adds the reflection 1 − tau·u·uᵀ, u = (1, v) in the rows row … end−1, to the panel. The
// product of the panel's reflections, the first one leftmost, is 1 − V·T·Vᵀ with T upper triangular,
// theory.md (29).
func (w *spanWork) keep(row, end int, tau float64, v []float64) {
	k, ld := w.panelWidth, w.rows-w.panelRow
	u := w.panel[k*ld : (k+1)*ld]
	at := row - w.panelRow
	clear(u[:at])
	u[at] = 1
	copy(u[at+1:], v)
	clear(u[end-w.panelRow:])
	z := w.sum[:k]
	clear(z)
	if k > 0 {
		kernel.SubMulT(z, w.panel[at:], ld, end-row, k, u[at:])
	}
	for i := range k {
		sum := 0.0
		for p := i; p < k; p++ {
			sum += w.tri[i+p*spanPanel] * z[p]
		}
		w.tri[i+k*spanPanel] = tau * sum
	}
	w.tri[k+k*spanPanel] = tau
	w.panelEnd = max(w.panelEnd, end)
	w.panelWidth++
}

// turn applies the reflections of the panel to column c: x − V·Tᵀ·Vᵀ·x.
func (w *spanWork) turn(c int) {
	k, n, ld := w.panelWidth, w.panelEnd-w.panelRow, w.rows-w.panelRow
	if k == 0 {
		return
	}
	x := w.f[c*w.rows+w.panelRow:][:n]
	z, t := w.sum[:k], w.turned[:k]
	clear(z)
	kernel.SubMulT(z, w.panel, ld, n, k, x)
	for i := range t {
		sum := 0.0
		for p := 0; p <= i; p++ {
			sum -= w.tri[p+i*spanPanel] * z[p]
		}
		t[i] = sum
	}
	kernel.SubMul(x, w.panel, ld, n, k, t)
}

// storeTo copies the reflections, the rows of R and the rows that go to the parent from the scratch to out.
func (w *spanWork) storeTo(q *Span, out *reflections) {
	out.slot = q.ints.copyOf(w.slot)
	out.list = q.lists.copyOf(w.list)
	out.v = q.floats.copyOf(w.v)
	out.lead = q.ints.copyOf(w.pivot[w.kept:])
	for i := range out.lead {
		out.lead[i] -= int32(w.width)
	}
	out.kept, out.wait = int32(w.kept), int32(len(w.pivot)-w.kept)
	w.storeR(q, out)
}

// storeR stores the rows of R in out, with the columns in the order that reflections describes.
func (w *spanWork) storeR(q *Span, out *reflections) {
	w.order = w.order[:0] // columns of the front
	w.order = append(w.order, w.pivot[:w.kept]...)
	next := 0
	for c := range int32(w.width) {
		if next < w.kept && w.pivot[next] == c {
			next++
		} else {
			w.order = append(w.order, c)
		}
	}
	for c := w.width; c < w.cols; c++ {
		w.order = append(w.order, int32(c))
	}
	out.dropped = int32(w.width - w.kept)
	w.r = w.r[:0]
	for i := range w.kept {
		for _, c := range w.order {
			x := 0.0
			if c >= w.pivot[i] {
				x = w.f[int(c)*w.rows+i]
			}
			w.r = append(w.r, x)
		}
	}
	out.r = q.floats.copyOf(w.r)
	out.column = q.ints.copyOf(w.order)
	for i, c := range out.column {
		out.column[i] = w.scalar[c]
	}
}

// push appends the rows that go to the parent to the stack, column by column.
func (w *spanWork) push(stack []float64) []float64 {
	n := len(w.pivot) - w.kept
	for c := w.width; c < w.cols; c++ {
		stack = append(stack, w.f[c*w.rows+w.kept:][:n]...)
	}
	return stack
}

const (
	// firstCarve is the number of elements that a carver allocates together at first: few,
	// as most mechanisms are small. Another value costs time only.
	firstCarve = 1 << 7
	// mostCarve is the number up to which it doubles the elements of an allocation. Another value costs time only.
	mostCarve = 1 << 15
)

// carver cuts slices from memory that is allocated for many of them together.
type carver[T any] struct {
	free []T
	last int // elements that were allocated together the last time
}

// copyOf returns a copy of v.
func (c *carver[T]) copyOf(v []T) []T {
	if len(c.free) < len(v) {
		c.last = min(max(firstCarve, 2*c.last), mostCarve)
		c.free = make([]T, max(c.last, len(v)))
	}
	out := c.free[:len(v):len(v)]
	c.free = c.free[len(v):]
	copy(out, v)
	return out
}
