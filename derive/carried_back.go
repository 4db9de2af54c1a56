package derive

import "github.com/rung-mbd/rung/joints"

// carriedCotangent holds the cotangents of a joint whose lines turn with P: of its moment N and force F on S, of the arms ds
// and db in S and P, and of the products of its lines, along the axes of P, with the changes of its motion at the three levels.
type carriedCotangent struct {
	N, F, ds, db vec
	lines        [3][6]float64
	bent         [3]float64 // of the row of a bent line
	turns        [3]float64 // of q₀, q̇₁ and q̈₁ of a universal joint
	second       float64    // of q₁
	time         float64
}

// addResidualOf adds the cotangents of gatherCarried for the cotangent y of the residual, theory.md (D12).
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
		t.N, t.db = t.N.add(m), c.F.cross(m)
		t.F = t.F.add(f).add(m.cross(c.b))
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

// addWeights adds the weights of what a joint does.
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

// backCarried carries the cotangents t of a joint back to the direction: it adds to g, and to dx the cotangents of the
// accelerations and multipliers, unless dx is nil. It is the transpose of move, acts and opens. t has no cotangents above level to.
func (d *Derivatives) backCarried(g *direction, dx []float64, c *carriedJoint, t *carriedCotangent, to order) {
	var phi vec // of P's frame
	if t.N != (vec{}) || t.F != (vec{}) {
		d.actsBack(g, dx, c, t)
		phi = c.N.cross(t.N).add(c.F.cross(t.F))
	}
	g.time += t.time
	var turn, step [3]vec
	for k := range to + 1 {
		l := &t.lines[k]
		turn[k], step[k] = vec{l[0], l[1], l[2]}.turned(&c.E), vec{l[3], l[4], l[5]}.turned(&c.E)
	}
	if c.bentAt >= 0 {
		d.bentBack(g, dx, c, t, &turn)
	}
	d.moveBack(g, dx, c, t, phi, &turn, &step, to)
}

// actsBack is the transpose of acts but for the turn of P, for cotangents of what the joint does. Those of the motion that springs and
// dampers feel go to t.
func (d *Derivatives) actsBack(g *direction, dx []float64, c *carriedJoint, t *carriedCotangent) {
	more := c.packed(t.N, t.F)
	for i, line := range c.lines.freedoms {
		g.forces[c.number][i] += more[line]
	}
	if dx != nil && c.at >= 0 {
		for i, line := range c.lines.rows {
			dx[int(c.at)+i] -= more[line]
		}
	}
	if c.spring >= 0 {
		s := &d.carried.springs[c.spring]
		for _, line := range c.lines.freedoms {
			t.lines[0][line] -= s.stiffness[line] * more[line]
			t.lines[1][line] -= s.damping[line] * more[line]
		}
	}
}

// packed returns the products of the lines along the axes of P with a wrench.
func (c *carriedJoint) packed(N, F vec) [6]float64 {
	a, b := N.within(&c.E), F.within(&c.E)
	return [6]float64{a.x, a.y, a.z, b.x, b.y, b.z}
}

// bentBack adds to turn the cotangents that come by the bent line of a universal joint, and to g and dx those of its force and its row.
func (d *Derivatives) bentBack(g *direction, dx []float64, c *carriedJoint, t *carriedCotangent, turn *[3]vec) {
	l := &d.carried.bent[c.bentAt]
	g.forces[c.number][1] += l.y.dot(t.N)
	if dx != nil && c.at >= 0 {
		dx[int(c.at)+len(c.lines.rows)] -= l.n.dot(t.N)
	}
	k, r, q := l.u.cross(l.w), &t.bent, &t.turns
	n := c.wd.scale(r[2]).add(l.w.scale(r[1])).add(t.N.scale(c.lambda)) // of δn
	turn[2] = turn[2].add(l.n.scale(r[2])).add(l.y.scale(q[2]))
	spun := l.w.cross(l.y).cross(l.u).add(l.y.cross(k))
	turn[1] = turn[1].add(spun.scale(r[2])).add(l.n.scale(r[1])).add(l.y.scale(q[1]))
	y := k.cross(l.w).scale(r[2]).add(l.u.cross(n)) // of δy
	y = y.add(l.w.scale(q[1])).add(c.wd.scale(q[2])).add(l.h0.scale(q[0]))
	turn[0] = turn[0].add(l.n.scale(r[0])).add(l.h1.scale(t.second)).add(l.y.cross(y))
}

// moveBack is the transpose of move, for the cotangents of what it computes; phi is that of the turn of P.
func (d *Derivatives) moveBack(
	g *direction, dx []float64, c *carriedJoint, t *carriedCotangent, phi vec, turn, step *[3]vec, to order,
) {
	P, S := d.ends(c)
	omP, omS := vecOf(&P.omega), vecOf(&S.omega)
	ds, db, dV, dw := t.ds, t.db, step[1], turn[1]
	var spinS, spinP, wS, wP vec
	if to >= orderVelocity {
		phi = phi.sub(omS.sub(omP).cross(dw)).sub(c.V.cross(dV))
	}
	if to == orderAcceleration {
		A, B := turn[2], step[2]
		phi = phi.sub(c.wd.cross(A)).sub(c.Vd.cross(B))
		q := omP.cross(B) // of what ω_P× has behind it, with the sign of (7)
		spinS, spinP = B.cross(omS), q
		dV, dw = dV.add(q.scale(2)), dw.add(omP.cross(A))
		ds = ds.add(B.cross(vecOf(&S.alpha)))
		db = db.sub(B.cross(vecOf(&P.alpha)))
		wS = omS.cross(c.s).cross(B)
		wP = omS.sub(omP).cross(A).add(omP.cross(c.b).add(c.V.scale(2)).cross(B)).scale(-1)
		if dx != nil {
			c.accelerationsBack(dx, A, B)
		}
	}
	if to >= orderVelocity {
		spinS, spinP = spinS.add(dV), spinP.sub(dV)
		wS = wS.add(dw).add(c.s.cross(spinS))
		wP = wP.sub(dw).add(c.b.cross(spinP))
		ds, db = ds.add(spinS.cross(omS)), db.add(spinP.cross(omP))
	}
	// Positions.
	theta, rho := turn[0], step[0]
	db = db.add(rho)
	ds = ds.add(db)
	fP, fS := &g.frames[2*c.number], &g.frames[2*c.number+1]
	turnP := phi.sub(theta).sub(c.R.cross(rho))
	turnP.within(&P.E).addTo(&fP.Turn)
	theta.within(&S.E).addTo(&fS.Turn)
	rho.within(&P.E).takeFrom(&fP.Origin)
	ds.within(&S.E).addTo(&fS.Origin)
	if c.succ >= 0 {
		u := &g.bodies[c.succ]
		theta.add(c.s.cross(ds)).addTo(&u.Rotation)
		db.addTo(&u.Position)
		wS.addTo(&u.Angular)
		dV.addTo(&u.Linear)
		db.sub(ds).add(dV.cross(omS)).within(&S.E).addTo(&u.Com)
	}
	if c.pred >= 0 {
		u := &g.bodies[c.pred]
		phi.sub(theta).sub(c.b.cross(rho)).addTo(&u.Rotation)
		db.takeFrom(&u.Position)
		wP.addTo(&u.Angular)
		dV.takeFrom(&u.Linear)
		rho.sub(db).sub(dV.cross(omP)).within(&P.E).addTo(&u.Com)
	}
}

// accelerationsBack adds to dx the cotangents of accelerations for those of the relative one: the transpose of accelerated.
func (c *carriedJoint) accelerationsBack(dx []float64, A, B vec) {
	if c.succ >= 0 {
		y, al := dx[6*c.succ:][:6], A.add(c.s.cross(B))
		y[0], y[1], y[2] = y[0]+al.x, y[1]+al.y, y[2]+al.z
		y[3], y[4], y[5] = y[3]+B.x, y[4]+B.y, y[5]+B.z
	}
	if c.pred >= 0 {
		y, al := dx[6*c.pred:][:6], A.add(c.b.cross(B))
		y[0], y[1], y[2] = y[0]-al.x, y[1]-al.y, y[2]-al.z
		y[3], y[4], y[5] = y[3]-B.x, y[4]-B.y, y[5]-B.z
	}
}

// rowsBackCarried is rowsBack of a joint whose lines turn with P.
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
