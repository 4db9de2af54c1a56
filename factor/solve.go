package factor

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/sparse"
)

// SolveTo solves (K − Γ)·x = b with the current factor, theory.md (15).
//
// Shapes: x and b have Dim entries in the original order; x may be b. The matrix
// of the last Factorize has not changed.
// Cost: 4 flops a nonzero of L, no allocation. It panics on a length mismatch
// or if there is no valid factor.
func (f *Factor) SolveTo(x, b []float64) {
	f.mustBe()
	if !f.ok {
		panic("factor: no valid factor")
	}
	f.mustBeWhole()
	if len(x) != f.Symbolic.Pattern.Dim() || len(b) != len(x) {
		panic("factor: length mismatch")
	}
	if w := f.weighted(); w != nil {
		copy(x, b)
		w.each(x, algebra.SolveLower)
		f.solve(x, x, nil)
		w.each(x, algebra.SolveUpper)
		return
	}
	f.solve(x, b, nil)
}

// weighted returns the weighting of the current matrix, nil if its +1 blocks
// are units.
func (f *Factor) weighted() *weighting {
	if f.weight != nil && f.unit == f.weight.m {
		return f.weight
	}
	return nil
}

// solve is SolveTo for the matrix with unit +1 blocks. It returns the largest norm in x of a
// +1 node that has neighbours. If r is not nil, it receives the residuals of the −1
// nodes that are not open.
func (f *Factor) solve(x, b, r []float64) float64 {
	begun := f.begun && len(b) > 0 && &b[0] == &f.b[0]
	f.begun = false
	if !begun {
		f.forward(rightSide{b: b, leaves: true})
	}
	for _, i := range f.Symbolic.free {
		copy(x[i.first:i.first+int32(i.size)], b[i.first:])
	}
	to := &f.to
	to.x, to.b, to.r, to.begun, to.add = x, b, r, begun, false
	_, size := f.sweepBack()
	return size
}

// rightSide is the right side of the forward half of a solve.
type rightSide struct {
	b      []float64
	leaves bool // b counts in the rows of leaves too; else it is taken as zero there
}

// forwardTasks is the job of forward below the top.
type forwardTasks Factor

// Do does the part of L·D·y = b of one task.
func (e *forwardTasks) Do(worker, task int) {
	f := (*Factor)(e)
	w, t := f.workers[worker], f.Symbolic.tasks[task]
	w.energy = 0
	stop := f.watch
	for k := t.lo; k < t.hi && !stop.Up(); k++ {
		w.forward(&f.Symbolic.fronts[k])
	}
	f.energies[task] = w.energy
}

// forward is the first half of a solve. It stores y = D⁻¹·L⁻¹·b in the core vector, b the right
// side, and returns yᵀ·|D|·y.
func (f *Factor) forward(from rightSide) float64 {
	s, w := f.Symbolic, f.workers[0]
	f.from = from
	f.team.Run(len(s.tasks), (*forwardTasks)(f))
	w.energy = 0
	for _, k := range s.top {
		if f.watch.Up() {
			break
		}
		w.forward(&s.fronts[k])
	}
	f.from = rightSide{}
	sum := w.energy
	for _, q := range f.energies {
		sum += q
	}
	return sum
}

// load stores the right side in the pivots y of a front, with the leaves eliminated. The
// solution in a leaf is b' − Wᵀ·(multipliers), with b' the right side of the leaf. So the rows of its neighbours get b − W·b'.
func (w *worker) load(fr *front, y []float64) {
	f, s, p, b := w.f, w.f.Symbolic, w.f.Symbolic.Pattern, w.f.from.b
	off, leaves := s.off[fr.super:fr.last+1], f.from.leaves
	for c, o := range s.oldOff[fr.super:fr.last] {
		n := int(off[c+1] - off[c])
		dst := y[:n]
		y = y[n:]
		move(dst, b[o:int(o)+n])
		if !leaves {
			continue
		}
		old := s.node[int(fr.super)+c]
		for k := p.Ptr[old]; k < p.Ptr[old+1]; k++ {
			pos := p.Ind[k]
			if !s.leaf[pos] {
				continue
			}
			if of := b[p.Off[pos]:p.Off[pos+1]]; of[0] != 0 || !zero(of) { // saves time where b has few entries, as for a column of an inverse
				subRows(dst, f.unit.Val[p.Pos[k]:p.Pos[k+1]], of)
			}
		}
	}
}

// zero reports whether all numbers of v are zero.
func zero(v []float64) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}

// forward does the part of L·D·y = b that belongs to a front. The terms of the rows
// below go to the parent in the memory of the update matrix.
func (w *worker) forward(fr *front) {
	f, s := w.f, w.f.Symbolic
	n, p, m := fr.ld(), int(fr.width), int(fr.below)
	pan := f.panels[fr.panel : fr.panel+int64(n*p)]
	x, below := w.x[:p], w.update(fr)[:m]
	w.load(fr, x)
	clear(below)
	for i := fr.kidHi - 1; i >= fr.kidLo; i-- {
		q := &s.fronts[s.kids[i]]
		u := w.update(q)[:q.below]
		for _, r := range s.runs[q.upLo:q.upHi] { // of pivots, or of rows below
			if dst := int(r.dst); dst < p {
				addTo(x[dst:dst+int(r.n)], u)
			} else {
				addTo(below[dst-p:dst-p+int(r.n)], u)
			}
			u = u[r.n:]
		}
	}
	if fr.held {
		move(f.x[fr.first:], x)
		return
	}
	kernel.SolveLower(x, pan, n, p)
	if m > 0 {
		kernel.SubMul(below, pan[p:], n, m, p, x)
	}
	y := f.x[fr.first : int(fr.first)+p]
	dinv := f.dinv[fr.first : int(fr.first)+p]
	even, odd := 0.0, 0.0 // sums that do not wait for each other
	i := 0
	for ; i+2 <= p; i += 2 {
		u, v := x[i], x[i+1]
		d, e := dinv[i], dinv[i+1]
		y[i], y[i+1] = u*d, v*e
		even += u * u * math.Abs(d)
		odd += v * v * math.Abs(e)
	}
	if i < p {
		y[i] = x[i] * dinv[i]
		even += x[i] * x[i] * math.Abs(dinv[i])
	}
	w.energy += even + odd
}

// solution says what the backward half of a solve is to compute.
type solution struct {
	x     []float64 // receives the solution, but for nodes without neighbours; see add
	b     []float64 // right side, for the leaves and for r
	r     []float64 // receives b − K·x in the rows of −1 nodes that are not open, unless it is nil
	begun bool      // start from the last rows of the panels, not from the core vector
	add   bool      // add to x the solution for a right side that is zero in the leaves
}

// backwardTasks is the job of backward below the top.
type backwardTasks Factor

// Do solves for one task.
func (e *backwardTasks) Do(worker, task int) {
	f := (*Factor)(e)
	w, t := f.workers[worker], f.Symbolic.tasks[task]
	stop := f.watch
	for k := t.hi - 1; k >= t.lo && !stop.Up(); k-- {
		if k-ahead >= t.lo && f.Symbolic.panels > farPanels {
			w.fetch(&f.Symbolic.fronts[k-ahead])
		}
		w.backward(&f.Symbolic.fronts[k])
	}
}

// backward finishes a solve: it solves Lᵀ·x = y in the core, and then finds the leaves from the core. It returns two norms of
// +1 nodes with neighbours: the largest norm that it has stored or added in a node, and
// the largest norm of a node in to.x afterwards.
func (f *Factor) backward(to solution) (step, size float64) {
	f.to = to
	return f.sweepBack()
}

// sweepBack is backward for f.to.
func (f *Factor) sweepBack() (step, size float64) {
	s := f.Symbolic
	for _, w := range f.workers {
		w.step, w.size = 0, 0
	}
	for i := len(s.top) - 1; i >= 0 && !f.watch.Up(); i-- {
		f.workers[0].backward(&s.fronts[s.top[i]])
	}
	f.team.Run(len(s.tasks), (*backwardTasks)(f))
	for _, w := range f.workers {
		step, size = max(step, w.step), max(size, w.size)
	}
	return math.Sqrt(step), math.Sqrt(size)
}

// A front is fetched into the caches ahead fronts before it is used. In solves this saves time if
// the panels have more than farPanels scalars, which do not fit in the caches of a core. In
// Factorize, which goes upwards, it saves time only for larger factors.
const (
	ahead     = 4
	farPanels = 1 << 18
)

// fetch brings the panel and the blocks of leaves of a front into the caches, for backward. It begins at the end of both,
// as backward takes fronts in decreasing order.
func (w *worker) fetch(fr *front) {
	f, s := w.f, w.f.Symbolic
	kernel.PrefetchDown(f.panels[fr.panel : fr.panel+int64(fr.ld())*int64(fr.width)])
	for i := fr.leafHi - 1; i >= fr.leafLo; i-- {
		l := &s.leaves[i]
		for k := l.hi - 1; k >= l.lo; k-- {
			b := &s.blocks[k]
			kernel.PrefetchDown(f.unit.Val[b.W : b.W+int64(b.N)*int64(l.size)])
		}
	}
}

// fetchLeaves brings the blocks of the leaves of a front into the caches.
func (w *worker) fetchLeaves(fr *front) {
	f, s := w.f, w.f.Symbolic
	for i := fr.leafLo; i < fr.leafHi; i++ {
		l := &s.leaves[i]
		for k := l.lo; k < l.hi; k++ {
			b := &s.blocks[k]
			kernel.Prefetch(f.unit.Val[b.W : b.W+int64(b.N)*int64(l.size)])
		}
	}
}

// backward does the part of Lᵀ·x = y that belongs to a front, and finds the solution in its leaves.
func (w *worker) backward(fr *front) {
	f, s := w.f, w.f.Symbolic
	n, p, m := fr.ld(), int(fr.width), int(fr.below)
	pan := f.panels[fr.panel : fr.panel+int64(n*p)]
	x := w.x[:n-1]
	y := x[:p]
	gather(x[p:], f.x, s.runs[fr.rowLo:fr.rowHi])
	if fr.held {
		w.storeGiven(fr, x)
		return
	}
	if f.to.begun {
		at := n - 1
		for i := range y {
			y[i] = pan[at]
			at += n
		}
	} else {
		copy(y, f.x[fr.first:])
	}
	if m > 0 {
		kernel.SubMulT(y, pan[p:], n, m, p, x[p:])
	}
	kernel.SolveLowerT(y, pan, n, p)
	move(f.x[fr.first:], y)
	if fr.quick.has(rowsAlone) {
		w.storeRows(fr, y)
	} else {
		w.storeCore(fr, y)
	}
	for i := fr.leafLo; i < fr.leafHi; i++ {
		w.storeLeaf(&s.leaves[i], x)
	}
}

// storeCore stores or adds y, the solution of the pivots of a front, in the solution. In the residuals of −1 nodes that are not open it
// stores the right side; storeLeaf subtracts the rest.
func (w *worker) storeCore(fr *front, y []float64) {
	s, to := w.f.Symbolic, &w.f.to
	for c := fr.super; c < fr.last; c++ {
		n := int(s.off[c+1] - s.off[c])
		dst := to.x[s.oldOff[c] : int(s.oldOff[c])+n]
		v := y[:n]
		y = y[n:]
		if to.add {
			addTo(dst, v)
		} else {
			move(dst, v)
		}
		if s.sign[c] > 0 {
			w.step = larger(w.step, square(v))
			w.size = larger(w.size, square(dst))
		} else if to.r != nil && !s.open[c] {
			move(to.r[s.oldOff[c]:], to.b[s.oldOff[c]:int(s.oldOff[c])+n])
			w.f.square[c] = 0
		}
	}
}

// storeRows is storeCore for a front whose nodes all have sign −1.
func (w *worker) storeRows(fr *front, y []float64) {
	f, s, to := w.f, w.f.Symbolic, &w.f.to
	x, r, b := to.x, to.r, to.b
	off, open, square := s.off[fr.super:fr.last+1], s.open[fr.super:fr.last], f.square[fr.super:fr.last]
	for c, o := range s.oldOff[fr.super:fr.last] {
		n := int(off[c+1] - off[c])
		if to.add {
			addTo(x[o:int(o)+n], y)
		} else {
			move(x[o:], y[:n])
		}
		y = y[n:]
		if r != nil && !open[c] {
			square[c] = 0
			if n == 3 {
				*(*[3]float64)(r[o:]) = *(*[3]float64)(b[o:])
			} else {
				move(r[o:], b[o:int(o)+n])
			}
		}
	}
}

// larger returns the larger one of m and q, or NaN if one of them is.
func larger(m, q float64) float64 {
	if !(q <= m) && m == m {
		return q
	}
	return m
}

// storeLeaf stores the solution of a leaf, x = b − Wᵀ·y, or adds −Wᵀ·y to it, with y the solution in the rows of its front. It
// subtracts W·x from the residuals of the neighbours that are not open, and adds ‖x‖² to their squares.
func (w *worker) storeLeaf(l *leaf, y []float64) {
	f, s, to := w.f, w.f.Symbolic, &w.f.to
	k := int(l.size)
	blocks := s.blocks[l.lo:l.hi]
	dst := to.x[l.first : int(l.first)+k]
	switch {
	case k == 6 && to.add:
		step, size := kernel.CorrectLeaf(dst, f.unit.Val, y, to.r, f.square, blocks)
		w.step, w.size = larger(w.step, step), larger(w.size, size)
		return
	case k == 6:
		q := kernel.SolveLeaf(dst, to.b[l.first:int(l.first)+k], f.unit.Val, y, to.r, f.square, blocks)
		w.step, w.size = larger(w.step, q), larger(w.size, q)
		return
	}
	q := w.storeNarrow(dst, to.b[l.first:int(l.first)+k], y, blocks)
	w.size = larger(w.size, q)
	if to.r == nil {
		return
	}
	subBlocks(to.r, f.unit.Val, dst, blocks)
	for i := range blocks {
		if b := &blocks[i]; b.Res >= 0 {
			f.square[b.Node] += q
		}
	}
}

// storeNarrow stores the solution dst of a leaf with fewer than six unknowns, or adds to it, as storeLeaf does. It returns ‖dst‖²
// afterwards and leaves residuals alone.
func (w *worker) storeNarrow(dst, b, y []float64, blocks []kernel.Block) float64 {
	f := w.f
	var buf [sparse.MaxBlock]float64
	v := dst
	if f.to.add {
		v = buf[:len(dst)]
	} else {
		move(v, b)
	}
	subNarrowT(v, f.unit.Val, y, blocks)
	q := square(v)
	w.step = larger(w.step, q)
	if f.to.add {
		addTo(dst, v)
		q = square(dst)
	}
	return q
}

// gather copies the rows src[run.dst:] of each run, one run after the other, to dst.
func gather(dst, src []float64, runs []run) {
	for _, r := range runs {
		move(dst, src[r.dst:r.dst+r.n])
		dst = dst[r.n:]
	}
}

// move copies src to dst number by number. copy would read several numbers at once, and such a
// read waits until the writes of all of them have reached the cache. A read of one number that
// has just been written does not wait.
func move(dst, src []float64) {
	dst = dst[:len(src)]
	//lint:ignore S1001 copy reads several numbers at once
	for i, v := range src {
		dst[i] = v
	}
}

// addTo adds the first numbers of src to dst.
func addTo(dst, src []float64) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] += src[i]
	}
}
