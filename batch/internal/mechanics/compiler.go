package mechanics

import (
	"github.com/rung-mbd/rung/batch/internal/program"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// bodyPlace has the places of a body in the workspace.
type bodyPlace struct {
	state, data place // state and constants
	axes, spin  place // E and Eᵀω; for a body in a group they are the beginning of a frame (package places)
	load, x, a  place // C⁻¹·f, solution, accelerations in world axes
	wrench      place // force and moment of the state or of rare forces, none without
}

// jointPlace has the places of a joint that several instructions use.
type jointPlace struct {
	P              place // axes of P in the world
	S              place // axes of S in the world; none if they are not used
	armP, armS     place // from the centres of mass to the origins of P and S, body axes
	worldP, worldS place // armP and armS in world axes
	R, V           place // relative position and velocity; none if they are not used
	alongR, alongV place // R and V along the axes of P
	w              place // ω_S − ω_P; none if it is not used
	alongW         place // w along the axes of P
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
	rows    []*nodeRows // by node of the layout: nil for bodies, and for tree joints
	state   *State
	input   place // the state
	bodies  []bodyPlace
	zero    place // three zeros, and a matrix of zeros after them
	unit    place // the unit matrix

	loops      map[int32][]loop // by −1 node: its rows on bodies in groups
	force      []place          // generalized force in the state for freedom i of joint j, 6·j + i; none if the state does not have it
	motions    []Prescribed
	angles     []CarriedAngle
	wound      []int // joints of angles
	rareJoints []RareJoint
	rareForces bool // the forces on the bodies are evaluated one state at a time

	acts map[int]place // force along freedom i of joint j, by 6·j + i, for gradients; nil without these
}

// vector returns three new places that an instruction with the given operands fills.
func (c *compiler) vector(code tape.Code, operands ...place) place {
	out := c.Room(3)
	c.Op(code, append([]place{out}, operands...)...)
	return out
}

// sum returns a + b for two vectors.
func (c *compiler) sum(a, b place) place {
	out := c.Room(3)
	c.OpN(tape.Add, 3, 0, out, a, b)
	return out
}

// difference returns a − b for two vectors.
func (c *compiler) difference(a, b place) place {
	out := c.Room(3)
	c.OpN(tape.Sub, 3, 0, out, a, b)
	return out
}
