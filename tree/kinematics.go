package tree

import (
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// This file computes S, velocities and velocity-product accelerations from the
// rotations, rates and slides. For a link with the centre of mass c, its parent
// with the centre of mass p, and a joint at the point s (the origin of S),
//
//	r1 = s − p, d = c − s, r = r1 + d,
//	ω_i = ω_λ + ω_r,    v_i = v_λ + ω_λ×r + V + ω_r×d,
//
// with ω_r, V the motion of the joint's S relative to P, of opposite sign if the link is reversed. A second derivative gives
//
//	ω̇_i = ω̇_λ + A·q̈ + c_ω,
//	v̇_i = v̇_λ + ω̇_λ×r + (B + A×d)·q̈ + c_v,
//	c_ω = ω_P×ω_r + θ̇₁θ̇₂·x_P×y_S (the last term for a universal joint),
//	c_v = ω_λ×(ω_λ×r1) + ω_i×(ω_i×d) + 2·ω_P×V + c_ω×d.
//
// S = (A, B + A×d) are the columns about c. The axes A and B are at rest in P, apart from y_S and the axes of composite joints, so there is
// no other S̊ term. Where the link is reversed, A, B, ω_r, V and the universal term change sign, and P is fixed in the link itself.

// velocities computes S, v and c of every link, from the root to the tips.
func (w *Workspace) velocities() {
	p := w.plan
	var none linkState
	for i := range p.consts {
		c := &p.consts[i]
		up := &none
		if l := p.Links[i].Parent; l != World {
			up = &w.links[l]
		}
		switch c.form {
		case turning, screwing:
			w.moveSimple(i, c, up)
		case several:
			w.moveSeveral(i, c, up)
		case floating:
			w.moveFloating(i, c)
		}
	}
}

// moveSimple computes S, v and c of link i on a joint with one freedom about and along P's z. As V and ω_r are parallel, ω_P may be
// replaced by ω_λ where the link is reversed.
func (w *Workspace) moveSimple(i int, c *linkConst, up *linkState) {
	var z, r1, d, t spatial.Vec3
	st := &w.links[i]
	w.axes(c.pred).MulVecTo(&z, &c.axis)
	w.axes(c.parentBody).MulVecTo(&r1, &c.rp)
	w.axes(c.body).MulVecTo(&d, &c.rc)
	if w.given && c.form == turning {
		w.qd[c.dof] = c.sign * w.rateAbout(&z, c)
	}
	S, qd := &w.s[c.dof], w.qd[c.dof]
	a, b := c.sign*c.alpha, c.sign*c.beta
	if c.form == screwing {
		arm := w.slide[i][2]
		if c.sign < 0 {
			spatial.AddScaledTo(&d, &d, -arm, &z)
		} else if c.parentBody >= 0 {
			spatial.AddScaledTo(&r1, &r1, arm, &z)
		}
	}
	// S = (a·z, b·z + a·z×d).
	S[0], S[1], S[2] = a*z[0], a*z[1], a*z[2]
	S[3] = b*z[0] + (S[1]*d[2] - S[2]*d[1])
	S[4] = b*z[1] + (S[2]*d[0] - S[0]*d[2])
	S[5] = b*z[2] + (S[0]*d[1] - S[1]*d[0])

	if c.parentBody >= 0 {
		st.r = spatial.Vec3{r1[0] + d[0], r1[1] + d[1], r1[2] + d[2]}
	} else {
		st.r = spatial.Vec3{}
	}
	carryVelocity(&st.v, &up.v, &st.r)
	v := &st.v
	v[0], v[1], v[2] = v[0]+qd*S[0], v[1]+qd*S[1], v[2]+qd*S[2]
	v[3], v[4], v[5] = v[3]+qd*S[3], v[4]+qd*S[4], v[5]+qd*S[5]
	// ω_λ×z gives both c_ω and the Coriolis term.
	w0 := (*spatial.Vec3)(up.v[:3])
	spatial.CrossTo(&t, w0, &z)
	e := a * qd
	cw := spatial.Vec3{e * t[0], e * t[1], e * t[2]}
	g := 2 * b * qd
	cv := spatial.Vec3{g * t[0], g * t[1], g * t[2]}
	if c.parentBody >= 0 {
		addCentripetal(&cv, w0, &r1)
	}
	addCentripetal(&cv, (*spatial.Vec3)(st.v[:3]), &d)
	spatial.CrossTo(&t, &cw, &d)
	st.c = spatial.ClassicalAccel{cw[0], cw[1], cw[2], cv[0] + t[0], cv[1] + t[1], cv[2] + t[2]}
}

// moveSeveral computes S, v and c of link i on a joint with no freedom or several.
func (w *Workspace) moveSeveral(i int, c *linkConst, up *linkState) {
	l, st := &w.plan.Links[i], &w.links[i]
	jt := &w.plan.mech.Joints[l.Joint]
	var f joints.Frames
	var S [6]spatial.Motion
	w.axes(jt.Pred).MulTo(&f.EP, &jt.P.E)
	w.axes(jt.Succ).MulTo(&f.ES, &jt.S.E)
	qd := w.qd[l.Dof : l.Dof+l.NumDof]
	n := len(qd)
	var angular, linear spatial.Vec3 // S̊·q̇ of a composite joint
	if k := w.plan.postureOf(i); k >= 0 {
		angular, linear = columnsTo(&S, &w.postures[k], qd, &f.EP)
	} else {
		jt.MotionSubspaceTo(&S, &f)
	}

	var rel spatial.Motion // (ω_r, V)
	for k := range n {
		for e := range rel {
			rel[e] += c.sign * qd[k] * S[k][e]
		}
	}
	r1 := w.axes(c.parentBody).MulVec(c.rp)
	d := w.axes(c.body).MulVec(c.rc)
	arm := f.EP.MulVec(w.slide[i])
	if l.Reversed {
		d = d.Sub(arm)
	} else {
		r1 = r1.Add(arm)
	}
	for k := range n {
		A := S[k].Angular().Scale(c.sign)
		B := S[k].Linear().Scale(c.sign).Add(A.Cross(d))
		w.s[int(l.Dof)+k] = spatial.NewMotion(A, B)
	}
	if c.parentBody < 0 {
		r1, st.r = spatial.Vec3{}, spatial.Vec3{}
	} else {
		st.r = r1.Add(d)
	}
	carryVelocity(&st.v, &up.v, &st.r)
	omegaR, V := rel.Angular(), rel.Linear()
	st.v = st.v.Add(spatial.NewMotion(omegaR, V.Add(omegaR.Cross(d))))

	omegaL, omegaI := up.v.Angular(), st.v.Angular()
	omegaP := omegaL
	if l.Reversed {
		omegaP = omegaI
	}
	cw := omegaP.Cross(omegaR)
	if l.Kind == joints.Universal {
		cw = cw.Add(S[0].Angular().Cross(S[1].Angular()).Scale(c.sign * qd[0] * qd[1]))
	}
	cv := omegaP.Cross(V).Scale(2)
	if w.plan.posture != nil {
		cw, cv = cw.Add(angular.Scale(c.sign)), cv.Add(linear.Scale(c.sign))
	}
	st.setProducts(&cw, &cv, &omegaL, &r1, &d)
}

// setProducts stores c = (c_ω, c_v) of a link. cv holds 2·ω_P×V and the S̊ term; the other terms of c_v are added to it,
//
//	c_v = cv + c_ω×d + ω_λ×(ω_λ×r1) + ω_i×(ω_i×d).
func (st *linkState) setProducts(cw, cv, omegaL, r1, d *spatial.Vec3) {
	var t spatial.Vec3
	spatial.CrossTo(&t, cw, d)
	cv[0], cv[1], cv[2] = cv[0]+t[0], cv[1]+t[1], cv[2]+t[2]
	addCentripetal(cv, omegaL, r1)
	addCentripetal(cv, (*spatial.Vec3)(st.v[:3]), d)
	st.c = spatial.ClassicalAccel{cw[0], cw[1], cw[2], cv[0], cv[1], cv[2]}
}

// moveFloating computes S, v and c of link i on a floating base: P is the world, S the body frame.
func (w *Workspace) moveFloating(i int, c *linkConst) {
	st := &w.links[i]
	d := w.axes(c.body).MulVec(c.rc)
	S := w.s[c.dof : c.dof+6]
	for k := range 3 {
		var e spatial.Vec3
		e[k] = 1
		S[k] = spatial.NewMotion(e, e.Cross(d))
		S[3+k] = spatial.NewMotion(spatial.Vec3{}, e)
	}
	omega := spatial.Vec3(w.qd[c.dof : c.dof+3])
	v := spatial.Vec3(w.qd[c.dof+3 : c.dof+6])
	st.r = spatial.Vec3{}
	st.v = spatial.NewMotion(omega, v.Add(omega.Cross(d)))
	var cv spatial.Vec3
	addCentripetal(&cv, &omega, &d)
	st.c = spatial.NewClassicalAccel(spatial.Vec3{}, cv)
}

// carryVelocity stores in dst the velocity v about a point at r: (ω, v + ω×r).
func carryVelocity(dst, v *spatial.Motion, r *spatial.Vec3) {
	w0, w1, w2 := v[0], v[1], v[2]
	dst[0], dst[1], dst[2] = w0, w1, w2
	dst[3] = v[3] + (w1*r[2] - w2*r[1])
	dst[4] = v[4] + (w2*r[0] - w0*r[2])
	dst[5] = v[5] + (w0*r[1] - w1*r[0])
}

// addCentripetal adds ω×(ω×r) to dst.
func addCentripetal(dst, omega, r *spatial.Vec3) {
	w0, w1, w2 := omega[0], omega[1], omega[2]
	t0, t1, t2 := w1*r[2]-w2*r[1], w2*r[0]-w0*r[2], w0*r[1]-w1*r[0]
	dst[0] += w1*t2 - w2*t1
	dst[1] += w2*t0 - w0*t2
	dst[2] += w0*t1 - w1*t0
}

// AccelerationsTo stores in dst the accelerations of the bodies at q̈ = qdd, by body number: ω̇ and the classical acceleration of the
// centre of mass, world axes. With a nil qdd it stores the velocity-product accelerations, which the bodies have at q̈ = 0. Gravity is
// not in them.
//
// Shapes: dst has one entry a body, qdd NumDof entries.
// Cost: O(links), no allocation.
// It panics on a length mismatch or without a state in use.
func (w *Workspace) AccelerationsTo(dst []spatial.ClassicalAccel, qdd []float64) {
	w.mustBeReady()
	p := w.plan
	if len(dst) != len(p.Links) || qdd != nil && len(qdd) != p.nv {
		panic("tree: length mismatch")
	}
	w.accelerate(qdd)
	for i := range p.Links {
		dst[p.Links[i].Body] = w.links[i].a
	}
}

// accelerate stores in every link its acceleration at q̈ = qdd; a nil qdd stands for zeros.
func (w *Workspace) accelerate(qdd []float64) {
	p := w.plan
	var none linkState
	for i := range p.Links {
		l, st := &p.Links[i], &w.links[i]
		up := &none
		if l.Parent != World {
			up = &w.links[l.Parent]
		}
		// a_i = X·a_λ + c + S·q̈.
		carryVelocity((*spatial.Motion)(&st.a), (*spatial.Motion)(&up.a), &st.r)
		for k := range st.a {
			st.a[k] += st.c[k]
		}
		if qdd == nil {
			continue
		}
		for d := l.Dof; d < l.Dof+l.NumDof; d++ {
			x, S := qdd[d], &w.s[d]
			for k := range st.a {
				st.a[k] += x * S[k]
			}
		}
	}
}
