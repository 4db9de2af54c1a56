package linear

import (
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// reaction is the wrench of a joint on its successor at the origin of S, world axes. Its parts rotate with
// different frames as the bodies move.
type reaction struct {
	withP  spatial.Force // part that is constant in the axes of P
	withS  spatial.Vec3  // moment that is constant in the axes of S: about y of a universal joint
	normal float64       // multiplier of the moment y_S×x_P of a universal joint
	x, y   spatial.Vec3  // x_P and y_S, the axes of a universal joint

	number int
	joint  *mechanism.Joint
	at     *mechanism.JointKinematics
	bend   [36]float64 // change of withP by other rotations of its directions, as on curves (joints.Spec.BendTo)
	bends  bool        // bend is not zero

	mechanism.Along // predecessor and successor with their arms; Unit is the sum of all parts (sum)
}

// initReaction stores joint j with its bodies, arms and axes in r.
func (s *System) initReaction(r *reaction, j int, jk *mechanism.JointKinematics) {
	s.mech.EndsTo(&r.Along, j, jk, s.y.Kin)
	r.x, r.y = jk.EP.Col(0), jk.ES.Col(1)
	r.number, r.joint, r.at = j, &s.mech.Joints[j], jk
}

// ballRate stores in w.rate the derivative of the rate e·(ω_S − ω_P), of a ball joint's rotation about the axis e of P, by the
// rotations φ of the bodies. e rotates by φ_P, and δω = φ̇ + φ×ω in world axes, so the rate changes by (φ_S − φ_P)·(ω_S×e), besides
// e·(φ̇_S − φ̇_P). As this rate is not the derivative of a coordinate, that differs from the derivative of the row by time, which
// reaction.changeTo gives for other freedoms.
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

// addPush is addAlong for the forces of drives, actuators, stops and friction, which count as loads (addLoadSize).
func (s *System) addPush(r *reaction, i int, p mechanism.Push) (unit spatial.Force) {
	unit = s.addAlong(r, i, p)
	for _, b := range r.Body {
		s.addLoadSize(b, unit.Moment().Scale(p.Force), unit.Linear().Scale(p.Force))
	}
	return unit
}

// freedomRow returns the row of a freedom's rate on the velocities of the bodies, with zero stiffness and damping.
func (s *System) freedomRow(f mechanism.Freedom, jk *mechanism.JointKinematics) row {
	var a mechanism.Along
	s.mech.FreedomTo(&a, f, jk, s.y.Kin)
	w := row{body: a.Body}
	a.RowTo(&w.v)
	return w
}

// along returns the reaction of a unit force along freedom i of the joint of r, with its parts set for changeTo.
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

// addAlong adds a generalized force along freedom i of the joint to r, and its stiffness k and damping d to s as a row. D is the unit
// wrench of the freedom q, which it returns: a displacement x has δq = Dᵀ·x at the bodies, and changes the force by −k·δq − d·δq̇.
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

// velocities returns the velocities of the two bodies of a, angular velocity before velocity of the centre of mass; zero for the world.
func (s *System) velocities(a *mechanism.Along) (u [12]float64) {
	s.velocity(u[:6], a.Body[0])
	s.velocity(u[6:], a.Body[1])
	return u
}

// sum stores in r.Unit the wrench of all parts on the successor, and in r.bend its change by other rotations.
func (r *reaction) sum() {
	n := r.y.Cross(r.x)
	r.Unit = spatial.NewForce(r.withP.Moment().Add(r.withS).Add(n.Scale(r.normal)), r.withP.Linear())
	r.bends = r.joint.BendTo(&r.bend, &r.withP, &r.at.Frames)
}

// changeTo stores in df the change of the wrenches on the two bodies, about their centres of mass, for small
// displacements u of them. The parts of the reaction are constant in P, in S, or along y_S×x_P, and bend has further changes. With
// velocities for u, df is the derivative of the wrenches by time.
func (r *reaction) changeTo(df, u *[12]float64) {
	phiP, phiS, force := spatial.Vec3(u[:3]), spatial.Vec3(u[6:9]), r.Unit.Linear()
	armS := phiS.Cross(r.Arm[1])
	// The force acts on both bodies at the origin of S.
	armP := spatial.Vec3(u[9:12]).Add(armS).Sub(spatial.Vec3(u[3:6]))
	F := phiP.Cross(force)
	N := phiP.Cross(r.withP.Moment()).Add(phiS.Cross(r.withS))
	normalChange := phiS.Cross(r.y).Cross(r.x).Add(r.y.Cross(phiP.Cross(r.x)))
	N = N.Add(normalChange.Scale(r.normal))
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

// bendBy adds to moment N and force F their change by bend, for a small rotation and translation of S relative to P.
func (r *reaction) bendBy(N, F *spatial.Vec3, rotation, translation spatial.Vec3) {
	x := spatial.NewMotion(rotation, translation)
	for k := range 3 {
		for l := range x {
			N[k] -= r.bend[6*k+l] * x[l]
			F[k] -= r.bend[18+6*k+l] * x[l]
		}
	}
}

// secondTo stores in d the second derivative by time of the wrenches on the two bodies, about their centres of mass, for bodies with the
// velocities u and accelerations a. The parts of the reaction are constant in P or in S; normal and bend must be zero. changeTo gives the
// first derivative.
func (r *reaction) secondTo(d, u, a *[12]float64) {
	wP, wS, alphaP, alphaS := spatial.Vec3(u[:3]), spatial.Vec3(u[6:9]), spatial.Vec3(a[:3]), spatial.Vec3(a[6:9])
	// derivatives returns the first and second derivatives of a vector x that rotates with a body.
	derivatives := func(x, w, alpha spatial.Vec3) (first, second spatial.Vec3) {
		first = w.Cross(x)
		return first, alpha.Cross(x).Add(w.Cross(first))
	}
	f := r.Unit.Linear()
	fd, fdd := derivatives(f, wP, alphaP)
	_, inP := derivatives(r.withP.Moment(), wP, alphaP)
	_, inS := derivatives(r.withS, wS, alphaS)
	sd, sdd := derivatives(r.Arm[1], wS, alphaS)
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
