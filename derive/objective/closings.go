package objective

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

const (
	// sameTol is how far an open stage, computed again, may be from that of the run, as sim.Tolerance has it, to be the same one: far above
	// rounding, and what joints are closed to.
	sameTol = sim.DefaultDrift
	// closingsAround is how many closings before and behind the last one are looked at. A larger value costs time only.
	closingsAround = 64
	// closingsMost is how many bytes they may take. Another value costs time only.
	closingsMost = 16 << 20
)

// closings are stages of a run before and after they have been closed, so that going over the run need not close them again. It is the
// sim.Projector of what goes over it; stages that it does not know are closed by the projector of the run.
type closings struct {
	by     sim.Projector
	length float64 // mechanism.Mechanism.TypicalLength
	times  []float64
	states []mechanism.BodyState // for each time, those of the open stage and of the closed one
	at     int                   // the closing that is likely next
	known  bool                  // the last state has been closed as a whole
}

// watch keeps the closings of a run by an explicit method.
func (c *closings) watch(m *mechanism.Mechanism, s sim.Stepper) {
	if k, ok := s.(*sim.RungeKutta); ok {
		c.length = m.TypicalLength()
		k.OnClosed(c.see)
	}
}

// see keeps a closing of the run.
func (c *closings) see(open, closed *mechanism.State) {
	const bytes = 13 * 8 // of a body
	if bytes*len(c.states) > closingsMost {
		return
	}
	c.times, c.states = append(c.times, open.Time), append(append(c.states, open.Bodies...), closed.Bodies...)
}

// ClosePositions implements sim.Projector.
func (c *closings) ClosePositions(st *mechanism.State) error {
	n := len(st.Bodies)
	for i := max(0, c.at-closingsAround); i < min(len(c.times), c.at+closingsAround); i++ {
		if c.times[i] == st.Time && c.same(c.states[2*n*i:][:n], st.Bodies) {
			copy(st.Bodies, c.states[2*n*i+n:][:n])
			c.at, c.known = i+1, true
			return nil
		}
	}
	c.known = false
	return c.by.ClosePositions(st)
}

// ProjectVelocities implements sim.Projector.
func (c *closings) ProjectVelocities(st *mechanism.State) error {
	if c.known {
		return nil
	}
	return c.by.ProjectVelocities(st)
}

// same reports whether two states are one but for rounding.
func (c *closings) same(a, b []mechanism.BodyState) bool {
	for i := range a {
		x, y := &a[i], &b[i]
		for c := range x.Rotation {
			if !(math.Abs(x.Rotation[c]-y.Rotation[c]) <= sameTol) {
				return false
			}
		}
		if !(x.Position.Sub(y.Position).Norm() <= sameTol*c.length && x.Omega.Sub(y.Omega).Norm() <= sameTol*(1+x.Omega.Norm()) &&
			x.Velocity.Sub(y.Velocity).Norm() <= sameTol*(c.length+x.Velocity.Norm())) {
			return false
		}
	}
	return true
}
