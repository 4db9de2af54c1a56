package door

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Batch computes with many states at once. It belongs to one goroutine at a time, and uses others.
type Batch struct {
	m      *Model
	batch  *batch.Batch
	forces int      // that a state carries
	vary   []knobOf // knobs that differ from state to state
	bodies []int    // bodies of these knobs, each once
	st     *mechanism.State

	// Memory for the number of states of the last call.
	states  *batch.States
	results *batch.Results
	outcome *batch.Outcome
	failure func(i int) error // of the last call
	mu      sync.Mutex        // guards wrong and st while threads set states
	wrong   []wrongState      // of the last call
}

// wrongState is a state that is refused, such as one with a quaternion of length 0, and why.
type wrongState struct {
	state int
	err   error
}

// NewBatch returns a batch. options is a JSON object with the fields threads; forces, the generalized forces that states carry, by the
// paths of their knobs or by the names of joints with one freedom; and vary, the paths of the knobs of bodies, lengths and pitches that
// differ from state to state.
//
// Cost: as batch.New, whose errors it returns with the status Input.
func (m *Model) NewBatch(options []byte) (*Batch, error) {
	var bo batch.Options
	var forces, vary []string
	if err := decode("batch", options, option{"threads", &bo.Threads}, option{"forces", &forces}, option{"vary", &vary}); err != nil {
		return nil, err
	}
	b := &Batch{m: m, forces: len(forces), st: m.plan.Initial()}
	for _, name := range forces {
		f, err := m.freedom(name)
		if err != nil {
			return nil, err
		}
		bo.Forces = append(bo.Forces, f)
	}
	for _, path := range vary {
		i, err := m.KnobAt(path)
		if err != nil {
			return nil, err
		}
		of := m.Knobs()[i].of
		if slices.Contains(b.vary, of) {
			return nil, refuse(Input, "batch: %s is given twice", path)
		}
		switch of.kind {
		case knobBody:
			if !slices.Contains(b.bodies, int(of.index)) {
				b.bodies = append(b.bodies, int(of.index))
			}
		case knobLength, knobPitch:
			bo.Vary.Joints = append(bo.Vary.Joints, int(of.index))
		default:
			return nil, refuse(Input, "batch: %s does not differ from state to state", path)
		}
		b.vary = append(b.vary, of)
	}
	bo.Vary.Bodies = b.bodies
	var err error
	if b.batch, err = batch.New(m.plan, bo); err != nil {
		return nil, as(Input, err)
	}
	return b, nil
}

// freedom returns the freedom of the knob of a force, by its path, or the only freedom of a joint, by its name.
func (m *Model) freedom(name string) (f mechanism.Freedom, err error) {
	mech := m.plan.Mechanism()
	if j, err := mech.JointIndex(name); err == nil {
		if n := mech.Joints[j].Kind.Freedoms(); n != 1 {
			one := fmt.Sprintf("joints[%s].force[0]", document.InBrackets(name))
			return f, refuse(Input, "batch: joint %s has %d freedoms: name one, as %s", fault.Name(name), n, one)
		}
		return mechanism.Freedom{Joint: j}, nil
	}
	i, err := m.KnobAt(name)
	if err != nil {
		_, near := mech.JointIndex(name)
		return f, as(Input, near)
	}
	of := m.Knobs()[i].of
	if of.kind != knobForce {
		return f, refuse(Input, "batch: %s is no force of a joint", fault.Name(name))
	}
	return mechanism.Freedom{Joint: int(of.index), Freedom: int(of.part)}, nil
}

// mostNumbers is the largest number of numbers in all states of a batch.
const mostNumbers = 1 << 35

// numbers returns a lower bound of the memory of a state, in numbers: the state, accelerations, gravity, forces and varied knobs.
func (b *Batch) numbers() int {
	return len(b.m.initial) + 6*len(b.st.Bodies) + 3 + b.forces + 32*len(b.vary)
}

// size makes memory for n states. It refuses more states than any memory holds.
func (b *Batch) size(n int) error {
	if most := min(mostNumbers, math.MaxInt/8) / b.numbers(); n > most {
		return refuse(Size, "%d states, and the most of this batch are %d", n, most)
	}
	if b.states == nil || b.states.Len() != n {
		b.states, b.results, b.outcome = b.batch.NewStates(n), b.batch.NewResults(n), b.batch.NewOutcome(n)
		b.failure = nil
	}
	return nil
}

// fit checks the lengths of the arrays of a call, forgets the wrong states of the last call, and makes memory for n states.
func (b *Batch) fit(n int, states, forces []float64) error {
	width := len(b.m.initial)
	switch {
	case n < 0 || len(states) != n*width:
		return refuse(Size, "%d states have %d numbers, not %d", n, n*width, len(states))
	case forces != nil && len(forces) != n*b.forces:
		return refuse(Size, "forces of %d states are %d numbers, not %d", n, n*b.forces, len(forces))
	}
	b.wrong = b.wrong[:0]
	return b.size(n)
}

// Flags of states while a call goes on.
const (
	good  = 0
	bad   = 1 // has failed
	stray = 2 // was refused (wrongState)
)

// set gives the batch states first … first+n−1 from their rows, with forces unless forces is nil. It flags a row that is refused as stray,
// and puts the initial state in its place. Threads call it for different states.
func (b *Batch) set(first, n int, states, forces []float64, flags []byte) {
	width := len(b.m.initial)
	for i := first; i < first+n; i++ {
		row := states[i*width:][:width]
		flags[i] = good
		if unit(row, len(b.st.Bodies)) {
			b.states.SetFlat(i, row)
		} else if b.setNormalized(i, row) != nil {
			flags[i] = stray
		}
		if forces != nil {
			for k, f := range forces[i*b.forces:][:b.forces] {
				b.states.SetForce(i, k, f)
			}
		}
	}
}

// setNormalized sets state i from a row with quaternions that are not of length 1. If the row is refused, it returns the error, notes it in
// wrong, and sets the initial state.
func (b *Batch) setNormalized(i int, row []float64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.m.set(b.st, row)
	if err != nil {
		b.wrong = append(b.wrong, wrongState{i, err})
		b.st.SetFlat(b.m.initial)
	}
	b.states.Set(i, b.st)
	return err
}

// unit reports whether all quaternions of a row have length 1 to within rounding, so that they need no normalization.
func unit(row []float64, bodies int) bool {
	for i := range bodies {
		if !document.Unit((*[4]float64)(row[4+7*i:])) {
			return false
		}
	}
	return true
}

// AccelerationsTo stores the accelerations of n states in dst, a row for each as in Solver.AccelerationsTo. failed gets 1 for a
// state without a solution, whose accelerations are 0 (Error says why), and 0 for the others. If forces is nil, the forces of
// the last call, or of the model, stay. It ends early when ctx does, with its cause and the status Stopped.
//
// Shapes: dst has n·6·Bodies entries, states n·Sizes().State, failed n; forces has n·Forces() entries or is nil.
// Cost: as batch.Batch.Solve and a copy, by its threads, and some allocations; memory for states where n differs from the last call.
func (b *Batch) AccelerationsTo(ctx context.Context, dst []float64, n int, states, forces []float64, failed []byte) error {
	width := 6 * len(b.st.Bodies)
	if len(dst) != n*width || len(failed) != n {
		return refuse(Size, "accelerations of %d states are %d numbers and %d flags, not %d and %d", n, n*width, n, len(dst), len(failed))
	}
	if err := b.fit(n, states, forces); err != nil {
		return err
	}
	defer b.batch.Watch(ctx)()
	b.batch.SolvePassing(b.states, b.results, batch.Passing{
		Set: func(first, n int) { b.set(first, n, states, forces, failed) },
		Take: func(first, n int) {
			for i := first; i < first+n; i++ {
				if row := dst[i*width:][:width]; failed[i] == stray {
					clear(row)
				} else {
					b.results.To(row, i)
				}
			}
		},
	})
	for _, w := range b.wrong {
		failed[w.state] = bad
	}
	if ctx.Err() != nil {
		return as(Stopped, context.Cause(ctx))
	}
	for _, i := range b.results.Failed() {
		failed[i] = bad
	}
	b.failure = b.results.Error
	return nil
}

// Rollout integrates n states in place. options is a JSON object with the fields step, s; steps, their number; integrator, rk4 or
// semi-implicit; as_it_is, true to take states that violate the joints; and every. After each "every" steps all states are copied to the
// next part of into, which may be nil. A state that fails gets 1 in failed, and stays at its last whole step (Error says why).
//
// Shapes: states has n·Sizes().State entries, and into a multiple of that; forces as in AccelerationsTo. It returns the errors of
// batch.Batch.Rollout with the status Input, and ends early when ctx does, with its cause: each state has then made some whole steps,
// and into is filled in part.
func (b *Batch) Rollout(ctx context.Context, n int, states, forces, into []float64, failed []byte, options []byte) error {
	r, integrator := batch.Rollout{Every: 1}, "rk4"
	if err := decode("rollout", options, option{"step", &r.Step}, option{"steps", &r.Steps}, option{"integrator", &integrator},
		option{"as_it_is", &r.AsItIs}, option{"every", &r.Every}); err != nil {
		return err
	}
	switch integrator {
	case "rk4":
	case "semi-implicit":
		r.Integrator = batch.SemiImplicit
	default:
		return refuse(Input, "rollout: no integrator %s; rk4 and semi-implicit are there", fault.Name(integrator))
	}
	width := len(b.m.initial)
	switch {
	case r.Every < 1:
		return refuse(Input, "rollout: every is %d, and has to be 1 or more", r.Every)
	case len(failed) != n:
		return refuse(Size, "%d states have %d flags, not %d", n, n, len(failed))
	case n > 0 && len(into)%(n*width) != 0:
		return refuse(Size, "places for %d states are a multiple of %d numbers, not %d", n, n*width, len(into))
	}
	if err := b.fit(n, states, forces); err != nil {
		return err
	}
	if len(into) > 0 {
		r.Seen = func(part, first, count int) {
			if from := part * n * width; from < len(into) {
				b.take(into[from:], states, first, count, failed)
			}
		}
	}
	r.Passing = batch.Passing{
		Set:  func(first, n int) { b.set(first, n, states, forces, failed) },
		Take: func(first, count int) { b.take(states, states, first, count, failed) },
	}
	defer b.batch.Watch(ctx)()
	err := b.batch.Rollout(b.states, &r, b.outcome)
	for _, w := range b.wrong {
		failed[w.state] = bad
	}
	switch {
	case err != nil && ctx.Err() == nil:
		return as(Input, err)
	case err != nil:
		return as(Stopped, err)
	}
	b.failure = b.outcome.Error
	for i := range n {
		if b.outcome.Error(i) != nil {
			failed[i] = bad
		}
	}
	return nil
}

// take stores states first … first+n−1 of the batch as rows of dst. From the rows in given it copies the rows that were refused (stray),
// and the reactions in bearings, which batches do not carry. dst and given may be the same.
func (b *Batch) take(dst, given []float64, first, n int, flags []byte) {
	width := len(b.m.initial)
	kept := width - b.m.plan.Mechanism().NumBearings() // where bearings begin
	for i := first; i < first+n; i++ {
		row, was := dst[i*width:][:width], given[i*width:][:width]
		if flags[i] == stray {
			copy(row, was)
			continue
		}
		b.states.FlatTo(row, i)
		copy(row[kept:], was[kept:])
	}
}

// Error returns why state i has failed in the last call, nil if it has not. The error has the status Failed, or Input if the last call had
// no state i.
func (b *Batch) Error(i int) error {
	if b.failure == nil || uint(i) >= uint(b.states.Len()) {
		return refuse(Input, "no state %d in the last call", i)
	}
	for _, w := range b.wrong {
		if w.state == i {
			return &Error{Failed, w.err}
		}
	}
	return as(Failed, b.failure(i))
}

// Vary sets the knobs that NewBatch was given, of states from first on out of n, row by row. The values stay until the
// number of states changes.
//
// Shapes: values has a row for each state with an entry for each knob. The error, with the status Input, names the state; the
// states before it have got their values.
func (b *Batch) Vary(n, first int, values []float64) error {
	k := len(b.vary)
	switch {
	case k == 0:
		return refuse(Input, "batch: nothing varies (option \"vary\")")
	case len(values)%k != 0:
		return refuse(Size, "values of %d knobs a state are no %d numbers", k, len(values))
	case first < 0 || n < 0 || first > n-len(values)/k:
		return refuse(Input, "%d states from %d on, of %d", len(values)/k, first, n)
	}
	if err := b.size(n); err != nil {
		return err
	}
	for i := range len(values) / k {
		if err := b.varyOne(first+i, values[i*k:][:k]); err != nil {
			return &Error{Input, fault.Errorf("door: state %d: %w", first+i, err)}
		}
	}
	return nil
}

// varyOne sets the knobs of state i: first lengths and pitches, then bodies, each with all its numbers at once.
func (b *Batch) varyOne(i int, values []float64) error {
	for n, of := range b.vary {
		var err error
		switch of.kind {
		case knobLength:
			err = b.states.SetLength(i, int(of.index), values[n])
		case knobPitch:
			err = b.states.SetPitch(i, int(of.index), values[n])
		}
		if err != nil {
			return err
		}
	}
	for _, body := range b.bodies {
		w := weightIn(b.states, i, body)
		for n, of := range b.vary {
			if of.kind == knobBody && int(of.index) == body {
				w[of.part] = values[n]
			}
		}
		if err := b.states.SetBody(i, body, w[0], spatial.Vec3(w[1:4]), spatial.Sym3(w[4:10])); err != nil {
			return err
		}
	}
	return nil
}

// weightIn returns the weight of a body in state i.
func weightIn(s *batch.States, i, body int) (w weight) {
	mass, com, inertia := s.Body(i, body)
	w[0] = mass
	copy(w[1:], com[:])
	copy(w[4:], inertia[:])
	return w
}

// Model returns the model of the batch.
func (b *Batch) Model() *Model { return b.m }

// Forces returns the number of forces that a state carries.
func (b *Batch) Forces() int { return b.forces }
