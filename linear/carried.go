package linear

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
)

// A mechanism may be carried on by a force for ever, as a car with a driven wheel on a plane: wherever a search for an equilibrium
// comes, the same is left. The forces of most elements are analytic functions of the poses. If they are the same at many places of a
// way, then they are along all of it.

const (
	// carriedSteps is the number of steps after which the same force counts as the force of the whole way.
	carriedSteps = 20
	// carriedTol is by how much the force that is left may differ from step to step, relative to it: rounding.
	carriedTol = 1e-12
)

// same counts the steps in which the unbalanced force stays the same.
type same struct {
	left  float64
	count int
}

// carries notes the force that is left after a step, and reports whether it stays the same for ever in m.
func (s *same) carries(left float64, m *mechanism.Mechanism) bool {
	if !(math.Abs(left-s.left) <= carriedTol*left) {
		*s = same{left, 0}
		return false
	}
	s.count++
	return s.count >= carriedSteps && analytic(m)
}

// analytic reports whether nothing begins to act at some pose, or changes its law there: no contact, stop, cable, actuator, table or
// function, and no curve or terrain that bends.
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
