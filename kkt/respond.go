package kkt

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
)

// RespondTo stores in v the change of the velocities of all bodies by a unit impulse along a scalar
// freedom at the pose of st, docs/stops-and-friction.md (J4). It is the solution of the system of Solve
// with the wrench of the impulse as the only load. Joints and couplings hold, and prescribed freedoms
// keep their rates; armature and bodies without inertia count as in accelerations. Finite forces and the
// velocities of st have no effect. free is the change of the freedom's rate that the impulse would make without joints. If
// the mechanism does not allow the freedom to move, its rate in v is rounding, relative to free.
//
// Shapes: v has six entries a body, ω then the velocity of the centre of mass, world axes. Cost and errors: as
// Solve; it works on the whole system, as SolveStabilized. It leaves no results of a Solve. It panics if st is nil or
// of another mechanism, if f has no coordinate, or on a length mismatch.
func (s *Solver) RespondTo(v []float64, st *mechanism.State, f mechanism.Freedom) (free float64, err error) {
	s.enter()
	defer s.guard.Leave()
	mustHaveState(st)
	m := s.plan.mech
	if len(v) != 6*m.NumBodies() {
		panic("kkt: length mismatch")
	}
	if uint(f.Joint) >= uint(m.NumJoints()) || uint(f.Freedom) >= uint(m.Joints[f.Joint].Kind.Freedoms()) {
		panic("kkt: freedom out of range")
	}
	free, err = s.respondTo(v, st, f)
	return free, s.orCause(err)
}

// respondTo is RespondTo without its guard and checks.
func (s *Solver) respondTo(v []float64, st *mechanism.State, f mechanism.Freedom) (free float64, err error) {
	s.st = st
	if err := s.assembleWhole(); err != nil {
		return 0, err
	}
	s.push(f)
	s.alter()
	// In weighted coordinates M is the unit matrix. So the right side is the change of velocities without joints, and
	// its square is w·M⁻¹·w for the wrench w of the impulse.
	s.free, free = algebra.MaxAbs(s.sys.Right), algebra.Dot(s.sys.Right, s.sys.Right)
	if err = s.factorize(); err == nil {
		err = s.refine()
	}
	if err == nil {
		copy(v, s.x)
	}
	s.stage = empty
	return free, err
}

// push makes the wrench of a unit force along a freedom the right side of the whole system.
func (s *Solver) push(f mechanism.Freedom) {
	m, y := s.plan.mech, s.sys
	var jk mechanism.JointKinematics
	var along mechanism.Along
	m.JointTo(&jk, f.Joint, y.Kin, s.st)
	m.FreedomTo(&along, f, &jk, y.Kin)
	clear(y.Right)
	for e, b := range along.Body {
		if b >= 0 {
			w := along.On(e)
			y.AddWrenchTo(y.Right[6*b:][:6], int(b), 1, &w)
		}
	}
}
