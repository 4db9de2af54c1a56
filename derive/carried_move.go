package derive

import "github.com/rung-mbd/rung/spatial"

// carriedMove is how the relative motion of a joint changes along a direction. World axes.
type carriedMove struct {
	phi        vec    // rotation of P
	ds, db     vec    // of the arms; that in S about its body's centre of mass as that moves in the body
	turn, step [3]vec // of relative position, velocity and acceleration, as P sees them
}

// order is up to which derivative by time something is computed.
type order int

const (
	orderPosition order = iota
	orderVelocity
	orderAcceleration
)

// move stores in m the derivative of a joint's relative motion along u, up to the derivative by time in to. x has the changes of the
// accelerations; nil: these are held.
//
// With Δ for a change, b and s the arms in P and S, φ the rotation of P, and R, V, V̇ the displacement, velocity and acceleration of S's
// origin as P sees them, a change as P sees it is ΔR − φ×R, ΔV − φ×V and so on. ω, V and their rates are differentiated term by term.
func (d *Derivatives) move(m *carriedMove, c *carriedJoint, u *direction, x []float64, to order) {
	P, S := d.ends(c)
	uP, uS := &d.carried.still, &d.carried.still
	if c.pred >= 0 {
		uP = &u.bodies[c.pred]
	}
	if c.succ >= 0 {
		uS = &u.bodies[c.succ]
	}
	phiP, phiS := vecOf(&uP.Rotation), vecOf(&uS.Rotation)
	m.phi, m.turn[0] = phiP, phiS.sub(phiP)
	m.ds = phiS.cross(c.s)
	m.db = vecOf(&uS.Position).add(m.ds).sub(vecOf(&uP.Position))
	m.step[0] = m.db.sub(phiP.cross(c.b))
	v := vecOf(&uS.Linear).sub(vecOf(&uP.Linear))
	if u.shifts {
		v = v.add(c.shift(m, P, S, uP, uS, &u.frames[2*c.number], &u.frames[2*c.number+1]))
	}
	if to == orderPosition {
		return
	}
	wP, wS, omP, omS := vecOf(&uP.Angular), vecOf(&uS.Angular), vecOf(&P.omega), vecOf(&S.omega)
	spinS := wS.cross(c.s).add(omS.cross(m.ds)) // changes of ω×arm
	spinP := wP.cross(c.b).add(omP.cross(m.db))
	dV, dw, w := v.add(spinS).sub(spinP), wS.sub(wP), omS.sub(omP)
	m.turn[1] = dw.sub(m.phi.cross(w))
	m.step[1] = dV.sub(m.phi.cross(c.V))
	if to == orderVelocity {
		return
	}
	dwd := wP.cross(w).add(omP.cross(dw)).scale(-1)
	dVd := vecOf(&S.alpha).cross(m.ds).add(wS.cross(omS.cross(c.s))).add(omS.cross(spinS))
	dVd = dVd.sub(vecOf(&P.alpha).cross(m.db)).sub(wP.cross(omP.cross(c.b).add(c.V.scale(2)))).sub(omP.cross(spinP.add(dV.scale(2))))
	if x != nil {
		da, db := c.accelerated(x)
		dwd, dVd = dwd.add(da), dVd.add(db)
	}
	m.turn[2] = dwd.sub(m.phi.cross(c.wd))
	m.step[2] = dVd.sub(m.phi.cross(c.Vd))
}

// accelerated returns the change of the joint's relative acceleration, angular and linear, by the changes x of the bodies' accelerations.
func (c *carriedJoint) accelerated(x []float64) (turn, step vec) {
	if c.succ >= 0 {
		y := x[6*c.succ:][:6]
		al := vec{y[0], y[1], y[2]}
		turn, step = al, vec{y[3], y[4], y[5]}.add(al.cross(c.s))
	}
	if c.pred >= 0 {
		y := x[6*c.pred:][:6]
		al := vec{y[0], y[1], y[2]}
		turn, step = turn.sub(al), step.sub(vec{y[3], y[4], y[5]}).sub(al.cross(c.b))
	}
	return turn, step
}

// shift adds to m the changes of relative positions by changes of frames (origin and turn) and of centres of mass within the bodies. It
// returns the change of the relative velocity by the centres of mass.
func (c *carriedJoint) shift(m *carriedMove, P, S *bodyAt, uP, uS *BodyDirection, fP, fS *FrameChange) (v vec) {
	comP, comS := vecOf(&uP.Com).turned(&P.E), vecOf(&uS.Com).turned(&S.E)
	atP, atS := vecOf(&fP.Origin).turned(&P.E), vecOf(&fS.Origin).turned(&S.E)
	turnP, turnS := vecOf(&fP.Turn).turned(&P.E), vecOf(&fS.Turn).turned(&S.E)
	m.ds = m.ds.add(atS).sub(comS)
	m.db = m.db.add(atS).sub(comP)
	m.step[0] = m.step[0].add(atS).sub(atP).sub(turnP.cross(c.R))
	m.turn[0] = m.turn[0].add(turnS).sub(turnP)
	m.phi = m.phi.add(turnP)
	return vecOf(&S.omega).cross(comS).sub(vecOf(&P.omega).cross(comP))
}

// seen stores in out the products of the lines along the axes of P with a motion.
func (c *carriedJoint) seen(out *[6]float64, turn, step vec) {
	a, b := turn.within(&c.E), step.within(&c.E)
	*out = [6]float64{a.x, a.y, a.z, b.x, b.y, b.z}
}

// acts returns how a load that the joint puts on S changes, theory.md (D11). dx has the changes of the multipliers, u those of forces along
// freedoms, with which springs and dampers change too; both may be nil.
func (d *Derivatives) acts(c *carriedJoint, m *carriedMove, of *load, u *direction, dx []float64) (dN, dF vec) {
	dN, dF = m.phi.cross(of.N), m.phi.cross(of.F)
	var more [6]float64
	sprung, forced := u != nil && c.spring >= 0, u != nil && u.forced
	if dx != nil {
		c.multiplied(&more, dx)
	}
	if forced {
		forces := &u.forces[c.number]
		for i, line := range c.lines.freedoms {
			more[line] += forces[i]
		}
	}
	if sprung {
		s := &d.carried.springs[c.spring]
		var x, v [6]float64
		c.seen(&x, m.turn[0], m.step[0])
		c.seen(&v, m.turn[1], m.step[1])
		for _, line := range c.lines.freedoms {
			more[line] -= s.stiffness[line]*x[line] + s.damping[line]*v[line]
		}
	}
	if sprung || forced || dx != nil {
		dN = dN.add(vec{more[0], more[1], more[2]}.turned(&c.E))
		dF = dF.add(vec{more[3], more[4], more[5]}.turned(&c.E))
	}
	if c.bentAt >= 0 {
		l := &d.carried.bent[c.bentAt]
		dN = dN.add(l.changed(m.turn[0]).scale(of.lambda))
		if dx != nil && c.at >= 0 {
			dN = dN.sub(l.n.scale(dx[int(c.at)+len(c.lines.rows)]))
		}
		if forced {
			dN = dN.add(l.y.scale(u.forces[c.number][1]))
		}
	}
	return dN, dF
}

// pushed takes from r the change of what a joint does to its bodies, for changes dN and dF on S, theory.md (D12).
func (c *carriedJoint) pushed(r []float64, m *carriedMove, F, dN, dF vec) {
	if c.succ >= 0 {
		y := (*[6]float64)(r[6*c.succ:])
		t := dN.add(m.ds.cross(F)).add(c.s.cross(dF))
		y[0], y[1], y[2] = y[0]-t.x, y[1]-t.y, y[2]-t.z
		y[3], y[4], y[5] = y[3]-dF.x, y[4]-dF.y, y[5]-dF.z
	}
	if c.pred >= 0 {
		y := (*[6]float64)(r[6*c.pred:])
		t := dN.add(m.db.cross(F)).add(c.b.cross(dF))
		y[0], y[1], y[2] = y[0]+t.x, y[1]+t.y, y[2]+t.z
		y[3], y[4], y[5] = y[3]+dF.x, y[4]+dF.y, y[5]+dF.z
	}
}

// opens adds to right, from the first row of the joint on, the changes of its rows at a level.
func (d *Derivatives) opens(right []float64, c *carriedJoint, m *carriedMove, u *direction, at order) {
	var x [6]float64
	c.seen(&x, m.turn[at], m.step[at])
	rows := c.lines.rows
	right = right[:c.numRows()]
	for i, line := range rows {
		right[i] += x[line]
	}
	if c.bentAt >= 0 {
		right[len(rows)] += d.carried.bent[c.bentAt].openedBy(c, m, at)
	}
	if u.time != 0 && c.motion >= 0 {
		for i := range rows {
			by := d.timedBy(c, i)
			right[i] -= by[at] * u.time
		}
	}
}

// numRows returns how many rows the joint has.
func (c *carriedJoint) numRows() int {
	if c.bentAt >= 0 {
		return len(c.lines.rows) + 1
	}
	return len(c.lines.rows)
}

// gatherCarried adds to r the change of the residual of a joint whose lines turn with P.
func (d *Derivatives) gatherCarried(r []float64, c *carriedJoint, m *carriedMove, u *direction) {
	dN, dF := d.acts(c, m, &c.load, u, nil)
	c.pushed(r, m, c.F, dN, dF)
	if c.at >= 0 {
		d.opens(r[c.at:], c, m, u, orderAcceleration)
	}
}

// outputsCarried stores in out what a joint whose lines turn with P does along u, with the changes dx of accelerations and multipliers.
func (d *Derivatives) outputsCarried(out *JointChange, c *carriedJoint, u *direction, dx []float64) {
	var m carriedMove
	d.move(&m, c, u, dx, orderAcceleration)
	dN, dF := d.acts(c, &m, &c.load, u, dx)
	out.Wrench = spatial.Force{dN.x, dN.y, dN.z, dF.x, dF.y, dF.z}
	var q, qdd [6]float64
	c.seen(&q, m.turn[0], m.step[0])
	c.seen(&qdd, m.turn[2], m.step[2])
	kind := d.mech.Joints[c.number].Kind
	for i, line := range c.lines.freedoms {
		if kind.Scalar(i) {
			out.Q[i] = q[line]
		}
		out.Qd[i], out.Qdd[i] = d.rateOf(c, &m, i), qdd[line]
	}
	if c.bentAt >= 0 {
		l := &d.carried.bent[c.bentAt]
		dy := m.turn[0].cross(l.y)
		out.Q[0], out.Q[1] = l.h0.dot(dy), l.h1.dot(m.turn[0])
		out.Qd[1] = d.rateOf(c, &m, 1)
		out.Qdd[1] = l.y.dot(m.turn[2]) + dy.dot(c.wd)
	}
}

// rateOf returns how the rate of a freedom changes with a motion.
func (d *Derivatives) rateOf(c *carriedJoint, m *carriedMove, freedom int) float64 {
	if c.bentAt >= 0 && freedom == 1 {
		l := &d.carried.bent[c.bentAt]
		return l.y.dot(m.turn[1]) + m.turn[0].cross(l.y).dot(l.w)
	}
	var qd [6]float64
	c.seen(&qd, m.turn[1], m.step[1])
	return qd[c.lines.freedoms[freedom]]
}

// changed returns how n changes, as P sees it, for a turn θ of S.
func (l *bentLine) changed(theta vec) vec { return theta.cross(l.y).cross(l.u) }

// openedBy returns the change of the row at a level: that of n·θ, n·w and n·w˚ + ((w×y)×u)·w.
func (l *bentLine) openedBy(c *carriedJoint, m *carriedMove, at order) float64 {
	theta := m.turn[0]
	switch at {
	case orderPosition:
		return l.n.dot(theta)
	case orderVelocity:
		return l.n.dot(m.turn[1]) + l.changed(theta).dot(l.w)
	}
	k := l.u.cross(l.w)
	x := l.n.dot(m.turn[2]) + l.changed(theta).dot(c.wd)
	x += m.turn[1].dot(l.w.cross(l.y).cross(l.u).add(l.y.cross(k)))
	return x + theta.cross(l.y).dot(k.cross(l.w))
}
