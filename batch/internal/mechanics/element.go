package mechanics

import (
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// nearPart is the squared distance of the ends of a spring-damper up to which it may have no direction, relative to the squares of the
// numbers whose difference it is. The state is then solved alone.
const nearPart = 1e-26

// elements adds the loads of spring-dampers and wrenches of the model on the bodies.
func (c *compiler) elements() {
	for i := range c.mech.Forces {
		c.Passing()
		switch e := &c.mech.Forces[i]; e.Kind {
		case model.Wrench:
			if e.A.Body < 0 {
				break
			}
			arm, f := c.armOf(e.A.Body, e.A.Point), c.Shared(e.Force[:]...)
			c.push(e.A.Body, f, c.vector(tape.AddCross, arm, f, c.Shared(e.Torque[:]...)), 1)
		case model.SpringDamper:
			c.spring(e, i)
		}
		c.Lasting()
	}
}

// spring adds the wrenches of spring-damper i: a force along the line d from A to B with the tension k·(|d| − rest) + c·d|d|/dt
// (tape.Pull), at A along d and at B against it. Ends that coincide to rounding of their arms are an error of the state.
func (c *compiler) spring(e *mechanism.ForceElement, i int) {
	a, b := c.pointOf(e.A.Body, e.A.Point), c.pointOf(e.B.Body, e.B.Point)
	line := c.Room(6)
	far, near := c.difference(b.far, a.far), c.difference(b.near, a.near)
	c.OpN(tape.Add, 3, 0, line, far, near)
	c.OpN(tape.Sub, 3, 0, line.At(3), b.velocity, a.velocity)
	size := c.Room(2)
	c.Op(tape.Dot, size, a.far, a.far)
	for _, v := range [3]place{a.near, b.far, b.near} {
		c.Op(tape.Dot, size.At(1), v, v)
		c.OpN(tape.Add, 1, 0, size, size, size.At(1))
	}
	c.OpN(tape.Scaled, 1, 0, size, c.zero, size, c.Shared(nearPart))
	numbers := c.ofSpring(i)
	if !numbers.Is() {
		numbers = c.Shared(e.Stiffness, e.Damping, e.RestLength)
	}
	f := c.Room(3)
	c.Op(tape.Pull, f, line, numbers, size, c.sys.record.At(notFinite))
	if e.A.Body >= 0 {
		c.push(e.A.Body, f, c.vector(tape.Cross, c.armOf(e.A.Body, e.A.Point), f), 1)
	}
	if e.B.Body >= 0 {
		c.push(e.B.Body, f, c.vector(tape.Cross, c.armOf(e.B.Body, e.B.Point), f), -1)
	}
}
