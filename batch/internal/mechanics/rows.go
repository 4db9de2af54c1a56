package mechanics

import (
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

// jointWork is the state of jointRows, which adds the rows of one joint.
type jointWork struct {
	*jointPlace
	jt         *mechanism.Joint
	rows       *nodeRows
	row        int   // next row
	full       int   // number of rows up to the last that has a force
	along      place // direction of R of a distance joint
	pred, succ place // rows on the predecessor and the successor; none for the world
	flywheel   place // block of the flywheel; none without one
	scale, b   place // scales and right sides of the rows
	force      place // −(velocity-product part) of rows of forces along the axes of P
	moment     place // −(velocity-product part) of rows of moments along the axes of P
	bias, turn place // velocity-product parts of forces and of moments, world axes
	slideRate  place // the part of V that the joint allows, world axes; none if it allows none
}

// jointRows adds the rows of a joint: blocks, scales and right sides, theory.md (13), (12) and (9).
func (c *compiler) jointRows(at *jointPlace, j int, rows *nodeRows) {
	w := &jointWork{jointPlace: at, jt: &c.mech.Joints[j], rows: rows, scale: rows.scale}
	var blocks [2]place // of the bodies or their groups
	for k, b := range rows.bodies {
		block := rows.blocks[k]
		switch {
		case w.jt.Pred >= 0 && b == c.reduced.node[w.jt.Pred]:
			w.pred, blocks[0] = c.rowsOn(w, w.jt.Pred, block), block
		case w.jt.Succ >= 0 && b == c.reduced.node[w.jt.Succ]:
			w.succ, blocks[1] = c.rowsOn(w, w.jt.Succ, block), block
		default:
			w.flywheel = block
		}
	}
	w.b = rows.right
	c.slide(w, j)
	if !isPlain(w.jt) {
		if list, _ := triples(w.jt.Kind); len(list) > 0 || w.flywheel.Is() || w.jt.Motion != nil {
			c.axesInBodies(w.jointPlace, j)
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
	c.full(rows, w.full)
	if first := c.firstSquare(rows); first < rows.size {
		c.squares(w, j, first)
	}
	c.reduce(w, blocks)
}

// hinge adds the right side of a plain joint from its biases, which are along the axes of P: theory.md (7) and (9).
func (c *compiler) hinge(w *jointWork) {
	b := w.b
	if w.rows.at != nil {
		b = c.Room(6)
	}
	c.OpN(tape.Sub, 3, 0, b, w.biasP, w.biasS)
	switch {
	case w.row == 3:
	case w.jt.Succ >= 0 && w.jt.Pred >= 0:
		c.Op(tape.Cross, b.At(3), w.biasP.At(3), w.biasS.At(3))
	default: // a joint to the world has zeros here, from which a group may subtract
		c.OpN(tape.Copy, w.row-3, 0, b.At(3), c.sys.null)
	}
	if b != w.b {
		c.gather(w.b, b, 1, w.rows, w.row)
	}
}

// squares adds the scales: the squared norms of the rows from first on.
func (c *compiler) squares(w *jointWork, j, first int) {
	from := c.sys.null
	if w.flywheel.Is() {
		var I [6]float64
		n, k := w.jt.GearedInertias(&I), 0
		from = c.Constant(make([]float64, 6)...)
		for i := range w.jt.Kind.Freedoms() {
			if !w.jt.Geared(i) {
				continue
			}
			row := from.At(w.row - n + k)
			if own := c.ofGear(6*j + i); own.Is() {
				c.OpN(tape.Copy, 1, 0, row, own.At(Inverse))
			} else {
				c.Set(row, 1/I[k])
			}
			k++
		}
	}
	bodies := [2]int32{w.jt.Pred, w.jt.Succ}
	for i, at := range [2]place{w.pred, w.succ} {
		if !at.Is() || c.reduced.of[bodies[i]] != nil {
			continue
		}
		to := w.scale.At(first)
		if i == 0 && isPlain(w.jt) && c.staysOnPred(w.jt, j) {
			to = c.LastingRoom(w.row - first)
			o := c.Instruction(tape.Squares, to, at.At(6*first), from)
			o.N = uint32(w.row - first)
			c.Fix(o)
		} else {
			c.OpN(tape.Squares, w.row-first, 0, to, at.At(6*first), from)
		}
		from = to
	}
	if from != w.scale.At(first) { // there is no body outside groups; the groups add their terms
		c.OpN(tape.Copy, w.row-first, 0, w.scale.At(first), from)
	}
}

// slide adds the parts of R and V that the joint allows. The arm of P then reaches to the origin of S but for the violation of the joint.
func (c *compiler) slide(w *jointWork, j int) {
	if isPinned(w.jt.Kind) {
		return
	}
	arm := c.Room(3)
	w.slideRate = c.Room(3)
	switch onZ, offZ := w.jt.Kind.Slides(); {
	case !offZ:
		c.Op(tape.OnZ, arm, w.P, w.alongR)
		c.Op(tape.OnZ, w.slideRate, w.P, w.alongV)
	case !onZ:
		c.Op(tape.OffZ, arm, w.P, w.alongR)
		c.Op(tape.OffZ, w.slideRate, w.P, w.alongV)
	default: // distance: R keeps its length
		n := c.Room(4) // direction of R, and |R|
		c.Op(tape.Unit, n, w.R)
		c.OpN(tape.Scaled, 3, 0, arm, c.zero, n, c.scalarIn(j, Length, w.jt.Length))
		v := c.Room(2)
		c.Op(tape.Dot, v, n, w.V)
		c.Op(tape.Less, v.At(1), c.zero, v, c.Shared(1))
		c.OpN(tape.Scaled, 3, 0, w.slideRate, w.V, n, v.At(1))
		w.along = n
	}
	if b := w.jt.Pred; b >= 0 {
		body := &c.bodies[b]
		own := w.armP
		w.armP = c.Room(3)
		c.Op(tape.TMulAdd, w.armP, body.axes, arm, own)
		w.worldP = c.sum(w.worldP, arm)
	}
}

// bias adds the velocity-product parts of rows of forces and moments, theory.md (7) and (9).
func (c *compiler) bias(w *jointWork) {
	jt := w.jt
	w.bias, w.turn = c.zero, c.zero
	if jt.Succ >= 0 {
		w.bias = c.vector(tape.Centripetal, c.omega(jt.Succ), w.worldS, w.bias)
	}
	if jt.Pred >= 0 {
		w.bias = c.vector(tape.LessCentripetal, c.omega(jt.Pred), w.worldP, w.bias)
		if w.slideRate.Is() {
			x := c.vector(tape.Cross, c.omega(jt.Pred), w.slideRate)
			out := c.Room(3)
			c.OpN(tape.Scaled, 3, 0, out, w.bias, x, c.Shared(-2))
			w.bias = out
		}
	}
	w.force, w.moment = c.Room(3), c.zero
	list, more := triples(jt.Kind)
	if !more && !w.flywheel.Is() && jt.Motion == nil && w.rows.at == nil { // only the right side uses them: write them there at once
		row := 0
		for _, t := range list {
			switch {
			case t.first > 0:
			case t.force:
				w.force = w.b.At(row)
			case jt.Succ >= 0 && jt.Pred >= 0:
				w.moment = w.b.At(row)
			}
			row += t.n
		}
	}
	turns := jt.Succ >= 0 && jt.Pred >= 0
	if turns && w.moment == c.zero {
		w.moment = c.Room(3)
	}
	if turns {
		w.turn = c.vector(tape.Cross, c.omega(jt.Succ), c.omega(jt.Pred))
	}
	// Each instruction writes three numbers, of which later rows overwrite some. So the part of the earlier rows is written first.
	if turns && w.moment < w.force {
		c.Op(tape.TMulNeg, w.moment, w.P, w.turn)
	}
	c.Op(tape.TMulNeg, w.force, w.P, w.bias)
	if turns && w.moment > w.force {
		c.Op(tape.TMulNeg, w.moment, w.P, w.turn)
	}
}

// triple adds rows along the axes of P, in runs of rows that stand one behind the other.
func (c *compiler) triple(w *jointWork, t triple, j int) {
	for lo, n := 0, 0; lo < t.n; lo += n {
		n = w.rows.run(w.row, t.n-lo)
		c.runOf(w, triple{t.force, t.first + lo, n}, j)
	}
}

// runOf adds the rows t, which stand one behind the other.
func (c *compiler) runOf(w *jointWork, t triple, j int) {
	code, from := tape.Moments, w.moment
	if t.force {
		code, from = tape.Forces, w.force
	}
	row := w.rows.place(w.row)
	side := func(at, axes, arm place, body int32, weight int) tape.Op {
		o := c.Instruction(code, at.At(6*row), axes.At(t.first), arm, c.bodies[body].data.At(weight))
		o.N = uint32(t.n)
		return o
	}
	if w.jt.Succ >= 0 {
		c.Add(side(w.succ, w.inS, w.armS, w.jt.Succ, atWeight))
	}
	if w.jt.Pred >= 0 {
		own := side(w.pred, w.inP, w.armP, w.jt.Pred, atNegated)
		if c.staysOnPred(w.jt, j) {
			c.Fix(own)
		} else {
			c.Add(own)
		}
	}
	if t.force {
		w.full = w.row + t.n
	}
	if !isPlain(w.jt) && from.At(t.first) != w.b.At(row) {
		c.OpN(tape.Copy, t.n, 0, w.b.At(row), from.At(t.first))
	}
	w.row += t.n
}

// staysOnPred reports whether arm and axes of joint j in its predecessor are constant.
func (c *compiler) staysOnPred(jt *joint, j int) bool {
	return isPinned(jt.Kind) && !c.varies(j)
}

// special adds the one row of a type that is not along an axis of P.
func (c *compiler) special(w *jointWork, j int) {
	wrench := c.Constant(0, 0, 0, 0, 0, 0) // moment and force of a unit multiplier, world axes
	b := w.b.At(w.rows.place(w.row))
	switch w.jt.Kind {
	case joints.Helical: // a force along z with the moment −pitch·z
		z := c.vector(tape.Column, w.P.At(2))
		pitch := c.scalarIn(j, Pitch, -w.jt.Pitch)
		c.OpN(tape.Scaled, 3, 0, wrench, c.zero, z, pitch)
		c.OpN(tape.Copy, 3, 0, wrench.At(3), z)
		c.OpN(tape.Scaled, 1, 0, b, w.force.At(2), w.moment.At(2), pitch)
	case joints.Universal: // the moment n = y_S×x_P, which moves with y_S
		c.relative(w.jointPlace, w.jt)
		x, y := c.vector(tape.Column, w.P), c.vector(tape.Column, w.S.At(1))
		c.Op(tape.Cross, wrench, y, x)
		rate := c.vector(tape.Cross, c.vector(tape.Cross, w.w, y), x)
		d := c.Room(2)
		c.Op(tape.Dot, d, rate, w.w)
		c.Op(tape.Dot, d.At(1), wrench, w.turn)
		c.OpN(tape.Add, 1, 0, d, d, d.At(1))
		c.OpN(tape.Sub, 1, 0, b, c.zero, d)
	case joints.Distance: // a force along n = R/|R|
		n := w.along
		c.OpN(tape.Copy, 3, 0, wrench.At(3), n)
		q := c.Room(4)
		c.Op(tape.Dot, q, w.slideRate, w.slideRate)
		c.Op(tape.Quotient, q.At(1), q, n.At(3))
		c.Op(tape.Dot, q.At(2), n, w.bias)
		c.OpN(tape.Add, 1, 0, q, q.At(1), q.At(2))
		c.OpN(tape.Sub, 1, 0, b, c.zero, q)
	}
	c.wrenchRow(w, wrench)
}

// wrenchRow adds the row of a wrench about the origin of S.
func (c *compiler) wrenchRow(w *jointWork, wrench place) {
	side := func(at, arm place, body int32, weight int) {
		if body >= 0 {
			d := &c.bodies[body]
			c.Op(tape.Wrench, at.At(6*w.rows.place(w.row)), wrench, d.axes, d.data.At(weight), arm)
		}
	}
	side(w.succ, w.armS, w.jt.Succ, atWeight)
	side(w.pred, w.armP, w.jt.Pred, atNegated)
	w.row++
	if w.jt.Kind != joints.Universal { // a universal joint has pure moments here
		w.full = w.row
	}
}

// freedoms adds the rows of prescribed freedoms and of armature.
func (c *compiler) freedoms(w *jointWork, j int) {
	for i, u := range duals(w.jt.Kind) {
		if w.jt.Prescribed(i) {
			at := c.LastingRoom(1) // written before the tape runs
			c.motions = append(c.motions, Prescribed{j, i, at, c.LastingRoom(EndPlaces)})
			row := w.rows.place(w.row)
			c.freedom(w, u, j)
			c.OpN(tape.Add, 1, 0, w.b.At(row), w.b.At(row), at)
		}
	}
	if !w.flywheel.Is() {
		return
	}
	var I [6]float64
	n, k := w.jt.GearedInertias(&I), 0
	for i, u := range duals(w.jt.Kind) {
		if w.jt.Geared(i) {
			if own, at := c.ofGear(6*j+i), w.flywheel.At(w.row*n+k); own.Is() {
				c.OpN(tape.Copy, 1, 0, at, own.At(Gear))
			} else {
				c.Set(at, InverseRoot(I[k]))
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
	wrench := c.Constant(0, 0, 0, 0, 0, 0)
	c.Op(tape.Column, wrench, w.S.At(u.axis))
	d := c.Room(1)
	c.Op(tape.Dot, d, wrench, w.turn)
	c.OpN(tape.Sub, 1, 0, w.b.At(w.rows.place(w.row)), c.zero, d)
	c.wrenchRow(w, wrench)
}
