package linear

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
)

// A force may drive a mechanism on for ever, as the drive of a wheel does with a car on a plane: the unbalanced force is then the same
// after each step of a search for an equilibrium. The forces of most elements are analytic functions of the poses. If such a force is
// the same at many poses along a line, it is the same along the whole line.

const (
	// constantSteps is the number of steps with the same unbalanced force after which it counts as constant. A larger value costs time only.
	constantSteps = 20
	// constantTol is the largest change of the unbalanced force by a step, relative to it, that counts as rounding.
	constantTol = 1e-12
)

// constantForce counts the steps in which the largest unbalanced force stays the same.
type constantForce struct {
	force float64 // N
	count int     // steps since the force has last changed
}

// driven takes the largest unbalanced force after a step, N. It reports whether the force has stayed the same for constantSteps, and
// stays so for ever because the forces of m are analytic.
func (s *constantForce) driven(force float64, m *mechanism.Mechanism) bool {
	if !(math.Abs(force-s.force) <= constantTol*force) {
		*s = constantForce{force, 0}
		return false
	}
	s.count++
	return s.count >= constantSteps && analytic(m)
}

// analytic reports whether all forces are analytic functions of the poses by their kind, so that none begins to act or changes its law at
// some pose: there is no contact, stop, friction, cable, actuator, table or user's force or function, and no joint on curves or terrain.
func analytic(m *mechanism.Mechanism) bool {
	if m.NumContacts()+m.NumResistors()+m.NumCables()+m.NumActuators()+m.NumOwn()+m.NumLaws() > 0 {
		return false
	}
	for j := range m.Joints {
		jt := &m.Joints[j]
		if jt.Curve != nil || jt.Ground != nil {
			return false
		}
		for i := range jt.Kind.Freedoms() {
			if d := m.Drive(j); d != nil && d.Law(i) != nil {
				return false
			}
		}
	}
	for i := range m.Couplings {
		if m.Couplings[i].Law != nil {
			return false
		}
	}
	return true
}
