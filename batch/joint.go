package batch

import (
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

type joint = mechanism.Joint

// jointWork is what the rows of one joint are made of.
type jointWork struct {
	*jointPlace
	jt         *mechanism.Joint
	node       int32
	row        int   // next row
	full       int   // rows up to the last that has a force
	along      place // direction of R, of a distance
	pred, succ place // blocks of the bodies, −1 for the world
	fly        place // of the flywheel
	scale, b   place
	force      place // −(velocity-product parts) along the axes of P: of forces and of moments
	moment     place
	bias, turn place
	slip       place
}

// joint adds the rows of joint j and what drives it.
func (c *compiler) joint(j int) {
	jt := &c.mech.Joints[j]
	node := c.jointNode(j)
	if jt.Axes != nil {
		if node >= 0 {
			c.rareJoints = append(c.rareJoints, node)
			c.sys.dense[node] = true
		}
		return
	}
	driven := !c.rareForces && c.isDriven(j)
	if node < 0 && !driven {
		return
	}
	at := &c.joints[j]
	c.frames(at, j)
	switch {
	case isPlain(jt):
		c.local(at, j)
		c.swings(at, jt)
		if driven {
			c.turns(at, j)
		}
	default:
		c.wide(at, jt)
		if driven {
			c.drives(at, j)
		}
	}
	if node >= 0 {
		c.rows(at, j, node)
	}
}

// isPlain reports whether a joint has the rows of a plain type (joints.Kind.Plain) and no others.
func isPlain(jt *joint) bool { return jt.Kind.Plain() && jt.Motion == nil && jt.NumGeared() == 0 }

// isDriven reports whether forces act along freedoms of joint j.
func (c *compiler) isDriven(j int) bool {
	d := c.mech.Drive(j)
	for i := range c.mech.Joints[j].Kind.Freedoms() {
		if c.drive[6*j+i] > 0 || c.at.drive[6*j+i] > 0 || d != nil && (d.Force[i] != 0 || d.Stiffness[i] != 0 || d.Damping[i] != 0) {
			return true
		}
	}
	return false
}

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
	if slidesOf(jt.Kind) != pinned {
		c.separation(at, j)
	}
}

// wide adds the arms in world axes.
func (c *compiler) wide(at *jointPlace, jt *joint) {
	arm := func(body int32, own place) place {
		if body < 0 {
			return c.zero
		}
		return c.vector(tape.MulVec, c.bodies[body].axes, own)
	}
	at.wideP, at.wideS = arm(jt.Pred, at.armP), arm(jt.Succ, at.armS)
}

// swings adds what the velocities do to the rows of a hinge.
func (c *compiler) swings(at *jointPlace, jt *joint) {
	swing := func(body int32, axes, arm place) place {
		if body < 0 {
			return c.sys.null
		}
		out := c.room(6)
		c.op(tape.Swing, out, axes, arm, c.bodies[body].spin)
		return out
	}
	at.swingP, at.swingS = swing(jt.Pred, at.inP, at.armP), swing(jt.Succ, at.inS, at.armS)
}

// turns adds the moments along the freedoms of a hinge to its bodies.
func (c *compiler) turns(at *jointPlace, j int) {
	jt := &c.mech.Joints[j]
	var d mechanism.Drive
	if p := c.mech.Drive(j); p != nil {
		d = *p
	}
	turn := c.constant(0, 0, 0) // components along the axes of P
	rates := c.difference(at.swingS.at(3), at.swingP.at(3))
	for i, u := range duals(jt.Kind) {
		if c.isFree(&d, 6*j+i, i) {
			continue
		}
		c.effort(&d, 6*j+i, i, turn.at(u.axis), rates.at(u.axis), 0)
	}
	for _, x := range [2]struct {
		body   int32
		axes   place
		weight int
	}{{jt.Succ, at.inS, atWeight}, {jt.Pred, at.inP, atNegated}} {
		if x.body >= 0 {
			b := &c.bodies[x.body]
			c.op(tape.Torque, b.load, x.axes, turn, b.data.at(x.weight))
		}
	}
}

// isFree reports whether nothing acts along freedom i of a joint; k is its number among those of all joints.
func (c *compiler) isFree(d *mechanism.Drive, k, i int) bool {
	return d.Force[i] == 0 && d.Stiffness[i] == 0 && d.Damping[i] == 0 && c.drive[k] == 0 && c.at.drive[k] == 0
}

// effort stores in tau the generalized force of a freedom with the rate and the coordinate q, 0 for that of an angle.
func (c *compiler) effort(d *mechanism.Drive, k, i int, tau, rate, q place) {
	from := c.shared(d.Force[i])
	if in := c.drive[k]; in > 0 { // in place of the model's
		from = in
	}
	own := c.at.drive[k] > 0 // of the state
	numbers := c.input.at(c.at.drive[k])
	if !own {
		numbers = c.shared(d.Stiffness[i], d.Stiffness[i]*d.Rest[i], d.Damping[i])
	}
	if q > 0 && (own || d.Stiffness[i] != 0) {
		c.opN(tape.Add, 1, 0, tau, from, numbers.at(atTension))
		c.op(tape.Less, tau, tau, numbers.at(atStiffness), q)
		from = tau
	}
	if own || d.Damping[i] != 0 { // of a ball too, about the axes of P
		c.op(tape.Less, tau, from, numbers.at(atDamping), rate)
		from = tau
	}
	if from != tau {
		c.opN(tape.Copy, 1, 0, tau, from)
	}
}

// frameAxes returns the axes of a frame in the world.
func (c *compiler) frameAxes(j int, s side) place {
	E := c.axesIn(j, s)
	body, _ := s.of(&c.mech.Joints[j])
	if body < 0 {
		return E
	}
	out := c.room(9)
	c.op(tape.Mul3, out, c.bodies[body].axes, E)
	return out
}

// separation adds R and V.
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

// relative adds ω_S − ω_P, and that along the axes of P, once.
func (c *compiler) relative(at *jointPlace, jt *mechanism.Joint) {
	if at.w > 0 {
		return
	}
	at.w = c.difference(c.omega(jt.Succ), c.omega(jt.Pred))
	at.alongW = c.vector(tape.TMulVec, at.P, at.w)
}

// drives adds the forces along the freedoms of a joint to its bodies.
func (c *compiler) drives(at *jointPlace, j int) {
	jt := &c.mech.Joints[j]
	var d mechanism.Drive
	if p := c.mech.Drive(j); p != nil {
		d = *p
	}
	c.relative(at, jt)
	turn, push := c.constant(0, 0, 0), c.constant(0, 0, 0) // components along the axes of P
	extra := place(0)                                      // moment about y of S
	for i, u := range duals(jt.Kind) {
		if c.isFree(&d, 6*j+i, i) {
			continue
		}
		tau, rate, q := turn.at(u.axis), at.alongW.at(u.axis), place(0)
		if u.force {
			tau, rate, q = push.at(u.axis), at.alongV.at(u.axis), at.alongR.at(u.axis)
		}
		if u.ofS {
			tau = c.room(1)
			extra = c.vector(tape.Column, at.S.at(1))
			rate = c.room(1)
			c.op(tape.Dot, rate, extra, at.w)
		}
		c.effort(&d, 6*j+i, i, tau, rate, q)
		if u.ofS {
			moment := c.room(3)
			c.opN(tape.Scaled, 3, 0, moment, c.zero, extra, tau)
			extra = moment
		}
	}
	n := c.vector(tape.MulVec, at.P, turn)
	if extra > 0 {
		n = c.sum(n, extra)
	}
	if slidesOf(jt.Kind) == pinned { // moments alone, the same about any point
		if jt.Succ >= 0 {
			c.push(jt.Succ, c.zero, n, 1)
		}
		if jt.Pred >= 0 {
			c.push(jt.Pred, c.zero, n, -1)
		}
		return
	}
	f := c.vector(tape.MulVec, at.P, push)
	if jt.Succ >= 0 {
		c.push(jt.Succ, f, c.vector(tape.AddCross, at.wideS, f, n), 1)
	}
	if jt.Pred >= 0 {
		c.push(jt.Pred, f, c.vector(tape.AddCross, c.sum(at.wideP, at.R), f, n), -1)
	}
}

// push adds a force and a moment about the centre of mass, world axes, to what acts on a body, or takes them from it.
func (c *compiler) push(body int32, f, n place, sign int) {
	b := &c.bodies[body]
	weight := b.data.at(atWeight)
	if sign < 0 {
		weight = b.data.at(atNegated)
	}
	c.op(tape.Weigh, b.load, f, n, weight, b.axes)
}

// rows adds the rows of a joint: blocks, scales and right sides, theory.md (13), (12) and (9).
func (c *compiler) rows(at *jointPlace, j int, node int32) {
	w := &jointWork{jointPlace: at, jt: &c.mech.Joints[j], node: node, scale: c.sys.scale[node], pred: -1, succ: -1, fly: -1}
	p := c.sys.pattern
	var blocks [2]place // of the bodies or their groups
	for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
		block := c.sys.rows[node][k-p.Ptr[node]]
		switch b := p.Ind[k]; {
		case w.jt.Pred >= 0 && b == c.reduced.node[w.jt.Pred]:
			w.pred, blocks[0] = c.rowsOn(w, w.jt.Pred, block), block
		case w.jt.Succ >= 0 && b == c.reduced.node[w.jt.Succ]:
			w.succ, blocks[1] = c.rowsOn(w, w.jt.Succ, block), block
		default:
			w.fly = block
		}
	}
	w.b = c.sys.right[node]
	c.slide(w, j)
	if !isPlain(w.jt) {
		if list, _ := triples(w.jt.Kind); len(list) > 0 || w.fly >= 0 || w.jt.Motion != nil {
			c.local(w.jointPlace, j)
		}
		c.bias(w)
	}
	list, more := triples(w.jt.Kind)
	for _, t := range list {
		c.triple(w, t, j)
	}
	if isPlain(w.jt) {
		c.hinge(w)
	}
	if more {
		c.special(w, j)
	}
	c.freedoms(w, j)
	c.sys.full[node] = w.full
	if !c.sys.plain(node) {
		c.squares(w, j)
	}
	c.reduce(w, blocks)
}

// hinge adds the right side of a hinge: velocity products, theory.md (7) and (9), found along the axes of P.
func (c *compiler) hinge(w *jointWork) {
	c.opN(tape.Sub, 3, 0, w.b, w.swingP, w.swingS)
	switch {
	case w.row == 3:
	case w.jt.Succ >= 0 && w.jt.Pred >= 0:
		c.op(tape.Cross, w.b.at(3), w.swingP.at(3), w.swingS.at(3))
	default: // zeros, from which a group subtracts
		c.opN(tape.Copy, w.row-3, 0, w.b.at(3), c.sys.null)
	}
}

// squares adds the scales: the squared norms of the rows.
func (c *compiler) squares(w *jointWork, j int) {
	from := c.sys.null
	if w.fly >= 0 {
		var I [6]float64
		n, k := w.jt.GearedInertias(&I), 0
		from = c.constant(make([]float64, 6)...)
		for i := range w.jt.Kind.Freedoms() {
			if !w.jt.Geared(i) {
				continue
			}
			row := from.at(w.row - n + k)
			if own := c.at.gear[6*j+i]; own > 0 {
				c.opN(tape.Copy, 1, 0, row, c.input.at(own+atInverse))
			} else {
				c.set(row, 1/I[k])
			}
			k++
		}
	}
	bodies := [2]int32{w.jt.Succ, w.jt.Pred}
	for i, at := range [2]place{w.succ, w.pred} {
		if at >= 0 && c.reduced.of[bodies[i]] == nil {
			c.opN(tape.Squares, w.row, 0, w.scale, at, from)
			from = w.scale
		}
	}
	if from != w.scale { // the groups add theirs
		c.opN(tape.Copy, w.row, 0, w.scale, from)
	}
}

// slide adds the allowed parts of R and V: the arm of P reaches to the origin of S.
func (c *compiler) slide(w *jointWork, j int) {
	kind := slidesOf(w.jt.Kind)
	if kind == pinned {
		return
	}
	arm := c.room(3)
	w.slip = c.room(3)
	switch kind {
	case onZ:
		c.op(tape.OnZ, arm, w.P, w.alongR)
		c.op(tape.OnZ, w.slip, w.P, w.alongV)
	case offZ:
		c.op(tape.OffZ, arm, w.P, w.alongR)
		c.op(tape.OffZ, w.slip, w.P, w.alongV)
	case onR:
		n := c.room(4) // and |R|
		c.op(tape.Unit, n, w.R)
		c.opN(tape.Scaled, 3, 0, arm, c.zero, n, c.scalarIn(j, atLength, w.jt.Length))
		v := c.room(2)
		c.op(tape.Dot, v, n, w.V)
		c.op(tape.Less, v.at(1), c.zero, v, c.shared(1))
		c.opN(tape.Scaled, 3, 0, w.slip, w.V, n, v.at(1))
		w.along = n
	}
	if b := w.jt.Pred; b >= 0 {
		body := &c.bodies[b]
		own := w.armP
		w.armP = c.room(3)
		c.op(tape.TMulAdd, w.armP, body.axes, arm, own)
		w.wideP = c.sum(w.wideP, arm)
	}
}

// local adds the axes of P in the axes of the two bodies.
func (c *compiler) local(at *jointPlace, j int) {
	jt := &c.mech.Joints[j]
	if jt.Pred >= 0 {
		at.inP = c.axesIn(j, sideP)
	}
	if b := jt.Succ; b >= 0 {
		at.inS = c.room(9)
		c.op(tape.TMul3, at.inS, c.bodies[b].axes, at.P)
	}
}

// bias adds the velocity-product parts along the axes of P, theory.md (7) and (9).
func (c *compiler) bias(w *jointWork) {
	jt := w.jt
	w.bias, w.turn = c.zero, c.zero
	if jt.Succ >= 0 {
		w.bias = c.vector(tape.Centripetal, c.omega(jt.Succ), w.wideS, w.bias)
	}
	if jt.Pred >= 0 {
		w.bias = c.vector(tape.LessCentripetal, c.omega(jt.Pred), w.wideP, w.bias)
		if w.slip > 0 {
			x := c.vector(tape.Cross, c.omega(jt.Pred), w.slip)
			out := c.room(3)
			c.opN(tape.Scaled, 3, 0, out, w.bias, x, c.shared(-2))
			w.bias = out
		}
	}
	w.force, w.moment = c.room(3), c.zero
	list, more := triples(jt.Kind)
	if !more && w.fly < 0 && jt.Motion == nil { // no one else reads them: they are written where they belong
		row := 0
		for _, t := range list {
			switch {
			case t.first > 0:
			case t.force:
				w.force = w.b.at(row)
			case jt.Succ >= 0 && jt.Pred >= 0:
				w.moment = w.b.at(row)
			}
			row += t.n
		}
	}
	turns := jt.Succ >= 0 && jt.Pred >= 0
	if turns && w.moment == c.zero {
		w.moment = c.room(3)
	}
	if turns {
		w.turn = c.vector(tape.Cross, c.omega(jt.Succ), c.omega(jt.Pred))
	}
	// By threes: what comes first in the rows is written first.
	if turns && w.moment < w.force {
		c.op(tape.TMulNeg, w.moment, w.P, w.turn)
	}
	c.op(tape.TMulNeg, w.force, w.P, w.bias)
	if turns && w.moment > w.force {
		c.op(tape.TMulNeg, w.moment, w.P, w.turn)
	}
}

// triple adds rows along the axes of P.
func (c *compiler) triple(w *jointWork, t triple, j int) {
	code, from := tape.Moments1, w.moment
	if t.force {
		code, from = tape.Forces1, w.force
	}
	code += tape.Code(2 * (t.n - 1))
	side := func(at, axes, arm place, body int32, weight int) tape.Op {
		return c.instruction(code, at.at(6*w.row), axes.at(t.first), arm, c.bodies[body].data.at(weight))
	}
	if w.jt.Succ >= 0 {
		c.ops = append(c.ops, side(w.succ, w.inS, w.armS, w.jt.Succ, atWeight))
	}
	if w.jt.Pred >= 0 {
		list := &c.ops
		if slidesOf(w.jt.Kind) == pinned && !c.varies(j) { // the arm and the axes stay what they are
			list = &c.fixed
		}
		*list = append(*list, side(w.pred, w.inP, w.armP, w.jt.Pred, atNegated))
	}
	if t.force {
		w.full = w.row + t.n
	}
	if !isPlain(w.jt) && from.at(t.first) != w.b.at(w.row) {
		c.opN(tape.Copy, t.n, 0, w.b.at(w.row), from.at(t.first))
	}
	w.row += t.n
}

// special adds the one row of a type that is not along an axis of P.
func (c *compiler) special(w *jointWork, j int) {
	wrench := c.constant(0, 0, 0, 0, 0, 0) // moment, force, world axes
	b := w.b.at(w.row)
	switch w.jt.Kind {
	case joints.Helical: // a force along z with the moment −pitch·z
		z := c.vector(tape.Column, w.P.at(2))
		pitch := c.scalarIn(j, atPitch, -w.jt.Pitch)
		c.opN(tape.Scaled, 3, 0, wrench, c.zero, z, pitch)
		c.opN(tape.Copy, 3, 0, wrench.at(3), z)
		c.opN(tape.Scaled, 1, 0, b, w.force.at(2), w.moment.at(2), pitch)
	case joints.Universal: // the moment n = y_S×x_P, which moves with y_S
		c.relative(w.jointPlace, w.jt)
		x, y := c.vector(tape.Column, w.P), c.vector(tape.Column, w.S.at(1))
		c.op(tape.Cross, wrench, y, x)
		rate := c.vector(tape.Cross, c.vector(tape.Cross, w.w, y), x)
		d := c.room(2)
		c.op(tape.Dot, d, rate, w.w)
		c.op(tape.Dot, d.at(1), wrench, w.turn)
		c.opN(tape.Add, 1, 0, d, d, d.at(1))
		c.opN(tape.Sub, 1, 0, b, c.zero, d)
	case joints.Distance: // a force along n = R/|R|
		n := w.along
		c.opN(tape.Copy, 3, 0, wrench.at(3), n)
		q := c.room(4)
		c.op(tape.Dot, q, w.slip, w.slip)
		c.op(tape.Quotient, q.at(1), q, n.at(3))
		c.op(tape.Dot, q.at(2), n, w.bias)
		c.opN(tape.Add, 1, 0, q, q.at(1), q.at(2))
		c.opN(tape.Sub, 1, 0, b, c.zero, q)
	}
	c.wrenchRow(w, wrench)
}

// wrenchRow adds the row of a wrench about the origin of S.
func (c *compiler) wrenchRow(w *jointWork, wrench place) {
	side := func(at, arm place, body int32, weight int) {
		if body >= 0 {
			d := &c.bodies[body]
			c.op(tape.Wrench, at.at(6*w.row), wrench, d.axes, d.data.at(weight), arm)
		}
	}
	side(w.succ, w.armS, w.jt.Succ, atWeight)
	side(w.pred, w.armP, w.jt.Pred, atNegated)
	w.row++
	if w.jt.Kind != joints.Universal { // whose wrenches are moments
		w.full = w.row
	}
}

// freedoms adds the rows of prescribed freedoms and of armature.
func (c *compiler) freedoms(w *jointWork, j int) {
	for i, u := range duals(w.jt.Kind) {
		if w.jt.Prescribed(i) {
			at := c.lastingRoom(1) // which is written before the tape runs
			c.motions = append(c.motions, prescribed{j, i, at, c.lastingRoom(endPlaces)})
			row := w.row
			c.freedom(w, u, j)
			c.opN(tape.Add, 1, 0, w.b.at(row), w.b.at(row), at)
		}
	}
	if w.fly < 0 {
		return
	}
	var I [6]float64
	n, k := w.jt.GearedInertias(&I), 0
	for i, u := range duals(w.jt.Kind) {
		if w.jt.Geared(i) {
			if own, at := c.at.gear[6*j+i], w.fly.at(w.row*n+k); own > 0 {
				c.opN(tape.Copy, 1, 0, at, c.input.at(own+atGear))
			} else {
				c.set(at, inverseRoot(I[k]))
			}
			c.freedom(w, u, j)
			k++
		}
	}
}

// freedom adds the row of the unit wrench of a freedom.
func (c *compiler) freedom(w *jointWork, u dual, j int) {
	if !u.ofS {
		c.triple(w, triple{u.force, u.axis, 1}, j)
		return
	}
	wrench := c.constant(0, 0, 0, 0, 0, 0)
	c.op(tape.Column, wrench, w.S.at(u.axis))
	d := c.room(1)
	c.op(tape.Dot, d, wrench, w.turn)
	c.opN(tape.Sub, 1, 0, w.b.at(w.row), c.zero, d)
	c.wrenchRow(w, wrench)
}
