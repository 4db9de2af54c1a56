package kkt

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// ErrReaction is wrapped by the error of a Solve in which the friction of a joint grows with a reaction that the
// constraints do not determine.
var ErrReaction = errors.New("kkt: friction of a reaction that is not unique")

// ErrJammed is wrapped by the error of a Solve in which friction and the reactions that it grows with find no balance,
// or none within 100 solves: the joints lock themselves.
var ErrJammed = errors.New("kkt: friction and reactions find no balance")

const (
	bearingSolves = 100
	// bearingTol is the change of a reaction, relative to the largest one, at which the iteration ends. Accelerations
	// change less, by the friction that it makes.
	bearingTol = 1e-13
)

// bearings are the reactions in joints whose friction grows with them, docs/stops-and-friction.md (J9), (J10).
type bearings struct {
	state   mechanism.State // that of the Solve, with the reactions
	load    []float64       // N
	checked int             // number of redundant rows for which the reactions are known to be unique
}

func newBearings(m *mechanism.Mechanism) *bearings {
	if m.NumBearings() == 0 {
		return nil
	}
	return &bearings{load: make([]float64, m.NumBearings())}
}

// begin returns the state of a solve with the reactions so far, none in the beginning.
func (b *bearings) begin(st *mechanism.State) *mechanism.State {
	clear(b.load)
	b.state = *st
	b.state.Bearings = b.load
	return &b.state
}

// take stores the reactions, computed from the constraint wrenches of
// the joints. It reports whether they agree with those before.
func (b *bearings) take(m *mechanism.Mechanism, k *mechanism.Kinematics, wrench func(j int) spatial.Force) bool {
	var jk mechanism.JointKinematics
	change, size := 0.0, 0.0
	for i := range b.load {
		j := m.Bearing(i)
		m.JointTo(&jk, j, k, &b.state)
		w := wrench(j)
		load := m.BearingLoad(j, &w, &jk)
		change, size = max(change, math.Abs(load-b.load[i])), max(size, load)
		b.load[i] = load
	}
	return change <= bearingTol*size
}

// settle solves once and again until reactions and the friction that they make agree.
func (s *Solver) settle(st *mechanism.State, once func(st *mechanism.State) error) error {
	b := s.bearings
	st = b.begin(st)
	for n := range bearingSolves {
		if err := once(st); err != nil {
			return err
		}
		if n == 0 {
			if _, redundant := s.Nearness(); redundant != b.checked {
				r, err := s.report()
				if err == nil {
					err = s.determined(r)
				}
				if err != nil {
					s.stage = empty
					return err
				}
				b.checked = redundant
				if err := once(st); err != nil {
					return err
				}
			}
		}
		if s.complete(); b.take(s.plan.mech, s.now.kin, s.constraintWrench) {
			return nil
		}
	}
	s.stage = empty
	return fault.Errorf("kkt: %w", s.plan.mech.AtJoint(s.plan.mech.Bearing(0), -1, ErrJammed))
}

// determined returns ErrReaction, with the name of the joint, where
// the constraints leave the reaction of a bearing undetermined.
func (s *Solver) determined(r *Report) error {
	for i := range s.plan.mech.NumBearings() {
		if j := s.plan.mech.Bearing(i); r.Undetermined[j]&bearingBit != 0 {
			return fault.Errorf("kkt: %w", s.plan.mech.AtJoint(j, -1, ErrReaction))
		}
	}
	return nil
}

// BearingsTo stores in dst the reactions in the joints whose friction grows with them (mechanism.State.Bearings).
//
// It panics without a solution, or on a length mismatch.
func (s *Solver) BearingsTo(dst []float64) {
	s.mustHave()
	if len(dst) != s.plan.mech.NumBearings() {
		panic("kkt: length mismatch")
	}
	if s.bearings != nil {
		copy(dst, s.bearings.load)
	}
}
