package factor

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/internal/team"
	"github.com/rung-mbd/rung/sparse"
)

// PivotError says that a pivot has the wrong sign or is not finite.
type PivotError struct {
	Node  int     // node of the pattern
	Row   int     // row within the node
	Value float64 // the pivot
}

// Error describes the pivot.
func (e *PivotError) Error() string {
	return fmt.Sprintf("factor: pivot %d of node %d is %g", e.Row, e.Node, e.Value)
}

// Factor is the memory of one factorization K − E = L·D·Lᵀ, E the proximal
// diagonal. A Factor belongs to one goroutine at a time; it may use others.
type Factor struct {
	S *Symbolic
	Tally

	panels  []float64 // L by fronts
	dinv    []float64 // core: reciprocals of the pivots
	x       []float64 // core: vector of the solves
	hand    []float64 // update matrices of tasks, for the top
	workers []*worker
	results []Tally // by task
	team    *team.Team

	unit   *sparse.Matrix // the matrix with unit +1 blocks: the one given, or weight.m
	weight *weighting     // of a matrix with +1 blocks; nil if none has come yet
	scale  []float64
	policy Policy
	eps    float64
	b      []float64 // right side that is eliminated with the matrix; nil if there is none
	ok     bool      // there is a factor
	begun  bool      // and the panels hold D⁻¹L⁻¹ of the right side
	to     solution  // of backward
	check  equation  // of residual
}

// Tally is what Factorize has noticed of the pivots.
type Tally struct {
	Corrected int // pivots that rounding gave the wrong sign or size
	Weak      int // rows of sign −1 whose proximal term was used
	// Contraction estimates how much of the error one refinement leaves: the
	// largest ratio of a proximal term to its pivot, redundant rows left out.
	Contraction float64

	bad  int     // permuted scalar of the pivot that ended it, −1 if none has
	lost float64 // that pivot
}

// add adds what another part of the matrix has shown; the first bad pivot stays.
func (t *Tally) add(u *Tally) {
	t.Corrected += u.Corrected
	t.Weak += u.Weak
	t.Contraction = max(t.Contraction, u.Contraction)
	if t.bad < 0 {
		t.bad, t.lost = u.bad, u.lost
	}
}

// worker eliminates one front after the other.
type worker struct {
	f *Factor
	Tally
	stack []float64 // update matrices of children not yet used
	upd   []float64 // update matrix of the current front, column-major, lower
	ld    []float64 // L·D of the current panel, and W of a leaf
	leaf  []float64 // update matrix of a leaf
	limit []float64 // of the current pivots: above it they are not taken as they are
	x     []float64 // rows of one front in the solves
	size  float64   // largest magnitude stored in +1 rows by the last backward
	worst float64   // of the last residual
}

// Policy says which rows of sign −1 get their proximal term.
type Policy uint8

// The policies.
const (
	// WhereWeak puts the whole scale of a row on its diagonal if the pivot without
	// it is below weakPivot·eps·scale, and nothing elsewhere. If the weak rows are
	// exactly the redundant ones, their multipliers come out as zero, all other
	// rows are eliminated exactly, and one solve is right up to rounding.
	WhereWeak Policy = iota
	// Everywhere puts eps·scale on the diagonal of all rows, so that a pivot's
	// answer to a change of eps tells whether its row is redundant, however long
	// the loop.
	Everywhere
)

// weakPivot is the ratio of a pivot to eps·scale above which the pivot stands
// without proximal term. Rounding makes pivots of redundant rows up to the size
// of eps·scale where the rows of one loop differ widely in scale.
const weakPivot = 1e3

// NewFactor allocates everything a factorization of s needs.
func (s *Symbolic) NewFactor() *Factor { return s.NewFactorOn(nil) }

// NewFactorOn is NewFactor for a factor that works with a team. The results have
// the same bits for every team.
func (s *Symbolic) NewFactorOn(t *team.Team) *Factor {
	core := int(s.off[len(s.node)])
	f := &Factor{
		S:       s,
		panels:  make([]float64, s.panels),
		dinv:    make([]float64, core),
		x:       make([]float64, core),
		hand:    make([]float64, s.hand),
		results: make([]Tally, len(s.tasks)),
		team:    t,
	}
	for range t.Workers() {
		f.workers = append(f.workers, &worker{
			f:     f,
			stack: make([]float64, s.stack),
			upd:   make([]float64, s.maxUpdate),
			leaf:  make([]float64, s.maxLeaf*(s.maxLeaf+1)),
			ld:    make([]float64, max(s.maxPanel, sparse.MaxBlock*(s.maxLeaf+1))),
			limit: make([]float64, s.maxWidth),
			x:     make([]float64, s.maxRows),
		})
	}
	return f
}

// Factorize computes L and D of m − E, where E is a diagonal in the rows of
// sign −1 made of scale and eps by policy. A row of scale zero has no term under
// any policy.
//
// A pivot that comes out smaller in magnitude than half its term, or positive,
// has been lost to rounding; it is set to minus the term and counted in
// Corrected.
//
// Shapes: m has the pattern of f.S and stays as it is while the factor is used;
// scale, not negative, has Dim entries in the
// original order, those of +1 rows unused; 0 < eps ≤ 1.
// Cost: f.S.Counts.Flops, no allocation (but once for a matrix whose +1 blocks
// are not units). It returns a *PivotError if a +1
// block is not positive definite, a −1 row without term is not negative, or a
// value is not finite; the factor is then invalid. It panics on a foreign
// pattern or a length mismatch.
func (f *Factor) Factorize(m *sparse.Matrix, scale []float64, eps float64, policy Policy) error {
	return f.FactorizeFor(nil, m, scale, eps, policy)
}

// FactorizeFor is Factorize that eliminates in the right side b too, so that half
// of the next solve is done if that is for the same b, which is kept and must not
// change until then. A nil b leaves that out, as do +1 blocks that are not units.
func (f *Factor) FactorizeFor(b []float64, m *sparse.Matrix, scale []float64, eps float64, policy Policy) error {
	s := f.S
	if m.P != s.P {
		panic("factor: foreign pattern")
	}
	if len(scale) != s.P.Dim() || b != nil && len(b) != s.P.Dim() {
		panic("factor: length mismatch")
	}
	if checks {
		assertInput(m, scale, eps, policy)
	}
	f.ok, f.begun = false, false
	f.Tally = Tally{bad: -1}
	f.scale, f.policy, f.eps = scale, policy, eps
	f.unit, f.b = m, b
	if m.Dia != nil {
		if f.weight == nil {
			f.weight = newWeighting(s.P)
		}
		if err := f.weight.set(m); err != nil {
			return err
		}
		f.unit, f.b = f.weight.m, nil
	}
	f.team.Run(len(s.tasks), (*eliminateTasks)(f))
	for i := range f.results {
		f.Tally.add(&f.results[i])
	}
	if f.bad < 0 {
		w := f.workers[0]
		w.Tally = Tally{bad: -1}
		top := 0
		for _, k := range s.top {
			if top = w.front(&s.fronts[k], top); w.bad >= 0 {
				break
			}
		}
		f.Tally.add(&w.Tally)
	}
	if f.bad >= 0 {
		return f.pivotError()
	}
	f.ok, f.begun = true, f.b != nil
	return nil
}

// eliminateTasks is the job of Factorize below the top.
type eliminateTasks Factor

// Do eliminates the fronts of one task.
func (e *eliminateTasks) Do(worker, task int) {
	f := (*Factor)(e)
	w, t := f.workers[worker], f.S.tasks[task]
	w.Tally = Tally{bad: -1}
	top := 0
	for k := t.lo; k < t.hi && w.bad < 0; k++ {
		top = w.front(&f.S.fronts[k], top)
	}
	f.results[task] = w.Tally
}

// pivotError builds the error for the bad pivot.
func (f *Factor) pivotError() error {
	s := f.S
	c := 0
	for int(s.off[c+1]) <= f.bad {
		c++
	}
	return &PivotError{Node: int(s.node[c]), Row: f.bad - int(s.off[c]), Value: f.lost}
}

// front assembles and eliminates one front: its children's update matrices leave
// the stack, on which top scalars are in use, and its own is pushed or handed to
// the top. It returns the new top.
func (w *worker) front(fr *front, top int) int {
	f, s := w.f, w.f.S
	n, p, m := fr.ld(), int(fr.width), int(fr.below)
	pan := f.panels[fr.panel : fr.panel+int64(n*p)]
	upd := w.upd[:m*(m+1)]
	clear(pan)
	clear(upd)
	w.scatter(fr, pan, n)
	d := dest{pan, upd, n, p, m + 1}
	for i := fr.kidHi - 1; i >= fr.kidLo; i-- { // the last child is on top
		q := &s.fronts[s.kids[i]]
		u := f.hand
		if at := q.update(); q.hand < 0 {
			top -= at
			u = w.stack[top : top+at]
		} else {
			u = u[q.hand : q.hand+int64(at)]
		}
		d.add(u, int(q.below)+1, s.runs[q.upLo:q.upHi])
	}
	for i := fr.leafLo; i < fr.leafHi; i++ {
		w.addLeaf(&d, &s.leaves[i])
	}
	w.eliminate(fr, pan, n)
	if w.bad >= 0 || m == 0 {
		return top
	}
	kernel.Update(upd, m+1, pan[p:], n, w.ld[p:], n, m+1, m, p)
	if fr.hand >= 0 {
		copy(f.hand[fr.hand:], upd)
		return top
	}
	return top + copy(w.stack[top:], upd)
}

// scatter adds to a panel of n rows the blocks between joints and bodies of the
// core, the unit blocks of these bodies, and the right side as last row.
func (w *worker) scatter(fr *front, pan []float64, n int) {
	f, s := w.f, w.f.S
	for c := fr.super; c < fr.last; c++ {
		i := int(s.off[c] - fr.first)
		size := int(s.off[c+1] - s.off[c])
		if f.b != nil {
			for k, v := range f.b[s.oldOff[c] : int(s.oldOff[c])+size] {
				pan[(i+k)*n+n-1] = v
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
		src := f.unit.Val[e.src : e.src+int64(nr*nc)]
		byRow, byCol := nc, 1
		if e.trans {
			byRow, byCol = 1, nr
		}
		for b := range nc {
			dst := pan[(int(e.col)+b)*n+int(e.row):]
			for a := range nr {
				dst[a] = src[a*byRow+b*byCol]
			}
		}
	}
}

// dest is the front that update matrices are added to: a panel of n rows and w
// pivots, and the update matrix of the m rows below them. The last of the rows
// belongs to the right side.
type dest struct {
	pan, upd []float64
	n, w, m  int
}

// column returns column j of the front from row j on.
func (d *dest) column(j int) []float64 {
	if j < d.w {
		return d.pan[j*d.n+j : (j+1)*d.n]
	}
	j -= d.w
	return d.upd[j*d.m+j : (j+1)*d.m]
}

// add adds the lower triangle of u, column-major of m rows and one column less,
// whose rows go to the rows of the front that runs tell, the last to the last.
func (d *dest) add(u []float64, m int, runs []run) {
	j := 0 // column of u
	for i, r := range runs {
		for c := range int(r.n) {
			dst := d.column(int(r.dst) + c)
			src := u[j*m+j : (j+1)*m]
			j++
			n := int(r.n) - c
			addTo(dst[:n], src)
			for _, q := range runs[i+1:] {
				src = src[n:]
				n = int(q.n)
				o := int(q.dst-r.dst) - c
				addTo(dst[o:o+n], src)
			}
			dst[len(dst)-1] += src[n]
		}
	}
}

// addTo adds src to dst; len(src) ≥ len(dst).
func addTo(dst, src []float64) {
	src = src[:len(dst)]
	for i, x := range src {
		dst[i] += x
	}
}

// addLeaf adds −W·Wᵀ of one leaf, and −W·b.
func (w *worker) addLeaf(d *dest, l *leaf) {
	f, s := w.f, w.f.S
	m, k := int(l.rows)+1, int(l.size)
	t := w.ld[:m*k] // W and bᵀ, column-major
	o := 0
	for i := l.lo; i < l.hi; i++ {
		b := &s.blocks[i]
		n := int(b.rows)
		transpose(t[o:], m, f.unit.Val[b.src:b.src+int64(n*k)], n, k)
		o += n
	}
	for i := range k {
		if t[i*m+o] = 0; f.b != nil {
			t[i*m+o] = f.b[int(l.first)+i]
		}
	}
	runs := s.runs[l.up:l.to]
	if r := int(runs[0].dst); len(runs) == 1 && r+m == d.w+d.m {
		// The rows are the last of the front: straight into it.
		c := min(o, max(0, d.w-r)) // columns that are pivots
		if c > 0 {
			kernel.Update(d.pan[r*d.n+r:], d.n, t, m, t, m, m, c, k)
		}
		if c < o {
			r += c - d.w
			kernel.Update(d.upd[r*d.m+r:], d.m, t[c:], m, t[c:], m, m-c, o-c, k)
		}
		return
	}
	u := w.leaf[:m*o]
	clear(u)
	kernel.Update(u, m, t, m, t, m, m, o, k)
	d.add(u, m, runs)
}

// transpose stores the n×k row-major block src in dst, column-major with leading
// dimension ld.
func transpose(dst []float64, ld int, src []float64, n, k int) {
	if k == 6 {
		for i := range n {
			q := (*[6]float64)(src[6*i:])
			d := dst[i : 5*ld+i+1]
			d[0], d[ld], d[2*ld], d[3*ld], d[4*ld], d[5*ld] = q[0], q[1], q[2], q[3], q[4], q[5]
		}
		return
	}
	for i := range n {
		for j := range k {
			dst[j*ld+i] = src[i*k+j]
		}
	}
}

// eliminate factors the panel of a front with n rows.
func (w *worker) eliminate(fr *front, pan []float64, n int) {
	f, p := w.f, int(fr.width)
	dinv := f.dinv[fr.first : int(fr.first)+p]
	limit := w.limit[:p]
	w.limits(fr, limit)
	ld := w.ld[:n*p]
	for q := kernel.Panel(pan, n, n, p, 0, ld, n, dinv, limit); q < p; {
		v, ok := w.pivot(fr, q, pan[q*n+q])
		if !ok {
			w.bad, w.lost = int(fr.first)+q, v
			return
		}
		pan[q*n+q], limit[q] = v, math.Inf(1)
		q = kernel.Panel(pan, n, n, p, q, ld, n, dinv, limit)
	}
	for i, d := range dinv {
		if d == 0 || d-d != 0 {
			w.bad, w.lost = int(fr.first)+i, pan[i*n+i]
			return
		}
	}
}

// pivot returns the pivot q of a front to use for its Schur complement v, and
// whether there is one.
func (w *worker) pivot(fr *front, q int, v float64) (float64, bool) {
	s := w.f.S
	c, i := fr.super, fr.first+int32(q)
	for s.off[c+1] <= i {
		c++
	}
	if s.sign[c] > 0 {
		return v, v > 0
	}
	v = w.jointPivot(v, w.f.scale[s.oldOff[c]+i-s.off[c]])
	return v, v < 0
}

// tinyPivot is what a pivot of a row of scale zero has to exceed.
const tinyPivot = 1e-300

// limits sets the pivots up to which kernel.Panel takes them as they are: those
// of −1 rows that are not weak.
func (w *worker) limits(fr *front, limit []float64) {
	f, s := w.f, w.f.S
	if f.policy == Everywhere {
		for i := range limit {
			limit[i] = math.Inf(-1)
		}
		return
	}
	i := 0
	for c := fr.super; c < fr.last; c++ {
		for _, d := range f.scale[s.oldOff[c] : s.oldOff[c]+s.off[c+1]-s.off[c]] {
			limit[i] = -weakPivot*f.eps*d - tinyPivot
			if s.sign[c] > 0 {
				limit[i] = math.Inf(-1)
			}
			i++
		}
	}
}

// redundantPivot is the ratio of a pivot to its proximal term below which the
// row counts as redundant when the contraction of refinement is estimated.
const redundantPivot = 10

// jointPivot returns the pivot of a −1 row from its Schur complement p and its
// scale.
func (w *worker) jointPivot(p, scale float64) float64 {
	f := w.f
	e := f.eps * scale
	if f.policy == WhereWeak {
		if -p > weakPivot*e {
			return p
		}
		e = scale
	}
	if e == 0 {
		return p
	}
	w.Weak++
	p -= e
	switch {
	case p > -0.5*e:
		w.Corrected++
		return -e
	case f.policy == Everywhere && e > -p*w.Contraction && -p > redundantPivot*e:
		w.Contraction = -e / p
	}
	return p
}
