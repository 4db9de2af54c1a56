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

// hang adds the instructions for the bodies of groups: the loads of drives in tree joints, and the outward recursion
// (R3) that computes c and N. Each part is done for all groups before the next part, as each part of a group needs the
// results of the part before.
func (c *compiler) hang() {
	c.passing()
	all := c.reduced.groups
	for _, g := range all {
		for _, h := range g.bodies {
			c.treeJoint(h)
		}
	}
	for _, g := range all { // c, and the last column of N: that of the last freedom on the ground
		root := g.bodies[0]
		pair := root.add.at(-6)
		for _, h := range g.bodies {
			b, at, parent := &c.bodies[h.body], h.c().at(-6), c.sys.null
			switch {
			case c.rootHinge(h):
				own, _ := h.sides()
				code := tape.Root
				if len(g.bodies) > 1 {
					code = tape.RootHolds
				}
				c.op(code, at, h.free[0], b.axes, b.data, c.armIn(int(h.joint), own))
			case h == root:
				c.op(tape.TwoHangFree, at, parent, b.axes, b.data, pair)
			default:
				c.op(tape.TwoHang, at, c.bodies[h.parent.body].axes, b.axes, b.data, h.add.at(-6))
			}
		}
	}
	for _, g := range all {
		for k, h := range g.bodies {
			for i, r := range h.free {
				if h.from+i < g.dof-1 {
					c.column(g, k, i, r)
				}
			}
		}
	}
	for _, g := range all {
		if len(g.bodies) == 1 && c.rootHinge(g.bodies[0]) {
			continue
		}
		var operands []place
		code := 0
		for _, h := range g.bodies {
			operands = append(operands, h.N)
			code = 10*code + h.dof
		}
		c.op(orthonormal[code], operands...)
	}
	c.lasting()
}

// rootHinge reports whether one instruction, Root or RootHolds, finds c and N of a body: if a hinge connects it to the
// ground. These instructions do not store the arm of the hinge. Rollout reads the arm unless all tree joints of the group
// are hinges, so only such groups have them.
func (c *compiler) rootHinge(h *hung) bool { return h.parent == nil && h.group.snaps }

// column adds the column of N of freedom i of the joint to body k of a group, which moves as r says.
func (c *compiler) column(g *group, k, i int, r place) {
	h := g.bodies[k]
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

// orthonormal are the instructions of groups, by the freedoms of their joints.
var orthonormal = map[int]tape.Code{1: tape.Orthonormal1, 2: tape.Orthonormal2, 3: tape.Orthonormal3, 11: tape.Orthonormal11, 12: tape.Orthonormal12,
	21: tape.Orthonormal21, 111: tape.Orthonormal111}

// treeJoint adds the arms of a tree joint, its drive, and its motions r of theory.md (R3): the velocity-product
// acceleration of the joint, (R5), and its motion subspace S, one motion for each freedom.
func (c *compiler) treeJoint(h *hung) {
	switch jt := &c.mech.Joints[h.joint]; {
	case jt.Kind == joints.Revolute || jt.Kind == joints.Universal:
		c.turning(h)
		return
	case c.hasPins(h):
		c.sliding(h)
		return
	}
	j, jt, at := int(h.joint), &c.mech.Joints[h.joint], &c.joints[h.joint]
	frame := c.bodies[h.body].axes
	c.frames(at, j)
	c.wide(at, jt)
	if !c.rareForces && c.isDriven(j) {
		c.drives(at, j)
	}
	w := &jointWork{jointPlace: at, jt: jt}
	c.slide(w, j)
	own, up := at.wideS, at.wideP
	if h.reversed {
		own, up = up, own
	}
	c.opN(tape.Copy, 3, 0, frame.at(places.ArmBody), own)
	if h.parent != nil {
		c.opN(tape.Copy, 3, 0, frame.at(places.ArmParent), up)
	}
	c.swing(h)
	if jt.Pred >= 0 {
		x, twice := c.vector(tape.Cross, c.omega(jt.Pred), w.slip), 2.0
		if h.reversed {
			twice = -2
		}
		c.opN(tape.Scaled, 3, 0, h.add.at(3), h.add.at(3), x, c.shared(twice))
	}
	for i, u := range duals(jt.Kind) {
		to := h.free[i]
		if u.force {
			to = to.at(3)
		}
		c.op(tape.Column, to, at.P.at(u.axis))
	}
}

// hasPins reports whether there are instructions for a tree joint as a whole, from pins on its bodies.
func (c *compiler) hasPins(h *hung) bool {
	switch c.mech.Joints[h.joint].Kind {
	case joints.Revolute: // whose two pins are alike
		return true
	case joints.Universal, joints.Prismatic:
		return !h.reversed
	}
	return false
}

// swing adds the velocity-product acceleration of a tree joint that does not slide, (R5).
func (c *compiler) swing(h *hung) {
	if h.parent == nil {
		c.op(tape.SwingFree, h.add, c.omega(h.body), c.bodies[h.body].axes)
	} else {
		c.op(tape.SwingHung, h.add, c.omega(h.parent.body), c.bodies[h.body].axes, c.omega(h.body))
	}
}

// pinColumn is the axis of one frame of a joint that the pin on that body has.
func pinColumn(jt *joint, s side) int {
	switch {
	case jt.Kind != joints.Universal:
		return 2
	case s == sideS:
		return 1
	}
	return 0
}

// turning is treeJoint for a hinge or a universal joint.
func (c *compiler) turning(h *hung) {
	j, jt := int(h.joint), &c.mech.Joints[h.joint]
	frame := c.bodies[h.body].axes
	for _, s := range [2]side{sideP, sideS} {
		body, _ := s.of(jt)
		arm := frame.at(places.ArmParent)
		if body == h.body {
			arm = frame.at(places.ArmBody)
		}
		if body >= 0 && !c.rootHinge(h) {
			c.op(tape.MulVec, arm, c.bodies[body].axes, c.armIn(j, s))
		}
	}
	axes := h.free
	c.axisTo(axes[0], j, sideP, pinColumn(jt, sideP))
	if !c.rootHinge(h) {
		c.swing(h)
	}
	if jt.Kind == joints.Universal {
		c.axisTo(axes[1], j, sideS, pinColumn(jt, sideS))
		c.op(tape.Cardan, h.add, axes[0], axes[1], c.omega(jt.Succ), c.omega(jt.Pred))
	}
	if !c.rareForces && c.isDriven(j) {
		c.twists(axes, j)
	}
}

// sliding is treeJoint for a slider.
func (c *compiler) sliding(h *hung) {
	j, frame := int(h.joint), c.bodies[h.body].axes
	arm, armBody, armParent := c.zero, frame.at(places.ArmBody), frame.at(places.ArmParent)
	c.op(tape.MulVec, armBody, frame, c.armIn(j, sideS))
	if h.parent != nil {
		arm = c.vector(tape.MulVec, c.bodies[h.parent.body].axes, c.armIn(j, sideP))
	}
	pin, own, slide := c.pinOf(h), c.room(places.Pin), c.room(places.Slide)
	c.op(tape.Pin, own, c.bodies[h.body].state, frame, c.pinIn(j, sideS))
	c.op(tape.Slide, slide, pin, own)
	c.opN(tape.Copy, 3, 0, h.free[0].at(3), pin.at(places.PinAxis))
	if h.parent != nil {
		c.opN(tape.Add, 3, 0, armParent, arm, slide.at(places.SlideArm))
	}
	if !c.rareForces && c.isDriven(j) {
		var d mechanism.Drive
		if p := c.mech.Drive(j); p != nil {
			d = *p
		}
		push := c.room(4) // the axis, and the force along it
		c.opN(tape.Copy, 3, 0, push, pin.at(places.PinAxis))
		c.effort(&d, 6*j, 0, push.at(3), slide.at(places.SlideRate), slide.at(places.SlideCoordinate))
		b := &c.bodies[h.body]
		c.op(tape.Thrust, b.load, armBody, push, b.data.at(atWeight), b.axes)
		if h.parent != nil {
			b := &c.bodies[h.parent.body]
			c.op(tape.Thrust, b.load, c.sum(arm, slide.at(places.SlideDistance)), push, b.data.at(atNegated), b.axes)
		}
	}
	c.swing(h)
	if h.parent != nil {
		c.opN(tape.Add, 3, 0, h.add.at(3), h.add.at(3), slide.at(places.SlideAdds))
	}
}

// axisTo stores an axis of a frame of a joint, world axes.
func (c *compiler) axisTo(out place, j int, s side, column int) {
	body, f := s.of(&c.mech.Joints[j])
	z := f.E.Col(column)
	own := out
	switch {
	case c.at.joint[j] > 0:
		if body >= 0 {
			own = c.room(3)
		}
		c.op(tape.Column, own, c.axesIn(j, s).at(column))
	case body >= 0:
		own = c.shared(z[:]...)
	default:
		c.set(out, z[:]...)
	}
	if body >= 0 {
		c.op(tape.MulVec, out, c.bodies[body].axes, own)
	}
}

// pinIn returns the pin of a tree joint in the axes of one of its bodies.
func (c *compiler) pinIn(j int, s side) place {
	if own := c.at.joint[j]; own > 0 {
		out := c.room(places.PinTurn + 4)
		c.pinTo(out, j, s)
		c.opN(tape.Copy, 4, 0, out.at(places.PinTurn), c.input.at(own+atTurn))
		return out
	}
	jt := &c.mech.Joints[j]
	pin, turn := c.pinNumbers(j, s), turnOf(&jt.P, &jt.S)
	return c.shared(append(pin[:], turn[:]...)...)
}

// pinNumbers returns origin and axis of the pin of a tree joint, in the axes of one of its bodies.
func (c *compiler) pinNumbers(j int, s side) (out [places.PinTurn]float64) {
	jt := &c.mech.Joints[j]
	_, f := s.of(jt)
	z := f.E.Col(pinColumn(jt, s))
	copy(out[:], f.Origin[:])
	copy(out[places.PinAxis:], z[:])
	return out
}

// pinTo stores origin and axis of the pin of a tree joint, in the axes of one of its bodies.
func (c *compiler) pinTo(out place, j int, s side) {
	if c.at.joint[j] > 0 {
		c.opN(tape.Copy, 3, 0, out, c.originIn(j, s))
		c.op(tape.Column, out.at(places.PinAxis), c.axesIn(j, s).at(pinColumn(&c.mech.Joints[j], s)))
		return
	}
	pin := c.pinNumbers(j, s)
	c.set(out, pin[:]...)
}

// pinOf returns the pin on the parent of a body in a group.
func (c *compiler) pinOf(h *hung) place {
	var out place
	if h.parent == nil {
		out = c.constant(make([]float64, places.Pin)...)
	} else {
		out = c.room(places.Pin)
	}
	c.pinOnto(out, h)
	return out
}

// pinOnto stores in out the pin on the parent of a body in a group. If the parent is the ground, out has to be zeros.
func (c *compiler) pinOnto(out place, h *hung) {
	_, far := h.sides()
	if h.parent == nil {
		c.set(out.at(places.PinRotation), 1)
		c.pinTo(out, int(h.joint), far)
		return
	}
	b, code := &c.bodies[h.parent.body], tape.Pin
	if c.mech.Joints[h.joint].Kind == joints.Prismatic { // Unslide compares the rotations of both bodies
		code = tape.TurnedPin
	}
	c.op(code, out, b.state, b.axes, c.pinIn(int(h.joint), far))
}

// hingeConstants returns what the instructions that move a body on its hinge read of the model: package places has the list.
func (c *compiler) hingeConstants(h *hung) place {
	j, data := int(h.joint), c.bodies[h.body].data
	own, far := h.sides()
	if c.at.joint[j] > 0 || c.at.body[h.body] > 0 {
		out := c.room(places.Hinge)
		c.pinTo(out, j, own)
		c.opN(tape.Copy, 6, 0, out.at(places.HingeWeight), data.at(atWeight))
		if h.parent == nil {
			c.pinTo(out.at(places.HingePin), j, far)
		}
		return out
	}
	var list [places.Hinge]float64
	pin, ground := c.pinNumbers(j, own), [places.PinTurn]float64{}
	if h.parent == nil {
		ground = c.pinNumbers(j, far)
	}
	copy(list[:], pin[:])
	copy(list[places.HingeWeight:places.HingePin], c.bodyNumbers(h.body)[atWeight:])
	copy(list[places.HingePin:], ground[:])
	return c.shared(list[:]...)
}

// twists adds moments about the axes of a hinge or a universal joint to its bodies.
func (c *compiler) twists(axes []place, j int) {
	jt := &c.mech.Joints[j]
	var d mechanism.Drive
	if p := c.mech.Drive(j); p != nil {
		d = *p
	}
	for i, axis := range axes {
		if c.isFree(&d, 6*j+i, i) {
			continue
		}
		rate, tau := c.room(1), c.room(1)
		c.op(tape.Between, rate, axis, c.omega(jt.Succ), c.omega(jt.Pred))
		c.effort(&d, 6*j+i, i, tau, rate, 0)
		if b := jt.Succ; b >= 0 {
			c.op(tape.Twist, c.bodies[b].load, axis, tau, c.bodies[b].data.at(atWeight), c.bodies[b].axes)
		}
		if b := jt.Pred; b >= 0 {
			c.op(tape.Twist, c.bodies[b].load, axis, tau, c.bodies[b].data.at(atNegated), c.bodies[b].axes)
		}
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

// spread adds the instructions that compute the weighted accelerations c + N·z of the bodies in groups from z, (R1).
func (c *compiler) spread() {
	for _, g := range c.reduced.groups {
		for _, h := range g.bodies {
			c.spreadTo(c.bodies[h.body].x, h, c.sys.x[g.node], h.c())
		}
	}
}

// spreadTo adds the instruction that stores own + N·z in out: the weighted motion of a body whose group has the solution z. The
// motion own is that of the body with z = 0.
func (c *compiler) spreadTo(out place, h *hung, z, own place) {
	n := h.columns()
	c.op(tape.Shaped(tape.Columns1of1, n, n), out, h.N, z.at(h.from), own)
}

// see adds the projection of the rows W of a loop joint on the freedoms of the group of body h, (R2): the block −W·N, the
// part −W·c of the right side, and the part of W in the scale.
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

// rowsOn returns where the rows of a joint on a body stand: in its block, or by themselves for a body in a group.
func (c *compiler) rowsOn(w *jointWork, body int32, block place) place {
	if c.reduced.of[body] == nil {
		return block
	}
	return c.constant(make([]float64, 6*c.sys.size(w.node))...) // moments are written by three of six
}

// reduce adds the projection of the rows of a loop joint for each of its bodies that is in a group, (R2).
func (c *compiler) reduce(w *jointWork, blocks [2]place) {
	for i, x := range [2]struct {
		body int32
		W    place
	}{{w.jt.Pred, w.pred}, {w.jt.Succ, w.succ}} {
		if x.body < 0 || c.reduced.of[x.body] == nil {
			continue
		}
		h := c.reduced.of[x.body]
		c.see(w, h, x.W, blocks[i])
		c.sys.parts[w.node] = append(c.sys.parts[w.node], h.c())
		c.loops[w.node] = append(c.loops[w.node], loop{h, x.W})
	}
}
