package factor

import (
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/team"
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

// Factor is the memory of one factorization K − Γ = L·D·Lᵀ, theory.md (15), with Γ the diagonal
// of the proximal terms. A Factor belongs to one goroutine at a time; it may use others.
type Factor struct {
	heeds

	Symbolic *Symbolic
	Tally

	panels   []float64 // L by fronts
	dinv     []float64 // core: reciprocals of the pivots
	x        []float64 // core: vector of the solves
	hand     []float64 // update matrices of tasks, for the top
	workers  []*worker
	results  []Tally   // by task
	energies []float64 // by task: of forward
	team     *team.Team

	unit    *sparse.Matrix // the matrix with unit +1 blocks: the one given, or weight.m
	weight  *weighting     // of a matrix with +1 blocks; nil if none has come yet
	scale   []float64
	policy  Policy
	eps     float64
	b       []float64  // right side that is eliminated with the matrix; nil if there is none
	ok      bool       // there is a factor
	runs    int        // of Factorize
	begun   bool       // the panels hold D⁻¹L⁻¹ of the right side too
	from    rightSide  // of forward
	to      solution   // of backward
	square  []float64  // core: Σ‖x‖² of the neighbours of a −1 node that is not open
	slow    *conjugate // nil if it has not been needed
	parts   []float64  // of SetParts
	shares  []share    // of SetShares; nil if there are none
	given   []float64  // solution of the held rows, of backward
	weak    []bool     // core: rows whose proximal term was used; nil unless TrackWeak has been called
	check   equation   // of residual
	checked []checked  // by task of residual
}

// Tally is what Factorize has seen of the pivots.
type Tally struct {
	Corrected int // pivots that rounding gave the wrong sign or size
	Weak      int // rows of sign −1 whose proximal term was used
	// Contraction estimates how much of the error one refinement leaves, theory.md (20): the
	// largest ratio of a proximal term to its pivot, redundant rows left out.
	Contraction float64

	bad  int     // original scalar of the pivot that ended the factorization, −1 if none has
	lost float64 // that pivot
}

// add adds what another part of the matrix has shown. The first bad pivot stays.
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
	stack  []float64 // update matrices that are not handed to the top, column-major, lower
	ld     []float64 // L·D of the current panel, and W of a leaf
	leaf   []float64 // update matrix of a leaf
	limit  []float64 // of the current pivots: a pivot above it is not taken as it is
	shift  []float64 // of the current pivots: the term of a pivot above its limit, NaN if it gets none
	x      []float64 // rows of one front in the solves
	energy float64   // yᵀ·|D|·y of what forward has stored
	step   float64   // largest ‖·‖² of a +1 node that the last backward stored or added
	size   float64   // largest ‖·‖² of what was in a +1 node afterwards

	_ [apart]float64
}

// apart is how many numbers there are between what one worker writes all the time and what another does: two lines of the
// cache, which processors fetch together. Without them solves of 1000 bodies on two goroutines take longer than on one.
const apart = 16

// scratch allocates n numbers for one worker.
func scratch[N int | int64](n N) []float64 { return pages.Make[float64](n + apart)[:n] }

// Policy says which rows of sign −1 get their proximal term.
type Policy uint8

// The policies.
const (
	// WhereWeak puts the whole scale of a row on its diagonal if the pivot without it is below
	// weakPivot·eps·scale. Other rows get nothing. Suppose that the weak rows are exactly the
	// redundant ones. Then their multipliers come out as zero, all other rows are eliminated
	// exactly, and one solve is right up to rounding.
	WhereWeak Policy = iota
	// Everywhere puts eps·scale on the diagonal of all rows. How a pivot changes with eps then
	// tells whether its row is redundant, however long the loop.
	Everywhere
)

// weakPivot is the ratio of a pivot to eps·scale above which the pivot stands without proximal
// term. Where the rows of one loop differ widely in scale, rounding makes pivots of redundant
// rows up to the size of eps·scale.
const weakPivot = 1e3

// NewFactor allocates everything a factorization of s needs.
func (s *Symbolic) NewFactor() *Factor { return s.NewFactorOn(nil) }

// NewFactorOn is NewFactor for a factor that works with a team. The results have
// the same bits for every team.
func (s *Symbolic) NewFactorOn(t *team.Team) *Factor {
	if s == nil || s.Pattern == nil {
		panic("factor: zero Symbolic; use Analyze")
	}
	core := int(s.off[len(s.node)])
	f := &Factor{
		Symbolic: s,
		panels:   pages.Make[float64](s.panels),
		dinv:     pages.Make[float64](core),
		x:        pages.Make[float64](core),
		hand:     pages.Make[float64](s.hand),
		square:   make([]float64, len(s.node)),
		results:  make([]Tally, len(s.tasks)),
		energies: make([]float64, len(s.tasks)),
		checked:  make([]checked, (len(s.node)+residualNodes-1)/residualNodes),
		team:     t,
	}
	for range t.Workers() {
		f.workers = append(f.workers, &worker{
			f:     f,
			stack: scratch(s.stack),
			leaf:  scratch(s.maxLeaf * (s.maxLeaf + 1)),
			ld:    scratch(max(s.maxPanel, s.maxSpread, sparse.MaxBlock*(s.maxLeaf+1))),
			limit: scratch(s.maxWidth),
			shift: scratch(s.maxWidth),
			x:     scratch(s.maxRows),
		})
	}
	return f
}

// mustBe panics unless f has been made by NewFactor.
func (f *Factor) mustBe() {
	if f == nil || f.Symbolic == nil {
		panic("factor: zero Factor; use Symbolic.NewFactor")
	}
}

// Runs returns how often f has been factored. Who shares f with others can tell by it whether
// the factor is still the one that it knows.
func (f *Factor) Runs() int { return f.runs }

// Factorize computes L and D of m − Γ, theory.md (15). Γ is a diagonal in the rows of sign −1,
// made of scale and eps by policy. A row of scale zero has no term under any policy.
//
// A pivot is lost to rounding if it comes out positive, or smaller in magnitude than half its
// term (a quarter under WhereWeak). It is then set to minus the term and counted in Corrected.
//
// Shapes: m has the pattern of f.Symbolic and stays as it is while the factor is used; scale, not
// negative, has Dim entries in the original order, those of +1 rows unused; 0 < eps ≤ 1.
// Cost: f.Symbolic.Counts.Flops, no allocation (but once for a matrix whose +1 blocks are not units).
// It returns a *PivotError if a +1 block is not positive definite, a −1 row without term is not
// negative, or a value is not finite; the factor is then invalid. It panics on a foreign
// pattern or a length mismatch.
func (f *Factor) Factorize(m *sparse.Matrix, scale []float64, eps float64, policy Policy) error {
	return f.FactorizeFor(nil, m, scale, eps, policy)
}

// FactorizeFor is Factorize with b as one more row of the matrix. The next solve for the same b
// then has only its backward half left to do. b is kept, and must not change until then. The
// row is left out if b is nil or the +1 blocks are not units.
func (f *Factor) FactorizeFor(b []float64, m *sparse.Matrix, scale []float64, eps float64, policy Policy) error {
	f.mustBe()
	s := f.Symbolic
	if m == nil || m.Pattern != s.Pattern {
		panic("factor: foreign pattern")
	}
	if len(scale) != s.Pattern.Dim() || b != nil && len(b) != s.Pattern.Dim() {
		panic("factor: length mismatch")
	}
	if checks {
		assertInput(m, scale, eps, policy)
	}
	f.ok, f.begun = false, false
	f.runs++
	f.Tally = Tally{bad: -1}
	f.scale, f.policy, f.eps = scale, policy, eps
	f.unit, f.b = m, b
	if m.Dia != nil {
		if f.weight == nil {
			f.weight = newWeighting(s.Pattern)
		}
		if err := f.weight.set(m, f.watch); err != nil {
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
		for _, k := range s.top {
			if w.front(&s.fronts[k]); w.bad >= 0 || f.watch.Up() {
				break
			}
		}
		f.Tally.add(&w.Tally)
	}
	if f.watch.Up() {
		return f.watch.Err()
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
	w, t := f.workers[worker], f.Symbolic.tasks[task]
	w.Tally = Tally{bad: -1}
	stop := f.watch.Flag()
	for k := t.lo; k < t.hi && w.bad < 0 && !stop.Up(); k++ {
		if k+ahead < t.hi && f.Symbolic.panels > 4*farPanels {
			w.fetchLeaves(&f.Symbolic.fronts[k+ahead])
		}
		w.front(&f.Symbolic.fronts[k])
	}
	f.results[task] = w.Tally
}

// pivotError builds the error for the bad pivot.
func (f *Factor) pivotError() error {
	off := f.Symbolic.Pattern.Off
	node, _ := slices.BinarySearch(off, int32(f.bad)+1)
	node--
	return &PivotError{Node: node, Row: f.bad - int(off[node]), Value: f.lost}
}

// front assembles and eliminates one front.
func (w *worker) front(fr *front) {
	f, s := w.f, w.f.Symbolic
	n, p, m := fr.ld(), int(fr.width), int(fr.below)
	pan := f.panels[fr.panel : fr.panel+int64(n*p)]
	upd := w.update(fr)
	switch {
	case len(pan)+len(upd) <= stopClear:
		clear(pan)
		clear(upd)
	case !w.clearLarge(pan) || !w.clearLarge(upd):
		return
	}
	w.scatter(fr, pan, n)
	d := dest{pan, upd, n, p, m + 1}
	for i := fr.kidHi - 1; i >= fr.kidLo; i-- {
		q := &s.fronts[s.kids[i]]
		w.add(&d, w.update(q), int(q.below)+1, s.runs[q.upLo:q.upHi])
	}
	w.addLeaves(fr, &d)
	if f.shares != nil {
		w.addShares(fr, &d)
	}
	if fr.held {
		return
	}
	w.eliminate(fr, pan, n)
	switch {
	case w.bad >= 0 || m == 0:
	case m > stopRows:
		w.subtract(upd, m+1, pan[p:], w.ld[p:], n, m+1, m, p)
	default:
		kernel.Update(upd, m+1, pan[p:], n, w.ld[p:], n, m+1, m, p)
	}
}

// update returns the memory of the update matrix of a front.
func (w *worker) update(fr *front) []float64 {
	if fr.handed {
		return w.f.hand[fr.update:][:fr.updateSize()]
	}
	return w.stack[fr.update:][:fr.updateSize()]
}

// scatter adds to a panel of n rows the blocks between −1 and +1 nodes of the
// core, the unit blocks of the latter, and the right side as last row.
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

// at returns the front from element (i, j) on, i ≥ j, and its leading dimension.
func (d *dest) at(i, j int) ([]float64, int) {
	if j < d.w {
		return d.pan[j*d.n+i:], d.n
	}
	return d.upd[(j-d.w)*d.m+i-d.w:], d.m
}

// add adds the lower triangle of u to a front. u is column-major, with m rows and one column
// less. runs say which rows of the front its rows go to; the last row, of the right side, goes
// to the last. No run is part pivot, part not.
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

// addLeaves adds −W·Wᵀ of the leaves of a front, theory.md (17), and −W·b.
func (w *worker) addLeaves(fr *front, d *dest) {
	f, s := w.f, w.f.Symbolic
	if fr.spread {
		// Few rows: the leaves side by side, spread over all rows of the front.
		leaves := s.leaves[fr.leafLo:fr.leafHi]
		t := w.ld[:int(fr.columns)*d.n]
		clear(t)
		for i := range leaves {
			l := &leaves[i]
			w.spreadTo(t, d.n, l, true)
			t = t[int(l.size)*d.n:]
		}
		w.addProduct(d, 0, w.ld, d.n, d.n, int(fr.columns))
		return
	}
	for i := fr.leafLo; i < fr.leafHi && !f.watch.Every(int(i-fr.leafLo)); i++ {
		w.addLeaf(d, &s.leaves[i])
	}
}

// addProduct subtracts T·Tᵀ from the last m rows of a front, which begin at row r;
// T is m×k, column-major, its last row that of the right side.
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

// addLeaf adds −W·Wᵀ of one leaf, and −W·b.
func (w *worker) addLeaf(d *dest, l *leaf) {
	m, k := int(l.rows)+1, int(l.size)
	t := w.ld[:m*k] // W and bᵀ, column-major
	runs := w.f.Symbolic.runs[l.up:l.to]
	w.spreadTo(t, m, l, false)
	if r := int(runs[0].dst); r+m == d.w+d.m {
		w.addProduct(d, r, t, m, m, k) // the rows are the last of the front
		return
	}
	u := w.leaf[:m*(m-1)]
	clear(u)
	w.subtract(u, m, t, t, m, m, m-1, k)
	w.add(d, u, m, runs)
}

// spreadTo stores W of a leaf in the columns of t, which has n rows. If spread, its rows are
// the rows of the front; else they follow each other. The leaf's right side is in the last row.
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

// eliminate factors the panel of a front with n rows.
func (w *worker) eliminate(fr *front, pan []float64, n int) {
	p := int(fr.width)
	dinv := w.f.dinv[fr.first : int(fr.first)+p]
	limit := w.limit[:p]
	w.limits(fr, limit)
	ld, shift := w.ld[:n*p], w.shift[:p]
	repaired := 0
	for q := 0; ; repaired++ {
		if n > widePanel {
			q = w.panelLarge(fr, pan, n, q)
		} else {
			q = kernel.Panel(pan, n, n, p, q, ld, n, dinv, limit, shift)
		}
		if q == p {
			break
		}
		v, ok := w.pivot(fr, q, pan[q*n+q])
		if !ok {
			w.bad, w.lost = w.original(fr, q), v
			return
		}
		pan[q*n+q], limit[q] = v, math.Inf(1)
	}
	if n > widePanel && w.f.watch.Up() {
		return
	}
	for i, d := range dinv {
		if d == 0 || d-d != 0 {
			w.bad, w.lost = w.original(fr, i), pan[i*n+i]
			return
		}
		if limit[i] > 0 { // infinite: the kernel has added the term, or pivot has decided
			w.Weak++
		}
	}
	if w.f.weak != nil {
		weak := w.f.weak[fr.first:]
		for i, l := range limit {
			weak[i] = l > 0 && w.f.policy == WhereWeak
		}
	}
	w.Weak -= repaired // pivot has counted these
}

// pivot returns the pivot q of a front to use for its Schur complement v, and
// whether there is one.
func (w *worker) pivot(fr *front, q int, v float64) (float64, bool) {
	i := w.original(fr, q)
	if p := w.f.Symbolic.Pattern; i < int(p.Off[p.Positive()]) {
		return v, v > 0
	}
	v = w.jointPivot(v, w.f.scale[i])
	return v, v < 0
}

// original returns the original scalar of pivot q of a front.
func (w *worker) original(fr *front, q int) int {
	s := w.f.Symbolic
	c, i := fr.super, fr.first+int32(q)
	for s.off[c+1] <= i {
		c++
	}
	return int(s.oldOff[c] + i - s.off[c])
}

// tinyPivot is what a pivot of a row of scale zero has to exceed.
const tinyPivot = 1e-300

// limits stores two numbers for each pivot of a front. The limit is the value up to which
// kernel.Panel takes the pivot as it is: a −1 row with such a pivot is not weak. The shift is
// the term that kernel.Panel puts on a weak row.
func (w *worker) limits(fr *front, limit []float64) {
	f, s := w.f, w.f.Symbolic
	shift := w.shift[:len(limit)]
	weak := -weakPivot * f.eps
	i := 0
	for c := fr.super; c < fr.last; c++ {
		n := int(s.off[c+1] - s.off[c])
		scale := f.scale[s.oldOff[c]:][:n]
		lim, sh := limit[i:][:n], shift[i:][:n]
		if f.policy == WhereWeak && s.sign[c] < 0 {
			for k, d := range scale {
				lim[k], sh[k] = weak*d-tinyPivot, d
			}
		} else {
			for k := range scale {
				lim[k], sh[k] = math.Inf(-1), math.NaN()
			}
		}
		i += n
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
