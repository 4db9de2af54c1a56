package mechanics

import (
	"slices"

	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/joints"
)

// violations adds −δ and −(T·V̂) of all rows, the right sides of two solves, and the sum of squares of δ in the record. It returns their
// places by node, one right side behind the other; none for nodes whose right sides are zero.
func (c *compiler) violations() (errs []place) {
	errs = make([]place, len(c.sys.order))
	for i := range errs {
		if c.sys.leaf[i] && (!c.sys.group[i] || c.onPins(int32(i))) {
			errs[i] = none
			continue
		}
		errs[i] = c.Constant(make([]float64, 2*c.sys.size(int32(i)))...)
	}
	for j := range c.mech.Joints {
		if h := c.reduced.tree[j]; h != nil && !h.group.ofHinges {
			c.Passing()
			c.treeErrors(h)
			c.Lasting()
		}
		if rows := c.rowsOf(j); rows != nil {
			c.Passing()
			out := c.errorsOf(rows, errs)
			if jt := &c.mech.Joints[j]; isPlain(jt) && jt.Kind != joints.Fixed {
				c.plainErrors(j, rows.size, out)
			} else {
				c.jointErrors(j, rows.size, out)
			}
			c.keepErrors(rows, errs, out)
			c.Lasting()
		}
	}
	return errs
}

// plainErrors adds the violations of a hinge or a ball in errs, and their squares to the record.
func (c *compiler) plainErrors(j, rows int, errs place) {
	c.plainErrorsTo(errs, j, rows)
	c.OpN(tape.SumSquares, rows, 0, c.sys.record.At(places.Violation), errs)
}

// plainErrorsTo adds the violations of a hinge or a ball in errs, with their signs changed: displacements, and the rates rows places behind
// them. It returns the axes of P.
func (c *compiler) plainErrorsTo(errs place, j, rows int) (P place) {
	jt := &c.mech.Joints[j]
	ends := func(side side) place {
		body, _ := side.of(jt)
		out := c.Room(9)
		if body < 0 {
			c.OpN(tape.Copy, 3, 0, out, c.originIn(j, side))
			c.OpN(tape.Copy, 6, 0, out.At(3), c.sys.null)
			return out
		}
		b := &c.bodies[body]
		c.Op(tape.Point, out, b.state, b.axes, c.originIn(j, side))
		return out
	}
	P = c.frameAxes(j, sideP)
	c.OpN(tape.Apart, 0, rows, errs, ends(sideP), ends(sideS), P, c.omega(jt.Pred))
	if jt.Kind == joints.Revolute {
		axes := c.unit
		if jt.Succ >= 0 {
			axes = c.bodies[jt.Succ].axes
		}
		w := c.difference(c.omega(jt.Succ), c.omega(jt.Pred))
		c.OpN(tape.Tilt, 0, rows, errs.At(3), P, axes, c.axesIn(j, sideS).At(2), w)
	}
	return P
}

// jointErrors is plainErrors for any other joint.
func (c *compiler) jointErrors(j, rows int, errs place) {
	jt := &c.mech.Joints[j]
	at := c.relativePose(j)
	delta, speed := c.Room(6), c.Room(6)
	c.OpN(tape.Copy, 6, 0, delta, c.sys.null)
	c.OpN(tape.Copy, 6, 0, speed, c.sys.null)
	turn := c.tilt(&at, jt)
	list, more := triples(jt.Kind)
	row := 0
	for _, t := range list {
		from, fast := turn, at.alongW
		if t.force {
			from, fast = at.alongR, at.alongV
		}
		c.OpN(tape.Copy, t.n, 0, delta.At(row), from.At(t.first))
		c.OpN(tape.Copy, t.n, 0, speed.At(row), fast.At(t.first))
		row += t.n
	}
	if more && jt.Kind == joints.Universal {
		x, y := c.vector(tape.Column, at.P), c.vector(tape.Column, at.S.At(1))
		c.Op(tape.Dot, delta.At(row), x, y)
		n := c.vector(tape.Cross, y, x)
		c.Op(tape.Dot, speed.At(row), n, at.w)
		row++
	}
	if more && jt.Kind == joints.Distance {
		n := c.Room(4)
		c.Op(tape.Unit, n, at.R)
		c.OpN(tape.Sub, 1, 0, delta.At(row), n.At(3), c.scalarIn(j, Length, jt.Length))
		c.Op(tape.Dot, speed.At(row), n, at.V)
		row++
	}
	for _, x := range c.motions {
		if x.Joint == j {
			c.deviation(&at, x, delta.At(row), speed.At(row))
			row++
		}
	}
	// Rows of armature are no constraints; their violations stay zero.
	c.OpN(tape.Sub, rows, 0, errs, c.sys.null, delta)
	c.OpN(tape.Sub, rows, 0, errs.At(rows), c.sys.null, speed)
	c.OpN(tape.SumSquares, row, 0, c.sys.record.At(places.Violation), delta)
}

// relativePose adds the relative pose and motion of the frames of a joint.
func (c *compiler) relativePose(j int) (at jointPlace) {
	c.frames(&at, j)
	if !at.R.Is() {
		c.separation(&at, j)
	}
	if !at.S.Is() {
		at.S = c.frameAxes(j, sideS)
	}
	c.relative(&at, &c.mech.Joints[j])
	return at
}

// treeErrors adds the two motions h.closing that correct the violations of a tree joint, (R4).
func (c *compiler) treeErrors(h *treeBody) {
	j, jt := int(h.joint), &c.mech.Joints[h.joint]
	h.closing = c.LastingRoom(12)
	if c.hasPins(h) {
		b, code := &c.bodies[h.body], unpins[jt.Kind]
		own, _ := h.sides()
		c.Op(code, h.closing, b.state, b.axes, c.pinIn(j, own), c.pinOf(h), c.sys.record.At(places.Violation))
		return
	}
	along := c.Constant(make([]float64, 12)...) // −(translation, rotation) along the axes of P, of poses and then of velocities
	var P place
	if isPlain(jt) {
		P = c.plainErrorsTo(along, j, 6)
		c.OpN(tape.SumSquares, 5, 0, c.sys.record.At(places.Violation), along)
	} else {
		at := c.relativePose(j)
		P = at.P
		turn := c.tilt(&at, jt)
		list, _ := triples(jt.Kind)
		for _, t := range list {
			from, fast, to := turn, at.alongW, along.At(3+t.first)
			if t.force {
				from, fast, to = at.alongR, at.alongV, along.At(t.first)
			}
			c.OpN(tape.Sub, t.n, 0, to, c.sys.null, from.At(t.first))
			c.OpN(tape.Sub, t.n, 0, to.At(6), c.sys.null, fast.At(t.first))
		}
		c.OpN(tape.SumSquares, 6, 0, c.sys.record.At(places.Violation), along)
	}
	for k := range 2 {
		c.Op(tape.MulVec, h.closing.At(6*k), P, along.At(6*k+3))
		c.Op(tape.MulVec, h.closing.At(6*k+3), P, along.At(6*k))
	}
	if h.reversed {
		c.OpN(tape.Sub, 12, 0, h.closing, c.sys.null, h.closing)
	}
}

// onPins reports whether a node is a group of hinges, whose bodies have been moved onto their pins.
func (c *compiler) onPins(node int32) bool {
	return slices.ContainsFunc(c.reduced.groups, func(g *group) bool { return g.node == node && g.ofHinges })
}

// unpins are the instructions of treeErrors for the types of joints that have pins.
var unpins = map[joints.Kind]tape.Code{
	joints.Revolute: tape.BackOnHinge, joints.Universal: tape.BackOnUniversal, joints.Prismatic: tape.BackOnSlider,
}

// reduceErrors adds c of (R8) for the bodies of groups, and the right sides errs of the reduced system, (R8).
func (c *compiler) reduceErrors(errs []place) {
	for _, g := range c.reduced.groups {
		if g.ofHinges {
			continue
		}
		for _, h := range g.bodies {
			c.moveBody(h, 2, h.correction, c.motion(h.parent), h.closing)
		}
		from := c.sys.null
		for k := len(g.bodies) - 1; k >= 0; k-- {
			h := g.bodies[k]
			at := errs[g.node].At(h.from)
			if k < len(g.bodies)-1 {
				from = at
			}
			c.OpN(tape.ErrorLoads1+tape.Code(h.columns()-1)*loadsStep, 0, g.dof, at, h.N, h.correction, from)
		}
	}
	for i := c.sys.pattern.Positive(); i < c.sys.pattern.Len(); i++ {
		for _, l := range c.loops[int32(i)] {
			if l.h.group.ofHinges {
				continue
			}
			n := c.sys.size(int32(i))
			for k := range 2 {
				at := errs[i].At(k * n)
				c.Op(tape.Shaped(tape.Rows1of1, n, c.sys.full[i]), at, l.W, l.h.correction.At(6*k), at)
			}
		}
	}
}

// deviation adds the difference delta between a prescribed freedom and its motion, and the difference speed of their rates. For an angle
// delta is a sine: with x_S = x_P·cos q + y_P·sin q and the motion p, sin(q − p) = (y_P·x_S)·cos p − (x_P·x_S)·sin p.
func (c *compiler) deviation(at *jointPlace, x Prescribed, delta, speed place) {
	u := duals(c.mech.Joints[x.Joint].Kind)[x.Freedom]
	rate := at.alongW.At(u.axis)
	if u.force {
		rate = at.alongV.At(u.axis)
		c.OpN(tape.Sub, 1, 0, delta, at.alongR.At(u.axis), x.End.At(EndCoordinate))
	} else {
		along := c.vector(tape.TMulVec, at.P, c.vector(tape.Column, at.S)) // x_S along the axes of P
		c.OpN(tape.Scaled, 1, 0, delta, c.zero, along.At(1), x.End.At(EndCosine))
		c.Op(tape.Less, delta, delta, along, x.End.At(EndSine))
	}
	c.OpN(tape.Sub, 1, 0, speed, rate, x.End.At(EndRate))
}

// tilt returns the rotation from P to S along the axes of P, as the rows of moments measure it: ½Σ e_P×e_S over all axes if there are
// three such rows, else z_P×z_S. Both differ from the angles by terms of third order.
func (c *compiler) tilt(at *jointPlace, jt *joint) place {
	cross := func(k int) place {
		return c.vector(tape.Cross, c.vector(tape.Column, at.P.At(k)), c.vector(tape.Column, at.S.At(k)))
	}
	e := cross(2)
	if jt.Kind == joints.Fixed || jt.Kind == joints.Prismatic {
		e = c.sum(c.sum(e, cross(0)), cross(1))
		out := c.Room(3)
		c.OpN(tape.Scaled, 3, 0, out, c.zero, e, c.Shared(0.5))
		e = out
	}
	return c.vector(tape.TMulVec, at.P, e)
}
