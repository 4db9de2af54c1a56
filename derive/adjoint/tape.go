package adjoint

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// DefaultMemory is the default of Tape.Memory.
const DefaultMemory = 256 << 20

// Stand is a run between two steps, such as *sim.Simulation and *runs.Simulation.
type Stand interface {
	State() *mechanism.State
	Checkpoint() (*sim.Checkpoint, error)
}

// Tape records the states of a run between its steps. If they would take more than Memory, it has the last states and checkpoints, from
// which the run is repeated in pieces on the way back (revolve, Griewank & Walther 2000). Create a Tape with one of its constructors.
type Tape struct {
	Memory int64 // largest number of bytes of the states; 0 stands for DefaultMemory
	Before int   // number of steps of the run before the first step of the tape
	// MayClose says that the run may have closed stages: a step whose open stages lead elsewhere is then computed with closed stages, and
	// these are kept if they lead nearer to the end of the step. ClosesAll says that the run has closed the stages of each step: closed
	// stages are then kept in any case. Neither counts for a Sweep or Tangents without a projector (Sweep.CloseStages).
	MayClose, ClosesAll bool
	// Repeat repeats the run from a checkpoint that the tape has taken. It calls onStep at the checkpoint and after each step that follows,
	// and ends with the error of onStep. The run has to take the same steps to the bit. With nil all states are kept, and AddStep is Add.
	Repeat func(ctx context.Context, from *sim.Checkpoint, onStep func(s Stand) error) error

	mech    *mechanism.Mechanism
	state   *mechanism.State // a state to clone: it has the lengths of all states
	first   []float64        // row of the start
	states  [][]float64      // rows of the last states; the oldest is at oldest
	oldest  int
	steps   int // number of steps; −1 without a state
	jumps   []jump
	bends   []bend
	stopped Event                      // nil: the run has ended at its time
	rows    int                        // number of multipliers (NewAlphaTape)
	end     func(s Stand) sim.AlphaEnd // set for runs of generalized-α
	kept    func(s Stand) []float64    // set for runs of RATTLE
	revolve
}

// NewTape returns an empty tape for runs of m.
//
// It panics without a mechanism.
func NewTape(m *mechanism.Mechanism) *Tape {
	if m == nil {
		panic("derive/adjoint: no mechanism")
	}
	return &Tape{mech: m, steps: -1}
}

// Add adds a copy of a state: first the state at the start, then the state after each step.
//
// Cost: O(bodies), allocates. It returns a *MemoryError if the states take more than Memory. It panics if the state is of another
// mechanism.
func (t *Tape) Add(st *mechanism.State) error {
	if t.end != nil || t.kept != nil {
		panic("derive/adjoint: a tape of steps that leave more than a state; use AddStep")
	}
	return t.add(st, nil)
}

// add is Add, or AddStep without Repeat; s is the run or nil.
func (t *Tape) add(st *mechanism.State, s Stand) error {
	t.begin(st, s)
	n := len(t.first)
	if bytes := 8 * int64(n) * int64(len(t.states)+1); bytes > t.memory() {
		return &MemoryError{Time: st.Time, Steps: t.steps + 1, Memory: t.memory()}
	}
	t.keep(st, s, make([]float64, n))
	return nil
}

// AddStep adds the state of a run, as Add does, and takes checkpoints of the run. With Repeat, states that take more than Memory are
// dropped and computed again later.
//
// It returns a *MemoryError if not even a few states and checkpoints fit, and the errors of the checkpoints.
func (t *Tape) AddStep(s Stand) error {
	st := s.State()
	if t.Repeat == nil {
		return t.add(st, s)
	}
	if t.begin(st, s); t.leaf == 0 {
		if err := t.divide(s); err != nil {
			return err
		}
	}
	if (t.steps+1)%t.stride == 0 {
		if err := t.mark(s, t.steps+1); err != nil {
			return err
		}
	}
	if len(t.states) > t.leaf {
		t.rowTo(t.states[t.oldest], st, s)
		t.oldest = (t.oldest + 1) % len(t.states)
		t.steps++
		return nil
	}
	t.keep(st, s, make([]float64, len(t.first)))
	return nil
}

// begin checks the number of bodies, and records the first state.
func (t *Tape) begin(st *mechanism.State, s Stand) {
	if len(st.Bodies) != t.mech.NumBodies() {
		panic("derive/adjoint" + fault.ForeignState)
	}
	if t.state == nil {
		t.state, t.first = st.Clone(), make([]float64, st.FlatLen()+t.moreLen())
		t.rowTo(t.first, st, s)
	}
}

// keep adds a state in the memory into.
func (t *Tape) keep(st *mechanism.State, s Stand, into []float64) {
	t.rowTo(into, st, s)
	t.states = append(t.states, into)
	t.steps++
}

func (t *Tape) memory() int64 {
	if t.Memory == 0 {
		return DefaultMemory
	}
	return t.Memory
}

// Steps returns the number of steps on the tape.
func (t *Tape) Steps() int { return max(0, t.steps) }

// Bytes returns the approximate memory of the tape in bytes.
func (t *Tape) Bytes() int64 {
	bytes := 8 * int64(len(t.first)) * int64(len(t.states)+1)
	for i := range t.bends {
		bytes += 8 * int64(len(t.first)) * int64(len(t.bends[i].at))
	}
	for i := range t.marks {
		bytes += checkpointBytes(t.marks[i].at)
	}
	return bytes
}

// First returns the state at the start of the run. It panics if there is none.
func (t *Tape) First() *mechanism.State {
	if t.state == nil {
		panic("derive/adjoint: an empty tape")
	}
	st := t.state.Clone()
	st.SetFlat(t.first[:st.FlatLen()])
	return st
}

// forward calls step for each step of the run from the first to the last, with the rows at its start and its end.
func (t *Tape) forward(ctx context.Context, step func(at, end []float64) error) error {
	// All states are on the tape. Otherwise the run is repeated.
	if t.steps < len(t.states) {
		for k := range t.steps {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if err := step(t.states[k], t.states[k+1]); err != nil {
				return err
			}
		}
		return nil
	}
	at, end, n := slices.Clone(t.first), make([]float64, len(t.first)), -1
	err := t.Repeat(ctx, t.marks[0].at, func(s Stand) error {
		if n++; n == 0 { // the first call has the start
			return nil
		}
		t.repeated++
		t.rowTo(end, s.State(), s)
		if err := step(at, end); err != nil {
			return err
		}
		if at, end = end, at; n == t.steps {
			return errEnough
		}
		return nil
	})
	switch {
	case err == nil:
		return fault.Errorf("%w: it ends after step %d of %d", ErrNotRepeatable, n, t.steps)
	case !errors.Is(err, errEnough):
		return err
	case !slices.Equal(at, t.last()):
		return fault.Errorf("%w: step %d ends elsewhere", ErrNotRepeatable, t.steps)
	}
	return nil
}

// last returns the row of the last state.
func (t *Tape) last() []float64 { return t.states[(t.oldest+len(t.states)-1)%len(t.states)] }

// MemoryError says that the states of a run take more memory than allowed.
type MemoryError struct {
	Time   float64 // time of the last state on the tape, s
	Steps  int
	Memory int64 // the limit, bytes
}

// Error returns the text of the error.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("derive/adjoint: the states of %d steps, up to t = %v, fill the memory of %d bytes", e.Steps, e.Time, e.Memory)
}

// ErrNotRepeatable is the error for a run that does not take the same steps again, such as one with forces or controllers that remember.
var ErrNotRepeatable = errors.New("derive/adjoint: the run does not repeat itself")

// walk calls step for each step of the run from the last to the first, with the rows at its start and its end.
func (t *Tape) walk(ctx context.Context, step func(at, end []float64) error) error {
	t.states = slices.Concat(t.states[t.oldest:], t.states[:t.oldest])
	t.oldest = 0
	end, hi := slices.Clone(t.last()), t.steps
	back := func(states [][]float64) error {
		for k := len(states) - 2; k >= 0; k-- {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if err := step(states[k], end); err != nil {
				return err
			}
			copy(end, states[k])
			hi--
		}
		return nil
	}
	// The last states are on the tape; rewind computes the ones before again, up to step hi.
	if err := back(t.states); err != nil {
		return err
	}
	for hi > 0 {
		if err := t.rewind(ctx, &hi, end, back); err != nil {
			return err
		}
	}
	return nil
}
