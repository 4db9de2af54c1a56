package mechanics

import (
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/spatial"
)

func vec(v spatial.Vec3) []float64 { return v[:] }

// point is the position and the velocity of a point of a body or of the world, in world axes.
type point struct {
	far, near place // position of the origin of the body, and the arm from there to the point; their sum is the position
	velocity  place
}

// pointOf adds the kinematics of a point at of a body, in its frame.
func (c *compiler) pointOf(body int32, at spatial.Vec3) point {
	if body < 0 {
		return point{far: c.Shared(at[:]...), near: c.zero, velocity: c.zero}
	}
	return c.pointAt(body, c.Shared(at[:]...))
}

// originOf adds the kinematics of the origin of a frame of joint j.
func (c *compiler) originOf(j int, s side) point {
	body, _ := s.of(&c.mech.Joints[j])
	own := c.originIn(j, s)
	if body < 0 {
		return point{far: own, near: c.zero, velocity: c.zero}
	}
	return c.pointAt(body, own)
}

// pointAt adds the kinematics of a point of a body; own is its place in the frame of the body.
func (c *compiler) pointAt(body int32, own place) point {
	b := &c.bodies[body]
	out := point{far: b.state.At(atPosition)}
	out.near = c.vector(tape.MulVec, b.axes, own)
	out.velocity = c.vector(tape.AddCross, b.state.At(atOmega), out.near, b.state.At(atVelocity))
	return out
}

// armOf adds the arm from the centre of mass of a body to its point at, in world axes.
func (c *compiler) armOf(body int32, at spatial.Vec3) place {
	var arm place
	if c.ofBody(body).Is() {
		arm = c.difference(c.Shared(at[:]...), c.comOf(body))
	} else {
		arm = c.Shared(vec(at.Sub(c.mech.Bodies[body].Com))...)
	}
	return c.vector(tape.MulVec, c.bodies[body].axes, arm)
}

// omega returns the angular velocity of a body, zeros for the world.
func (c *compiler) omega(body int32) place {
	if body < 0 {
		return c.zero
	}
	return c.bodies[body].state.At(atOmega)
}
