package batch

import (
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
)

// Limits of the checks of a lane.
const (
	// maxRefinements bounds the corrections.
	maxRefinements = 3
	// groupsATask is the number of groups of one task of a thread.
	groupsATask = 4
)

// Solve computes the accelerations of all states, as kkt.Solver.Solve does for one. A state whose lane does not pass the
// checks is solved alone by a kkt.Solver, and listed (Results.OneByOne): if a pivot is so near to 1e-9 of its scale that its
// row may or may not be redundant, 0.9e-9 to 1.1e-9, or 1e-12 to 1.1e-9 where bodies are reduced to their freedoms; without spare
// rows (kkt.Plan.Lean), if a pivot is below 1.1 times the least one that a kkt.Solver accepts; if a residual is above 1e-12 of
// its terms, those of spare rows included; if refinement leaves an error above 1e-13; or if a number is not finite.
//
// A state that violates the joints is taken as it is, as by kkt.Solver.Solve; Batch.Holds tells.
//
// A state has the same bits for any number of threads, and whatever other states there are.
//
// Cost: O(states), no allocation but for errors. It panics if s or r is not of b, or of different numbers of states.
func (b *Batch) Solve(s *States, r *Results) { b.SolvePassing(s, r, Passing{}) }

// Passing is what a thread calls around its work on states first to first+n−1, which stand side by side: Set before it, which may set
// these states and no others, and Take after it, when their results are there. So states that come from elsewhere are read and
// written where they are in the caches, and by all threads. Either may be nil. Calls for different states come from several
// goroutines at once with more than one thread.
type Passing struct{ Set, Take func(first, n int) }

// SolvePassing is Solve with states that are set and results that are taken by its threads. Of Results, Take may read those of its
// states that To, accelerations and Error give. States that are not come to, as a context has ended (Watch), are neither set nor
// taken.
//
// Cost and panics: as Solve; a panic of Set or Take goes on where SolvePassing was called.
func (b *Batch) SolvePassing(s *States, r *Results, p Passing) {
	if s == nil || r == nil || s.of != b.setup || r.of != b.setup || s.n != r.n {
		panic("batch: foreign states or results")
	}
	if !b.guard.Enter() {
		panic("batch: Batch used by two goroutines")
	}
	defer b.guard.Leave()
	r.forget()
	b.solving = solving{s, r, p}
	defer func() { b.solving = solving{} }() // Set and Take may panic
	defer r.collect()
	b.team.Run((groups(s.n)+groupsATask-1)/groupsATask, (*solveTasks)(b))
}

// solveTasks is the job of Solve.
type solveTasks Batch

// Do solves some groups.
func (t *solveTasks) Do(worker, task int) {
	w := t.workers[worker]
	for g := task * groupsATask; g < min((task+1)*groupsATask, groups(t.s.n)); g++ {
		if t.watch.Up() {
			t.r.leave(g, t.watch.Err())
			continue
		}
		first, n := g*lanes, min(lanes, t.s.n-g*lanes)
		if t.passing.Set != nil {
			t.passing.Set(first, n)
		}
		w.group(t.s, t.r, g)
		if t.passing.Take != nil {
			t.passing.Take(first, n)
		}
	}
}

// group solves one group.
func (w *worker) group(s *States, r *Results, g int) {
	first := g * lanes
	n := min(lanes, s.n-first)
	if w.of.why != "" {
		r.single[g] = 1<<n - 1
		for l := range n {
			w.solveAlone(s, r, first+l)
		}
		return
	}
	copy(w.w[int(w.c.Input)*lanes:], s.data[g*w.of.at.Length*lanes:][:w.of.at.Length*lanes])
	ok := w.prepare(s, first, n)
	w.evaluate()
	size := 6 * w.mech.NumBodies() * lanes
	out := r.a[g*size:][:size]
	for i := range w.c.Bodies {
		copy(out[6*i*lanes:][:6*lanes], w.w[int(w.c.Bodies[i].Acceleration)*lanes:])
	}
	weak, holds := w.lane(w.c.Record.At(places.WeakRows)), w.lane(w.c.Holds)
	alone := uint8(0)
	for l := range n {
		r.redundant[first+l] = int32(int(weak[l]) + w.c.SpareRows)
		if ok>>l&1 == 0 || holds[l] != 1 {
			alone |= 1 << l
			w.solveAlone(s, r, first+l)
		}
	}
	r.single[g] = alone
}

// evaluate runs the tapes.
func (w *worker) evaluate() {
	tape.Run(w.w, w.c.Numbers(), w.c.Stage)
	w.correct()
	tape.Run(w.w, w.c.Numbers(), w.c.Answers)
}

// correct judges a solution, and refines it where lanes want that.
func (w *worker) correct() {
	tape.Run(w.w, w.c.Numbers(), w.c.Judge)
	for k := 0; k < maxRefinements && *w.mask != [lanes]float64{}; k++ {
		tape.Run(w.w, w.c.Numbers(), w.c.Refine)
	}
}

// solveAlone solves state i with the solver.
func (w *worker) solveAlone(s *States, r *Results, i int) {
	s.to(w.st, i)
	err := w.setInputs(s, i)
	if err == nil {
		err = w.solver.Solve(w.st)
	}
	r.errs[i], r.redundant[i] = err, 0
	if err != nil {
		for k := range 6 * w.mech.NumBodies() {
			*r.at(i, k) = 0
		}
		return
	}
	_, n := w.solver.Nearness()
	r.redundant[i] = int32(n)
	for b := range w.mech.NumBodies() {
		alpha, a := w.solver.AngularAcceleration(b), w.solver.ComAcceleration(b)
		for k := range 3 {
			*r.at(i, 6*b+k), *r.at(i, 6*b+3+k) = alpha[k], a[k]
		}
	}
}
