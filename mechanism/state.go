package mechanism

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// ErrNotFinite is returned for a state with a number that is infinite or NaN.
var ErrNotFinite = errors.New("mechanism: state not finite")

// BodyState is the pose and velocity of one body frame, world axes.
type BodyState struct {
	Position spatial.Vec3 // origin, m
	Rotation spatial.Quat // unit, body → world
	Velocity spatial.Vec3 // velocity of the origin, m/s
	Omega    spatial.Vec3 // rad/s
}

// State is the state of a mechanism in maximal coordinates: poses and velocities of all bodies.
type State struct {
	Time   float64 // s
	Bodies []BodyState
	// Angles are the angles with springs, stops, actuators or couplings (Mechanism.NumSprung), rad, in the order of the
	// joints and their freedoms. The angle at the pose is the one within half a turn of the number here
	// (Mechanism.FollowAngles). The initial state has them. If Angles is nil, angles are in (−π, π] plus the turns of the model. Code
	// that sets the poses of a state has to set Angles too, or set it to nil. For composite joints Angles has all coordinates, rad
	// and m, for a point on a curve its parameter, for curves that touch both parameters and the side (joints.Touch), for a wheel on
	// terrain x and y of its foot. The values at the pose are found from these; with nil all possible values are searched.
	//
	// A state may carry all angles (Mechanism.CarryAngles), as states of simulations do. The other angles then follow, and
	// Mechanism.Coordinate returns values within half a turn of them too. The dynamics do not depend on them.
	Angles []float64
	// Internal are the internal states (Mechanism.NumInternal), in the order of the
	// joints and then of the contacts: deflections of bristles, m or rad, slips of
	// tyres, and 1 for stops with impulses that are in flight. With nil they are zero.
	Internal []float64
	// Bearings are the reactions in the joints whose friction grows with them
	// (Mechanism.NumBearings), N, as far as they are known. With nil they are zero. They
	// follow from the rest of the state; solvers of accelerations compute them and do not read them.
	Bearings []float64
}

// Rest sets the velocities of all bodies to zero, and changes nothing else.
func (s *State) Rest() {
	for i := range s.Bodies {
		s.Bodies[i].Velocity, s.Bodies[i].Omega = spatial.Vec3{}, spatial.Vec3{}
	}
}

// Clone returns a copy that shares nothing.
func (s *State) Clone() *State {
	return &State{Time: s.Time, Bodies: append(pages.Make[BodyState](len(s.Bodies))[:0], s.Bodies...), Angles: append([]float64(nil), s.Angles...), Internal: append([]float64(nil), s.Internal...), Bearings: append([]float64(nil), s.Bearings...)}
}

// Initial returns a copy of the state written in the model, with its angles (State.Angles).
func (m *Mechanism) Initial() *State { return m.initial.Clone() }

// BodyKinematics are values of one body at one state that many computations need.
type BodyKinematics struct {
	E   spatial.Mat3 // columns are the body's axes in the world
	Com spatial.Vec3 // from the body frame's origin to the centre of mass, world axes, m
}

// Kinematics are values computed from a State, with one entry for each body. It belongs to one goroutine at a time.
type Kinematics struct {
	Bodies []BodyKinematics
	I      []spatial.Sym3 // inertias about the centres of mass, world axes, kg m²; nil where they are not needed
	// Rough tells RowsTo that only errors of positions are wanted (ErrorsTo without rates): searches for the contact of curves then end
	// early, and the next searches start from there.
	Rough bool

	touch []*contact.Result // results of ContactAt; made at its first call
	rows  []rowAt           // user-defined rows; made at the first RowsTo
	found []joints.Found    // results of searches, by Joint.found; made at the first RowsTo
	gaps  []float64         // gaps of curves that touch, m, by Joint.found, at the last RowsTo
}

// NewKinematics returns storage for m.
func (m *Mechanism) NewKinematics() *Kinematics {
	return &Kinematics{Bodies: make([]BodyKinematics, len(m.Bodies)), I: make([]spatial.Sym3, len(m.Bodies))}
}

// KinematicsTo computes rotations, centre-of-mass arms and, unless k.I is nil,
// inertias at s.
//
// Shapes: k and s are of m. Cost: O(bodies), no allocation.
// It returns an error that names a body and wraps ErrNotFinite if s is not finite or a
// rotation is no unit quaternion, and the errors of CheckTime and RowsTo. It panics if k or s is of another mechanism.
func (m *Mechanism) KinematicsTo(k *Kinematics, s *State) error {
	if len(k.Bodies) != len(m.Bodies) || !m.Owns(s) || k.I != nil && len(k.I) != len(m.Bodies) {
		panic("mechanism" + fault.ForeignState)
	}
	for i := range s.Bodies {
		if !m.BodyTo(&k.Bodies[i], s, i) {
			return m.NotFinite(i)
		}
	}
	for i := range k.I {
		m.Bodies[i].WorldInertiaTo(&k.I[i], &k.Bodies[i].E)
	}
	if err := m.CheckTime(s); err != nil {
		return err
	}
	return m.RowsTo(k, s)
}

// specialRows lists the constraints with which RowsTo deals.
type specialRows struct {
	lawful []int32 // couplings with laws that are not defined everywhere
	curves []int32 // joints with curves, and wheels on terrain
	found  int32   // number of joints with curves
	gaps   []int32 // joints whose curves may separate and on whose gap a coupling, an actuator or friction acts
	own    int     // number of user-defined rows, which are the last couplings
}

// BodyTo stores in k the kinematics of body i at s. It reports whether the state of the body
// is finite and its rotation a unit quaternion; if not, k is unspecified.
//
// Cost: O(1), no allocation.
func (m *Mechanism) BodyTo(k *BodyKinematics, s *State, i int) bool {
	b := &s.Bodies[i]
	b.Rotation.MatTo(&k.E)
	k.E.MulVecTo(&k.Com, &m.Bodies[i].Com)
	return b.IsFinite()
}

// NotFinite returns the error of KinematicsTo that names body i.
func (m *Mechanism) NotFinite(i int) error {
	return m.AtBody(i, ErrNotFinite)
}

// IsFinite reports whether all numbers are finite and the quaternion is unit to
// 1e-6.
func (b *BodyState) IsFinite() bool {
	q := &b.Rotation
	n := q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]
	t := 0.0
	for i := range 3 {
		// Zero times a number is zero unless the number is not finite.
		t += 0*b.Position[i] + 0*b.Velocity[i] + 0*b.Omega[i]
	}
	return t == 0 && math.Abs(n-1) < 2e-6
}

// BodyMotion is the pose and velocity of a body, world axes.
type BodyMotion struct {
	E        spatial.Mat3 // columns are the body's axes
	Position spatial.Vec3 // of the body frame's origin, m
	Com      spatial.Vec3 // from that origin to the centre of mass, m
	Omega    spatial.Vec3 // rad/s
	Velocity spatial.Vec3 // of the centre of mass, m/s
}

// Point returns the vector arm, m, from the centre of mass to the point p of the body, given in the body frame, and the velocity of
// the point, m/s; both in world axes.
func (b *BodyMotion) Point(p spatial.Vec3) (arm, velocity spatial.Vec3) {
	arm = b.E.MulVec(p).Sub(b.Com)
	return arm, b.Velocity.Add(b.Omega.Cross(arm))
}

// bodyMotion returns the motion of body b at s; k was computed at s.
func bodyMotion(k *Kinematics, s *State, b int32) BodyMotion {
	st, kb := &s.Bodies[b], &k.Bodies[b]
	return BodyMotion{E: kb.E, Position: st.Position, Com: kb.Com, Omega: st.Omega, Velocity: comVelocity(k, s, b)}
}

// comVelocity returns the velocity of the centre of mass of body b at s, m/s, world axes.
func comVelocity(k *Kinematics, s *State, b int32) spatial.Vec3 {
	return s.Bodies[b].Velocity.Add(s.Bodies[b].Omega.Cross(k.Bodies[b].Com))
}

// JointKinematics is the motion of one joint at one state.
type JointKinematics struct {
	joints.Frames
	ArmP, ArmS spatial.Vec3 // from the body frames' origins to the origins of P and S, world axes, m

	angles []float64 // the part of State.Angles for the angles of the joint; nil if there are none
}

// JointTo computes the relative motion of joint j, theory.md (4). It subtracts the two far
// points, body origins or points of the world, first, and then adds the arms within the bodies.
// So rounding does not grow with the distance from the world's origin.
//
// Cost: O(1), no allocation.
func (m *Mechanism) JointTo(out *JointKinematics, j int, k *Kinematics, s *State) {
	jt := &m.Joints[j]
	m.placesTo(out, jt, k, s)
	out.ratesTo(jt, s)
}

// placesTo is JointTo without velocities, which are unspecified in out.
func (m *Mechanism) placesTo(out *JointKinematics, jt *Joint, k *Kinematics, s *State) {
	out.setAngles(jt, s.Angles)
	out.posesTo(jt, k, s)
	if i := int(jt.found); i > 0 && i <= len(k.found) {
		out.Found = &k.found[i-1]
	}
}

// EndsTo stores in a the bodies of joint j, and the arms from their centres of mass to the origin of S, where its wrenches act. It does
// not change Unit.
//
// Cost: O(1), no allocation; jk is the kinematics of the joint (JointTo), and k the kinematics of the bodies.
func (m *Mechanism) EndsTo(a *Along, j int, jk *JointKinematics, k *Kinematics) {
	jt := &m.Joints[j]
	a.Body = [2]int32{jt.Pred, jt.Succ}
	a.Arm = [2]spatial.Vec3{}
	if jt.Pred >= 0 {
		a.Arm[0] = jk.ArmP.Add(jk.R).Sub(k.Bodies[jt.Pred].Com)
	}
	if jt.Succ >= 0 {
		a.Arm[1] = jk.ArmS.Sub(k.Bodies[jt.Succ].Com)
	}
}

// FreedomTo stores in a the direction of freedom f.
//
// Cost: O(1), no allocation; jk is the kinematics of the joint (JointTo), and k the kinematics of the bodies.
func (m *Mechanism) FreedomTo(a *Along, f Freedom, jk *JointKinematics, k *Kinematics) {
	var unit [6]float64
	unit[f.Freedom] = 1
	m.Joints[f.Joint].WrenchTo(&a.Unit, &unit, &jk.Frames)
	m.EndsTo(a, f.Joint, jk, k)
}

// FramesTo is JointTo for a joint between bodies of m that need not be in m.Joints.
//
// Cost: O(1), no allocation.
func (m *Mechanism) FramesTo(out *JointKinematics, jt *Joint, k *Kinematics, s *State) {
	out.setAngles(jt, s.Angles)
	framesTo(out, jt, k, s)
}

// setAngles sets in out the values of joint jt in angles, a State.Angles: Near for a whole joint, else the angles.
func (out *JointKinematics) setAngles(jt *Joint, angles []float64) {
	out.angles, out.Near, out.Found = nil, nil, nil
	if d := &jt.sprung; d.n > 0 && len(angles) > 0 {
		if out.angles = angles[d.first:][:d.n]; d.whole() {
			out.angles, out.Near = nil, out.angles
		}
	}
}

// framesTo is FramesTo without the angles of s (setAngles).
func framesTo(out *JointKinematics, jt *Joint, k *Kinematics, s *State) {
	out.posesTo(jt, k, s)
	out.ratesTo(jt, s)
}

// posesTo stores the axes, the arms and R of out.
func (out *JointKinematics) posesTo(jt *Joint, k *Kinematics, s *State) {
	farP, nearP := jt.P.placeTo(&out.EP, &out.ArmP, jt.Pred, k, s)
	farS, nearS := jt.S.placeTo(&out.ES, &out.ArmS, jt.Succ, k, s)
	for i := range 3 {
		out.R[i] = (farS[i] - farP[i]) + (nearS[i] - nearP[i])
	}
}

// placeTo stores the axes E of a frame on a body and the arm to its origin, world axes. The origin of the frame is at far + near.
func (f *Frame) placeTo(E *spatial.Mat3, arm *spatial.Vec3, body int32, k *Kinematics, s *State) (far, near *spatial.Vec3) {
	if body < 0 {
		*E, *arm = f.E, f.Origin
		return arm, &nowhere
	}
	R := &k.Bodies[body].E
	R.MulVecTo(arm, &f.Origin)
	R.MulTo(E, &f.E)
	return &s.Bodies[body].Position, arm
}

// nowhere is the zero arm of frames in the world.
var nowhere spatial.Vec3

// ratesTo stores the velocities of out, after posesTo has stored the poses.
func (out *JointKinematics) ratesTo(jt *Joint, s *State) {
	var p, q spatial.Vec3
	endRatesTo(&p, &out.OmegaP, &out.ArmP, jt.Pred, s)
	endRatesTo(&q, &out.OmegaS, &out.ArmS, jt.Succ, s)
	R, V, w := &out.R, &out.V, &out.OmegaP
	for i := range 3 {
		V[i] = q[i] - p[i]
	}
	// V = dR/dt − ω_P×R
	V[0] -= w[1]*R[2] - w[2]*R[1]
	V[1] -= w[2]*R[0] - w[0]*R[2]
	V[2] -= w[0]*R[1] - w[1]*R[0]
}

// endRatesTo stores in v the velocity of the end of an arm from the origin of a body, and in omega its angular velocity; zeros for the
// world.
func endRatesTo(v, omega, arm *spatial.Vec3, body int32, s *State) {
	if body < 0 {
		*v, *omega = spatial.Vec3{}, spatial.Vec3{}
		return
	}
	// Stored number by number: a copy of the vector would stall on the stores just made.
	b := &s.Bodies[body]
	w, r := &b.Omega, arm
	omega[0], omega[1], omega[2] = w[0], w[1], w[2]
	v[0] = b.Velocity[0] + (w[1]*r[2] - w[2]*r[1])
	v[1] = b.Velocity[1] + (w[2]*r[0] - w[0]*r[2])
	v[2] = b.Velocity[2] + (w[0]*r[1] - w[1]*r[0])
}
