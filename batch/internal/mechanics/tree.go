package mechanics

import (
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

// groupMotions adds the instructions for the bodies of groups: the loads of drives in tree joints, and the outward recursion
// (R3) that computes c and N. Each part is done for all groups before the next part, as each part of a group needs the
// results of the part before.
func (c *compiler) groupMotions() {
	c.Passing()
	all := c.reduced.groups
	for _, g := range all {
		for _, h := range g.bodies {
			c.treeJoint(h)
		}
	}
	for _, g := range all { // c, and the last column of N if the joint is on the ground
		for _, h := range g.bodies {
			b, at := &c.bodies[h.body], h.c().At(-6)
			if !c.rootHinge(h) {
				c.moveBody(h, 2, at, c.motion(h.parent), h.add.At(-6))
				continue
			}
			own, _ := h.sides()
			code := tape.Root
			if len(g.bodies) > 1 {
				code = tape.RootHolds
			}
			c.Op(code, at, h.free[0], b.axes, b.data, c.armIn(int(h.joint), own))
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
		c.Op(orthonormal[code], operands...)
	}
	c.Lasting()
}

// rootHinge reports whether one instruction, Root or RootHolds, computes c and N of a body: a hinge connects it to the
// ground in a group of hinges. These instructions do not store the arm of the hinge, which Rollout reads in groups with other tree joints.
func (c *compiler) rootHinge(h *treeBody) bool { return h.parent == nil && h.group.ofHinges }

// moveBody adds n motions of a body of a group, each the sum of a motion of its parent and a motion of its joint, (R3); none stands for
// zeros. It stores the weighted motions in out.
func (c *compiler) moveBody(h *treeBody, n int, out, parent, joint place) {
	code := tape.MotionOfBoth
	switch {
	case !parent.Is():
		code, parent = tape.MotionOfJoint, c.sys.null
	case !joint.Is():
		code, joint = tape.MotionOfParent, c.sys.null
	}
	b := &c.bodies[h.body]
	c.OpN(code, n, 0, out, parent, b.axes, b.data, joint, c.motion(h))
}

// motion returns the place of the motions of a body of a group, none for the ground.
func (c *compiler) motion(h *treeBody) place {
	if h == nil {
		return none
	}
	return c.bodies[h.body].axes.At(places.Motion)
}

// column adds the column of N for freedom i of the tree joint of body k in a group; r is the motion of the body by that freedom. Bodies
// that hang on body k move with it, and later bodies that do not get zeros.
func (c *compiler) column(g *group, k, i int, r place) {
	h := g.bodies[k]
	c.moveBody(h, 1, h.N.At(6*i), none, r)
	moved := map[*treeBody]bool{h: true}
	for _, d := range g.bodies[k+1:] {
		at := d.N.At(6 * (h.from + i - d.from))
		if moved[d.parent] {
			moved[d] = true
			c.moveBody(d, 1, at, c.motion(d.parent), none)
		} else { // the place may hold any number
			c.OpN(tape.Copy, 6, 0, at, c.sys.null)
		}
	}
}

// orthonormal has the instructions that orthonormalize N. The key has a decimal digit for each body: the freedoms of its joint.
var orthonormal = map[int]tape.Code{
	1: tape.Orthonormal1, 2: tape.Orthonormal2, 11: tape.Orthonormal11, 12: tape.Orthonormal12,
	21: tape.Orthonormal21, 111: tape.Orthonormal111,
}

// treeJoint adds the arms of a tree joint, its drive, and its motions r of theory.md (R3): the velocity-product
// acceleration of the joint, (R5), and its motion subspace S, one motion for each freedom.
func (c *compiler) treeJoint(h *treeBody) {
	switch jt := &c.mech.Joints[h.joint]; {
	case jt.Kind == joints.Revolute || jt.Kind == joints.Universal:
		c.turning(h)
		return
	case c.hasPins(h):
		c.sliding(h)
		return
	}
	j, jt, at := int(h.joint), &c.mech.Joints[h.joint], &jointPlace{}
	frame := c.bodies[h.body].axes
	c.frames(at, j)
	c.worldArms(at, jt)
	if !c.rareForces && c.isDriven(j) {
		c.jointDrive(at, j)
	}
	w := &jointWork{jointPlace: at, jt: jt}
	c.slide(w, j)
	own, up := at.worldS, at.worldP
	if h.reversed {
		own, up = up, own
	}
	c.OpN(tape.Copy, 3, 0, frame.At(places.ArmBody), own)
	if h.parent != nil {
		c.OpN(tape.Copy, 3, 0, frame.At(places.ArmParent), up)
	}
	c.treeBias(h)
	if jt.Pred >= 0 {
		x, twice := c.vector(tape.Cross, c.omega(jt.Pred), w.slideRate), 2.0
		if h.reversed {
			twice = -2
		}
		c.OpN(tape.Scaled, 3, 0, h.add.At(3), h.add.At(3), x, c.Shared(twice))
	}
	for i, u := range duals(jt.Kind) {
		to := h.free[i]
		if u.force {
			to = to.At(3)
		}
		c.Op(tape.Column, to, at.P.At(u.axis))
	}
}

// hasPins reports whether there are instructions that handle a tree joint as a whole from the pins on its bodies.
func (c *compiler) hasPins(h *treeBody) bool {
	switch c.mech.Joints[h.joint].Kind {
	case joints.Revolute: // both pins are alike, so the body may be on either side
		return true
	case joints.Universal, joints.Prismatic:
		return !h.reversed
	}
	return false
}

// treeBias adds the velocity-product acceleration of a tree joint that does not slide, (R5).
func (c *compiler) treeBias(h *treeBody) {
	if h.parent == nil {
		c.Op(tape.BiasOnGround, h.add, c.omega(h.body), c.bodies[h.body].axes)
	} else {
		c.Op(tape.BiasOnParent, h.add, c.omega(h.parent.body), c.bodies[h.body].axes, c.omega(h.body))
	}
}

// pinColumn returns the number of the axis of frame s along which the pin of a joint is.
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
func (c *compiler) turning(h *treeBody) {
	j, jt := int(h.joint), &c.mech.Joints[h.joint]
	frame := c.bodies[h.body].axes
	for _, s := range [2]side{sideP, sideS} {
		body, _ := s.of(jt)
		arm := frame.At(places.ArmParent)
		if body == h.body {
			arm = frame.At(places.ArmBody)
		}
		if body >= 0 && !c.rootHinge(h) {
			c.Op(tape.MulVec, arm, c.bodies[body].axes, c.armIn(j, s))
		}
	}
	axes := h.free
	c.axisTo(axes[0], j, sideP, pinColumn(jt, sideP))
	if !c.rootHinge(h) {
		c.treeBias(h)
	}
	if jt.Kind == joints.Universal {
		c.axisTo(axes[1], j, sideS, pinColumn(jt, sideS))
		c.Op(tape.UniversalBias, h.add, axes[0], axes[1], c.omega(jt.Succ), c.omega(jt.Pred))
	}
	if !c.rareForces && c.isDriven(j) {
		c.turningDrive(axes, j)
	}
}

// sliding is treeJoint for a slider.
func (c *compiler) sliding(h *treeBody) {
	j, frame := int(h.joint), c.bodies[h.body].axes
	arm, armBody, armParent := c.zero, frame.At(places.ArmBody), frame.At(places.ArmParent)
	c.Op(tape.MulVec, armBody, frame, c.armIn(j, sideS))
	if h.parent != nil {
		arm = c.vector(tape.MulVec, c.bodies[h.parent.body].axes, c.armIn(j, sideP))
	}
	pin, own, slide := c.pinOf(h), c.Room(places.Pin), c.Room(places.Slide)
	c.Op(tape.Pin, own, c.bodies[h.body].state, frame, c.pinIn(j, sideS))
	c.Op(tape.Slide, slide, pin, own)
	c.OpN(tape.Copy, 3, 0, h.free[0].At(3), pin.At(places.PinAxis))
	if h.parent != nil {
		c.OpN(tape.Add, 3, 0, armParent, arm, slide.At(places.SlideArm))
	}
	if !c.rareForces && c.isDriven(j) {
		var d mechanism.Drive
		if p := c.mech.Drive(j); p != nil {
			d = *p
		}
		push := c.Room(4) // the axis, and the force along it
		c.OpN(tape.Copy, 3, 0, push, pin.At(places.PinAxis))
		c.freedomForce(&d, 6*j, 0, push.At(3), slide.At(places.SlideRate), slide.At(places.SlideCoordinate))
		b := &c.bodies[h.body]
		c.Op(tape.Thrust, b.load, armBody, push, b.data.At(atWeight), b.axes)
		if h.parent != nil {
			b := &c.bodies[h.parent.body]
			c.Op(tape.Thrust, b.load, c.sum(arm, slide.At(places.SlideDistance)), push, b.data.At(atNegated), b.axes)
		}
	}
	c.treeBias(h)
	if h.parent != nil {
		c.OpN(tape.Add, 3, 0, h.add.At(3), h.add.At(3), slide.At(places.SlideAdds))
	}
}

// axisTo adds an axis of frame s of joint j in world axes.
func (c *compiler) axisTo(out place, j int, s side, column int) {
	body, f := s.of(&c.mech.Joints[j])
	z := f.E.Col(column)
	own := out
	switch {
	case c.ofJoint(j).Is():
		if body >= 0 {
			own = c.Room(3)
		}
		c.Op(tape.Column, own, c.axesIn(j, s).At(column))
	case body >= 0:
		own = c.Shared(z[:]...)
	default:
		c.Set(out, z[:]...)
	}
	if body >= 0 {
		c.Op(tape.MulVec, out, c.bodies[body].axes, own)
	}
}

// pinIn returns the pin of a tree joint in the axes of the body of frame s: origin, axis, and TurnOf the frames.
func (c *compiler) pinIn(j int, s side) place {
	if own := c.ofJoint(j); own.Is() {
		out := c.Room(places.PinTurn + 4)
		c.pinTo(out, j, s)
		c.OpN(tape.Copy, 4, 0, out.At(places.PinTurn), own.At(Turn))
		return out
	}
	jt := &c.mech.Joints[j]
	pin, turn := c.pinNumbers(j, s), TurnOf(&jt.P, &jt.S)
	return c.Shared(append(pin[:], turn[:]...)...)
}

// pinNumbers returns origin and axis of the pin of a tree joint in the model, in the axes of the body of frame s.
func (c *compiler) pinNumbers(j int, s side) (out [places.PinTurn]float64) {
	jt := &c.mech.Joints[j]
	_, f := s.of(jt)
	z := f.E.Col(pinColumn(jt, s))
	copy(out[:], f.Origin[:])
	copy(out[places.PinAxis:], z[:])
	return out
}

// pinTo adds origin and axis of the pin of a tree joint, in the axes of the body of frame s.
func (c *compiler) pinTo(out place, j int, s side) {
	if c.ofJoint(j).Is() {
		c.OpN(tape.Copy, 3, 0, out, c.originIn(j, s))
		c.Op(tape.Column, out.At(places.PinAxis), c.axesIn(j, s).At(pinColumn(&c.mech.Joints[j], s)))
		return
	}
	pin := c.pinNumbers(j, s)
	c.Set(out, pin[:]...)
}

// pinOf adds the pin on the parent of a body in a group, and returns its place.
func (c *compiler) pinOf(h *treeBody) place {
	var out place
	if h.parent == nil {
		out = c.Constant(make([]float64, places.Pin)...)
	} else {
		out = c.Room(places.Pin)
	}
	c.pinOnto(out, h)
	return out
}

// pinOnto adds the pin on the parent of a body in a group, in out. If the parent is the ground, out has to be zeros before.
func (c *compiler) pinOnto(out place, h *treeBody) {
	_, far := h.sides()
	if h.parent == nil {
		c.Set(out.At(places.PinRotation), 1)
		c.pinTo(out, int(h.joint), far)
		return
	}
	b, code := &c.bodies[h.parent.body], tape.Pin
	if c.mech.Joints[h.joint].Kind == joints.Prismatic { // tape.BackOnSlider compares the rotations of both bodies
		code = tape.TurnedPin
	}
	c.Op(code, out, b.state, b.axes, c.pinIn(int(h.joint), far))
}

// hingeConstants returns the constants that the instructions for a body on its hinge read, in the order of package places.
func (c *compiler) hingeConstants(h *treeBody) place {
	j, data := int(h.joint), c.bodies[h.body].data
	own, far := h.sides()
	if c.ofJoint(j).Is() || c.ofBody(h.body).Is() {
		out := c.Room(places.Hinge)
		c.pinTo(out, j, own)
		c.OpN(tape.Copy, 6, 0, out.At(places.HingeWeight), data.At(atWeight))
		if h.parent == nil {
			c.pinTo(out.At(places.HingePin), j, far)
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
	return c.Shared(list[:]...)
}

// turningDrive adds moments about the axes of a hinge or a universal joint to its bodies.
func (c *compiler) turningDrive(axes []place, j int) {
	jt := &c.mech.Joints[j]
	var d mechanism.Drive
	if p := c.mech.Drive(j); p != nil {
		d = *p
	}
	for i, axis := range axes {
		if c.isFree(&d, 6*j+i, i) {
			continue
		}
		rate, tau := c.Room(1), c.Room(1)
		c.Op(tape.Between, rate, axis, c.omega(jt.Succ), c.omega(jt.Pred))
		q := none
		if c.isSprungAngle(j, i) {
			q = c.angle(j, i, c.frameAxes(j, sideP), c.frameAxes(j, sideS))
		}
		c.freedomForce(&d, 6*j+i, i, tau, rate, q)
		if b := jt.Succ; b >= 0 {
			c.Op(tape.Twist, c.bodies[b].load, axis, tau, c.bodies[b].data.At(atWeight), c.bodies[b].axes)
		}
		if b := jt.Pred; b >= 0 {
			c.Op(tape.Twist, c.bodies[b].load, axis, tau, c.bodies[b].data.At(atNegated), c.bodies[b].axes)
		}
	}
}

// groupLoads adds the right side Nᵀ·(C⁻¹f − c) of a group, (R2).
func (c *compiler) groupLoads(g *group, right place) {
	from := c.sys.null
	for k := len(g.bodies) - 1; k >= 0; k-- { // the last body has all columns
		h := g.bodies[k]
		n, at := h.columns(), right.At(h.from)
		if k < len(g.bodies)-1 {
			from = at
		}
		c.Op(tape.Loads1+tape.Code(n-1)*loadsStep, at, h.N, c.bodies[h.body].load, from)
	}
}

// spread adds the instructions that compute the weighted accelerations c + N·z of the bodies in groups from z, (R1).
func (c *compiler) spread() {
	for _, g := range c.reduced.groups {
		for _, h := range g.bodies {
			c.spreadTo(c.bodies[h.body].x, h, c.sys.x[g.node], h.c())
		}
	}
}

// spreadTo adds the instruction that stores own + N·z in out: the weighted motion of a body whose group has the solution z. own is
// its motion for z = 0.
func (c *compiler) spreadTo(out place, h *treeBody, z, own place) {
	n := h.columns()
	c.Op(tape.Shaped(tape.Columns1of1, n, n), out, h.N, z.At(h.from), own)
}
