package linear

import (
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// reaction is the wrench of a joint on its successor at the origin of S. Its parts turn with
// different frames as the bodies move.
type reaction struct {
	withP  spatial.Force // turns with P: wrenches along its axes
	withS  spatial.Vec3  // moment that turns with S: about y of a universal joint
	normal float64       // multiplier of the moment y_S×x_P of a universal joint
	x, y   spatial.Vec3  // x_P and y_S

	number int
	joint  *mechanism.Joint
	at     *mechanism.JointKinematics
	bend   [36]float64 // what turns besides P and S (joints.Spec.BendTo)
	bends  bool        // there is something

	mechanism.Along // predecessor and successor, with the wrench of all parts
}

// reach stores joint j, its bodies and their arms.
func (s *System) reach(r *reaction, j int, jk *mechanism.JointKinematics) {
	s.mech.EndsTo(&r.Along, j, jk, s.y.Kin)
	r.x, r.y = jk.EP.Col(0), jk.ES.Col(1)
	r.number, r.joint, r.at = j, &s.mech.Joints[j], jk
}

// ballRate stores in w, of a rotation of a ball about the axis e of P, the change of its rate e·(ω_S − ω_P) with the
// bodies' turns φ. With e turns φ_P, and a perturbation has δω = φ̇ + φ×ω in world axes, so it is (φ_S − φ_P)·(ω_S×e).
// The rate is no derivative of a coordinate: the change of e along the motion, which driveRow has, is another.
func (s *System) ballRate(w *row, e spatial.Vec3) {
	w.rate = [12]float64{}
	if s.rest || w.body[1] < 0 {
		return
	}
	var u [6]float64
	s.velocity(u[:], w.body[1])
	x := spatial.Vec3(u[:3]).Cross(e)
	for k := range x {
		w.rate[k], w.rate[6+k] = -x[k], x[k]
	}
}

// addPush is addAlong for what drives, actuators, stops and friction do, whose force counts as a load.
func (s *System) addPush(r *reaction, i int, p mechanism.Push) (unit spatial.Force) {
	unit = s.addAlong(r, i, p)
	for _, b := range r.Body {
		s.note(b, unit.Moment().Scale(p.Force), unit.Linear().Scale(p.Force))
	}
	return unit
}

// freedomRow returns the row of a freedom, without stiffness.
func (s *System) freedomRow(f mechanism.Freedom, jk *mechanism.JointKinematics) row {
	var a mechanism.Along
	s.mech.FreedomTo(&a, f, jk, s.y.Kin)
	w := row{body: a.Body}
	a.RowTo(&w.v)
	return w
}

// along returns the reaction of a unit force along freedom i of the joint.
func (s *System) along(r *reaction, i int) reaction {
	one := *r
	s.mech.FreedomTo(&one.Along, mechanism.Freedom{Joint: r.number, Freedom: i}, r.at, s.y.Kin)
	one.withP, one.withS, one.normal = one.Unit, spatial.Vec3{}, 0
	if r.joint.Kind == joints.Universal && i == 1 {
		one.withP, one.withS = spatial.Force{}, one.Unit.Moment()
	}
	one.bends = r.joint.BendTo(&one.bend, &one.withP, &r.at.Frames)
	return one
}

// addAlong adds a generalized force along freedom i of the joint, with its stiffness and damping as a row: with D the
// unit wrench of the freedom q, which is returned, δq = (XᵀD)·x, and the force changes by −k·δq − d·δq̇.
func (s *System) addAlong(r *reaction, i int, p mechanism.Push) (unit spatial.Force) {
	one := s.along(r, i)
	r.withP = r.withP.Add(one.withP.Scale(p.Force))
	r.withS = r.withS.Add(one.withS.Scale(p.Force))
	if p.Stiffness == 0 && p.Damping == 0 {
		return one.Unit
	}
	w := row{body: one.Body, k: p.Stiffness, d: p.Damping}
	one.RowTo(&w.v)
	switch {
	case p.Damping == 0 || s.rest:
	case !r.joint.Kind.Scalar(i):
		s.ballRate(&w, one.Unit.Moment())
	default:
		u := s.velocities(&one.Along)
		one.changeTo(&w.rate, &u)
	}
	s.rows = append(s.rows, w)
	return one.Unit
}

// velocities returns the velocities of the two bodies of a.
func (s *System) velocities(a *mechanism.Along) (u [12]float64) {
	s.velocity(u[:6], a.Body[0])
	s.velocity(u[6:], a.Body[1])
	return u
}

// sum adds up the wrench on the successor.
func (r *reaction) sum() {
	n := r.y.Cross(r.x)
	r.Unit = spatial.NewForce(r.withP.Moment().Add(r.withS).Add(n.Scale(r.normal)), r.withP.Linear())
	r.bends = r.joint.BendTo(&r.bend, &r.withP, &r.at.Frames)
}

// changeTo stores in df the change of the forces on the two bodies for small
// displacements u of them, with the parts of the reaction constant in P, in S, or
// along y_S×x_P.
func (r *reaction) changeTo(df, u *[12]float64) {
	phiP, phiS, force := spatial.Vec3(u[:3]), spatial.Vec3(u[6:9]), r.Unit.Linear()
	armS := phiS.Cross(r.Arm[1])
	// The force acts on both bodies at the origin of S.
	armP := spatial.Vec3(u[9:12]).Add(armS).Sub(spatial.Vec3(u[3:6]))
	F := phiP.Cross(force)
	N := phiP.Cross(r.withP.Moment()).Add(phiS.Cross(r.withS))
	turned := phiS.Cross(r.y).Cross(r.x).Add(r.y.Cross(phiP.Cross(r.x)))
	N = N.Add(turned.Scale(r.normal))
	if r.bends {
		r.bendBy(&N, &F, phiS.Sub(phiP), armP.Sub(phiP.Cross(r.Arm[0])))
	}
	onS := N.Add(armS.Cross(force)).Add(r.Arm[1].Cross(F))
	onP := N.Add(armP.Cross(force)).Add(r.Arm[0].Cross(F))
	for k := range 3 {
		df[k], df[3+k] = -onP[k], -F[k]
		df[6+k], df[9+k] = onS[k], F[k]
	}
}

// bendBy adds to moment N and force F their change by what turns besides P (joints.Spec.BendTo), for a small motion of S as seen from P.
func (r *reaction) bendBy(N, F *spatial.Vec3, turn, slide spatial.Vec3) {
	x := spatial.NewMotion(turn, slide)
	for k := range 3 {
		for l := range x {
			N[k] -= r.bend[6*k+l] * x[l]
			F[k] -= r.bend[18+6*k+l] * x[l]
		}
	}
}

// secondTo stores in d the second derivative by time of the forces on the two bodies, with the parts of the reaction constant
// in P or in S, where the bodies have the velocities u and the accelerations a. changeTo has the first one for u.
func (r *reaction) secondTo(d, u, a *[12]float64) {
	wP, wS, alphaP, alphaS := spatial.Vec3(u[:3]), spatial.Vec3(u[6:9]), spatial.Vec3(a[:3]), spatial.Vec3(a[6:9])
	// turned returns the first and second derivatives of a vector that is fixed in a body.
	turned := func(x, w, alpha spatial.Vec3) (first, second spatial.Vec3) {
		first = w.Cross(x)
		return first, alpha.Cross(x).Add(w.Cross(first))
	}
	f := r.Unit.Linear()
	fd, fdd := turned(f, wP, alphaP)
	_, inP := turned(r.withP.Moment(), wP, alphaP)
	_, inS := turned(r.withS, wS, alphaS)
	sd, sdd := turned(r.Arm[1], wS, alphaS)
	// The force acts on both bodies at the origin of S.
	pd := spatial.Vec3(u[9:12]).Add(sd).Sub(spatial.Vec3(u[3:6]))
	pdd := spatial.Vec3(a[9:12]).Add(sdd).Sub(spatial.Vec3(a[3:6]))
	for e, arm := range [2][3]spatial.Vec3{{r.Arm[0], pd, pdd}, {r.Arm[1], sd, sdd}} {
		m := inP.Add(inS).Add(arm[2].Cross(f)).Add(arm[1].Cross(fd).Scale(2)).Add(arm[0].Cross(fdd))
		sign := float64(2*e - 1)
		for k := range 3 {
			d[6*e+k], d[6*e+3+k] = sign*m[k], sign*fdd[k]
		}
	}
}
