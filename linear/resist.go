package linear

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// errSlides says why friction that moves has no place among springs and dampers.
var errSlides = fmt.Errorf("%w: friction with bristles, or of a reaction, while the joint moves", mechanism.ErrNoDerivatives)

// findResisted lists the stops and the friction of the joints.
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

// bearings has the reactions in joints whose friction grows with them.
type bearings struct {
	solver *kkt.Solver // nil until it is needed
	state  mechanism.State
	load   []float64
}

// withBearings returns st with the reactions in bearings.
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

// addResistance adds what stops or friction do, as addDrive. A stop that touches is a
// spring and a damper. Regularised friction is a damper, at rest with all its size over
// its speed. Bristles at rest are springs: they bend by as much as the freedom moves.
//
// It returns an error that wraps mechanism.ErrNoDerivatives, with the name of the joint, for bristles and for friction
// of a reaction while something moves.
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

// relax makes the deflections of the bristles of joints zero at st, and the internal states of stops, which then push by their
// springs alone.
func (s *System) relax(st *mechanism.State) {
	if len(st.Internal) == 0 {
		return
	}
	for i := range s.mech.NumResistors() {
		if at := s.mech.ResistorState(i); at >= 0 {
			st.Internal[at] = 0
		}
	}
}
