package objective

import (
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// bends find where within a step a force has a corner, to take the step apart there, theory.md (V23).
type bends struct {
	kinks *branches
	step  *sim.RungeKutta
	was   *mechanism.State // at the start of the step at hand
	flat  []float64
	from  []side // of all parts, there
	at    *mechanism.State

	steps, taken int  // of the run, and parts so far
	rough        bool // some steps have not been taken apart, as there were too many
}

const (
	// mostBends is how many corners of a step are found. With more, some contact touches in each step.
	mostBends = 8
	// moreParts is how many parts there are at most beside one a step: a contact that chatters, or friction at rest, has a corner in
	// each step.
	moreParts = 1000
	// bendSteps is how often the interval of a corner is halved, which is then at the resolution of bendNear.
	bendSteps = 40
	// bendGap is into how many parts the shortest distance of bendNear is divided for the shortest step between two states.
	bendGap = 4
)

// bendNear are the distances from a corner, as parts of the step, at which it is taken apart on both sides. A stage of a shorter part
// is nearer to where the motion is, and so on its side of the corner. What is between the nearest two is differentiated on either side.
var bendNear = [...]float64{1e-2, 1e-4, 1e-6, 1e-8}

// newBends returns nil where steps are implicit, without a tableau, or no force has corners.
func newBends(plan *kkt.Plan, tab *sim.Tableau, kinks *branches, st *mechanism.State) *bends {
	if tab == nil || len(kinks.list) == 0 {
		return nil
	}
	b := &bends{kinks: kinks, was: st.Clone(), at: st.Clone(), from: make([]side, len(kinks.list))}
	b.step = sim.NewRungeKutta(plan.Mechanism(), motion.NewDynamics(plan), tab, sim.Tolerance{})
	return b
}

// over goes over the step to a state, which was added to a tape last, and takes it apart there if it is bent. b may be nil.
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

// parts returns the states at which the step to end is taken apart: those around each of its corners, theory.md (V23).
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

// around adds the states at the distances of bendNear before and behind a corner to those of the step so far. It leaves out those that
// would be as good as at the state before them, or at the end of the step.
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

// corner returns the first time after a state, up to an end, at which a part is on another branch than there, and whether there is one.
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

// try does a step from a state to a time.
func (b *bends) try(at *mechanism.State, t float64) error {
	b.step.Restart()
	_, err := b.step.Try(at, t)
	return err
}
