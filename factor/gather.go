package factor

import (
	"github.com/rung-mbd/rung/internal/kernel"
)

// dest is the front to which update matrices are added: a panel with the n rows of the front and
// its w pivots as columns, and the update matrix of the m rows below the pivots. The last row of both
// belongs to the right side.
type dest struct {
	pan, upd []float64
	n, w, m  int
}

// at returns the front from element (i, j) on, i ≥ j, and its leading dimension.
func (d *dest) at(i, j int) ([]float64, int) {
	if j < d.w {
		return d.pan[j*d.n+i:], d.n
	}
	return d.upd[(j-d.w)*d.m+i-d.w:], d.m
}

// add adds the lower triangle of the update matrix u to a front. u is column-major, with m rows and m−1 columns. runs
// map its rows to rows of the front, except the last one: it is the right side, and is added to the last
// row of the front. No run has both pivot rows and rows below them.
func (w *worker) add(d *dest, u []float64, m int, runs []run) {
	last := d.w + d.m - 1
	j := 0 // row and column of u at which the run begins
	for i, r := range runs {
		if m > stopRows && w.f.watch.Up() {
			return
		}
		c, n := int(r.dst), int(r.n)
		dst, ld := d.at(c, c)
		kernel.AddLower(dst, ld, u[j*m+j:], m, n, n)
		at := j + n // row of u
		for _, q := range runs[i+1:] {
			kernel.AddBlock(dst[int(q.dst)-c:], ld, u[j*m+at:], m, int(q.n), n)
			at += int(q.n)
		}
		dst = dst[last-c:]
		src := u[j*m+at:]
		for k := range n {
			dst[k*ld] += src[k*m]
		}
		j += n
	}
}

// addLeaves adds to a front −W·Wᵀ of its leaves, theory.md (17), and −W·b to its right side, with b the right side of the leaf.
func (w *worker) addLeaves(fr *front, d *dest) {
	f, s := w.f, w.f.Symbolic
	if fr.spread {
		// Few rows: the leaves side by side, spread over all rows of the front.
		const spread = true
		leaves := s.leaves[fr.leafLo:fr.leafHi]
		t := w.ld[:int(fr.columns)*d.n]
		clear(t)
		for i := range leaves {
			l := &leaves[i]
			w.spreadTo(t, d.n, l, spread)
			t = t[int(l.size)*d.n:]
		}
		w.addProduct(d, 0, w.ld, d.n, d.n, int(fr.columns))
		return
	}
	for i := fr.leafLo; i < fr.leafHi && !f.watch.Every(int(i-fr.leafLo)); i++ {
		w.addLeaf(d, &s.leaves[i])
	}
}

// addProduct subtracts T·Tᵀ from the last m rows of a front, which begin at row r.
// T is m×k, column-major with leading dimension ld; its last row is the right side.
func (w *worker) addProduct(d *dest, r int, t []float64, ld, m, k int) {
	c := min(m-1, max(0, d.w-r)) // columns that are pivots
	if c > 0 {
		if p := d.pan[r*d.n+r:]; m > stopRows {
			w.subtract(p, d.n, t, t, ld, m, c, k)
		} else {
			kernel.Update(p, d.n, t, ld, t, ld, m, c, k)
		}
	}
	if c < m-1 {
		r += c - d.w
		if u := d.upd[r*d.m+r:]; m > stopRows {
			w.subtract(u, d.m, t[c:], t[c:], ld, m-c, m-1-c, k)
		} else {
			kernel.Update(u, d.m, t[c:], ld, t[c:], ld, m-c, m-1-c, k)
		}
	}
}

// addLeaf is addLeaves for one leaf.
func (w *worker) addLeaf(d *dest, l *leaf) {
	m, k := int(l.rows)+1, int(l.size)
	t := w.ld[:m*k] // W over bᵀ, column-major
	runs := w.f.Symbolic.runs[l.up:l.to]
	const spread = true
	w.spreadTo(t, m, l, !spread)
	if r := int(runs[0].dst); r+m == d.w+d.m {
		w.addProduct(d, r, t, m, m, k) // the rows are the last of the front
		return
	}
	u := w.leaf[:m*(m-1)]
	clear(u)
	w.subtract(u, m, t, t, m, m, m-1, k)
	w.add(d, u, m, runs)
}

// spreadTo stores W of a leaf in the columns of t, which has n rows. With spread, the rows of W go to their
// rows in the front; else they follow each other. The last row of t gets the right side of the leaf, or zeros if there is none.
func (w *worker) spreadTo(t []float64, n int, l *leaf, spread bool) {
	f, k := w.f, int(l.size)
	blocks := f.Symbolic.blocks[l.lo:l.hi]
	switch {
	case spread && k == 6:
		kernel.SpreadBlocks(t, n, f.unit.Val, blocks)
	case spread:
		spreadNarrow(t, n, f.unit.Val, blocks, k)
	default:
		o := 0
		for i := range blocks {
			b := &blocks[i]
			transpose(t[o:], n, f.unit.Val[b.W:], int(b.N), k)
			o += int(b.N)
		}
	}
	at := n - 1
	if f.b == nil {
		for range k {
			t[at] = 0
			at += n
		}
		return
	}
	for _, v := range f.b[l.first : int(l.first)+k] {
		t[at] = v
		at += n
	}
}

// spreadLeaves stores W of the leaves of a short front side by side, in columns of kernel.FrontRows rows, and returns it with the
// right sides of the leaves. Numbers between the blocks are zero. They need not be cleared where the worker has just done a front
// whose leaves have the same places.
func (w *worker) spreadLeaves(fr *front) (all, loads []float64) {
	f := w.f
	at := int(fr.columns) * kernel.FrontRows
	all, loads = w.ld[:at], w.ld[at:at+int(fr.columns)]
	if !fr.quick.has(like) || w.shaped != fr.super {
		clear(all)
		w.groupLeaves(fr)
	}
	w.shaped = fr.last
	t, b := all, loads
	for i := fr.leafLo; i < fr.leafHi; i++ {
		l := &f.Symbolic.leaves[i]
		k := int(l.size)
		blocks := f.Symbolic.blocks[l.lo:l.hi]
		if k == 6 {
			kernel.SpreadBlocks(t, kernel.FrontRows, f.unit.Val, blocks)
		} else {
			spreadNarrow(t, kernel.FrontRows, f.unit.Val, blocks, k)
		}
		t = t[k*kernel.FrontRows:]
		if f.b != nil {
			move(b, f.b[l.first:int(l.first)+k])
			b = b[k:]
		}
	}
	if f.b == nil {
		clear(loads)
	}
	return all, loads
}

// groupLeaves stores in w.groups, for each column of the leaves of a short front, the groups of rows in which its leaf has blocks.
func (w *worker) groupLeaves(fr *front) {
	list := w.groups
	for i := fr.leafLo; i < fr.leafHi; i++ {
		l := &w.f.Symbolic.leaves[i]
		for k := range l.size {
			list[k] = l.groups
		}
		list = list[l.size:]
	}
}

// scatter stores in a cleared panel of n rows the blocks between −1 and +1 nodes of the
// core, the unit blocks of the +1 nodes, and the right side as last row.
func (w *worker) scatter(fr *front, pan []float64, n int) {
	f, s := w.f, w.f.Symbolic
	for c := fr.super; c < fr.last; c++ {
		i := int(s.off[c] - fr.first)
		size := int(s.off[c+1] - s.off[c])
		if f.b != nil {
			at := (i+1)*n - 1
			for _, v := range f.b[s.oldOff[c] : int(s.oldOff[c])+size] {
				pan[at] = v
				at += n
			}
		}
		if s.sign[c] > 0 {
			for k := i; k < i+size; k++ {
				pan[k*n+k] = 1
			}
		}
	}
	for i := fr.entLo; i < fr.entHi; i++ {
		e := &s.ents[i]
		nr, nc := int(e.nr), int(e.nc)
		src, dst := f.unit.Val[e.src:e.src+int64(nr*nc)], pan[int(e.col)*n+int(e.row):]
		if !e.trans {
			transpose(dst, n, src, nr, nc)
			continue
		}
		for b := range nc {
			if nr == 6 {
				*(*[6]float64)(dst[b*n:]) = *(*[6]float64)(src[6*b:])
			} else {
				copy(dst[b*n:], src[b*nr:(b+1)*nr])
			}
		}
	}
}
