package mechanics

import (
	"github.com/rung-mbd/rung/batch/internal/program"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// bodyPlace is where a body is in the workspace.
type bodyPlace struct {
	state, data place
	axes, spin  place // E, Eᵀω; of a body in a group they are the beginning of a frame (package places)
	load, x, a  place // C⁻¹·f, solution, accelerations in world axes
	wrench      place // force and moment from outside, if there are any
}

// jointPlace is what several parts of the mechanics need of a joint.
type jointPlace struct {
	P              place // axes of P in the world
	S              place // axes of S in the world; none if nobody needs them
	armP, armS     place // from the centres of mass to the origins of P and S, body axes
	worldP, worldS place // the same in world axes; without the allowed part of R for P
	R, V           place // relative position and velocity; none if nobody needs them
	alongR, alongV place // the same along the axes of P
	w              place // ω_S − ω_P, none if nobody needs it
	alongW         place
	inP, inS       place // axes of P in the axes of the two bodies
	biasP, biasS   place // of a plain joint: ω×(ω×arm) and ω of each body, along the axes of P
}

// loop is the rows W of a joint on a body in a group.
type loop struct {
	h *treeBody
	W place
}

// compiler makes the tapes of a mechanism.
type compiler struct {
	*program.Program
	mech    *mechanism.Mechanism
	plan    *kkt.Plan // with armature
	reduced *reduction
	sys     *system
	rows    []*nodeRows // of each node of the layout: nil for bodies, and for tree joints
	state   *State
	input   place // the state
	bodies  []bodyPlace
	zero    place // three zeros, and a matrix of zeros after them
	unit    place // the unit matrix

	loops      map[int32][]loop // of each −1 node: its rows on bodies in groups
	force      []place          // the generalized forces in the state of freedom i of joint j, 6·j + i; none of the others
	motions    []Prescribed
	angles     []CarriedAngle
	wound      []int // joints of these
	rareJoints []RareJoint
	rareForces bool // what acts on the bodies is evaluated one state at a time

	acts map[int]place // what acts along freedom i of joint j, 6·j + i, for the way back; nil without it
}

// vector returns three new places that a kernel of two or three operands fills.
func (c *compiler) vector(code tape.Code, operands ...place) place {
	out := c.Room(3)
	c.Op(code, append([]place{out}, operands...)...)
	return out
}

// sum and difference return B ± C, vectors.
func (c *compiler) sum(a, b place) place {
	out := c.Room(3)
	c.OpN(tape.Add, 3, 0, out, a, b)
	return out
}

func (c *compiler) difference(a, b place) place {
	out := c.Room(3)
	c.OpN(tape.Sub, 3, 0, out, a, b)
	return out
}
