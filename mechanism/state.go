package mechanism

import (
	"errors"
	"fmt"
	"math"

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
}

// Clone returns a copy that shares nothing.
func (s *State) Clone() *State {
	return &State{Time: s.Time, Bodies: append([]BodyState(nil), s.Bodies...)}
}

// Initial returns a copy of the state written in the model.
func (m *Mechanism) Initial() *State { return m.initial.Clone() }

// BodyKinematics is what many computations need of one body at one state.
type BodyKinematics struct {
	E   spatial.Mat3 // columns are the body's axes in the world
	Com spatial.Vec3 // from the body frame's origin to the centre of mass, world axes, m
	I   spatial.Sym3 // about the centre of mass, world axes, kg m²
}

// Kinematics holds one entry a body; it belongs to one goroutine at a time.
type Kinematics struct {
	Bodies []BodyKinematics
}

// NewKinematics returns storage for m.
func (m *Mechanism) NewKinematics() *Kinematics {
	return &Kinematics{Bodies: make([]BodyKinematics, len(m.Bodies))}
}

// KinematicsTo computes rotations, centre-of-mass arms and inertias at s.
//
// Shapes: k and s are of m. Cost: O(bodies), no allocation.
// It returns ErrNotFinite, with the body's name, if s is not finite or a
// rotation is no unit quaternion. It panics on foreign k or s.
func (m *Mechanism) KinematicsTo(k *Kinematics, s *State) error {
	if len(k.Bodies) != len(m.Bodies) || len(s.Bodies) != len(m.Bodies) {
		panic("mechanism: foreign state")
	}
	for i := range s.Bodies {
		b, out := &s.Bodies[i], &k.Bodies[i]
		if !b.finite() {
			return fmt.Errorf("%w: body %q", ErrNotFinite, m.bodyNames[i])
		}
		b.Rotation.MatTo(&out.E)
		out.E.MulVecTo(&out.Com, &m.Bodies[i].Com)
		m.Bodies[i].WorldInertiaTo(&out.I, &out.E)
	}
	if !finite(s.Time) {
		return fmt.Errorf("%w: time", ErrNotFinite)
	}
	return nil
}

// finite reports whether all numbers are finite and the quaternion is unit to
// 1e-6.
func (b *BodyState) finite() bool {
	q := &b.Rotation
	n := q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]
	t := 0.0
	for i := range 3 {
		// Zero times a number is zero unless the number is not finite.
		t += 0*b.Position[i] + 0*b.Velocity[i] + 0*b.Omega[i]
	}
	return t == 0 && math.Abs(n-1) < 2e-6
}

func finite(x float64) bool { return x-x == 0 }

// JointKinematics is the motion of one joint at one state.
type JointKinematics struct {
	joints.Frames
	ArmP, ArmS spatial.Vec3 // from the body frames' origins to the origins of P and S, world axes, m
}

// JointTo computes the relative motion of joint j. Positions enter as the
// difference of two far points, body origins or points of the world, to which the
// arms within bodies are added, so that nothing depends on the distance from the
// world's origin.
//
// Cost: O(1), no allocation.
func (m *Mechanism) JointTo(out *JointKinematics, j int, k *Kinematics, s *State) {
	jt := &m.Joints[j]
	var farP, farS, nearP, nearS, vp, vs spatial.Vec3
	if jt.Pred >= 0 {
		b := &s.Bodies[jt.Pred]
		E := &k.Bodies[jt.Pred].E
		E.MulTo(&out.EP, &jt.P.E)
		E.MulVecTo(&out.ArmP, &jt.P.Origin)
		out.OmegaP = b.Omega
		farP, nearP, vp = b.Position, out.ArmP, b.Velocity.Add(b.Omega.Cross(out.ArmP))
	} else {
		out.EP, out.ArmP, out.OmegaP = jt.P.E, jt.P.Origin, spatial.Vec3{}
		farP = out.ArmP
	}
	if jt.Succ >= 0 {
		b := &s.Bodies[jt.Succ]
		E := &k.Bodies[jt.Succ].E
		E.MulTo(&out.ES, &jt.S.E)
		E.MulVecTo(&out.ArmS, &jt.S.Origin)
		out.OmegaS = b.Omega
		farS, nearS, vs = b.Position, out.ArmS, b.Velocity.Add(b.Omega.Cross(out.ArmS))
	} else {
		out.ES, out.ArmS, out.OmegaS = jt.S.E, jt.S.Origin, spatial.Vec3{}
		farS = out.ArmS
	}
	out.R = farS.Sub(farP).Add(nearS.Sub(nearP))
	out.V = vs.Sub(vp).Sub(out.OmegaP.Cross(out.R))
}
