package objective

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

const (
	// sameTol is the largest difference, in the units of sim.Tolerance, between an open stage that is computed again and the stage of the
	// run, for both to count as the same: far above rounding, and as small as the closing of joints.
	sameTol = sim.DefaultDrift
	// closingsAround is the number of closings before and after the last one that are searched. A larger value costs time only.
	closingsAround = 64
	// closingsMost is the memory limit of closings in bytes. Another value costs time only.
	closingsMost = 16 << 20
)

// closings keeps stages of a run before and after they were closed, so that the way over the run need not close them again. It is the
// sim.Projector of that way. Stages that it does not know are closed by the projector of the run.
type closings struct {
	by     sim.Projector
	length float64 // mechanism.Mechanism.TypicalLength
	times  []float64
	states [][]mechanism.BodyState // for each time the bodies of the open stage, then of the closed one
	at     int                     // index of the closing that is expected next
	known  bool                    // the last state was found: its velocities are closed, too
}

// watch records the closings of a run by an explicit method.
func (c *closings) watch(m *mechanism.Mechanism, s sim.Stepper) {
	if k, ok := s.(*sim.RungeKutta); ok {
		c.length = m.TypicalLength()
		k.OnClosed(c.see)
	}
}

// see records a closing of the run, unless the memory is full.
func (c *closings) see(open, closed *mechanism.State) {
	const bytes = 13 * 8 // of a body
	n := len(open.Bodies)
	if 2*n*bytes*len(c.states) > closingsMost {
		return
	}
	both := make([]mechanism.BodyState, 2*n)
	copy(both[copy(both, open.Bodies):], closed.Bodies)
	c.times, c.states = append(c.times, open.Time), append(c.states, both)
}

// ClosePositions implements sim.Projector.
func (c *closings) ClosePositions(st *mechanism.State) error {
	n := len(st.Bodies)
	for i := max(0, c.at-closingsAround); i < min(len(c.times), c.at+closingsAround); i++ {
		if c.times[i] == st.Time && c.same(c.states[i][:n], st.Bodies) {
			copy(st.Bodies, c.states[i][n:])
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

// same reports whether two states are equal but for rounding.
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
