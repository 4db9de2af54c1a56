package derive

import "github.com/rung-mbd/rung/spatial"

// backCarried adds to g the cotangents of gatherCarried for the cotangent y of the residual: its transpose, without
// changes of multipliers.
func (d *Derivatives) backCarried(g *direction, y []float64, j int, l *carriedLines) {
	var c carriedJoint
	d.setCarried(&c, j, l)
	var P, S frameTangent // cotangents
	var dR, dN, dF spatial.Vec3
	jt, k := c.jt, &c.kin
	if b := jt.Succ; b >= 0 {
		var t bodyTangent
		d.bodies[b].spread(&t, y[6*b:][:6])
		dN, S.darm = t.moment, c.F.Cross(t.moment)
		dF = t.force.Add(t.moment.Cross(k.ArmS))
	}
	if b := jt.Pred; b >= 0 {
		var t bodyTangent
		d.bodies[b].spread(&t, y[6*b:][:6])
		dN = dN.Sub(t.moment)
		P.darm = c.F.Cross(t.moment).Neg()
		dR = P.darm
		dF = dF.Sub(t.force).Sub(t.moment.Cross(k.R.Add(k.ArmP)))
	}
	P.phi = c.N.Cross(dN).Add(c.F.Cross(dF))
	n, f := k.EP.TMulVec(dN), k.EP.TMulVec(dF)
	more := [6]float64{n[0], n[1], n[2], f[0], f[1], f[2]}
	for i, line := range l.freedoms {
		g.forces[j][i] += more[line]
	}
	var x [6]float64
	for i, line := range l.rows {
		x[line] = y[int(c.at)+i]
	}
	c.motionBack(&P, &S, &dR, k.EP.MulVec(spatial.Vec3(x[:3])), k.EP.MulVec(spatial.Vec3(x[3:])))
	S.p, P.p = dR, dR.Neg()
	d.framesBack(g, j, &c, &P, &S)
}

// motionBack adds the cotangents of the motion of both frames for those of the apparent derivatives of the relative
// motion, A of its turn and D of its slide, as lines turn with P.
func (c *carriedJoint) motionBack(P, S *frameTangent, dR *spatial.Vec3, A, D spatial.Vec3) {
	k, w := &c.kin, &c.omegaP
	P.phi = P.phi.Sub(c.wd.Cross(A)).Sub(c.Vd.Cross(D))
	S.a, P.a = S.a.Add(D), P.a.Sub(D)
	S.al, P.al = S.al.Add(A), P.al.Sub(A).Sub(k.R.Cross(D))
	B := D.Cross(*w).Scale(-2) // of dV
	P.w = P.w.Sub(c.w.Cross(A)).Sub(w.Cross(k.R).Cross(D)).Sub(k.R.Cross(D.Cross(*w))).Sub(k.V.Cross(D).Scale(2)).Sub(k.R.Cross(B))
	*dR = dR.Sub(D.Cross(c.alP)).Sub(w.Cross(w.Cross(D))).Sub(B.Cross(*w))
	S.v, P.v = S.v.Add(B), P.v.Sub(B)
	turned := A.Cross(*w).Neg() // of dw
	S.w, P.w = S.w.Add(turned), P.w.Sub(turned)
}

// framesBack adds to g the cotangents of both frames of a joint.
func (d *Derivatives) framesBack(g *direction, j int, c *carriedJoint, P, S *frameTangent) {
	var zero spatial.Vec3
	for side, body := range [2]int32{c.jt.Pred, c.jt.Succ} {
		x, arm := P, &c.kin.ArmP
		if side == 1 {
			x, arm = S, &c.kin.ArmS
		}
		f := &g.frames[2*j+side]
		if body < 0 {
			addFrameAdjoint(&unitMatrix, arm, &zero, &zero, x, nil, f)
			continue
		}
		b := &d.bodies[body]
		addFrameAdjoint(&b.E, arm, &b.omega, &b.alpha, x, &g.tangents[body], f)
	}
}
