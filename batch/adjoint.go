package batch

import (
	"fmt"

	"github.com/rung-mbd/rung/batch/internal/mechanics"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// backing computes the gradients of a batch. It has workers of its own, as their systems have the multipliers of all joints.
type backing struct {
	backs   []*backWorker // nil without Options.Adjoint
	whyBack string        // why all gradients are taken one by one; empty where they are taken in lanes
	state   *States       // arguments of AdjointTo: the states, and the gradients to fill
	into    *Gradients
	over    over // arguments of BackTo
}

// backWorker is the memory of a thread for gradients.
type backWorker struct {
	*worker
	alone   Alone
	weights []float64 // weights of a state that is taken alone, and its results
	motion  []float64
	loads   []float64
	forces  []float64

	// In BackTo: the record and the gradients, and group k, which has n states.
	r      *Record
	g      *Gradients
	k, n   int
	length float64 // typical length of the model, m
}

// over has the arguments of BackTo for the workers.
type over struct {
	record *Record
	at     func(step, first, n int)
}

// prepareBack makes the workers for gradients. It returns an error that wraps ErrOptions if bodies, joints or armature vary, or if the
// mechanism is too large.
func (b *Batch) prepareBack() error {
	if b.at.own {
		return fault.Errorf("%w: bodies, joints and armature may not vary with Adjoint", ErrOptions)
	}
	of := *b.setup // a copy, whose why is the reason for gradients
	c := &mechanics.Compiled{}
	if of.why == "" && of.plan.Mechanism().MassRatio() > kkt.UnevenRatio {
		of.why = fmt.Sprintf("masses of a ratio above %.0e", kkt.UnevenRatio)
	}
	if of.why == "" {
		compiled, why := mechanics.CompileAdjoint(of.plan, &of.at.State, of.options.Wrenches)
		switch {
		case why != "":
			of.why = why
		case compiled == nil:
			return fault.Errorf("%w: gradients of the mechanism take more than %d places of a workspace", ErrOptions, mechanics.MaxPlaces)
		default:
			c = compiled
			c.Schedule()
		}
	}
	b.whyBack = of.why
	nb := of.plan.Mechanism().NumBodies()
	for range b.team.Workers() {
		w, err := newWorkerWith(&of, c, (*worker).addSteadyWrenches)
		if err != nil {
			return err
		}
		b.backs = append(b.backs, &backWorker{worker: w, alone: of.options.Adjoint(w.plan, of.options.Forces), weights: make([]float64, 6*nb),
			motion: make([]float64, motionNumbers*nb), loads: make([]float64, 6*nb), forces: make([]float64, len(of.options.Forces)),
			length: of.plan.Mechanism().TypicalLength()})
	}
	return nil
}

// AdjointOneByOne says why all gradients are taken one by one, by Options.Adjoint; it is empty where they are taken in lanes.
// It panics without Options.Adjoint.
func (b *Batch) AdjointOneByOne() string {
	if b.backs == nil {
		panic(noAdjoint)
	}
	return b.whyBack
}

// noAdjoint is the panic of calls that need Options.Adjoint.
const noAdjoint = "batch: no Options.Adjoint"

// AdjointTo stores in g, for each state, the gradient of the sum of weights times accelerations (Gradients.SetWeights), theory.md (D2).
// It takes eight states at a time, each in a lane. A lane counts if its solution and the adjoint solution with the same factor pass the
// checks of Solve. Other states, and states with a pivot as small as next to a singular pose (kkt.NearTol,
// kkt.DroppedTol), are taken alone by Options.Adjoint, and listed (Gradients.OneByOne).
//
// Changes of a state need not satisfy the joints, but only in directions that the joints allow is the product with the gradient a
// derivative. The bits of a state do not depend on the number of threads or on the other states.
//
// Cost: O(states), some three to five times as much as Solve, as bodies are not reduced to their freedoms; it allocates only for states
// taken alone. It panics without Options.Adjoint, if s or g is not of b, or if their numbers of states differ.
func (b *Batch) AdjointTo(g *Gradients, s *States) {
	if b.backs == nil {
		panic(noAdjoint)
	}
	if s == nil || g == nil || s.of != b.setup || g.of != b.setup || s.n != g.n {
		panic("batch: foreign states or gradients")
	}
	if !b.guard.Enter() {
		panic("batch: Batch used by two goroutines")
	}
	defer b.guard.Leave()
	g.forget()
	b.state, b.into = s, g
	defer func() { b.state, b.into = nil, nil }() // Options.Adjoint may panic
	defer g.collect()
	b.team.Run((groups(s.n)+groupsATask-1)/groupsATask, (*backTasks)(b))
}

// backTasks is the job of AdjointTo.
type backTasks Batch

// Do takes the groups of one task. Groups that it does not come to, as the context has ended, get the cause as their error.
func (t *backTasks) Do(worker, task int) {
	w := t.backs[worker]
	for k := task * groupsATask; k < min((task+1)*groupsATask, groups(t.state.n)); k++ {
		if t.watch.Up() {
			t.into.leave(k, t.watch.Err())
			continue
		}
		w.group(t.state, t.into, k)
	}
}

// group computes the gradients of group k, in lanes and where that fails one by one.
func (w *backWorker) group(s *States, g *Gradients, k int) {
	first := k * lanes
	n := min(lanes, s.n-first)
	left := uint8(1<<n - 1)
	if w.of.why == "" {
		left = w.together(s, g, k, n)
	}
	g.single[k] = left
	for l := range n {
		if left>>l&1 == 1 {
			w.one(s, g, first+l)
		}
	}
}

// together computes the gradients of group k of n states in lanes. It returns a bit for each lane that has to be taken alone.
func (w *backWorker) together(s *States, g *Gradients, k, n int) (left uint8) {
	c, nb := w.c, len(w.c.Bodies)
	copy(w.w[int(c.Input)*lanes:], s.data[k*w.of.at.Length*lanes:][:w.of.at.Length*lanes])
	ok := w.prepare(s, k*lanes, n)
	w.evaluate()
	solved := *(*[lanes]float64)(w.lane(c.Holds))
	copy(w.w[int(c.Weights)*lanes:], g.weights[k*6*nb*lanes:][:6*nb*lanes])
	tape.Run(w.w, c.Numbers(), c.Turn)
	w.correct()
	tape.Run(w.w, c.Numbers(), c.Back)
	tape.Run(w.w, c.Numbers(), c.Verdict)
	for i := range nb {
		copy(g.motion[(k*nb+i)*motionNumbers*lanes:][:motionNumbers*lanes], w.w[int(c.Motion[i])*lanes:])
		copy(g.loads[(k*nb+i)*6*lanes:][:6*lanes], w.w[int(c.Loads[i])*lanes:])
	}
	for i, f := range w.of.options.Forces {
		copy(g.forces[(k*len(w.of.options.Forces)+i)*lanes:][:lanes], w.w[int(c.Forces[6*f.Joint+f.Freedom])*lanes:])
	}
	holds := w.lane(c.Holds)
	for l := range n {
		if ok>>l&1 == 0 || solved[l] != 1 || holds[l] != 1 {
			left |= 1 << l
		}
	}
	return left
}

// one computes the gradient of state i by Options.Adjoint, or stores its error and zeros.
func (w *backWorker) one(s *States, g *Gradients, i int) {
	s.to(w.st, i)
	err := w.setInputs(s, i)
	if err == nil {
		g.take(w.weights, g.weights, i)
		clear(w.motion)
		clear(w.loads)
		clear(w.forces)
		err = w.alone.AdjointTo(w.motion, w.loads, w.forces, w.weights, w.st)
	}
	if err != nil {
		g.errs[i] = err
		clear(w.motion)
		clear(w.loads)
		clear(w.forces)
	}
	g.put(g.motion, w.motion, i)
	g.put(g.loads, w.loads, i)
	g.put(g.forces, w.forces, i)
}

// steady is the wrench of the state at hand on one body, as a force that does not depend on motion.
type steady struct {
	of   *extern
	body int
}

// WrenchesTo stores the wrench.
func (e *steady) WrenchesTo(w []spatial.Force, _ []mechanism.BodyMotion, _ float64) error {
	w[0] = e.of.w[e.body]
	return nil
}

// DerivativesTo leaves the zeros that it is given, as the wrench does not depend on motion.
func (e *steady) DerivativesTo(_, _ []float64, _ []mechanism.BodyMotion, _ float64) error { return nil }

// addSteadyWrenches adds the wrenches of a state as forces with derivatives, one for each body: the matrices of one force on all bodies
// would grow with the square of their number.
func (w *worker) addSteadyWrenches() error {
	for i := range w.extern.w {
		if _, err := w.in.AddForce(fmt.Sprintf("%s, body %d", nameOfWrenches, i), &steady{&w.extern, i}, i); err != nil {
			return err
		}
	}
	return nil
}
