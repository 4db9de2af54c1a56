package factor

import "github.com/rung-mbd/rung/internal/kernel"

// The loops of this file work in parts where they take long, and look between the parts whether the watch has ended them. No result
// depends on the parts. Another value costs time only.
const (
	stopFlops = 4e8     // multiplications that take some 10 ms
	stopRows  = 1024    // rows of a front, or of an update matrix, above which work on it is divided
	stopClear = 1 << 20 // numbers that are cleared at once: some ms if the memory is new
)

// clearLarge sets v to zero. It returns false if the watch has ended it before.
func (w *worker) clearLarge(v []float64) bool {
	for ; len(v) > 0; v = v[min(len(v), stopClear):] {
		if w.f.watch.Up() {
			return false
		}
		clear(v[:min(len(v), stopClear)])
	}
	return true
}

// wideUpdate is the number of columns from which on an update matrix is cleared below its diagonal alone. Another value costs time only.
const wideUpdate = 64

// clearLower sets the lower triangle of an update matrix of m columns, each of m+1 numbers, to zero; numbers above the diagonal are not
// read. It returns false if the watch has ended it before.
func (w *worker) clearLower(upd []float64, m int) bool {
	if m < wideUpdate {
		clear(upd)
		return true
	}
	for j := range m {
		if m > stopRows && w.f.watch.Every(j) {
			return false
		}
		clear(upd[j*(m+1)+j : (j+1)*(m+1)])
	}
	return true
}

// subtract is kernel.Update, C −= A·Bᵀ with C of n×m and A, B of k columns, by some columns of C at a time where it takes long. C is
// unfinished if the watch has ended it before.
func (w *worker) subtract(c []float64, ldc int, a, b []float64, ld, n, m, k int) {
	if n <= stopRows {
		kernel.Update(c, ldc, a, ld, b, ld, n, m, k)
		return
	}
	step := m
	if float64(n)*float64(m)*float64(k) > stopFlops {
		step = max(subtractColumns, int(stopFlops/(float64(n)*float64(k)))/subtractColumns*subtractColumns)
	}
	for j := 0; j < m && !w.f.watch.Up(); j += step {
		kernel.Update(c[j*ldc+j:], ldc, a[j:], ld, b[j:], ld, n-j, min(step, m-j), k)
	}
}

// subtractColumns is a multiple of the number of columns that kernel.Update
// computes at a time, so that its results do not depend on step.
const subtractColumns = 48

// Panels of more than widePanel columns are factored wideStep columns at a time.
const widePanel, wideStep = 512, 128

// panelLarge is kernel.Panel for the panel of a front with n rows, from column q on, some columns at a time. It returns the first column
// that it has not eliminated, whose pivot is above its limit, or the width. Once the watch is up, it leaves the rest of the panel
// undone, and returns the width.
func (w *worker) panelLarge(fr *front, pan []float64, n, q int) int {
	p := int(fr.width)
	step := p
	if p > widePanel {
		step = wideStep
	}
	for {
		from := q / step * step
		to := min(from+step, p)
		if q = w.panel(fr, pan, n, from, to, q); q < to {
			return q
		}
		if to == p || w.f.watch.Up() {
			return p
		}
		w.subtract(pan[to*n+to:], n, pan[from*n+to:], w.ld[from*n+to:], n, n-to, p-to, to-from)
	}
}

// panel is kernel.Panel for the columns from … to−1 of a front with n rows, from column q on. It returns the first column that it has
// not eliminated, or to. Where that takes long, it halves the columns as kernel.Panel does, so bits are the same. Once the watch is
// up, it leaves the rest undone, and returns to.
func (w *worker) panel(fr *front, pan []float64, n, from, to, q int) int {
	rows, first, at := n-from, int(fr.first), from*n+from
	half := to
	if rows > stopRows && float64(rows)*float64(to-q)*float64(to-q) > stopFlops {
		if w.f.watch.Up() {
			return to
		}
		half = from + kernel.Half(rows, to-from, q-from)
	}
	if half == to {
		return from + kernel.Panel(pan[at:], n, rows, to-from, q-from, w.ld[at:], n, w.f.dinv[first+from:first+to], w.limit[from:to], w.shift[from:to])
	}
	stop := w.panel(fr, pan, n, from, half, q)
	if stop > q {
		w.subtract(pan[half*n+half:], n, pan[q*n+half:], w.ld[q*n+half:], n, n-half, to-half, stop-q)
	}
	if stop < half {
		return stop
	}
	return w.panel(fr, pan, n, from, to, half)
}
