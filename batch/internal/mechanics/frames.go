package mechanics

import (
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

// frames adds the relative motion of the frames of a joint.
func (c *compiler) frames(at *jointPlace, j int) {
	jt := &c.mech.Joints[j]
	at.P = c.frameAxes(j, sideP)
	if jt.Kind == joints.Universal {
		at.S = c.frameAxes(j, sideS)
	}
	arm := func(body int32, s side) place {
		if body < 0 {
			return c.zero
		}
		return c.armIn(j, s)
	}
	at.armP, at.armS = arm(jt.Pred, sideP), arm(jt.Succ, sideS)
	if !isPinned(jt.Kind) {
		c.separation(at, j)
	}
}

// worldArms adds the arms in world axes, zero at the world.
func (c *compiler) worldArms(at *jointPlace, jt *joint) {
	arm := func(body int32, own place) place {
		if body < 0 {
			return c.zero
		}
		return c.vector(tape.MulVec, c.bodies[body].axes, own)
	}
	at.worldP, at.worldS = arm(jt.Pred, at.armP), arm(jt.Succ, at.armS)
}

// hingeBiases adds the velocity terms of the rows of a plain joint, for each of its bodies.
func (c *compiler) hingeBiases(at *jointPlace, jt *joint) {
	bias := func(body int32, axes, arm place) place {
		if body < 0 {
			return c.sys.null
		}
		out := c.Room(6)
		c.Op(tape.HingeBias, out, axes, arm, c.bodies[body].spin)
		return out
	}
	at.biasP, at.biasS = bias(jt.Pred, at.inP, at.armP), bias(jt.Succ, at.inS, at.armS)
}

// frameAxes returns the axes of frame s of joint j in the world.
func (c *compiler) frameAxes(j int, s side) place {
	E := c.axesIn(j, s)
	body, _ := s.of(&c.mech.Joints[j])
	if body < 0 {
		return E
	}
	out := c.Room(9)
	c.Op(tape.Mul3, out, c.bodies[body].axes, E)
	return out
}

// separation adds the relative position R and velocity V of the origins of joint j as P sees them, also along the axes of P.
func (c *compiler) separation(at *jointPlace, j int) {
	jt := &c.mech.Joints[j]
	p, s := c.originOf(j, sideP), c.originOf(j, sideS)
	at.R = c.sum(c.difference(s.far, p.far), c.difference(s.near, p.near))
	at.alongR = c.vector(tape.TMulVec, at.P, at.R)
	at.V = c.difference(s.velocity, p.velocity)
	if jt.Pred >= 0 {
		at.V = c.vector(tape.SubCross, c.omega(jt.Pred), at.R, at.V)
	}
	at.alongV = c.vector(tape.TMulVec, at.P, at.V)
}

// relative adds w = ω_S − ω_P and w along the axes of P, unless they are there.
func (c *compiler) relative(at *jointPlace, jt *mechanism.Joint) {
	if at.w.Is() {
		return
	}
	at.w = c.difference(c.omega(jt.Succ), c.omega(jt.Pred))
	at.alongW = c.vector(tape.TMulVec, at.P, at.w)
}

// axesInBodies adds the axes of P in the axes of the two bodies.
func (c *compiler) axesInBodies(at *jointPlace, j int) {
	jt := &c.mech.Joints[j]
	if jt.Pred >= 0 {
		at.inP = c.axesIn(j, sideP)
	}
	if b := jt.Succ; b >= 0 {
		at.inS = c.Room(9)
		c.Op(tape.TMul3, at.inS, c.bodies[b].axes, at.P)
	}
}
