package linear

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// errSlides is the reason why the linearized equations cannot have the friction of a joint that moves.
var errSlides = fmt.Errorf("%w: friction with bristles, or of a reaction, while the joint moves", mechanism.ErrNoDerivatives)

// findResisted stores in s.resisted the stops and the friction of each joint, and allocates s.bearings if some friction grows with
// reactions.
func (s *System) findResisted() {
	for i := range s.mech.NumResistors() {
		if s.resisted == nil {
			s.resisted = map[int][]int32{}
		}
		f, _ := s.mech.Resistor(i)
		s.resisted[f.Joint] = append(s.resisted[f.Joint], int32(i))
	}
	if s.mech.NumBearings() > 0 {
		s.bearings = &bearings{load: make([]float64, s.mech.NumBearings())}
	}
}

// bearings holds the reactions in joints whose friction grows with them.
type bearings struct {
	solver *kkt.Solver     // nil until it is needed
	state  mechanism.State // as withBearings returns it
	load   []float64       // mechanism.State.Bearings of it
}

// withBearings returns a copy of st with the reactions at st in Bearings, which the next call overwrites, or st itself if there are no
// bearings.
func (s *System) withBearings(st *mechanism.State) (*mechanism.State, error) {
	b := s.bearings
	if b == nil {
		return st, nil
	}
	if b.solver == nil {
		b.solver = s.plan.NewSolver()
	}
	if err := b.solver.Solve(st); err != nil {
		return nil, fault.Errorf("linear: %w", err)
	}
	b.solver.BearingsTo(b.load)
	b.state = *st
	b.state.Bearings = b.load
	return &b.state, nil
}

// addResistance adds the force of stop or friction i along its freedom, with stiffness and damping. A stop that touches is a
// spring and a damper. Regularised friction is a damper, at rest with its whole force over
// its regularisation speed. Bristles at rest are springs: their deflection changes by as much as the freedom. In a search for an
// equilibrium they have no force.
//
// It returns an error that wraps mechanism.ErrNoDerivatives, with the name of the joint, for bristles, and for friction
// that grows with a reaction, while something moves.
func (s *System) addResistance(r *reaction, i int) error {
	f, _ := s.mech.Resistor(i)
	p := s.mech.ResistanceAt(i, r.at, s.st)
	if s.mech.Bristles(i) && s.search {
		return nil
	}
	if s.mech.Bristles(i) || s.mech.OfReaction(i) {
		if !s.rest {
			return s.jointError(f.Joint, errSlides)
		}
		p.Stiffness += p.Bristle * p.ByRate
	}
	s.addPush(r, f.Freedom, p.Push)
	return nil
}

// clearResistors sets to zero the internal states of friction at st, the deflections of bristles, and of stops, whose springs alone then
// make their forces.
func (s *System) clearResistors(st *mechanism.State) {
	if len(st.Internal) == 0 {
		return
	}
	for i := range s.mech.NumResistors() {
		if at := s.mech.ResistorState(i); at >= 0 {
			st.Internal[at] = 0
		}
	}
}
