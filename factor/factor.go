package factor

import (
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
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
	marks
	sweeps
	residuals

	Symbolic *Symbolic
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
	b      []float64  // right side that is eliminated with the matrix; nil if there is none
	ok     bool       // there is a factor
	runs   int        // of Factorize
	begun  bool       // the panels hold D⁻¹L⁻¹ of the right side too
	square []float64  // core: Σ‖x‖² of the neighbours of a −1 node that is not open
	slow   *conjugate // nil if it has not been needed
	exact  *exact     // nil if it has not been needed
	shares []share    // of SetShares; nil if there are none
}

// sweeps is the memory of the tasks of the two sweeps of a solve: forward through L, and back through Lᵀ.
type sweeps struct {
	from     rightSide // of forward
	energies []float64 // by task of forward
	to       solution  // of backward
	given    []float64 // solution of the held rows, of backward
}

// residuals is the memory of the tasks of residual.
type residuals struct {
	check   equation
	checked []checked // by task
	parts   []float64 // of SetParts
	least   []float64 // of SetLeast
}

// marks has the facts about single rows of sign −1.
type marks struct {
	spare     func(x []float64, rest float64) Worst // of SetSpare; nil if no rows are spare
	corrected bool                                  // of SetSpare
	kept      []bool                                // of ChooseRows, by original scalar; nil but while it runs
	weak      []bool                                // core: rows whose proximal term was used; nil unless TrackWeak has been called
}

// Worst is the largest residual of a −1 row relative to a bound of its terms,
//
//	|rᵢ| / (|bᵢ| + √dᵢ·(Σ‖xⱼ‖ + rest) + load).
//
// dᵢ is the scale of the row. The sum is over the +1 nodes that the row couples, and over the
// parts of x that b has lost (SetParts). So √dᵢ·Σ‖xⱼ‖ bounds the row's product with x.
//
// Under WhereWeak the load is dᵢ·‖y‖∞, the terms of the multipliers y of the node itself. On rows
// that contradict each other the multipliers grow without bound, and the proximal corrections
// get ever smaller. So under Everywhere the load is √dᵢ·Σ‖bⱼ‖ instead.
//
// The rest is 1e-4 of Refinement.Size. It is for rows in a part of the mechanism that does not move. The
// terms of such a row are zero, and its residual is rounding of the whole solution. Ratios up
// to RoundingRatio count as zero.
type Worst struct {
	Ratio     float64
	Node, Row int  // −1 if all rows hold
	Spare     bool // the row is spare: Node and Row come from the function given to SetSpare
}

// WorstAt returns the Worst with the given ratio at a row of the system. Node i has the rows off[i] to off[i+1]−1. Row −1 says that all
// rows hold, whatever the ratio.
func WorstAt(ratio float64, row int, off []int32) Worst {
	if row < 0 {
		return Worst{Node: -1, Row: -1}
	}
	after, _ := slices.BinarySearch(off, int32(row+1))
	return Worst{Ratio: ratio, Node: after - 1, Row: row - int(off[after-1])}
}

// Tally counts and measures the pivots of a Factorize.
type Tally struct {
	Corrected int // pivots that were lost to rounding and set to minus their term
	Weak      int // rows of sign −1 whose proximal term was used
	// Contraction estimates how much of the error one refinement leaves, theory.md (20): the
	// largest ratio of a proximal term to its pivot, redundant rows left out.
	Contraction float64

	bad  int     // original scalar of the pivot that ended the factorization, −1 if none has
	lost float64 // value of that pivot
}

// add adds the tally of another part of the matrix. The first bad pivot stays.
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
	ld     []float64 // L·D of the current panel, and W of a leaf, or of the leaves of a short front
	groups []uint8   // by column of these leaves: the groups of rows with numbers, for kernel.Front
	shaped int32     // front.last of the short front whose leaves are in ld; −1 if there is none
	leaf   []float64 // update matrix of a leaf
	limit  []float64 // of the current pivots: a pivot above it is not taken as it is
	shift  []float64 // of the current pivots: the term of a pivot above its limit, NaN if it gets none
	x      []float64 // rows of one front in the solves
	energy float64   // yᵀ·|D|·y of what forward has stored
	step   float64   // largest ‖·‖² of a +1 node that the last backward stored or added
	size   float64   // largest ‖·‖² of a +1 node in the solution afterwards

	_ [apart]float64
}

// apart is the distance, in numbers, between memory that two workers write all the time: two cache lines, which processors
// fetch together. Without it solves of 1000 bodies on two goroutines take longer than on one.
const apart = 16

// scratch allocates n numbers for one worker.
func scratch[N int | int64](n N) []float64 { return pages.Make[float64](n + apart)[:n] }

// amid allocates n numbers with spare memory before and behind them. kernel.Front moves masked vectors that may reach beyond either end.
// The masked numbers are not touched, but a move takes hundreds of cycles where their memory is not mapped.
func amid(n int64) []float64 { return pages.Make[float64](n + 2*apart)[apart : apart+n] }

// Policy says which rows of sign −1 get their proximal term.
type Policy uint8

// The policies.
const (
	// WhereWeak puts the whole scale of a row on its diagonal if the pivot without it is below
	// WeakPivot·eps·scale. Other rows get nothing. Suppose that the weak rows are exactly the
	// redundant ones. Then their multipliers come out as zero, all other rows are eliminated
	// exactly, and one solve is right up to rounding.
	WhereWeak Policy = iota
	// Everywhere puts eps·scale on the diagonal of all rows. How a pivot changes with eps then
	// tells whether its row is redundant, however long the loop.
	Everywhere
)

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
		Symbolic:  s,
		panels:    amid(s.panels),
		dinv:      pages.Make[float64](core),
		x:         pages.Make[float64](core),
		hand:      amid(s.hand),
		square:    make([]float64, len(s.node)),
		results:   make([]Tally, len(s.tasks)),
		sweeps:    sweeps{energies: make([]float64, len(s.tasks))},
		residuals: residuals{checked: make([]checked, (len(s.node)+residualNodes-1)/residualNodes)},
		team:      t,
	}
	for range t.Workers() {
		f.workers = append(f.workers, &worker{
			f: f, shaped: -1,
			stack:  amid(s.stack),
			leaf:   scratch(s.maxLeaf * (s.maxLeaf + 1)),
			ld:     scratch(max(s.maxPanel, s.maxSpread, sparse.MaxBlock*(s.maxLeaf+1))),
			groups: make([]uint8, s.maxSpread/kernel.FrontRows),
			limit:  scratch(s.maxWidth),
			shift:  scratch(s.maxWidth),
			x:      scratch(s.maxRows),
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

// Runs returns the number of calls of Factorize so far. A user of a shared f can tell from it whether
// another user has factored since.
func (f *Factor) Runs() int { return f.runs }

// Factorize computes L and D of m − Γ, theory.md (15); the −1 rows have the Schur complement S of (16). Γ is diagonal, with
// proximal terms in the rows of sign −1 that policy makes of scale and eps. A row of scale zero has no term under any policy.
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
	stop := f.watch
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
	f := w.f
	n, p, m := fr.ld(), int(fr.width), int(fr.below)
	pan := f.panels[fr.panel : fr.panel+int64(n*p)]
	upd := w.update(fr)
	if fr.quick.has(short) && f.policy == WhereWeak && f.kept == nil && f.shares == nil && w.frontAtOnce(fr, pan, upd) {
		return
	}
	w.shaped = -1
	switch {
	case len(pan)+len(upd) <= stopClear:
		clear(pan)
		w.clearLower(upd, m)
	case !w.clearLarge(pan) || !w.clearLower(upd, m):
		return
	}
	d := dest{pan, upd, n, p, m + 1}
	w.assemble(fr, &d)
	w.addLeaves(fr, &d)
	if f.shares != nil {
		w.addShares(fr, &d)
	}
	if fr.held {
		return
	}
	if f.kept != nil {
		w.choose(fr, pan, upd, n)
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

// frontAtOnce assembles and eliminates a short front by kernel.Front, under WhereWeak. It returns false if a pivot has the wrong sign or
// is not finite; the front has to be done again then.
func (w *worker) frontAtOnce(fr *front, pan, upd []float64) bool {
	f, s := w.f, w.f.Symbolic
	n, p, m := fr.ld(), int(fr.width), int(fr.below)
	t, loads := w.spreadLeaves(fr)
	dinv, limit := f.dinv[fr.first:int(fr.first)+p], w.limit[:p]
	right := w.right(fr)
	var child []float64
	below := 0
	if fr.quick.has(bare) {
		for _, k := range s.kids[fr.kidLo:fr.kidHi] {
			child, below = w.update(&s.fronts[k]), int(s.fronts[k].below)
		}
	} else {
		clear(pan)
		clear(upd)
		w.assemble(fr, &dest{pan, upd, n, p, m + 1})
		right = nil // assemble has added it
	}
	if !kernel.Front(pan, upd, n, p, t, loads, w.groups, dinv, limit, w.shift, right, child, below) {
		return false
	}
	w.note(fr, pan, n, dinv, limit)
	return true
}

// right stores the limits and the shifts of the pivots of a short front in w, as limits does, and returns the right side of the pivots.
func (w *worker) right(fr *front) []float64 {
	f, s := w.f, w.f.Symbolic
	limit, shift, v := w.limit[:fr.width], w.shift[:fr.width], w.x[:fr.width]
	weak := -WeakPivot * f.eps
	off := s.off[fr.super : fr.last+1]
	i := 0
	for c, o := range s.oldOff[fr.super:fr.last] {
		scale := f.scale[o : o+off[c+1]-off[c]]
		weakLimits(limit[i:], shift[i:], scale, weak)
		if f.least != nil {
			ownLimits(limit[i:], scale, f.least[o:])
		}
		if f.b != nil {
			move(v[i:], f.b[o:int(o)+len(scale)])
		}
		i += len(scale)
	}
	if f.b == nil {
		clear(v)
	}
	return v
}

// note counts the weak rows among the pivots of a front that has been factored. It stores in w.bad and w.lost the first pivot that is not
// finite, or is negative in a row of sign +1; then it does not count the rows behind that pivot.
func (w *worker) note(fr *front, pan []float64, n int, dinv, limit []float64) {
	limit = limit[:len(dinv)]
	for i, d := range dinv {
		if d == 0 || !algebra.Finite(d) || limit[i] == positiveLimit && d < 0 {
			w.bad, w.lost = w.original(fr, i), pan[i*n+i]
			return
		}
		if limit[i] > positiveLimit { // infinite: the kernel has added the term, or pivot has decided
			w.Weak++
		}
	}
	if w.f.weak != nil {
		weak := w.f.weak[fr.first:]
		for i, l := range limit {
			weak[i] = l > positiveLimit && w.f.policy == WhereWeak
		}
	}
}

// assemble adds to a front the blocks of the matrix and the update matrices of its children.
func (w *worker) assemble(fr *front, d *dest) {
	s := w.f.Symbolic
	w.scatter(fr, d.pan, d.n)
	for i := fr.kidHi - 1; i >= fr.kidLo; i-- {
		q := &s.fronts[s.kids[i]]
		w.add(d, w.update(q), int(q.below)+1, s.runs[q.upLo:q.upHi])
	}
}

// update returns the memory of the update matrix of a front.
func (w *worker) update(fr *front) []float64 {
	if fr.handed {
		return w.f.hand[fr.update:][:fr.updateSize()]
	}
	return w.stack[fr.update:][:fr.updateSize()]
}
