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

// ErrNotFinite is returned for a state with an infinite or undefined number.
var ErrNotFinite = errors.New("mechanism: state not finite")

// BodyState is the pose and velocity of one body frame, world axes.
type BodyState struct {
	Position spatial.Vec3 // origin, m
	Rotation spatial.Quat // unit, body → world
	Velocity spatial.Vec3 // of the origin, m/s
	Omega    spatial.Vec3 // rad/s
}

// State is the maximal state of a mechanism.
type State struct {
	Time   float64 // s
	Bodies []BodyState
	// Angles are angles with springs (Mechanism.NumSprung), rad, in the order of the
	// joints and their freedoms: the current ones are read within half a turn of them
	// (Mechanism.FollowAngles). The initial state has them. With nil, they are read in (−π, π] plus the turns of the model: who writes
	// poses of his own into a state sets them, or nil.
	// Of composite joints they are all coordinates, rad and m, and the current ones are found from there. So is the parameter of a
	// point on a curve, with nil that of the nearest foot; of two curves that touch they are both parameters and the side (joints.Touch).
	//
	// A state may carry all angles (Mechanism.CarryAngles), as those of simulations do. Then the others follow, and
	// coordinates are read within half a turn of these too (Mechanism.Coordinate). No dynamics depend on them.
	Angles []float64
	// Internal are the internal states (Mechanism.NumInternal), in the order of the
	// joints and then of the contacts: how far bristles are bent, m or rad, slips of
	// tyres, and 1 for stops with impulses that are in flight. With nil they are zero.
	Internal []float64
	// Bearings are the reactions in the joints whose friction grows with them
	// (Mechanism.NumBearings), N, as far as they are known. With nil they are zero. They
	// follow from the rest of the state, and who solves for accelerations does not read them.
	Bearings []float64
}

// Rest sets the velocities of all bodies to zero. All else stays.
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

// BodyKinematics is what many computations need of one body at one state.
type BodyKinematics struct {
	E   spatial.Mat3 // columns are the body's axes in the world
	Com spatial.Vec3 // from the body frame's origin to the centre of mass, world axes, m
}

// Kinematics holds one entry a body; it belongs to one goroutine at a time.
type Kinematics struct {
	Bodies []BodyKinematics
	I      []spatial.Sym3 // inertias about the centres of mass, world axes, kg m²; nil where they are not needed

	// Rough says that RowsTo is for errors of poses alone (ErrorsTo without rates): its searches for where curves touch end early, and the
	// next ones begin there.
	Rough bool

	touch []*contact.Result // of the contacts; made when they are first asked for
	rows  []rowAt           // one's own; made when they are first computed
	found []joints.Found    // of the joints with curves, by Joint.found; made when they are first computed
	gaps  []float64         // of curves that touch, m, in their order, at the last RowsTo
}

// NewKinematics returns storage for m.
func (m *Mechanism) NewKinematics() *Kinematics {
	return &Kinematics{Bodies: make([]BodyKinematics, len(m.Bodies)), I: make([]spatial.Sym3, len(m.Bodies))}
}

// KinematicsTo computes rotations, centre-of-mass arms and, unless k.I is nil,
// inertias at s.
//
// Shapes: k and s are of m. Cost: O(bodies), no allocation.
// It returns ErrNotFinite, with the body's name, if s is not finite or a
// rotation is no unit quaternion, and the errors of CheckTime and RowsTo. It panics on foreign k or s.
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

// specialRows are what RowsTo looks at.
type specialRows struct {
	lawful []int32 // couplings whose laws may end somewhere
	curves []int32 // joints with curves, and wheels on terrain
	found  int32   // number of those with curves
	gaps   []int32 // joints whose curves may part and on whose gap more than stops acts, whatever the inputs
	own    int     // number of rows of one's own, which are the last couplings
}

// BodyTo computes the entry of body i in KinematicsTo and reports whether its
// state is finite and its rotation a unit quaternion; if not, k is unspecified.
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

// BodyMotion is where a body is and how it moves, world axes.
type BodyMotion struct {
	E        spatial.Mat3 // columns are the body's axes
	Position spatial.Vec3 // of the body frame's origin, m
	Com      spatial.Vec3 // from there to the centre of mass, m
	Omega    spatial.Vec3 // rad/s
	Velocity spatial.Vec3 // of the centre of mass, m/s
}

// Point returns arm, m, from the centre of mass to a point of the body, given in its frame, and the velocity of
// the point, m/s; world axes.
func (b *BodyMotion) Point(p spatial.Vec3) (arm, velocity spatial.Vec3) {
	arm = b.E.MulVec(p).Sub(b.Com)
	return arm, b.Velocity.Add(b.Omega.Cross(arm))
}

// bodyMotion returns where a body is at s, whose kinematics are k.
func bodyMotion(k *Kinematics, s *State, b int32) BodyMotion {
	st, kb := &s.Bodies[b], &k.Bodies[b]
	return BodyMotion{E: kb.E, Position: st.Position, Com: kb.Com, Omega: st.Omega, Velocity: comVelocity(k, s, b)}
}

// comVelocity returns the velocity of the centre of mass of a body.
func comVelocity(k *Kinematics, s *State, b int32) spatial.Vec3 {
	return s.Bodies[b].Velocity.Add(s.Bodies[b].Omega.Cross(k.Bodies[b].Com))
}

// JointKinematics is the motion of one joint at one state.
type JointKinematics struct {
	joints.Frames
	ArmP, ArmS spatial.Vec3 // from the body frames' origins to the origins of P and S, world axes, m

	angles []float64 // of the joint in State.Angles; nil if there are none
}

// JointTo computes the relative motion of joint j, theory.md (4). The difference of two far
// points, body origins or points of the world, is taken first. The arms within bodies are added
// to it. So nothing depends on the distance from the world's origin.
//
// Cost: O(1), no allocation.
func (m *Mechanism) JointTo(out *JointKinematics, j int, k *Kinematics, s *State) {
	jt := &m.Joints[j]
	m.placesTo(out, jt, k, s)
	out.ratesTo(jt, s)
}

// placesTo is JointTo for what needs no velocities. Those of out are unspecified.
func (m *Mechanism) placesTo(out *JointKinematics, jt *Joint, k *Kinematics, s *State) {
	out.setAngles(jt, s.Angles)
	out.posesTo(jt, k, s)
	if i := int(jt.found); i > 0 && i <= len(k.found) {
		out.Found = &k.found[i-1]
	}
}

// EndsTo stores in a the bodies of joint j, and their arms to the origin of S, where its wrenches act. It leaves Unit
// as it is.
//
// Cost: O(1), no allocation; jk is the kinematics of the joint (JointTo), k those of the bodies.
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

// FreedomTo stores in a a freedom of a joint.
//
// Cost: O(1), no allocation; jk is the kinematics of the joint (JointTo), k those of the bodies.
func (m *Mechanism) FreedomTo(a *Along, f Freedom, jk *JointKinematics, k *Kinematics) {
	var unit [6]float64
	unit[f.Freedom] = 1
	m.Joints[f.Joint].WrenchTo(&a.Unit, &unit, &jk.Frames)
	m.EndsTo(a, f.Joint, jk, k)
}

// FramesTo is JointTo for a joint between bodies of m that need not be one of its own.
//
// Cost: O(1), no allocation.
func (m *Mechanism) FramesTo(out *JointKinematics, jt *Joint, k *Kinematics, s *State) {
	out.setAngles(jt, s.Angles)
	framesTo(out, jt, k, s)
}

// setAngles makes out read angles within half a turn of those of a state.
func (out *JointKinematics) setAngles(jt *Joint, angles []float64) {
	out.angles, out.Near, out.Found = nil, nil, nil
	if d := &jt.sprung; d.n > 0 && len(angles) > 0 {
		if out.angles = angles[d.first:][:d.n]; d.whole() {
			out.angles, out.Near = nil, out.angles
		}
	}
}

// framesTo is FramesTo without the angles of s.
func framesTo(out *JointKinematics, jt *Joint, k *Kinematics, s *State) {
	out.posesTo(jt, k, s)
	out.ratesTo(jt, s)
}

// posesTo stores the poses of framesTo: axes, arms and R.
func (out *JointKinematics) posesTo(jt *Joint, k *Kinematics, s *State) {
	farP, nearP := jt.P.placeTo(&out.EP, &out.ArmP, jt.Pred, k, s)
	farS, nearS := jt.S.placeTo(&out.ES, &out.ArmS, jt.Succ, k, s)
	for i := range 3 {
		out.R[i] = (farS[i] - farP[i]) + (nearS[i] - nearP[i])
	}
}

// placeTo stores the axes E of a frame on a body and its arm in the body. The origin is at far + near.
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

// nowhere is no arm.
var nowhere spatial.Vec3

// ratesTo stores the velocities of framesTo, where the poses are there.
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

// endRatesTo stores the velocity of the end of an arm of a body, and its angular velocity.
func endRatesTo(v, omega, arm *spatial.Vec3, body int32, s *State) {
	if body < 0 {
		*v, *omega = spatial.Vec3{}, spatial.Vec3{}
		return
	}
	// Number by number: a copy of the whole would wait for the numbers just stored.
	b := &s.Bodies[body]
	w, r := &b.Omega, arm
	omega[0], omega[1], omega[2] = w[0], w[1], w[2]
	v[0] = b.Velocity[0] + (w[1]*r[2] - w[2]*r[1])
	v[1] = b.Velocity[1] + (w[2]*r[0] - w[0]*r[2])
	v[2] = b.Velocity[2] + (w[0]*r[1] - w[1]*r[0])
}
