package mechanics

import (
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/mechanism"
)

// Numbers that differ from state to state are in the state, and all others are shared by the lanes. The functions of this file return the
// place of either.

// varied returns the place of the numbers that begin at offset at of a state, none if at is 0, which stands for numbers that do not vary.
func (c *compiler) varied(at int) place {
	if at == 0 {
		return none
	}
	return c.input.At(at)
}

// ofBody, ofJoint, ofSpring, ofGear and ofDrive return the places in a state of the numbers of a body, of a joint, of a
// force element, of armature and of the drive of a freedom; none if they do not vary. k is 6·j + i for freedom i of joint j.
func (c *compiler) ofBody(i int32) place { return c.varied(c.state.Body[i]) }
func (c *compiler) ofJoint(j int) place  { return c.varied(c.state.Joint[j]) }
func (c *compiler) ofSpring(i int) place { return c.varied(c.state.Spring[i]) }
func (c *compiler) ofGear(k int) place   { return c.varied(c.state.Gear[k]) }
func (c *compiler) ofDrive(k int) place  { return c.varied(c.state.Drive[k]) }

// dataPlace returns the constants of a body: in the state, or in the workspace.
func (c *compiler) dataPlace(i int) place {
	if own := c.ofBody(int32(i)); own.Is() {
		return own
	}
	return c.Shared(c.bodyNumbers(int32(i))...)
}

// bodyNumbers returns the constants of a body of the model.
func (c *compiler) bodyNumbers(body int32) []float64 {
	var data [places.Constants]float64
	BodyConstantsTo(&data, &c.mech.Bodies[body])
	return data[:]
}

// side is one of the two frames of a joint.
type side int

const (
	sideP side = FrameP
	sideS side = FrameS
)

// of returns the body of the frame, −1 for the world, and the frame.
func (s side) of(jt *joint) (body int32, f *mechanism.Frame) {
	if s == sideP {
		return jt.Pred, &jt.P
	}
	return jt.Succ, &jt.S
}

// axesIn returns the axes of a frame of joint j in its body.
func (c *compiler) axesIn(j int, s side) place {
	if own := c.ofJoint(j); own.Is() {
		return own.At(int(s))
	}
	_, f := s.of(&c.mech.Joints[j])
	return c.Shared(f.E[:]...)
}

// originIn returns the origin of a frame of joint j in its body.
func (c *compiler) originIn(j int, s side) place {
	if own := c.ofJoint(j); own.Is() {
		return own.At(int(s) + 9)
	}
	_, f := s.of(&c.mech.Joints[j])
	return c.Shared(f.Origin[:]...)
}

// frameIn returns axes and origin of a frame of joint j in its body, one behind the other.
func (c *compiler) frameIn(j int, s side) place {
	if own := c.ofJoint(j); own.Is() {
		return own.At(int(s))
	}
	_, f := s.of(&c.mech.Joints[j])
	return c.Shared(append(f.E[:], f.Origin[:]...)...)
}

// armIn returns the arm from the centre of mass to the origin of a frame of joint j, in the axes of its body.
func (c *compiler) armIn(j int, s side) place {
	body, f := s.of(&c.mech.Joints[j])
	if c.ofJoint(j).Is() || c.ofBody(body).Is() {
		return c.difference(c.originIn(j, s), c.comOf(body))
	}
	return c.Shared(vec(f.Origin.Sub(c.mech.Bodies[body].Com))...)
}

// varies reports whether the frames of joint j, or the constants of its predecessor, differ from state to state.
func (c *compiler) varies(j int) bool {
	b := c.mech.Joints[j].Pred
	return c.ofJoint(j).Is() || b >= 0 && c.ofBody(b).Is()
}

// comOf returns the centre of mass of a body in its frame.
func (c *compiler) comOf(body int32) place { return c.bodies[body].data.At(atCom) }

// scalarIn returns the place of a number of joint j: offset at of its numbers in the state, or the constant x if they do not vary.
func (c *compiler) scalarIn(j, at int, x float64) place {
	if own := c.ofJoint(j); own.Is() {
		return own.At(at)
	}
	return c.Shared(x)
}
