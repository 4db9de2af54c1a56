package linear

import "math"

// A mechanism may be carried on by a force for ever, as a car with a driven wheel on a plane: wherever a search for an equilibrium
// comes, the same is left. The forces of most elements are analytic functions of the poses. If they are the same at many places of a
// way, then they are along all of it.

const (
	// carriedSteps is the number of steps after which the same force counts as that of the whole way.
	carriedSteps = 20
	// carriedTol is by how much the force that is left may differ from step to step, relative to it: rounding.
	carriedTol = 1e-12
)

// same counts the steps in which what is left stays the same.
type same struct {
	left  float64
	count int
}

// carried notes the force that is left after a step, and reports whether it stays the same for ever.
func (s *search) carried(left float64) bool {
	if !(math.Abs(left-s.same.left) <= carriedTol*left) {
		s.same = same{left, 0}
		return false
	}
	s.same.count++
	return s.same.count >= carriedSteps && s.analytic()
}

// analytic reports whether nothing begins to act at some pose, or changes its law there: no contact, stop, cable, actuator, table or
// function, and no curve or terrain that bends.
func (s *search) analytic() bool {
	m := s.sys.mech
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
