package objective

import (
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// bends finds the corners of forces within a step, to take the step apart there, theory.md (V23).
type bends struct {
	kinks *branches
	step  *sim.RungeKutta
	was   *mechanism.State // start of this step
	flat  []float64
	from  []side           // sides of all parts at the start of a part of the step
	at    *mechanism.State // scratch

	steps, taken int  // steps of the run, and states between parts, so far
	rough        bool // some steps were not taken apart, as there were too many
}

const (
	// mostBends is the largest number of corners of a step that are found. With more of them, some contact touches in each step.
	mostBends = 8
	// moreParts is the largest number of parts beyond one a step. A contact that chatters, or friction at rest, has a corner in each step.
	moreParts = 1000
	// bendSteps is the number of bisections for a corner, which suffices for the smallest distance of bendNear.
	bendSteps = 40
	// bendGap is the smallest distance of bendNear divided by the shortest step between two states.
	bendGap = 4
)

// bendNear are the distances from a corner, relative to the step, at which the step is taken apart on both sides. The stages of a shorter
// part are closer to the motion, so they lie on their side of the corner. The part across the corner, between the two nearest states, is
// differentiated with stages on both sides.
var bendNear = [...]float64{1e-2, 1e-4, 1e-6, 1e-8}

// newBends returns nil for implicit steps, which have no tableau, and for mechanisms whose forces have no corners.
func newBends(plan *kkt.Plan, tab *sim.Tableau, kinks *branches, st *mechanism.State) *bends {
	if tab == nil || len(kinks.list) == 0 {
		return nil
	}
	b := &bends{kinks: kinks, was: st.Clone(), at: st.Clone(), from: make([]side, len(kinks.list))}
	b.step = sim.NewRungeKutta(plan.Mechanism(), motion.NewDynamics(plan), tab, sim.Tolerance{})
	return b
}

// over takes note of the step that was added to the tape last, which ends at st. If it is bent, over takes it apart on the tape. b may be
// nil.
func (b *bends) over(tape *adjoint.Tape, bent bool, st *mechanism.State) error {
	if b == nil {
		return nil
	}
	b.steps++
	switch {
	case bent && b.taken > b.steps+moreParts:
		b.rough = true
	case bent:
		parts, err := b.parts(st)
		if err != nil {
			return err
		}
		tape.Split(parts)
		b.taken += len(parts)
	}
	b.begin(st)
	return nil
}

// begin makes st the start of the next step.
func (b *bends) begin(st *mechanism.State) {
	if n := st.FlatLen(); len(b.flat) != n {
		b.was, b.at, b.flat = st.Clone(), st.Clone(), make([]float64, n)
	}
	st.FlatTo(b.flat)
	b.was.SetFlat(b.flat)
}

// parts returns the states between the parts of the step to end: those around each of its corners, theory.md (V23).
func (b *bends) parts(end *mechanism.State) (list []*mechanism.State, err error) {
	for range mostBends {
		at := b.was
		if len(list) > 0 {
			at = list[len(list)-1]
		}
		b.kinks.at(b.from, at)
		corner, found, err := b.corner(at, end.Time)
		if err != nil {
			return nil, err
		}
		if !found {
			break
		}
		if list, err = b.around(list, corner, end.Time); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// around adds to list the states at the distances of bendNear before and after a corner. It leaves out states that are hardly later than
// the state before them, or hardly earlier than the end of the step.
func (b *bends) around(list []*mechanism.State, corner, end float64) ([]*mechanism.State, error) {
	h, last := end-b.was.Time, len(bendNear)-1
	least, at := h*bendNear[last]/bendGap, b.was
	if len(list) > 0 {
		at = list[len(list)-1]
	}
	for i := range 2 * len(bendNear) {
		t := corner
		if i <= last {
			t -= h * bendNear[i]
		} else {
			t += h * bendNear[2*last+1-i]
		}
		if !(t > at.Time+least && t < end-least) {
			continue
		}
		if err := b.try(at, t); err != nil {
			return nil, err
		}
		at = at.Clone()
		b.step.AtTo(at, 1)
		list = append(list, at)
	}
	return list, nil
}

// corner returns the first time after the state at, up to end, at which a part is on another side than at the state, and whether there is
// one.
func (b *bends) corner(at *mechanism.State, end float64) (t float64, found bool, err error) {
	if err := b.try(at, end); err != nil {
		return 0, false, err
	}
	b.step.AtTo(b.at, 1)
	if b.kinks.on(b.from, b.at) {
		return 0, false, nil
	}
	lo, hi := 0.0, 1.0
	for range bendSteps {
		mid := (lo + hi) / 2
		if b.step.AtTo(b.at, mid); b.kinks.on(b.from, b.at) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return at.Time + hi*(end-at.Time), true, nil
}

// try does a step from the state at to the time t.
func (b *bends) try(at *mechanism.State, t float64) error {
	b.step.Restart()
	_, err := b.step.Try(at, t)
	return err
}
