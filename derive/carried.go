package derive

import (
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Most joints have lines, of rows and of freedoms, along the axes of P alone, and nothing acts along their freedoms but constant forces.
// Their lines turn with P, so that for a line T and a relative motion X
//
//	δ(T·X) = T·(δX − φ_P×X),   δ(T·λ) = φ_P×(T·λ) + T·δλ.
//
// This is written out here, as recording takes ten times as long. A test holds it against what is recorded.

// carriedLines are the lines of a type along the axes of P: 0 to 2 are moments about x, y and z, 3 to 5 forces along them.
type carriedLines struct{ rows, freedoms []int8 }

var carriedTypes = map[joints.Kind]carriedLines{
	joints.Fixed:            {rows: []int8{0, 1, 2, 3, 4, 5}},
	joints.Revolute:         {[]int8{3, 4, 5, 0, 1}, []int8{2}},
	joints.Prismatic:        {[]int8{0, 1, 2, 3, 4}, []int8{5}},
	joints.Cylindrical:      {[]int8{3, 4, 0, 1}, []int8{2, 5}},
	joints.Planar:           {[]int8{5, 0, 1}, []int8{2, 3, 4}},
	joints.Spherical:        {[]int8{3, 4, 5}, []int8{0, 1, 2}},
	joints.SphereInCylinder: {[]int8{3, 4}, []int8{0, 1, 2, 5}},
	joints.PointOnPlane:     {rows: []int8{5}},
}

// findCarried notes the joints whose lines turn with P.
func (d *Derivatives) findCarried() {
	d.carried = make([]*carriedLines, d.mech.NumJoints())
	var of [joints.NumKinds]*carriedLines
	for kind, l := range carriedTypes {
		of[kind] = &l
	}
	for j := range d.mech.Joints {
		jt := &d.mech.Joints[j]
		drive := d.mech.Drive(j)
		acts := len(d.motors[j]) > 0 || len(d.resisted[j]) > 0
		if drive != nil {
			forces := *drive
			forces.Force, forces.Rest = [6]float64{}, [6]float64{}
			acts = acts || forces.Acts()
		}
		if jt.Kind < joints.NumKinds && jt.Motion == nil && jt.NumGeared() == 0 && !acts {
			d.carried[j] = of[jt.Kind]
		}
	}
}

// isCarried returns the lines of a part that is a joint whose lines turn with P, nil for others, and for one with numbers that parameters
// change.
func (d *Derivatives) isCarried(part int) *carriedLines {
	if part >= len(d.carried) || len(d.active) > 0 && d.hasScalars(part) {
		return nil
	}
	return d.carried[part]
}

// frameTangent is how a frame in a body changes: its axes by a rotation, its arm, and the motion of its origin.
type frameTangent struct {
	phi, darm, p, w, v, al, a spatial.Vec3
}

// frameTangentOf returns the change of a frame at an arm in a body with the axes E, the angular velocity w and acceleration al. t is the
// change of the body, nil of the world's, and f that of the frame, nil for none.
func frameTangentOf(E *spatial.Mat3, arm, w, al *spatial.Vec3, t *bodyTangent, f *FrameChange) (x frameTangent) {
	if t != nil {
		x.phi, x.darm, x.p = t.phi, t.phi.Cross(*arm), t.r
	}
	if f != nil && *f != (FrameChange{}) {
		x.phi = x.phi.Add(E.MulVec(f.Turn))
		x.darm = x.darm.Add(E.MulVec(f.Origin))
	}
	x.p = x.p.Add(x.darm)
	if t == nil {
		return x
	}
	x.w, x.al = t.w, t.al
	x.v = t.v.Add(t.w.Cross(*arm)).Add(w.Cross(x.darm))
	x.a = t.a.Add(t.al.Cross(*arm)).Add(al.Cross(x.darm))
	x.a = x.a.Add(t.w.Cross(w.Cross(*arm))).Add(w.Cross(t.w.Cross(*arm))).Add(w.Cross(w.Cross(x.darm)))
	return x
}

// addFrameAdjoint adds to t and f, which may be nil, the cotangents x of a frame: the transpose of frameTangentOf.
func addFrameAdjoint(E *spatial.Mat3, arm, w, al *spatial.Vec3, x *frameTangent, t *bodyTangent, f *FrameChange) {
	darm := x.darm.Add(x.p).Add(x.v.Cross(*w)).Add(x.a.Cross(*al)).Add(w.Cross(w.Cross(x.a)))
	if f != nil {
		f.Turn = f.Turn.Add(E.TMulVec(x.phi))
		f.Origin = f.Origin.Add(E.TMulVec(darm))
	}
	if t == nil {
		return
	}
	t.phi = t.phi.Add(x.phi).Add(arm.Cross(darm))
	t.r = t.r.Add(x.p)
	t.v = t.v.Add(x.v)
	t.a = t.a.Add(x.a)
	t.al = t.al.Add(x.al).Add(arm.Cross(x.a))
	t.w = t.w.Add(x.w).Add(arm.Cross(x.v)).Add(w.Cross(*arm).Cross(x.a)).Add(arm.Cross(x.a.Cross(*w)))
}

// carriedJoint is a joint whose lines turn with P, at the state and along a direction.
type carriedJoint struct {
	kin    mechanism.JointKinematics
	jt     *mechanism.Joint
	at     int32        // first row in the solution
	wd, Vd spatial.Vec3 // apparent derivatives of the relative motion
	w      spatial.Vec3
	N, F   spatial.Vec3 // what it does to S

	P, S           frameTangent
	dR, dV, dw     spatial.Vec3
	dwd, dVd       spatial.Vec3
	dN, dF         spatial.Vec3
	local          [6]float64 // N and F along the axes of P
	alP            spatial.Vec3
	omegaP, omegaS spatial.Vec3
}

var unitMatrix = spatial.Identity3()

// setCarried computes a joint at the state.
func (d *Derivatives) setCarried(c *carriedJoint, j int, l *carriedLines) {
	jt := &d.mech.Joints[j]
	c.jt = jt
	d.mech.JointTo(&c.kin, j, d.kin, d.st)
	k := &c.kin
	c.omegaP, c.omegaS, c.alP = k.OmegaP, k.OmegaS, spatial.Vec3{}
	var alS, aS, aP spatial.Vec3
	if jt.Succ >= 0 {
		b := &d.bodies[jt.Succ]
		alS, aS = b.alpha, b.a.Add(b.alpha.Cross(k.ArmS)).Add(b.omega.Cross(b.omega.Cross(k.ArmS)))
	}
	if jt.Pred >= 0 {
		b := &d.bodies[jt.Pred]
		c.alP, aP = b.alpha, b.a.Add(b.alpha.Cross(k.ArmP)).Add(b.omega.Cross(b.omega.Cross(k.ArmP)))
	}
	c.w = k.OmegaS.Sub(k.OmegaP)
	c.wd = alS.Sub(c.alP).Sub(k.OmegaP.Cross(c.w))
	c.Vd = aS.Sub(aP).Sub(c.alP.Cross(k.R)).Sub(k.OmegaP.Cross(k.OmegaP.Cross(k.R))).Sub(k.OmegaP.Cross(k.V).Scale(2))
	c.local = [6]float64{}
	if node := d.layout.JointNode(j); node >= 0 {
		c.at = d.layout.Pattern.Off[node]
		for i, line := range l.rows {
			c.local[line] -= d.b.x[int(c.at)+i]
		}
	}
	if drive := d.mech.Drive(j); drive != nil && !d.b.bare {
		for i, line := range l.freedoms {
			c.local[line] += drive.Force[i]
		}
	}
	c.N, c.F = k.EP.MulVec(spatial.Vec3(c.local[:3])), k.EP.MulVec(spatial.Vec3(c.local[3:]))
}

// along computes how the joint changes along u. dx, if it is not nil, has the changes of the multipliers.
func (d *Derivatives) along(c *carriedJoint, j int, l *carriedLines, u *direction, dx []float64) {
	jt, k := c.jt, &c.kin
	var tP, tS *bodyTangent
	EP, ES := &unitMatrix, &unitMatrix
	var alS, zero spatial.Vec3
	wP, wS := &zero, &zero
	if jt.Pred >= 0 {
		b := &d.bodies[jt.Pred]
		tP, EP, wP = &u.tangents[jt.Pred], &b.E, &b.omega
	}
	if jt.Succ >= 0 {
		b := &d.bodies[jt.Succ]
		tS, ES, wS, alS = &u.tangents[jt.Succ], &b.E, &b.omega, b.alpha
	}
	c.P = frameTangentOf(EP, &k.ArmP, wP, &c.alP, tP, &u.frames[2*j])
	c.S = frameTangentOf(ES, &k.ArmS, wS, &alS, tS, &u.frames[2*j+1])
	c.dR = c.S.p.Sub(c.P.p)
	c.dV = c.S.v.Sub(c.P.v).Sub(c.P.w.Cross(k.R)).Sub(wP.Cross(c.dR))
	c.dw = c.S.w.Sub(c.P.w)
	c.dwd = c.S.al.Sub(c.P.al).Sub(c.P.w.Cross(c.w)).Sub(wP.Cross(c.dw))
	c.dVd = c.S.a.Sub(c.P.a).Sub(c.P.al.Cross(k.R)).Sub(c.alP.Cross(c.dR))
	c.dVd = c.dVd.Sub(c.P.w.Cross(wP.Cross(k.R))).Sub(wP.Cross(c.P.w.Cross(k.R).Add(wP.Cross(c.dR))))
	c.dVd = c.dVd.Sub(c.P.w.Cross(k.V).Add(wP.Cross(c.dV)).Scale(2))
	c.dN, c.dF = c.P.phi.Cross(c.N), c.P.phi.Cross(c.F)
	var more [6]float64
	if dx != nil {
		for i, line := range l.rows {
			more[line] -= dx[int(c.at)+i]
		}
	}
	if !d.b.bare {
		for i, line := range l.freedoms {
			more[line] += u.forces[j][i]
		}
	}
	if more != ([6]float64{}) {
		c.dN = c.dN.Add(k.EP.MulVec(spatial.Vec3(more[:3])))
		c.dF = c.dF.Add(k.EP.MulVec(spatial.Vec3(more[3:])))
	}
}

// lines stores in out, in the axes of P, the changes of products of lines with a relative motion (a, b) that changes by (da, db).
func (c *carriedJoint) lines(out *[6]float64, a, b, da, db *spatial.Vec3) {
	x := c.kin.EP.TMulVec(da.Sub(c.P.phi.Cross(*a)))
	y := c.kin.EP.TMulVec(db.Sub(c.P.phi.Cross(*b)))
	*out = [6]float64{x[0], x[1], x[2], y[0], y[1], y[2]}
}

// gatherCarried adds to r the change of the residual of a joint whose lines turn with P along u.
func (d *Derivatives) gatherCarried(r []float64, j int, l *carriedLines, u *direction, dx []float64) {
	var c carriedJoint
	d.setCarried(&c, j, l)
	d.along(&c, j, l, u, dx)
	d.actCarried(r, &c)
	var x [6]float64
	c.lines(&x, &c.wd, &c.Vd, &c.dwd, &c.dVd)
	for i, line := range l.rows {
		r[int(c.at)+i] += x[line]
	}
}

// actCarried adds to r the change of what the joint does to its bodies.
func (d *Derivatives) actCarried(r []float64, c *carriedJoint) {
	k := &c.kin
	if b := c.jt.Succ; b >= 0 {
		m := c.dN.Add(c.S.darm.Cross(c.F)).Add(k.ArmS.Cross(c.dF))
		d.bodies[b].gather(r[6*b:][:6], &m, &c.dF)
	}
	if b := c.jt.Pred; b >= 0 {
		m := c.dN.Add(c.dR.Add(c.P.darm).Cross(c.F)).Add(k.R.Add(k.ArmP).Cross(c.dF)).Neg()
		f := c.dF.Neg()
		d.bodies[b].gather(r[6*b:][:6], &m, &f)
	}
}

// missesCarried adds to d.plainRight by how much u opens the rows of a joint at a level.
func (d *Derivatives) missesCarried(j int, l *carriedLines, u *direction, of level) {
	var c carriedJoint
	d.setCarried(&c, j, l)
	d.along(&c, j, l, u, nil)
	var x [6]float64
	if of == ofVelocities {
		c.lines(&x, &c.w, &c.kin.V, &c.dw, &c.dV)
	} else {
		turn := c.S.phi.Sub(c.P.phi)
		c.lines(&x, &spatial.Vec3{}, &c.kin.R, &turn, &c.dR)
	}
	node := d.plain.JointNode(j)
	if node < 0 {
		return
	}
	at := int(d.plain.Pattern.Off[node])
	for i, line := range l.rows {
		d.plainRight[at+i] += x[line]
	}
}

// outputsCarried adds to out what a joint whose lines turn with P does along u, with the changes dx of accelerations and multipliers.
func (d *Derivatives) outputsCarried(out *JointChange, j int, l *carriedLines, u *direction, dx []float64) {
	var c carriedJoint
	d.setCarried(&c, j, l)
	d.along(&c, j, l, u, dx)
	out.Wrench = out.Wrench.Add(spatial.NewForce(c.dN, c.dF))
	var q, qd, qdd [6]float64
	turn := c.S.phi.Sub(c.P.phi)
	c.lines(&q, &spatial.Vec3{}, &c.kin.R, &turn, &c.dR)
	c.lines(&qd, &c.w, &c.kin.V, &c.dw, &c.dV)
	c.lines(&qdd, &c.wd, &c.Vd, &c.dwd, &c.dVd)
	for i, line := range l.freedoms {
		if c.jt.Kind.Scalar(i) {
			out.Q[i] = q[line]
		}
		out.Qd[i], out.Qdd[i] = qd[line], qdd[line]
	}
}
