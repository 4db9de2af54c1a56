package batch

import (
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

// jointNode returns the node of joint j, −1 if it has none: tree joints have none.
func (c *compiler) jointNode(j int) int32 {
	if node := c.plan.Layout().JointNode(j); node >= 0 {
		return c.reduced.node[node]
	}
	return -1
}

// follow adds the motion of a body if its parent moves as its frame says and the joint adds r; it is weighted at out.
func (c *compiler) follow(h *hung, out, r place) {
	b := &c.bodies[h.body]
	if h.parent == nil {
		c.op(tape.HangFree, out, c.sys.null, b.axes, b.data, r)
	} else {
		c.op(tape.Hang, out, c.bodies[h.parent.body].axes, b.axes, b.data, r)
	}
}

// hang adds what the bodies of a group make of their tree joints: loads of drives, c and N.
func (c *compiler) hang(g *group) {
	c.passing()
	free := map[*hung][]place{} // what the freedoms of a joint allow
	for _, h := range g.bodies {
		free[h] = c.treeJoint(h)
		c.follow(h, h.c(), h.add)
	}
	var operands []place
	code := 0
	for k, h := range g.bodies {
		for i, r := range free[h] {
			b := &c.bodies[h.body]
			c.op(tape.HangFree, h.N.at(6*i), c.sys.null, b.axes, b.data, r)
			moved := map[*hung]bool{h: true}
			for _, d := range g.bodies[k+1:] {
				b, at := &c.bodies[d.body], d.N.at(6*(h.from+i-d.from))
				if moved[d.parent] {
					moved[d] = true
					c.op(tape.Carry, at, c.bodies[d.parent.body].axes, b.axes, b.data)
				} else { // it may have been no number
					c.opN(tape.Copy, 6, 0, at, c.sys.null)
				}
			}
		}
		operands = append(operands, h.N)
		code = 10*code + h.dof
	}
	c.op(orthonormal[code], operands...)
	c.lasting()
}

// orthonormal are the instructions of groups, by the freedoms of their joints.
var orthonormal = map[int]tape.Code{1: tape.Orthonormal1, 2: tape.Orthonormal2, 3: tape.Orthonormal3, 11: tape.Orthonormal11, 12: tape.Orthonormal12,
	21: tape.Orthonormal21, 111: tape.Orthonormal111}

// treeJoint adds the arms of a tree joint, its drive, and the motion that velocities add. It returns the motions that its
// freedoms allow.
func (c *compiler) treeJoint(h *hung) (free []place) {
	j, jt, at := int(h.joint), &c.mech.Joints[h.joint], &c.joints[h.joint]
	body := &c.bodies[h.body]
	var axes place // of P
	var axis place // z of P
	if isHinge(jt) {
		at.armP, at.armS = c.zero, c.zero
		if jt.Pred >= 0 {
			at.armP = c.armIn(j, sideP)
		}
		if jt.Succ >= 0 {
			at.armS = c.armIn(j, sideS)
		}
		axis = c.axisOf(j)
	} else {
		c.frames(at, j)
		axes = at.P
	}
	driven := !c.rareForces && c.isDriven(j)
	w := &jointWork{jointPlace: at, jt: jt}
	armBody, armParent := body.axes.at(places.ArmBody), body.axes.at(places.ArmParent)
	if slidesOf(jt.Kind) == pinned {
		at.wideP, at.wideS = armParent, armBody
		if h.reversed {
			at.wideP, at.wideS = armBody, armParent
		}
		if jt.Pred >= 0 {
			c.op(tape.MulVec, at.wideP, c.bodies[jt.Pred].axes, at.armP)
		}
		if jt.Succ >= 0 {
			c.op(tape.MulVec, at.wideS, c.bodies[jt.Succ].axes, at.armS)
		}
		switch {
		case driven && isHinge(jt):
			c.twists(axis, j)
		case driven:
			c.drives(at, j)
		}
	} else {
		c.wide(at, jt)
		if driven {
			c.drives(at, j)
		}
		c.slide(w, j)
		own, up := at.wideS, at.wideP
		if h.reversed {
			own, up = up, own
		}
		c.opN(tape.Copy, 3, 0, armBody, own)
		if h.parent != nil {
			c.opN(tape.Copy, 3, 0, armParent, up)
		}
	}
	if h.parent == nil {
		c.op(tape.SwingFree, h.add, c.omega(h.body), body.axes)
	} else {
		c.op(tape.SwingHung, h.add, c.omega(h.parent.body), body.axes, c.omega(h.body))
	}
	if w.slip > 0 && jt.Pred >= 0 {
		x, twice := c.vector(tape.Cross, c.omega(jt.Pred), w.slip), 2.0
		if h.reversed {
			twice = -2
		}
		c.opN(tape.Scaled, 3, 0, h.add.at(3), h.add.at(3), x, c.constant(twice))
	}
	if isHinge(jt) {
		return []place{axis}
	}
	if jt.Kind == joints.Universal {
		c.op(tape.Cardan, h.add, at.P, at.S, c.omega(jt.Succ), c.omega(jt.Pred))
		if h.reversed {
			c.opN(tape.Sub, 3, 0, h.add, c.zero, h.add)
		}
	}
	for _, u := range duals(jt.Kind) {
		r := c.constant(0, 0, 0, 0, 0, 0)
		from, to := axes, r
		if u.ofS {
			from = at.S
		}
		if u.force {
			to = r.at(3)
		}
		c.op(tape.Column, to, from.at(u.axis))
		free = append(free, r)
	}
	return free
}

// axisOf returns the axis of a hinge on its predecessor, world axes, and three zeros behind it.
func (c *compiler) axisOf(j int) place {
	jt := &c.mech.Joints[j]
	own := c.pinIn(j, sideP).at(places.PinAxis)
	if jt.Pred < 0 {
		return own
	}
	out := c.constant(0, 0, 0, 0, 0, 0)
	c.op(tape.MulVec, out, c.bodies[jt.Pred].axes, own)
	return out
}

// pinIn returns the origin and the axis of a hinge in one of its bodies, and zeros behind them: a pin on the ground.
func (c *compiler) pinIn(j int, s side) place {
	_, f := s.of(&c.mech.Joints[j])
	z := f.E.Col(2)
	out := c.constant(make([]float64, places.Pin)...)
	if c.at.joint[j] > 0 {
		c.opN(tape.Copy, 3, 0, out, c.originIn(j, s))
		c.op(tape.Column, out.at(places.PinAxis), c.axesIn(j, s).at(2))
	} else {
		c.set(out, f.Origin[:]...)
		c.set(out.at(places.PinAxis), z[:]...)
	}
	return out
}

// twists adds the moment along the axis of a hinge to its bodies.
func (c *compiler) twists(axis place, j int) {
	jt := &c.mech.Joints[j]
	var d mechanism.Drive
	if p := c.mech.Drive(j); p != nil {
		d = *p
	}
	rate, tau := c.room(1), c.room(1)
	c.op(tape.Between, rate, axis, c.omega(jt.Succ), c.omega(jt.Pred))
	c.effort(&d, 6*j, 0, tau, rate, 0)
	if b := jt.Succ; b >= 0 {
		c.op(tape.Twist, c.bodies[b].load, axis, tau, c.bodies[b].data.at(atWeight), c.bodies[b].axes)
	}
	if b := jt.Pred; b >= 0 {
		c.op(tape.Twist, c.bodies[b].load, axis, tau, c.bodies[b].data.at(atNegated), c.bodies[b].axes)
	}
}

// groupLoads stores the right side Nᵀ·(C⁻¹f − c) of a group, (R2).
func (c *compiler) groupLoads(g *group, right place) {
	from := c.sys.null
	for k := len(g.bodies) - 1; k >= 0; k-- { // the last body has all columns
		h := g.bodies[k]
		n, at := h.columns(), right.at(h.from)
		if k < len(g.bodies)-1 {
			from = at
		}
		c.op(tape.Loads1+tape.Code(n-1)*loadsStep, at, h.N, c.bodies[h.body].load, from)
	}
}

// loadsStep is the number of codes from the instructions on one column of N to those on two.
const loadsStep = tape.Loads2 - tape.Loads1

// spread adds the weighted accelerations c + N·z of the bodies in groups, of the solution.
func (c *compiler) spread() {
	for _, g := range c.reduced.groups {
		for _, h := range g.bodies {
			n := h.columns()
			c.op(tape.Shaped(tape.Columns1of1, n, n), c.bodies[h.body].x, h.N, c.sys.x[g.node].at(h.from), h.c())
		}
	}
}

// see adds what the group of a body makes of the rows W of a joint: its block, and parts of the right side and of the
// scale.
func (c *compiler) see(w *jointWork, h *hung, W, block place) {
	d, n := h.group.dof, h.columns()
	for _, part := range [2]struct {
		lo, hi int
		code   tape.Code
	}{{0, w.full, tape.Seen1}, {w.full, w.row, tape.SeenTurn1}} {
		if lo := part.lo; lo < part.hi {
			code := part.code + tape.Code(n-1)*loadsStep
			c.opN(code, part.hi-lo, d, block.at(lo*d+h.from), W.at(6*lo), h.N, w.b.at(lo), w.scale.at(lo))
		}
	}
}
