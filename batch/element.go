package batch

import (
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// nearPart is the squared distance of the ends of a spring-damper, relative to the numbers whose difference it is, up
// to which the solver decides whether it has a direction.
const nearPart = 1e-26

// elements adds what spring-dampers and wrenches of the model do to the bodies.
func (c *compiler) elements() {
	for i := range c.mech.Forces {
		c.passing()
		switch e := &c.mech.Forces[i]; e.Kind {
		case model.Wrench:
			if e.A.Body < 0 {
				break
			}
			arm, f := c.armOf(e.A.Body, e.A.Point), c.shared(e.Force[:]...)
			c.push(e.A.Body, f, c.vector(tape.AddCross, arm, f, c.shared(e.Torque[:]...)), 1)
		case model.SpringDamper:
			c.spring(e, i)
		}
		c.lasting()
	}
}

// spring adds a spring-damper.
func (c *compiler) spring(e *mechanism.ForceElement, i int) {
	a, b := c.pointOf(e.A.Body, e.A.Point), c.pointOf(e.B.Body, e.B.Point)
	line := c.room(6)
	far, near := c.difference(b.far, a.far), c.difference(b.near, a.near)
	c.opN(tape.Add, 3, 0, line, far, near)
	c.opN(tape.Sub, 3, 0, line.at(3), b.velocity, a.velocity)
	size := c.room(2)
	c.op(tape.Dot, size, a.far, a.far)
	for _, v := range [3]place{a.near, b.far, b.near} {
		c.op(tape.Dot, size.at(1), v, v)
		c.opN(tape.Add, 1, 0, size, size, size.at(1))
	}
	c.opN(tape.Scaled, 1, 0, size, c.zero, size, c.shared(nearPart))
	numbers := place(0)
	if own := c.at.spring[i]; own > 0 {
		numbers = c.input.at(own)
	} else {
		numbers = c.shared(e.Stiffness, e.Damping, e.RestLength)
	}
	f := c.room(3)
	c.op(tape.Pull, f, line, numbers, size, c.sys.record.at(notFinite))
	if e.A.Body >= 0 {
		c.push(e.A.Body, f, c.vector(tape.Cross, c.armOf(e.A.Body, e.A.Point), f), 1)
	}
	if e.B.Body >= 0 {
		c.push(e.B.Body, f, c.vector(tape.Cross, c.armOf(e.B.Body, e.B.Point), f), -1)
	}
}
