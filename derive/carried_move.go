package derive

import "github.com/rung-mbd/rung/spatial"

// carriedMove is the change of the relative motion of a joint along a direction. World axes.
type carriedMove struct {
	phi        vec    // rotation of P's frame
	ds, db, da vec    // of the arms s, b and a, with changes of frames and of centres of mass within the bodies
	turn, step [3]vec // by order: of relative position, velocity and acceleration as P sees them, angular and linear
	// opens demands db and the steps of position and velocity up to orderAcceleration. Otherwise these are left out there for a joint that
	// does not slide, as its acceleration does not depend on them.
	opens bool
}

// order is the order of a derivative by time.
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
// origin as P sees them, a change as P sees it is ΔR − φ×R, ΔV − φ×V and so on. ω, V and their rates are differentiated term by term. The
// acceleration (9) contains the parts of R and V that the joint allows: these change by the same parts of the changes of R and V.
func (d *Derivatives) move(m *carriedMove, c *carriedJoint, u *direction, x []float64, to order) {
	P, S := d.ends(c)
	uP, uS := &d.carried.still, &d.carried.still
	if c.pred >= 0 {
		uP = &u.bodies[c.pred]
	}
	if c.succ >= 0 {
		uS = &u.bodies[c.succ]
	}
	slides := c.lines.slides
	all := slides || m.opens || to < orderAcceleration
	phiP, phiS := vecOf(&uP.Rotation), vecOf(&uS.Rotation)
	m.phi, m.turn[0] = phiP, phiS.sub(phiP)
	m.ds, m.da = phiS.cross(c.s), phiP.cross(c.a)
	var v vec
	if all {
		m.db = vecOf(&uS.Position).add(m.ds).sub(vecOf(&uP.Position))
		m.step[0] = m.db.sub(phiP.cross(c.b))
		v = vecOf(&uS.Linear).sub(vecOf(&uP.Linear))
	}
	if u.shifts {
		v = v.add(c.shift(m, P, S, uP, uS, &u.frames[2*c.number], &u.frames[2*c.number+1]))
	}
	if slides {
		m.da = m.da.add(c.allowed(m.step[0]))
	}
	if to == orderPosition {
		return
	}
	wP, wS, omP, omS := vecOf(&uP.Angular), vecOf(&uS.Angular), vecOf(&P.omega), vecOf(&S.omega)
	spinS := wS.cross(c.s).add(omS.cross(m.ds)) // change of ω×arm
	dw, w := wS.sub(wP), omS.sub(omP)
	m.turn[1] = dw.sub(m.phi.cross(w))
	if all {
		m.step[1] = v.add(spinS).sub(wP.cross(c.b)).sub(omP.cross(m.db)).sub(m.phi.cross(c.V))
	}
	if to == orderVelocity {
		return
	}
	spinP := wP.cross(c.a).add(omP.cross(m.da)) // change of ω_P×arm + 2V
	if slides {
		spinP = spinP.add(m.phi.cross(c.allowed(c.V)).add(c.allowed(m.step[1])).scale(2))
	}
	m.turn[2] = wP.cross(w).add(omP.cross(dw)).add(m.phi.cross(c.wd)).scale(-1)
	dVd := vecOf(&S.alpha).cross(m.ds).add(wS.cross(c.spinS)).add(omS.cross(spinS))
	dVd = dVd.sub(vecOf(&P.alpha).cross(m.da)).sub(wP.cross(c.spinP)).sub(omP.cross(spinP))
	if m.step[2] = dVd.sub(m.phi.cross(c.Vd)); x != nil {
		turn, step := c.accelerated(x)
		m.turn[2], m.step[2] = m.turn[2].add(turn), m.step[2].add(step)
	}
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
		turn, step = turn.sub(al), step.sub(vec{y[3], y[4], y[5]}).sub(al.cross(c.a))
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
	m.da = m.da.add(atP).sub(comP).add(turnP.cross(c.allowed(c.R)))
	m.step[0] = m.step[0].add(atS).sub(atP).sub(turnP.cross(c.R))
	m.turn[0] = m.turn[0].add(turnS).sub(turnP)
	m.phi = m.phi.add(turnP)
	return vecOf(&S.omega).cross(comS).sub(vecOf(&P.omega).cross(comP))
}

// holdComs takes out of ds and da the travels of the centres of mass in the bodies along u: addResidual has their moments for all forces of
// a body together, which may be much smaller than each of them. It computes ds and da anew, as a difference would leave rounding.
func (d *Derivatives) holdComs(m *carriedMove, c *carriedJoint, u *direction) {
	P, S := d.ends(c)
	fP, fS := &u.frames[2*c.number], &u.frames[2*c.number+1]
	m.ds, m.da = vecOf(&fS.Origin).turned(&S.E), vecOf(&fP.Origin).turned(&P.E)
	if c.succ >= 0 {
		m.ds = m.ds.add(vecOf(&u.bodies[c.succ].Rotation).cross(c.s))
	}
	if c.pred >= 0 {
		m.da = m.da.add(vecOf(&u.bodies[c.pred].Rotation).cross(c.a))
	}
	if c.lines.slides {
		turn := vecOf(&fP.Turn).turned(&P.E)
		m.da = m.da.add(turn.cross(c.allowed(c.R))).add(c.allowed(m.step[0]))
	}
}

// seen stores in out the products of the lines along the axes of P with a motion.
func (c *carriedJoint) seen(out *[6]float64, turn, step vec) {
	a, b := turn.within(&c.E), step.within(&c.E)
	*out = [6]float64{a.x, a.y, a.z, b.x, b.y, b.z}
}

// acts returns the changes dN and dF of a load of the joint on S, theory.md (D11). dx has the changes of the multipliers; u has changes of
// forces along freedoms, and demands the changes of springs and dampers; both may be nil. Forces along freedoms act at the origin of S. If
// this is not where the joint allows it to be, they turn P, and dP is the change of that moment.
func (d *Derivatives) acts(c *carriedJoint, m *carriedMove, of *load, u *direction, dx []float64) (dN, dF, dP vec) {
	dN, dF = m.phi.cross(of.N), m.phi.cross(of.F)
	if dx != nil {
		var more [6]float64
		c.multiplied(&more, dx)
		dN = dN.add(vec{more[0], more[1], more[2]}.turned(&c.E))
		dF = dF.add(vec{more[3], more[4], more[5]}.turned(&c.E))
	}
	forced := u != nil && u.forced
	if u != nil && (forced || c.spring >= 0) {
		var s *carriedSpring
		var moment, force, push vec
		if c.spring >= 0 {
			s = &d.carried.springs[c.spring]
			push = s.push
		}
		if forced || s.rated {
			moment, force = c.pulls(s, m, u)
		}
		dN, dF = dN.add(moment), dF.add(force)
		// dP is the change of (b − a)×push.
		if c.lines.slides {
			dP = m.db.sub(m.da).cross(push).add(c.b.sub(c.a).cross(m.phi.cross(push).add(force)))
		}
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
	return dN, dF, dP
}

// pulls returns the changes of the moment and the force on S by forces along freedoms, and by springs and dampers unless s is nil.
func (c *carriedJoint) pulls(s *carriedSpring, m *carriedMove, u *direction) (moment, force vec) {
	for i, line := range c.lines.freedoms {
		x, axis := 0.0, c.axis(line)
		if u.forced {
			x = u.forces[c.number][i]
		}
		if s != nil {
			q, rate := axis.dot(m.turn[0]), axis.dot(m.turn[1])
			switch {
			case line >= 3:
				q, rate = axis.dot(m.step[0]), axis.dot(m.step[1])
			case line == 2:
				q += s.tilt[0]*c.axis(0).dot(m.turn[0]) + s.tilt[1]*c.axis(1).dot(m.turn[0])
			}
			x -= s.stiffness[line]*q + s.damping[line]*rate
		}
		if line < 3 {
			moment = moment.add(axis.scale(x))
		} else {
			force = force.add(axis.scale(x))
		}
	}
	return moment, force
}

// pushed subtracts from r the changes of the loads of a joint on its bodies, for the changes dN and dF of its load on S, theory.md (D12),
// and for dP of acts. F is the force on S. Changes ds and da by centres of mass have been taken out (holdComs).
func (c *carriedJoint) pushed(r []float64, m *carriedMove, F, dN, dF, dP vec) {
	if c.succ >= 0 {
		y := (*[6]float64)(r[6*c.succ:])
		t := dN.add(m.ds.cross(F)).add(c.s.cross(dF))
		y[0], y[1], y[2] = y[0]-t.x, y[1]-t.y, y[2]-t.z
		y[3], y[4], y[5] = y[3]-dF.x, y[4]-dF.y, y[5]-dF.z
	}
	if c.pred >= 0 {
		y := (*[6]float64)(r[6*c.pred:])
		t := dN.add(m.da.cross(F)).add(c.a.cross(dF)).add(dP)
		y[0], y[1], y[2] = y[0]+t.x, y[1]+t.y, y[2]+t.z
		y[3], y[4], y[5] = y[3]+dF.x, y[4]+dF.y, y[5]+dF.z
	}
}

// opens adds to right, which begins at the first row of the joint, the changes of its rows at an order.
func (d *Derivatives) opens(right []float64, c *carriedJoint, m *carriedMove, u *direction, at order) {
	var x [6]float64
	if c.lines.moments {
		v := m.turn[at].within(&c.E)
		x[0], x[1], x[2] = v.x, v.y, v.z
	}
	if c.lines.forces {
		v := m.step[at].within(&c.E)
		x[3], x[4], x[5] = v.x, v.y, v.z
	}
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

// numRows returns the number of rows of the joint.
func (c *carriedJoint) numRows() int {
	if c.bentAt >= 0 {
		return len(c.lines.rows) + 1
	}
	return len(c.lines.rows)
}

// gatherCarried adds to r the change of the residual of a joint whose lines turn with P.
func (d *Derivatives) gatherCarried(r []float64, c *carriedJoint, m *carriedMove, u *direction) {
	dN, dF, dP := d.acts(c, m, &c.load, u, nil)
	if u.shifts {
		d.holdComs(m, c, u)
	}
	c.pushed(r, m, c.F, dN, dF, dP)
	if c.at >= 0 {
		d.opens(r[c.at:], c, m, u, orderAcceleration)
	}
}

// outputsCarried stores in out the changes of the wrench and the coordinates of a joint whose lines turn with P, along u and for the
// changes dx of accelerations and multipliers.
func (d *Derivatives) outputsCarried(out *JointChange, c *carriedJoint, u *direction, dx []float64) {
	var m carriedMove
	d.move(&m, c, u, dx, orderAcceleration)
	dN, dF, _ := d.acts(c, &m, &c.load, u, dx)
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

// rateOf returns the change of the rate of a freedom by a motion.
func (d *Derivatives) rateOf(c *carriedJoint, m *carriedMove, freedom int) float64 {
	if c.bentAt >= 0 && freedom == 1 {
		l := &d.carried.bent[c.bentAt]
		return l.y.dot(m.turn[1]) + m.turn[0].cross(l.y).dot(l.w)
	}
	var qd [6]float64
	c.seen(&qd, m.turn[1], m.step[1])
	return qd[c.lines.freedoms[freedom]]
}

// changed returns the change of n, as P sees it, for a rotation θ of S.
func (l *bentLine) changed(theta vec) vec { return theta.cross(l.y).cross(l.u) }

// openedBy returns the change of the row at an order: the change of n·θ, of n·w, or of n·w˚ + ((w×y)×u)·w.
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
