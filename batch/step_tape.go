package batch

import (
	"math"

	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/joints"
)

// stepper is the tapes of Rollout.
type stepper struct {
	stages [4][]tape.Op // of RungeKutta4: accelerations, the checks, and the next state; the last one puts it back on the joints
	euler  []tape.Op    // the step of SemiImplicit

	h      place // numbers of setStep
	errorP place // squared violations, of the record
	speed  place // square of the largest angular velocity at the end of a step, of the record
}

// offPivot is the least pivot, relative to its scale, of a row that holds at the beginning of a step in lanes. Steps leave
// states off their joints, at worst by a thousandth of the lengths. There rows that are redundant on the joints have pivots of
// the size of its square, and one that is taken for a row that holds makes a body fly off.
const offPivot = 1e-6

// nearPivot is the part of the pivot of the pose at the beginning that is as good: a quarter of the way to a singular pose.
const nearPivot = 1. / 16

// leastPivot returns offPivot, or less for mechanisms whose pivots are small where they begin, as those of slender rods are.
func (c *compiler) leastPivot() float64 {
	solver := c.plan.NewSolver()
	if c.mech.NumOwn() > 0 || solver.Solve(c.plan.Initial()) != nil { // forces of one's own are for the states of a batch alone
		return offPivot
	}
	near, _ := solver.Nearness()
	return leastOf(near)
}

// leastOf is leastPivot of the nearness, the root of the least pivot, where the mechanism begins.
func leastOf(near float64) float64 { return max(smallPivot, min(offPivot, nearPivot*near*near)) }

// join returns a tape of several, one behind the other.
func join(list ...[]tape.Op) (all []tape.Op) {
	for _, ops := range list {
		all = append(all, ops[:len(ops)-1]...)
	}
	return append(all, tape.Op{Code: tape.End})
}

// refusal says why a mechanism is not stepped in lanes; empty if it is.
func (c *compiler) refusal() string {
	m := c.mech
	switch {
	case len(c.rareJoints) > 0:
		return "composite joints or couplings"
	}
	for _, x := range c.motions {
		switch m.Joints[x.joint].Kind {
		case joints.Revolute, joints.Prismatic, joints.Cylindrical, joints.Planar:
		default:
			return "prescribed freedoms of universal, helical or composite joints"
		}
	}
	for j := range m.Joints {
		if m.Joints[j].Kind == joints.Helical {
			return "helical joints"
		}
	}
	return ""
}

// steps makes the tapes of Rollout; stage is that of accelerations and multipliers.
func (c *compiler) steps(stage []tape.Op) *stepper {
	s := &stepper{h: c.room(8), errorP: c.sys.record.at(places.Drift), speed: c.sys.record.at(places.Fastest)}
	c.spread()
	rates := c.rates()
	over := make([]place, len(c.bodies)) // of each body: the state at the beginning, the rotation since then, and sums
	for i := range over {
		over[i] = c.room(bodyPlaces + 3 + 12)
	}
	accelerations := c.take()
	// A stage has to be finite, with pivots of bodies above zero, and as many redundant rows as the first one.
	weak, inf := c.room(1), math.Inf(1)
	c.opN(tape.Copy, 1, 0, weak, c.sys.record.at(weakRows))
	c.op(tape.Verdict, c.sys.holds, c.sys.record, c.shared(inf, 1/c.leastPivot(), inf, bodyTol, unitTol, inf), weak, c.shared(1))
	first := c.take()
	c.op(tape.Verdict, c.sys.holds, c.sys.record, c.shared(inf, inf, inf, bodyTol, unitTol, inf), weak, c.sys.holds)
	later := c.take()

	for k, code := range [4]tape.Code{tape.FirstStage, tape.NextStage, tape.NextStage, tape.LastStage} {
		for i := range c.bodies {
			c.op(code, c.bodies[i].state, over[i], rates[i], s.h.at(2*k), c.sys.record)
		}
		judge := later
		if k == 0 {
			judge = first
		}
		s.stages[k] = join(stage, accelerations, judge, c.take())
	}
	c.moveAll()
	s.euler = join(without(stage, tape.Departure), c.take(), first)
	c.snapAll(s)
	snaps := c.take()
	back := c.closing(s)
	s.stages[3], s.euler = join(s.stages[3], snaps, back), join(s.euler, back)
	return s
}

// without returns a tape without the instructions of one code.
func without(list []tape.Op, code tape.Code) (out []tape.Op) {
	for _, o := range list {
		if o.Code != code {
			out = append(out, o)
		}
	}
	return out
}

// moveAll adds the step of SemiImplicit of all bodies, and their axes after it. Bodies of groups that snap move to the new
// places of their pins. The instructions also record how far quaternions are from length one, so the stage before the step
// has no Departure.
func (c *compiler) moveAll() {
	for i := range c.bodies {
		b, h := &c.bodies[i], c.reduced.of[i]
		if h != nil && h.group.snaps {
			continue
		}
		if h != nil {
			c.spreadTo(b.x, h, c.sys.x[h.group.node], h.c())
		}
		c.op(tape.Euler, b.state, b.x, b.axes, b.data, c.sys.record)
	}
	c.eachSnapping(func(h *hung) {
		b, z, constants := &c.bodies[h.body], c.sys.x[h.group.node], c.hingeConstants(h)
		if c.rootHinge(h) {
			c.op(tape.EulerRoot, b.state, h.N, b.axes, constants, c.sys.record, z.at(h.from))
			return
		}
		c.spreadTo(b.x, h, z, h.c())
		c.pinOnto(h.pin, h)
		c.op(tape.EulerPin, b.state, b.x, b.axes, constants, c.sys.record)
	})
}

// snapAll puts the bodies of groups whose tree joints are all hinges on their pins, and adds the axes of all bodies.
func (c *compiler) snapAll(s *stepper) {
	for i := range c.bodies {
		if b := &c.bodies[i]; !c.snaps(c.reduced.node[i]) {
			c.op(tape.Axes, b.axes, b.state.at(atRotation))
		}
	}
	c.eachSnapping(func(h *hung) {
		c.pinOnto(h.pin, h)
		b := &c.bodies[h.body]
		c.op(tape.Snap, b.state, b.axes, c.hingeConstants(h), h.pin, s.errorP)
	})
}

// eachSnapping calls do with the bodies of groups that snap, parents first.
func (c *compiler) eachSnapping(do func(h *hung)) {
	for _, g := range c.reduced.groups {
		for _, h := range g.bodies {
			if g.snaps {
				do(h)
			}
		}
	}
}

// closing returns the tape that puts the state back on the joints.
func (c *compiler) closing(s *stepper) []tape.Op {
	drift := c.violations(s)
	// Displacements and changes of velocity by the factor of the last stage, one behind the other.
	c.reduceDrift(drift)
	var dx, z []place
	for i := range c.sys.order {
		n := c.sys.size(int32(i))
		dx, z = append(dx, c.room(2*n)), append(z, c.room(2*n))
		if drift[i] == none {
			z[i] = none
		}
	}
	c.sys.eliminate(drift, z, 2, false)
	c.sys.backward(dx, z, 2)
	for i := range c.bodies { // what motion in a plane leaves across it falls to nothing, step by step
		c.moveBack(i, dx[c.reduced.node[i]])
	}
	return c.take()
}

// moveBack moves a body by the two solutions x of its node, the displacement and the change of velocity.
func (c *compiler) moveBack(i int, x place) {
	b, h := &c.bodies[i], c.reduced.of[i]
	switch {
	case h == nil:
	case c.rootHinge(h):
		c.opN(tape.MovedRoot, h.group.dof, 0, b.state, h.N, b.axes, c.hingeConstants(h), c.sys.record, x.at(h.from))
		return
	default:
		own := c.sys.null
		if !h.group.snaps {
			own = h.drift
		}
		x = c.bothTo(c.room(12), h, x, own)
	}
	c.op(tape.Moved, b.state, x, b.axes, b.data, c.sys.record)
}

// bothTo stores in out what spreadTo does for the two solutions z of the group of a body, one behind the other. It returns out.
func (c *compiler) bothTo(out place, h *hung, z, own place) place {
	if n := h.group.dof; h.from == 0 {
		c.op(tape.Shaped(tape.TwoColumns1of1, n, n), out, h.N, z, own)
		return out
	}
	for k := range 2 {
		c.spreadTo(out.at(6*k), h, z.at(k*h.group.dof), own.at(6*k))
	}
	return out
}

// rates adds the accelerations of the origins of the body frames, and of the angular velocities after them.
func (c *compiler) rates() (list []place) {
	for i := range c.bodies {
		b := &c.bodies[i]
		out := c.room(6)
		c.op(tape.Rate, out, b.x, b.axes, b.data, c.sys.record.at(notFinite))
		list = append(list, out)
	}
	return list
}

// violations adds −δ and −(T·V̂) of all rows, right sides of two solves, to places that it returns, one behind the
// other; and the sum of squares of δ.
func (c *compiler) violations(s *stepper) (drift []place) {
	drift = make([]place, len(c.sys.order))
	for i := range drift {
		if c.sys.leaf[i] && (!c.sys.group[i] || c.snaps(int32(i))) {
			drift[i] = none
			continue
		}
		drift[i] = c.constant(make([]float64, 2*c.sys.size(int32(i)))...)
	}
	for j := range c.mech.Joints {
		if h := c.reduced.tree[j]; h != nil && !h.group.snaps {
			c.passing()
			c.treeGap(s, h)
			c.lasting()
		}
		if node := c.jointNode(j); node >= 0 {
			c.passing()
			if jt := &c.mech.Joints[j]; isPlain(jt) && jt.Kind != joints.Fixed {
				c.gap(s, j, node, drift[node])
			} else {
				c.violation(s, j, node, drift[node])
			}
			c.lasting()
		}
	}
	return drift
}

// gap adds those of a hinge or a ball.
func (c *compiler) gap(s *stepper, j int, node int32, drift place) {
	rows := c.sys.size(node)
	c.gapTo(drift, j, rows)
	c.opN(tape.SumSquares, rows, 0, s.errorP, drift)
}

// gapTo stores them, displacements and rows places behind them rates. It returns the axes of P.
func (c *compiler) gapTo(drift place, j, rows int) (P place) {
	jt := &c.mech.Joints[j]
	ends := func(side side) place {
		body, _ := side.of(jt)
		out := c.room(9)
		if body < 0 {
			c.opN(tape.Copy, 3, 0, out, c.originIn(j, side))
			c.opN(tape.Copy, 6, 0, out.at(3), c.sys.null)
			return out
		}
		b := &c.bodies[body]
		c.op(tape.Point, out, b.state, b.axes, c.originIn(j, side))
		return out
	}
	P = c.frameAxes(j, sideP)
	c.opN(tape.Apart, 0, rows, drift, ends(sideP), ends(sideS), P, c.omega(jt.Pred))
	if jt.Kind == joints.Revolute {
		axes := c.unit
		if jt.Succ >= 0 {
			axes = c.bodies[jt.Succ].axes
		}
		w := c.difference(c.omega(jt.Succ), c.omega(jt.Pred))
		c.opN(tape.Tilt, 0, rows, drift.at(3), P, axes, c.axesIn(j, sideS).at(2), w)
	}
	return P
}

// violation adds those of one joint.
func (c *compiler) violation(s *stepper, j int, node int32, drift place) {
	jt := &c.mech.Joints[j]
	at := c.relativePose(j)
	delta, speed := c.room(6), c.room(6)
	c.opN(tape.Copy, 6, 0, delta, c.sys.null)
	c.opN(tape.Copy, 6, 0, speed, c.sys.null)
	turn := c.tilt(&at, jt)
	list, more := triples(jt.Kind)
	row := 0
	for _, t := range list {
		from, fast := turn, at.alongW
		if t.force {
			from, fast = at.alongR, at.alongV
		}
		c.opN(tape.Copy, t.n, 0, delta.at(row), from.at(t.first))
		c.opN(tape.Copy, t.n, 0, speed.at(row), fast.at(t.first))
		row += t.n
	}
	if more && jt.Kind == joints.Universal {
		x, y := c.vector(tape.Column, at.P), c.vector(tape.Column, at.S.at(1))
		c.op(tape.Dot, delta.at(row), x, y)
		n := c.vector(tape.Cross, y, x)
		c.op(tape.Dot, speed.at(row), n, at.w)
		row++
	}
	if more && jt.Kind == joints.Distance {
		n := c.room(4)
		c.op(tape.Unit, n, at.R)
		c.opN(tape.Sub, 1, 0, delta.at(row), n.at(3), c.scalarIn(j, atLength, jt.Length))
		c.op(tape.Dot, speed.at(row), n, at.V)
		row++
	}
	for _, x := range c.motions {
		if x.joint == j {
			c.deviation(&at, x, delta.at(row), speed.at(row))
			row++
		}
	}
	// Rows of armature are no constraints; theirs stay zero.
	rows := c.sys.size(node)
	c.opN(tape.Sub, rows, 0, drift, c.sys.null, delta)
	c.opN(tape.Sub, rows, 0, drift.at(rows), c.sys.null, speed)
	c.opN(tape.SumSquares, row, 0, s.errorP, delta)
}

// relativePose adds the relative pose and motion of the frames of a joint.
func (c *compiler) relativePose(j int) (at jointPlace) {
	c.frames(&at, j)
	if at.R == 0 {
		c.separation(&at, j)
	}
	if at.S == 0 {
		at.S = c.frameAxes(j, sideS)
	}
	c.relative(&at, &c.mech.Joints[j])
	return at
}

// treeGap adds the motions that correct the violations of a tree joint, (R4).
func (c *compiler) treeGap(s *stepper, h *hung) {
	j, jt := int(h.joint), &c.mech.Joints[h.joint]
	h.gap = c.lastingRoom(12)
	if c.hasPins(h) {
		b, code := &c.bodies[h.body], unpins[jt.Kind]
		own, _ := h.sides()
		c.op(code, h.gap, b.state, b.axes, c.pinIn(j, own), c.pinOf(h), s.errorP)
		return
	}
	along := c.constant(make([]float64, 12)...) // forces and moments along the axes of P, of poses and then of velocities, with the other sign
	var P place
	if isPlain(jt) {
		P = c.gapTo(along, j, 6)
		c.opN(tape.SumSquares, 5, 0, s.errorP, along)
	} else {
		at := c.relativePose(j)
		P = at.P
		turn := c.tilt(&at, jt)
		list, _ := triples(jt.Kind)
		for _, t := range list {
			from, fast, to := turn, at.alongW, along.at(3+t.first)
			if t.force {
				from, fast, to = at.alongR, at.alongV, along.at(t.first)
			}
			c.opN(tape.Sub, t.n, 0, to, c.sys.null, from.at(t.first))
			c.opN(tape.Sub, t.n, 0, to.at(6), c.sys.null, fast.at(t.first))
		}
		c.opN(tape.SumSquares, 6, 0, s.errorP, along)
	}
	for k := range 2 {
		c.op(tape.MulVec, h.gap.at(6*k), P, along.at(6*k+3))
		c.op(tape.MulVec, h.gap.at(6*k+3), P, along.at(6*k))
	}
	if h.reversed {
		c.opN(tape.Sub, 12, 0, h.gap, c.sys.null, h.gap)
	}
}

// snaps reports whether a node is a group whose bodies have been put on their pins.
func (c *compiler) snaps(node int32) bool {
	for _, g := range c.reduced.groups {
		if g.node == node {
			return g.snaps
		}
	}
	return false
}

// unpins are the instructions of treeGap for the types of joints that have pins.
var unpins = map[joints.Kind]tape.Code{joints.Revolute: tape.Unpin, joints.Universal: tape.Uncross, joints.Prismatic: tape.Unslide}

// reduceDrift adds c of the bodies of groups for violations e, and the right sides of the reduced system, (R8).
func (c *compiler) reduceDrift(drift []place) {
	for _, g := range c.reduced.groups {
		if g.snaps {
			continue
		}
		for _, h := range g.bodies {
			b := &c.bodies[h.body]
			if h.parent == nil {
				c.op(tape.TwoHangFree, h.drift, c.sys.null, b.axes, b.data, h.gap)
			} else {
				c.op(tape.TwoHang, h.drift, c.bodies[h.parent.body].axes, b.axes, b.data, h.gap)
			}
		}
		from := c.sys.null
		for k := len(g.bodies) - 1; k >= 0; k-- {
			h := g.bodies[k]
			at := drift[g.node].at(h.from)
			if k < len(g.bodies)-1 {
				from = at
			}
			c.opN(tape.TwoLoads1+tape.Code(h.columns()-1)*loadsStep, 0, g.dof, at, h.N, h.drift, from)
		}
	}
	for i := c.sys.pattern.Positive(); i < c.sys.pattern.Len(); i++ {
		for _, l := range c.loops[int32(i)] {
			if l.h.group.snaps {
				continue
			}
			c.op(tape.Shaped(tape.TwoRows1of1, c.sys.size(int32(i)), c.sys.full[i]), drift[i], l.W, l.h.drift)
		}
	}
}

// Places of a prescribed motion at the end of a step.
const (
	endCoordinate = iota
	endRate
	endSine
	endCosine
	endPlaces
)

// deviation adds how far a prescribed freedom is from its motion, and how much faster it is. Of an angle it is the
// sine of that: with x_S = x_P·cos q + y_P·sin q, sin(q − p) = (y_P·x_S)·cos p − (x_P·x_S)·sin p.
func (c *compiler) deviation(at *jointPlace, x prescribed, delta, speed place) {
	u := duals(c.mech.Joints[x.joint].Kind)[x.freedom]
	rate := at.alongW.at(u.axis)
	if u.force {
		rate = at.alongV.at(u.axis)
		c.opN(tape.Sub, 1, 0, delta, at.alongR.at(u.axis), x.end.at(endCoordinate))
	} else {
		along := c.vector(tape.TMulVec, at.P, c.vector(tape.Column, at.S)) // x_S along the axes of P
		c.opN(tape.Scaled, 1, 0, delta, c.zero, along.at(1), x.end.at(endCosine))
		c.op(tape.Less, delta, delta, along, x.end.at(endSine))
	}
	c.opN(tape.Sub, 1, 0, speed, rate, x.end.at(endRate))
}

// tilt returns how S is turned against P, along the axes of P, for the rows that are moments: ½Σ e_P×e_S where all
// three are, else z_P×z_S. Both are the angles but for terms of third order.
func (c *compiler) tilt(at *jointPlace, jt *joint) place {
	cross := func(k int) place {
		return c.vector(tape.Cross, c.vector(tape.Column, at.P.at(k)), c.vector(tape.Column, at.S.at(k)))
	}
	e := cross(2)
	if jt.Kind == joints.Fixed || jt.Kind == joints.Prismatic {
		e = c.sum(c.sum(e, cross(0)), cross(1))
		out := c.room(3)
		c.opN(tape.Scaled, 3, 0, out, c.zero, e, c.shared(0.5))
		e = out
	}
	return c.vector(tape.TMulVec, at.P, e)
}
