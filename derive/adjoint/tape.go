package adjoint

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// DefaultMemory is what a Tape keeps at most unless Memory says otherwise, bytes.
const DefaultMemory = 1 << 30

// Tape holds the states between the steps of a run, in their order.
type Tape struct {
	Memory int64 // largest number of bytes; 0 stands for DefaultMemory

	mech   *mechanism.Mechanism
	state  *mechanism.State // as long as those that are kept
	states [][]float64      // mechanism.State.FlatTo
}

// NewTape returns an empty tape. It panics without a mechanism.
func NewTape(m *mechanism.Mechanism) *Tape {
	if m == nil {
		panic("derive/adjoint: no mechanism")
	}
	return &Tape{mech: m}
}

// Add keeps a copy of st, the state at the start of a run or after a step.
//
// Cost: 13 numbers a body. It returns a *MemoryError where that is more than Memory. It panics if st is of another mechanism than
// the others.
func (t *Tape) Add(st *mechanism.State) error {
	if len(st.Bodies) != t.mech.NumBodies() {
		panic("derive/adjoint" + fault.ForeignState)
	}
	if t.state == nil {
		t.state = st.Clone()
	}
	n := st.FlatLen()
	most := t.Memory
	if most == 0 {
		most = DefaultMemory
	}
	if bytes := 8 * int64(n) * int64(len(t.states)+1); bytes > most {
		return &MemoryError{Time: st.Time, Steps: len(t.states), Memory: most}
	}
	flat := make([]float64, n)
	st.FlatTo(flat)
	t.states = append(t.states, flat)
	return nil
}

// Steps returns the number of steps between the states of t.
func (t *Tape) Steps() int { return max(0, len(t.states)-1) }

// MemoryError says that a run has more steps than a tape may keep.
type MemoryError struct {
	Time   float64 // s, up to which the tape goes
	Steps  int
	Memory int64 // bytes
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("derive/adjoint: the states of %d steps, up to t = %v, fill the memory of %d bytes", e.Steps, e.Time, e.Memory)
}

// First returns the first state. It panics if there is none.
func (t *Tape) First() *mechanism.State {
	if len(t.states) == 0 {
		panic("derive/adjoint: an empty tape")
	}
	st := t.state.Clone()
	st.SetFlat(t.states[0])
	return st
}
