package mechanics

import (
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

// isDriven reports whether forces, springs or dampers may act along freedoms of joint j.
func (c *compiler) isDriven(j int) bool {
	d := c.mech.Drive(j)
	for i := range c.mech.Joints[j].Kind.Freedoms() {
		if c.force[6*j+i].Is() || c.ofDrive(6*j+i).Is() || d != nil && (d.Force[i] != 0 || d.Stiffness[i] != 0 || d.Damping[i] != 0) {
			return true
		}
	}
	return false
}

// hingeDrive adds the moments along the freedoms of a hinge to its bodies.
func (c *compiler) hingeDrive(at *jointPlace, j int) {
	jt := &c.mech.Joints[j]
	var d mechanism.Drive
	if p := c.mech.Drive(j); p != nil {
		d = *p
	}
	turn := c.Constant(0, 0, 0) // components along the axes of P
	rates := c.difference(at.biasS.At(3), at.biasP.At(3))
	for i, u := range duals(jt.Kind) {
		if c.isFree(&d, 6*j+i, i) {
			continue
		}
		axes := at.inS
		if jt.Succ < 0 {
			axes = at.P
		}
		c.freedomForce(&d, 6*j+i, i, turn.At(u.axis), rates.At(u.axis), c.angle(j, i, axes, c.axesIn(j, sideS)))
	}
	for _, x := range [2]struct {
		body   int32
		axes   place
		weight int
	}{{jt.Succ, at.inS, atWeight}, {jt.Pred, at.inP, atNegated}} {
		if x.body >= 0 {
			b := &c.bodies[x.body]
			c.Op(tape.Torque, b.load, x.axes, turn, b.data.At(x.weight))
		}
	}
}

// isSprungAngle reports whether freedom i of joint j is an angle about z of P with a spring. Only for these there is an instruction.
func (c *compiler) isSprungAngle(j, i int) bool {
	switch c.mech.Joints[j].Kind {
	case joints.Revolute, joints.Cylindrical, joints.Planar:
	default:
		return false
	}
	d := c.mech.Drive(j)
	return i == 0 && d != nil && d.Stiffness[i] != 0
}

// angle adds the coordinate of freedom i of joint j, the angle from the axes P to S, both given in the same axes. It returns none if the
// freedom is no sprung angle.
func (c *compiler) angle(j, i int, P, S place) place {
	if !c.isSprungAngle(j, i) {
		return none
	}
	x := CarriedAngle{c.mech.AnglePlace(mechanism.Freedom{Joint: j, Freedom: i}), c.LastingRoom(1)} // written before the tape runs
	c.angles, c.wound = append(c.angles, x), append(c.wound, j)
	q := c.Room(1)
	c.Op(tape.Angle, q, P, S, x.At)
	return q
}

// followAngles updates the angles that a state carries to the pose at the end of a step.
func (c *compiler) followAngles() {
	for i, x := range c.angles {
		c.Passing()
		var axes [2]place
		for k, s := range [2]side{sideP, sideS} {
			j := c.wound[i]
			body, _ := s.of(&c.mech.Joints[j])
			if axes[k] = c.axesIn(j, s); body >= 0 {
				own, turned := c.Room(9), c.Room(9)
				c.Op(tape.Axes, own, c.bodies[body].state.At(atRotation))
				c.Op(tape.Mul3, turned, own, axes[k])
				axes[k] = turned
			}
		}
		c.Op(tape.Angle, x.At, axes[0], axes[1], x.At)
		c.Lasting()
	}
}

// isFree reports whether nothing acts along freedom i of joint j; k is 6·j + i.
func (c *compiler) isFree(d *mechanism.Drive, k, i int) bool {
	return d.Force[i] == 0 && d.Stiffness[i] == 0 && d.Damping[i] == 0 && !c.force[k].Is() && !c.ofDrive(k).Is()
}

// freedomForce adds the generalized force of freedom i of joint j, k = 6·j + i, and stores it in tau. q is its coordinate; none for an
// angle without a spring.
func (c *compiler) freedomForce(d *mechanism.Drive, k, i int, tau, rate, q place) {
	from := c.Shared(d.Force[i])
	if in := c.force[k]; in.Is() { // the force of the state replaces the one of the model
		from = in
	}
	numbers := c.ofDrive(k)
	own := numbers.Is() // the numbers vary from state to state
	if !own {
		numbers = c.Shared(d.Stiffness[i], d.Stiffness[i]*d.Rest[i], d.Damping[i])
	}
	if q.Is() && (own || d.Stiffness[i] != 0) {
		c.OpN(tape.Add, 1, 0, tau, from, numbers.At(Tension))
		c.Op(tape.Less, tau, tau, numbers.At(Stiffness), q)
		from = tau
	}
	if own || d.Damping[i] != 0 { // for a ball the rates are about the axes of P
		c.Op(tape.Less, tau, from, numbers.At(Damping), rate)
		from = tau
	}
	if from != tau {
		c.OpN(tape.Copy, 1, 0, tau, from)
	}
	if c.acts != nil {
		c.acts[k] = c.LastingRoom(1)
		c.OpN(tape.Copy, 1, 0, c.acts[k], tau)
	}
}

// jointDrive adds the forces along the freedoms of a joint to its bodies.
func (c *compiler) jointDrive(at *jointPlace, j int) {
	jt := &c.mech.Joints[j]
	var d mechanism.Drive
	if p := c.mech.Drive(j); p != nil {
		d = *p
	}
	c.relative(at, jt)
	turn, push := c.Constant(0, 0, 0), c.Constant(0, 0, 0) // components along the axes of P
	extra := none                                          // moment about y of S, world axes
	for i, u := range duals(jt.Kind) {
		if c.isFree(&d, 6*j+i, i) {
			continue
		}
		tau, rate, q := turn.At(u.axis), at.alongW.At(u.axis), none
		switch {
		case u.force:
			tau, rate, q = push.At(u.axis), at.alongV.At(u.axis), at.alongR.At(u.axis)
		case c.isSprungAngle(j, i):
			q = c.angle(j, i, at.P, c.frameAxes(j, sideS))
		}
		if u.ofS {
			tau = c.Room(1)
			extra = c.vector(tape.Column, at.S.At(1))
			rate = c.Room(1)
			c.Op(tape.Dot, rate, extra, at.w)
		}
		c.freedomForce(&d, 6*j+i, i, tau, rate, q)
		if u.ofS {
			moment := c.Room(3)
			c.OpN(tape.Scaled, 3, 0, moment, c.zero, extra, tau)
			extra = moment
		}
	}
	n := c.vector(tape.MulVec, at.P, turn)
	if extra.Is() {
		n = c.sum(n, extra)
	}
	if isPinned(jt.Kind) { // moments alone, the same about any point
		if jt.Succ >= 0 {
			c.push(jt.Succ, c.zero, n, 1)
		}
		if jt.Pred >= 0 {
			c.push(jt.Pred, c.zero, n, -1)
		}
		return
	}
	f := c.vector(tape.MulVec, at.P, push)
	if jt.Succ >= 0 {
		c.push(jt.Succ, f, c.vector(tape.AddCross, at.worldS, f, n), 1)
	}
	if jt.Pred >= 0 {
		c.push(jt.Pred, f, c.vector(tape.AddCross, c.sum(at.worldP, at.R), f, n), -1)
	}
}

// push adds a force f and a moment n about the centre of mass, world axes, to the load of a body, or subtracts them if sign is negative.
func (c *compiler) push(body int32, f, n place, sign int) {
	b := &c.bodies[body]
	weight := b.data.At(atWeight)
	if sign < 0 {
		weight = b.data.At(atNegated)
	}
	c.Op(tape.Weigh, b.load, f, n, weight, b.axes)
}
