package batch

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/batch/internal/mechanics"
	"github.com/rung-mbd/rung/batch/internal/program"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/tape"
)

// BackTo differentiates the rollout in record r backwards by the discrete adjoint, theory.md (V4), (V6). For each state there is a loss,
// a number that depends on the states of the rollout, and BackTo stores its derivatives in g.
//
// It calls at(step, first, n) for the states first to first+n−1, which stand side by side: with step the number of steps for the end of the
// rollout, and then for each step down to 0. In this call Gradients.Force and Load are the derivatives by the forces and loads over the
// step, and Gradients.MotionTo the derivatives by the state at its beginning, as far as later states count. at has to add the direct
// derivatives of the loss by this state, and the derivatives through forces that a controller has computed from it (Gradients.AddMotion).
// After the call g has the derivatives by the states at the beginning of the rollout.
//
// A gradient is exact for the stages of the rollout. The closing at the end of a step is differentiated as the least change that closes
// a state. So derivatives have errors of about the part of a state that closing moves, Gradients.Gap. With SemiImplicit they are
// some 1e-5 for steps of 1 ms, and decrease almost with the square of the step. A state has an error that wraps ErrStep, and
// derivatives of zero, if one of its steps was made alone, if its lane does not pass the checks of AdjointTo at a stage, or if a step that
// is computed again is off by more than 1e-4. The error names step and, where one is known, joint.
//
// Cost: some six to eight times the rollout; it allocates only for errors. With more than one thread, at is called from several goroutines
// at the same time. The bits of a state do not depend on threads or on other states. It returns the cause for which a context has ended
// (Batch.Watch). It panics without Options.Adjoint, if g or r is not of b, if their numbers of states differ, and if the rollout of r has
// not come to its end.
func (b *Batch) BackTo(g *Gradients, r *Record, at func(step, first, n int)) error {
	switch {
	case b.backs == nil:
		panic(noAdjoint)
	case g == nil || r == nil || g.of != b.setup || r.of != b.setup || g.n != len(r.alone):
		panic("batch: foreign gradients or record")
	case r.steps < 0 || at == nil:
		panic("batch: a record without a rollout, or nothing that it is differentiated by")
	}
	if !b.guard.Enter() {
		panic("batch: Batch used by two goroutines")
	}
	defer b.guard.Leave()
	g.forget()
	clear(g.motion)
	clear(g.gap)
	b.over, b.into = over{r, at}, g
	defer func() { b.over, b.into = over{}, nil }() // at may panic
	defer g.collect()
	b.team.Run(groups(g.n), (*overTasks)(b))
	return b.watch.Err()
}

// mayGoBack returns an error that wraps ErrRollout if the steps of a rollout with a record cannot be differentiated in lanes. It panics
// without Options.Adjoint and on a foreign or short record.
func (b *Batch) mayGoBack(s *States, o *Rollout) error {
	switch {
	case b.backs == nil:
		panic(noAdjoint)
	case o.Record.of != b.setup || len(o.Record.alone) != s.n || o.Steps >= len(o.Record.states):
		panic("batch: foreign or short record")
	case b.SteppedOneByOne() != "":
		return fault.Errorf("%w: no way back, as states are stepped one by one: %s", ErrRollout, b.SteppedOneByOne())
	case b.whyBack != "":
		return fault.Errorf("%w: no way back in lanes: %s", ErrRollout, b.whyBack)
	}
	return nil
}

// overTasks is the job of BackTo.
type overTasks Batch

// Do goes back over all steps of group k.
func (t *overTasks) Do(worker, k int) {
	w := t.backs[worker]
	w.r, w.g, w.k, w.n = t.over.record, t.into, k, min(lanes, t.into.n-k*lanes)
	w.beginBack(t.over.at)
	for step := w.r.steps - 1; step >= 0; step-- {
		if t.watch.Up() {
			t.into.leave(k, t.watch.Err())
			return
		}
		w.overStep(step)
		t.over.at(step, k*lanes, w.n)
	}
	w.finite(0)
}

// beginBack gives states that cannot be differentiated their errors, calls at for the states at the end of the rollout, and solves the
// system there.
func (w *backWorker) beginBack(at func(step, first, n int)) {
	c, g := w.c, w.g
	g.single[w.k] = 0
	w.sums(func(inG, _ []float64) { clear(inG) })
	for l := range w.n {
		i := w.k*lanes + l
		switch {
		case w.r.errs[i] != nil:
			w.lose(l, w.r.errs[i])
		case w.r.alone[i] > 0:
			w.lose(l, w.reason(int(w.r.alone[i])-1, l))
		}
	}
	at(w.r.steps, w.k*lanes, w.n)
	w.setStep(w.r.h, c.Parts)
	w.fill(c.Euler.Part, 0)
	w.fill(c.Euler.Part.At(1), w.r.h)
	ok := w.stand(w.r.steps)
	w.solveStage(w.r.steps, ok)
	tape.Run(w.w, c.Numbers(), c.Face)
}

// stand copies the states at the beginning of a step into the lanes. It returns a bit for each lane that can be solved.
func (w *backWorker) stand(step int) (ok uint) {
	s, size := w.r.states[step], w.of.at.Length*lanes
	copy(w.w[int(w.c.Input)*lanes:], s.data[w.k*size:][:size])
	return w.prepare(s, w.k*lanes, w.n)
}

// overStep goes back over a step. Before, g has the derivatives by the state at the end of the step, and after it the derivatives by the
// state at its beginning.
func (w *backWorker) overStep(step int) {
	w.finite(step + 1)
	w.passMotion(func(inLanes, inG []float64) { copy(inLanes, inG) })
	tape.Run(w.w, w.c.Numbers(), w.c.Join)
	w.sums(func(inG, _ []float64) { clear(inG) })
	if w.r.how == SemiImplicit {
		w.overEuler(step)
	} else {
		w.overStages(step)
	}
	w.passMotion(func(inLanes, inG []float64) { copy(inG, inLanes) })
	for l := range w.n {
		if w.g.errs[w.k*lanes+l] != nil {
			w.forgetLane(l)
		}
	}
}

// overStages goes back over a step of RungeKutta4.
func (w *backWorker) overStages(step int) {
	c, h, s := w.c, w.r.h, w.r.states[step]
	ok := w.stand(step)
	for k := range 3 {
		if k > 0 && w.timed {
			ok &= w.stageInputs(s, w.k*lanes, w.n, timeOfStage(k, h))
		}
		tape.Run(w.w, c.Numbers(), c.Stage)
		tape.Run(w.w, c.Numbers(), c.Ahead[k])
	}
	tape.Run(w.w, c.Numbers(), c.Ends)
	for k := 3; k >= 0; k-- {
		if w.timed {
			ok &= w.stageInputs(s, w.k*lanes, w.n, timeOfStage(k, h))
		}
		tape.Run(w.w, c.Numbers(), c.Again[k])
		w.solveStage(step, ok)
		if k == 3 {
			tape.Run(w.w, c.Numbers(), c.Ahead[k])
			w.compare(step)
			tape.Run(w.w, c.Numbers(), c.Again[k])
		}
		tape.Run(w.w, c.Numbers(), c.Slopes[k])
		w.turnBack(step, k, ok)
	}
}

// overEuler goes back over a step of SemiImplicit.
func (w *backWorker) overEuler(step int) {
	c := w.c
	ok := w.stand(step)
	w.solveStage(step, ok)
	tape.Run(w.w, c.Numbers(), c.Euler.Ahead)
	tape.Run(w.w, c.Numbers(), c.Euler.Ends)
	tape.Run(w.w, c.Numbers(), c.Euler.Moved)
	w.compare(step)
	tape.Run(w.w, c.Numbers(), c.Again[0])
	tape.Run(w.w, c.Numbers(), c.Euler.Slopes)
	w.turnBack(step, 0, ok)
}

// turnBack goes back over stage k, where the weights of the accelerations are in the lanes. Loads and forces of g get their sums.
func (w *backWorker) turnBack(step, k int, ok uint) {
	c := w.c
	tape.Run(w.w, c.Numbers(), c.Turn)
	w.check(step, ok)
	tape.Run(w.w, c.Numbers(), c.Back)
	tape.Run(w.w, c.Numbers(), c.Over[k])
	w.sums(func(inG, inLanes []float64) {
		for i, v := range inLanes {
			inG[i] += v
		}
	})
}

// passMotion calls do for each body with the memory of the derivatives by its motion, in the lanes and in g.
func (w *backWorker) passMotion(do func(inLanes, inG []float64)) {
	size := motionNumbers * lanes
	for i, p := range w.c.Motion {
		do(w.w[int(p)*lanes:][:size], w.g.motion[(w.k*len(w.c.Bodies)+i)*size:][:size])
	}
}

// sums calls do for each body and each force with the memory of the derivatives by its load or force, in g and in the lanes.
func (w *backWorker) sums(do func(inG, inLanes []float64)) {
	c, g := w.c, w.g
	from := func(at program.Place, n int) []float64 { return w.w[int(at)*lanes:][:n*lanes] }
	for i := range c.Bodies {
		do(g.loads[(w.k*len(c.Bodies)+i)*6*lanes:][:6*lanes], from(c.Loads[i], 6))
	}
	list := w.of.options.Forces
	for i, f := range list {
		do(g.forces[(w.k*len(list)+i)*lanes:][:lanes], from(c.Forces[6*f.Joint+f.Freedom], 1))
	}
}

// solveStage finds the accelerations of a stage of a step; ok has the lanes that can be solved.
func (w *backWorker) solveStage(step int, ok uint) {
	tape.Run(w.w, w.c.Numbers(), w.c.Stage)
	w.check(step, ok)
	tape.Run(w.w, w.c.Numbers(), w.c.Results)
}

// check gives the lanes that do not pass the checks of a solve in a step an error.
func (w *backWorker) check(step int, ok uint) {
	tape.Run(w.w, w.c.Numbers(), w.c.Judges)
	tape.Run(w.w, w.c.Numbers(), w.c.Passes)
	holds := w.lane(w.c.Holds)
	for l := range w.n {
		if (ok>>l&1 == 0 || holds[l] != 1) && w.g.errs[w.k*lanes+l] == nil {
			w.lose(l, w.reason(step, l))
		}
	}
}

// lose gives lane l an error and derivatives of zero.
func (w *backWorker) lose(l int, err error) {
	w.g.errs[w.k*lanes+l] = err
	w.g.single[w.k] |= 1 << l
	w.forgetLane(l)
}

// forgetLane makes the derivatives of a lane zero.
func (w *backWorker) forgetLane(l int) {
	for _, list := range [3][]float64{w.g.motion, w.g.loads, w.g.forces} {
		n := w.g.each(list)
		for i := range n {
			list[(w.k*n+i)*lanes+l] = 0
		}
	}
}

// errNoWayBack is the error of steps that cannot be differentiated in lanes.
var errNoWayBack = errors.New("no way back over it in lanes")

// reason returns the error of lane l whose step cannot be differentiated: the error of the solver at its beginning, or errNoWayBack at the
// joint that is nearest to redundant there.
func (w *backWorker) reason(step, l int) error {
	i, s := w.k*lanes+l, w.r.states[step]
	s.to(w.st, i)
	err := w.setInputs(s, i)
	if err == nil {
		err = w.solver.Solve(w.st)
	}
	if err == nil {
		err = errNoWayBack
		if report, _ := w.solver.Report(); report != nil && report.WeakestJoint >= 0 {
			err = w.of.plan.Mechanism().AtJoint(report.WeakestJoint, -1, err)
		}
	}
	return fault.Errorf("%w: step %d of state %d: %w", ErrStep, step, i, err)
}

// gapTol is the largest distance between the end of a step that is computed again and the state with which the rollout went on. Closing
// moves states less than that after steps that are short enough to be useful.
const gapTol = 1e-4

// compare updates Gradients.Gap with the distance between the end of a step that has been computed again and the next state of the
// rollout. Lanes above gapTol get an error.
func (w *backWorker) compare(step int) {
	h, L := w.r.h, w.length
	next, each := w.r.states[step+1].data[w.k*w.of.at.Length*lanes:], bodyPlaces*lanes
	var square [lanes]float64
	for k, b := range w.c.Bodies {
		mine, theirs := w.w[int(b.State)*lanes:][:each], next[mechanics.Bodies*lanes+k*each:][:each]
		for place, unit := range [bodyPlaces]float64{1 / L, 1 / L, 1 / L, 2, 2, 2, 2, h / L, h / L, h / L, h, h, h} {
			for l := range lanes {
				off := unit * (mine[place*lanes+l] - theirs[place*lanes+l])
				square[l] += off * off
			}
		}
	}
	for l := range w.n {
		i, off := w.k*lanes+l, math.Sqrt(square[l])
		w.g.gap[i] = math.Max(w.g.gap[i], off)
		if !(off <= gapTol) && w.g.errs[i] == nil {
			w.lose(l, fault.Errorf("%w: step %d of state %d, computed again, is off by %.2g", ErrStep, step, i, off))
		}
	}
}

// errNotFinite is the error of derivatives that are not finite. They may come from the function at of BackTo.
var errNotFinite = errors.New("derivatives that are not finite")

// finite gives the lanes whose derivatives by the state at a step are not finite an error. It sets derivatives of all lanes with errors to
// zero.
func (w *backWorker) finite(step int) {
	n := w.g.each(w.g.motion)
	for l := range w.n {
		i := w.k*lanes + l
		if w.g.errs[i] != nil {
			w.forgetLane(l)
			continue
		}
		all := true
		for k := range n {
			all = all && algebra.Finite(w.g.motion[(w.k*n+k)*lanes+l])
		}
		if !all {
			w.lose(l, fault.Errorf("%w: step %d of state %d: %w", ErrStep, step, i, errNotFinite))
		}
	}
}
