package batch

import (
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
)

// Limits of the checks of a lane.
const (
	// maxRefinements is the largest number of corrections.
	maxRefinements = 3
	// groupsATask is the number of groups of one task of a thread.
	groupsATask = 4
)

// Solve computes the accelerations of all states, as kkt.Solver.Solve does for one. A state whose lane does not pass the
// checks is solved alone by a kkt.Solver, and listed (Results.OneByOne). The checks are these. No pivot is so near to 1e-9 of its scale
// that its row may or may not be redundant: between 0.9e-9 and 1.1e-9, or between 1e-12 and 1.1e-9 where bodies are reduced to their
// freedoms. In a system without spare rows (kkt.Plan.Lean), no pivot is below 1.1 times the least one that a kkt.Solver accepts. No
// residual, also of spare rows, is above 1e-12 of its terms. The error after refinement is at most 1e-13. All numbers are finite.
//
// A state that violates the joints is taken as it is, as by kkt.Solver.Solve; Batch.Holds tells.
//
// The bits of a state do not depend on the number of threads or on the other states.
//
// Cost: O(states); it allocates only for errors. It panics if s or r is not of b, or if their numbers of states differ.
func (b *Batch) Solve(s *States, r *Results) { b.SolvePassing(s, r, Passing{}) }

// Passing has two functions that a thread calls around its work on states first to first+n−1, which stand side by side. Set is called
// before and may set these states and no others. Take is called after, when their results are there. So all threads share the copying of
// states and results, while these are in their caches. Either may be nil. With more than one thread, calls for different states come from
// several goroutines at the same time.
type Passing struct{ Set, Take func(first, n int) }

// SolvePassing is Solve with calls of p. Take may read the results of its states by Results.To, AngularAcceleration, ComAcceleration and
// Error. For states that are not solved because a context has ended (Watch), neither function is called.
//
// Cost and panics: as Solve. If Set or Take panics, SolvePassing panics with the same value.
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

// Do solves the groups of one task. Groups that it does not come to, as the context has ended, get the cause as their error.
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

// group solves group g in lanes, and states whose lanes fail one by one.
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

// evaluate runs the tapes of a solve, with corrections where lanes need them.
func (w *worker) evaluate() {
	tape.Run(w.w, w.c.Numbers(), w.c.Stage)
	w.correct()
	tape.Run(w.w, w.c.Numbers(), w.c.Answers)
}

// correct judges a solution, and refines it in the lanes that need it.
func (w *worker) correct() {
	tape.Run(w.w, w.c.Numbers(), w.c.Judge)
	for k := 0; k < maxRefinements && *w.mask != [lanes]float64{}; k++ {
		tape.Run(w.w, w.c.Numbers(), w.c.Refine)
	}
}

// solveAlone solves state i with the solver, and stores its accelerations, or its error and zeros.
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
