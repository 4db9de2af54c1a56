package derive

import "github.com/rung-mbd/rung/joints"

// carriedCotangent holds the cotangents of a joint whose lines turn with P: of its moment N and force F on S, of the arms ds and da in S
// and P, and of the products of its lines with the changes of its motion. Forces along freedoms turn P by their force on S, push, times
// the gap from the end of da to S's origin: push and gap are the cotangents of these.
type carriedCotangent struct {
	N, F, ds, da vec
	push, gap    vec
	lines        [3][6]float64 // by order and line
	bent         [3]float64    // by order: of the row of a bent line
	turns        [3]float64    // of q₀, q̇₁ and q̈₁ of a universal joint
	second       float64       // of q₁ of a universal joint
	time         float64       // of time
}

// addResidualOf stores in t, which is zero before, the cotangents for the cotangent y of the residual. It is the transpose of
// gatherCarried, theory.md (D12).
func (t *carriedCotangent) addResidualOf(d *Derivatives, c *carriedJoint, y []float64) {
	if c.succ >= 0 {
		z := y[6*c.succ:][:6]
		m, f := vec{-z[0], -z[1], -z[2]}, vec{-z[3], -z[4], -z[5]}
		t.N, t.ds = m, c.F.cross(m)
		t.F = f.add(m.cross(c.s))
	}
	if c.pred >= 0 {
		z := y[6*c.pred:][:6]
		m, f := vec{z[0], z[1], z[2]}, vec{z[3], z[4], z[5]}
		t.N, t.da = t.N.add(m), c.F.cross(m)
		t.F = t.F.add(f).add(m.cross(c.a))
		if c.lines.slides {
			t.push = m.cross(c.b.sub(c.a))
			if c.spring >= 0 {
				t.gap = d.carried.springs[c.spring].push.cross(m)
			}
		}
	}
	if c.at >= 0 {
		t.addRows(d, c, y[c.at:], orderAcceleration)
	}
}

// addRows adds the cotangents y of the rows of a joint at a level.
func (t *carriedCotangent) addRows(d *Derivatives, c *carriedJoint, y []float64, at order) {
	for i, line := range c.lines.rows {
		t.lines[at][line] += y[i]
	}
	if c.motion >= 0 {
		for i := range c.lines.rows {
			by := d.timedBy(c, i)
			t.time -= by[at] * y[i]
		}
	}
	if c.bentAt >= 0 {
		t.bent[at] += y[len(c.lines.rows)]
	}
}

// addWeights adds the weights w of the wrench of a joint and of its coordinates.
func (t *carriedCotangent) addWeights(c *carriedJoint, kind joints.Kind, w *JointWeight) {
	t.N, t.F = t.N.add(vecOf(&w.Moment)), t.F.add(vecOf(&w.Force))
	if c.bentAt >= 0 {
		t.turns, t.second = [3]float64{w.Q[0], w.Qd[1], w.Qdd[1]}, w.Q[1]
		t.lines[1][0], t.lines[2][0] = t.lines[1][0]+w.Qd[0], t.lines[2][0]+w.Qdd[0]
		return
	}
	for i, line := range c.lines.freedoms {
		if kind.Scalar(i) {
			t.lines[0][line] += w.Q[i]
		}
		t.lines[1][line] += w.Qd[i]
		t.lines[2][line] += w.Qdd[i]
	}
}

// backCarried is the transpose of move, acts and opens: for the cotangents t of a joint it adds the cotangents of the direction to g, and
// the cotangents of the accelerations and multipliers to dx, unless dx is nil. t has no cotangents above the order to.
func (d *Derivatives) backCarried(g *direction, dx []float64, c *carriedJoint, t *carriedCotangent, to order) {
	var phi vec // cotangent of the rotation of P's frame
	if t.N != (vec{}) || t.F != (vec{}) {
		d.actsBack(g, dx, c, t)
		phi = c.N.cross(t.N).add(c.F.cross(t.F))
		if c.spring >= 0 {
			phi = phi.add(d.carried.springs[c.spring].push.cross(t.push))
		}
	}
	g.time += t.time
	var turn, step [3]vec
	for k := range to + 1 {
		l := &t.lines[k]
		if x := (vec{l[0], l[1], l[2]}); x != (vec{}) {
			turn[k] = x.turned(&c.E)
		}
		if x := (vec{l[3], l[4], l[5]}); x != (vec{}) {
			step[k] = x.turned(&c.E)
		}
	}
	if c.bentAt >= 0 {
		d.bentBack(g, dx, c, t, &turn)
	}
	d.moveBack(g, dx, c, t, phi, &turn, &step, to)
}

// actsBack is the transpose of acts without the rotation of P. The cotangents of the motion by which springs and dampers change go to t.
func (d *Derivatives) actsBack(g *direction, dx []float64, c *carriedJoint, t *carriedCotangent) {
	if dx != nil && c.at >= 0 {
		more := c.packed(t.N, t.F)
		for i, line := range c.lines.rows {
			dx[int(c.at)+i] -= more[line]
		}
	}
	var s *carriedSpring
	if c.spring >= 0 && d.carried.springs[c.spring].rated {
		s = &d.carried.springs[c.spring]
	}
	for i, line := range c.lines.freedoms {
		x, axis := 0.0, c.axis(line)
		if line < 3 {
			x = axis.dot(t.N)
		} else {
			x = axis.dot(t.F) + axis.dot(t.push)
		}
		g.forces[c.number][i] += x
		if s == nil {
			continue
		}
		t.lines[0][line] -= s.stiffness[line] * x
		t.lines[1][line] -= s.damping[line] * x
		if line == 2 {
			t.lines[0][0] -= s.tilt[0] * s.stiffness[2] * x
			t.lines[0][1] -= s.tilt[1] * s.stiffness[2] * x
		}
	}
}

// packed returns the products of the lines along the axes of P with a wrench.
func (c *carriedJoint) packed(N, F vec) [6]float64 {
	a, b := N.within(&c.E), F.within(&c.E)
	return [6]float64{a.x, a.y, a.z, b.x, b.y, b.z}
}

// bentBack adds to turn the cotangents by the bent line of a universal joint, and to g and dx the cotangents of its force and its row.
func (d *Derivatives) bentBack(g *direction, dx []float64, c *carriedJoint, t *carriedCotangent, turn *[3]vec) {
	l := &d.carried.bent[c.bentAt]
	g.forces[c.number][1] += l.y.dot(t.N)
	if dx != nil && c.at >= 0 {
		dx[int(c.at)+len(c.lines.rows)] -= l.n.dot(t.N)
	}
	k, r, q := l.u.cross(l.w), &t.bent, &t.turns
	n := c.wd.scale(r[2]).add(l.w.scale(r[1])).add(t.N.scale(c.lambda)) // cotangent of δn
	turn[2] = turn[2].add(l.n.scale(r[2])).add(l.y.scale(q[2]))
	spun := l.w.cross(l.y).cross(l.u).add(l.y.cross(k))
	turn[1] = turn[1].add(spun.scale(r[2])).add(l.n.scale(r[1])).add(l.y.scale(q[1]))
	y := k.cross(l.w).scale(r[2]).add(l.u.cross(n)) // cotangent of δy
	y = y.add(l.w.scale(q[1])).add(c.wd.scale(q[2])).add(l.h0.scale(q[0]))
	turn[0] = turn[0].add(l.n.scale(r[0])).add(l.h1.scale(t.second)).add(l.y.cross(y))
}

// motionCotangent holds cotangents within moveBack: of the rotation phi of P, of the arms ds, db and da, of the velocity of S's origin
// (dV) and of the angular velocity of S (dw) as P sees them, of the changes of ω×arm (spinS, spinP), and of the angular velocities wS and
// wP.
type motionCotangent struct{ phi, ds, db, da, dV, dw, spinS, spinP, wS, wP vec }

// ofSecond adds the cotangents by the relative acceleration, for its cotangents A (angular) and B (linear).
func (x *motionCotangent) ofSecond(c *carriedJoint, P, S *bodyAt, A, B vec) {
	omP, omS := vecOf(&P.omega), vecOf(&S.omega)
	x.phi = x.phi.sub(c.wd.cross(A)).sub(c.Vd.cross(B))
	q := omP.cross(B) // cotangent of the factor behind ω_P× in (7)
	x.spinS, x.spinP = B.cross(omS), q
	x.dw = x.dw.add(omP.cross(A))
	x.ds = x.ds.add(B.cross(vecOf(&S.alpha)))
	x.da = x.da.sub(B.cross(vecOf(&P.alpha)))
	if c.lines.slides {
		x.phi = x.phi.add(c.allowed(c.V).cross(q).scale(2))
		x.dV = x.dV.add(c.allowed(q).scale(2))
	}
	x.wS = c.spinS.cross(B)
	x.wP = omS.sub(omP).cross(A).add(c.spinP.cross(B)).scale(-1)
}

// moveBack is the transpose of move, for the cotangents phi of the rotation of P's frame and turn and step of the relative motion by
// order, up to the order to. Accelerations of a joint that does not slide do not depend on the positions and velocities of its origins.
func (d *Derivatives) moveBack(
	g *direction, dx []float64, c *carriedJoint, t *carriedCotangent, phi vec, turn, step *[3]vec, to order,
) {
	P, S := d.ends(c)
	omP, omS := vecOf(&P.omega), vecOf(&S.omega)
	slides := c.lines.slides
	all := slides || to < orderAcceleration
	x := motionCotangent{phi: phi, dV: step[1], dw: turn[1]}
	if to >= orderVelocity {
		x.phi = x.phi.sub(omS.sub(omP).cross(x.dw))
	}
	if to == orderAcceleration {
		x.ofSecond(c, P, S, turn[2], step[2])
		if dx != nil {
			c.accelerationsBack(dx, turn[2], step[2])
		}
	}
	if to >= orderVelocity {
		x.spinS = x.spinS.add(x.dV)
		x.wS = x.wS.add(x.dw).add(c.s.cross(x.spinS))
		x.wP = x.wP.sub(x.dw).add(c.a.cross(x.spinP))
		x.ds, x.da = x.ds.add(x.spinS.cross(omS)), x.da.add(x.spinP.cross(omP))
		if all {
			x.wP, x.db, x.phi = x.wP.sub(c.b.cross(x.dV)), omP.cross(x.dV), x.phi.sub(c.V.cross(x.dV))
		}
	}
	// Positions. The arms of forces do not depend on the centres of mass here (holdComs).
	comS, comP := x.dV.cross(omS).sub(x.ds), x.dV.cross(omP).add(x.db).add(x.da).scale(-1)
	x.ds, x.da = x.ds.add(t.ds), x.da.add(t.da)
	theta, rho := turn[0], step[0]
	if slides {
		x.da, x.db = x.da.sub(t.gap), x.db.add(t.gap)
		rho = rho.add(c.allowed(x.da))
	}
	db := x.db.add(rho)
	ds := x.ds.add(db)
	turnP, phiP := x.phi.sub(theta), x.phi.sub(theta).add(c.a.cross(x.da))
	if all {
		turnP = turnP.add(c.allowed(c.R).cross(x.da)).sub(c.R.cross(rho))
		phiP = phiP.sub(c.b.cross(rho))
	}
	fP, fS := &g.frames[2*c.number], &g.frames[2*c.number+1]
	turnP.within(&P.E).addTo(&fP.Turn)
	theta.within(&S.E).addTo(&fS.Turn)
	x.da.sub(rho).within(&P.E).addTo(&fP.Origin)
	ds.within(&S.E).addTo(&fS.Origin)
	if c.succ >= 0 {
		g.bodies[c.succ].addMotion(S, theta.add(c.s.cross(ds)), db, x.wS, x.dV, comS)
	}
	if c.pred >= 0 {
		g.bodies[c.pred].addMotion(P, phiP, db.scale(-1), x.wP, x.dV.scale(-1), comP)
	}
}

// addMotion adds the cotangents of the motion of a body, and of its centre of mass in the body. com is in world axes, too.
func (u *BodyDirection) addMotion(b *bodyAt, turn, travel, angular, linear, com vec) {
	turn.addTo(&u.Rotation)
	travel.addTo(&u.Position)
	angular.addTo(&u.Angular)
	linear.addTo(&u.Linear)
	com.within(&b.E).addTo(&u.Com)
}

// accelerationsBack is the transpose of accelerated: it adds to dx the cotangents of the bodies' accelerations for the cotangents A and B
// of the relative angular and linear acceleration.
func (c *carriedJoint) accelerationsBack(dx []float64, A, B vec) {
	if c.succ >= 0 {
		y, al := dx[6*c.succ:][:6], A.add(c.s.cross(B))
		y[0], y[1], y[2] = y[0]+al.x, y[1]+al.y, y[2]+al.z
		y[3], y[4], y[5] = y[3]+B.x, y[4]+B.y, y[5]+B.z
	}
	if c.pred >= 0 {
		y, al := dx[6*c.pred:][:6], A.add(c.a.cross(B))
		y[0], y[1], y[2] = y[0]-al.x, y[1]-al.y, y[2]-al.z
		y[3], y[4], y[5] = y[3]-B.x, y[4]-B.y, y[5]-B.z
	}
}

// rowsBackCarried is openingsBack of a joint whose lines turn with P.
func (d *Derivatives) rowsBackCarried(g *direction, x []float64, c *carriedJoint, l level) {
	if c.plain < 0 {
		return
	}
	var y [6]float64
	for i := range c.numRows() {
		y[i] = -x[int(c.plain)+i]
	}
	var t carriedCotangent
	t.addRows(d, c, y[:], l.order())
	d.backCarried(g, nil, c, &t, l.order())
}
