package mechanics

import "github.com/rung-mbd/rung/internal/tape"

// evaluate adds the evaluation of bodies, joints and forces: blocks, scales and right sides of the system.
func (c *compiler) evaluate() {
	m := c.mech
	c.OpN(tape.Copy, records, 0, c.sys.record, c.sys.null)
	for i := range c.bodies {
		b := &c.bodies[i]
		c.Op(tape.Body, b.axes, b.state.At(atRotation), b.data, c.input.At(Gravity), b.load)
		c.Op(tape.Departure, c.sys.record.At(notUnit), b.state, c.sys.record.At(notFinite))
		if b.wrench.Is() {
			c.Op(tape.Weigh, b.load, b.wrench, b.wrench.At(3), b.data.At(atWeight), b.axes)
		}
	}
	c.groupMotions()
	for j := range m.Joints {
		if c.reduced.tree[j] == nil {
			c.Passing()
			c.addJoint(j)
			c.Lasting()
		}
	}
	if !c.rareForces {
		c.elements()
	}
	for _, g := range c.reduced.groups {
		c.groupLoads(g, c.sys.right[g.node])
	}
	for i := range m.Couplings {
		c.rareRows(c.plan.Layout().CouplingNode(i))
	}
}

// results adds the accelerations of all bodies in world axes, from the solution of the system.
func (c *compiler) results() {
	c.spread()
	for i := range c.bodies {
		b := &c.bodies[i]
		c.Op(tape.Unweigh, b.a, b.x, b.axes, b.data.At(atWeight), c.sys.record.At(notFinite))
	}
}

// addJoint adds the rows of joint j, and the loads of the forces along its freedoms.
func (c *compiler) addJoint(j int) {
	jt := &c.mech.Joints[j]
	rows := c.rowsOf(j)
	if hasNoLanes(jt) {
		if rows != nil {
			c.rareRows(c.plan.Layout().JointNode(j))
		}
		return
	}
	driven := !c.rareForces && c.isDriven(j)
	if rows == nil && !driven {
		return
	}
	at := &jointPlace{}
	c.frames(at, j)
	switch {
	case isPlain(jt):
		c.axesInBodies(at, j)
		c.hingeBiases(at, jt)
		if driven {
			c.hingeDrive(at, j)
		}
	default:
		c.worldArms(at, jt)
		if driven {
			c.jointDrive(at, j)
		}
	}
	if rows != nil {
		c.jointRows(at, j, rows)
	}
}
