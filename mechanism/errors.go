package mechanism

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// ErrorsTo stores the errors of the rows of joint j: at position level in delta, docs/theory.md (35)
// (joints.Spec.PositionErrorTo), and at velocity level, (5), in rate (joints.Spec.VelocityErrorTo). Both are in
// the order of the rows; entries beyond the rows are zero. One of delta and rate may be nil, and is then not computed. Without rate,
// the error of curves that touch is the gap that KinematicsTo has found.
//
// Units: m and rad; m/s and rad/s.
// Cost: O(1), no allocation; k was computed at s; less for spherical and revolute joints without
// prescribed freedoms. It returns the errors of joints.Spec.VelocityErrorTo; delta is then valid, and rate is zero. It panics
// if both delta and rate are nil.
func (m *Mechanism) ErrorsTo(delta, rate *[6]float64, j int, k *Kinematics, s *State) error {
	if delta == nil && rate == nil {
		panic("mechanism: no place for errors")
	}
	jt := &m.Joints[j]
	if rate == nil && jt.Kind == joints.CurveOnCurve && jt.Motion == nil {
		*delta = [6]float64{k.gaps[jt.found-1]}
		return nil
	}
	if jt.Kind.Plain() && jt.Kind != joints.Fixed && jt.Motion == nil {
		var none [6]float64
		if delta == nil {
			delta = &none
		} else if rate == nil {
			rate = &none
		}
		*delta, *rate = [6]float64{}, [6]float64{}
		jt.pinErrorsTo(delta, rate, k, s)
		return nil
	}
	var jk JointKinematics
	m.placesTo(&jk, jt, k, s)
	if delta != nil {
		jt.PositionErrorTo(delta, &jk.Frames, s.Time)
	}
	if rate == nil {
		return nil
	}
	jk.ratesTo(jt, s)
	return jt.VelocityErrorTo(rate, &jk.Frames, s.Time)
}

// pinErrorsTo is ErrorsTo of a spherical or a revolute joint without prescribed freedoms. The rows are unit
// forces along the axes of P and, for a revolute joint, unit moments about its x and y. So the errors are the
// components in P of R, of V, of the rotation vector from z of P to z of S, and of ω_S − ω_P,
// theory.md (4). It is written out for speed, as it runs for every joint at the end of every step.
func (jt *Joint) pinErrorsTo(delta, rate *[6]float64, k *Kinematics, s *State) {
	A := &jt.P.E
	// The origin of S is f + a, with a the arm in its body, and has the velocity v. Then the origin of P is subtracted.
	o := &jt.S.Origin
	f0, f1, f2 := o[0], o[1], o[2]
	var a0, a1, a2, v0, v1, v2, w0, w1, w2 float64
	if jt.Succ >= 0 {
		b, E := &s.Bodies[jt.Succ], &k.Bodies[jt.Succ].E
		a0, a1, a2 = E[0]*f0+E[1]*f1+E[2]*f2, E[3]*f0+E[4]*f1+E[5]*f2, E[6]*f0+E[7]*f1+E[8]*f2
		w0, w1, w2 = b.Omega[0], b.Omega[1], b.Omega[2]
		v0, v1, v2 = b.Velocity[0]+(w1*a2-w2*a1), b.Velocity[1]+(w2*a0-w0*a2), b.Velocity[2]+(w0*a1-w1*a0)
		f0, f1, f2 = b.Position[0], b.Position[1], b.Position[2]
	}
	o = &jt.P.Origin
	E := &level
	if jt.Pred < 0 {
		f0, f1, f2 = (f0-o[0])+a0, (f1-o[1])+a1, (f2-o[2])+a2
	} else {
		b := &s.Bodies[jt.Pred]
		E = &k.Bodies[jt.Pred].E
		p0, p1, p2 := E[0]*o[0]+E[1]*o[1]+E[2]*o[2], E[3]*o[0]+E[4]*o[1]+E[5]*o[2], E[6]*o[0]+E[7]*o[1]+E[8]*o[2]
		f0, f1, f2 = (f0-b.Position[0])+(a0-p0), (f1-b.Position[1])+(a1-p1), (f2-b.Position[2])+(a2-p2)
		// V = dR/dt − ω_P×R is v_S − v_P − ω_P×(r_P + R).
		p0, p1, p2 = p0+f0, p1+f1, p2+f2
		u0, u1, u2 := b.Omega[0], b.Omega[1], b.Omega[2]
		v0, v1, v2 = (v0-b.Velocity[0])-(u1*p2-u2*p1), (v1-b.Velocity[1])-(u2*p0-u0*p2), (v2-b.Velocity[2])-(u0*p1-u1*p0)
		w0, w1, w2 = w0-u0, w1-u1, w2-u2
	}
	x, y, z := E[0]*f0+E[3]*f1+E[6]*f2, E[1]*f0+E[4]*f1+E[7]*f2, E[2]*f0+E[5]*f1+E[8]*f2
	delta[0], delta[1], delta[2] = A[0]*x+A[3]*y+A[6]*z, A[1]*x+A[4]*y+A[7]*z, A[2]*x+A[5]*y+A[8]*z
	x, y, z = E[0]*v0+E[3]*v1+E[6]*v2, E[1]*v0+E[4]*v1+E[7]*v2, E[2]*v0+E[5]*v1+E[8]*v2
	rate[0], rate[1], rate[2] = A[0]*x+A[3]*y+A[6]*z, A[1]*x+A[4]*y+A[7]*z, A[2]*x+A[5]*y+A[8]*z
	if jt.Kind != joints.Revolute {
		return
	}
	x, y, z = E[0]*w0+E[3]*w1+E[6]*w2, E[1]*w0+E[4]*w1+E[7]*w2, E[2]*w0+E[5]*w1+E[8]*w2
	rate[3], rate[4] = A[0]*x+A[3]*y+A[6]*z, A[1]*x+A[4]*y+A[7]*z
	axis := spatial.Vec3{jt.S.E[2], jt.S.E[5], jt.S.E[8]}
	if jt.Succ >= 0 {
		k.Bodies[jt.Succ].E.MulVecTo(&axis, &axis)
	}
	E.TMulVecTo(&axis, &axis)
	A.TMulVecTo(&axis, &axis)
	delta[3], delta[4] = joints.AxisError(&axis)
}

// level are the axes of the world.
var level = spatial.Identity3()

// Residuals returns the largest violation of joint j over its rows at position
// (m, rad) and at velocity level (m/s, rad/s).
//
// Cost: O(1), no allocation; k was computed at s.
func (m *Mechanism) Residuals(j int, k *Kinematics, s *State) (position, velocity float64) {
	v := m.ViolationOf(j, k, s)
	return v.In(1)
}

// Violation has the largest errors of rows: of lengths and angles, and of their rates.
type Violation struct {
	Length, Angle float64 // m, rad
	Speed, Turn   float64 // m/s, rad/s
}

// In returns the larger of length and angle at position level and at velocity level. Lengths are measured in the given unit
// (m), angles in rad.
func (v *Violation) In(unit float64) (position, velocity float64) {
	return max(v.Length/unit, v.Angle), max(v.Speed/unit, v.Turn)
}

// Widen replaces each field of v by the larger of the fields of v and w.
func (v *Violation) Widen(w *Violation) {
	v.Length, v.Angle = max(v.Length, w.Length), max(v.Angle, w.Angle)
	v.Speed, v.Turn = max(v.Speed, w.Speed), max(v.Turn, w.Turn)
}

// Note widens v by the errors of a row, delta and its rate, of an angle or a length. A NaN remains in v.
func (v *Violation) Note(angle bool, delta, rate float64) {
	d, r := &v.Length, &v.Speed
	if angle {
		d, r = &v.Angle, &v.Turn
	}
	*d, *r = max(*d, math.Abs(delta)), max(*r, math.Abs(rate))
}

// ViolationOf returns the violation of joint j.
//
// Cost: O(1), no allocation; k was computed at s.
func (m *Mechanism) ViolationOf(j int, k *Kinematics, s *State) (v Violation) {
	jt := &m.Joints[j]
	if jt.Kind == joints.Free {
		return v
	}
	var delta, rate [6]float64
	err := m.ErrorsTo(&delta, &rate, j, k, s)
	for i := range int(jt.Rows) {
		v.Note(jt.Angles>>i&1 != 0, delta[i], rate[i])
	}
	if err != nil {
		var jk JointKinematics
		m.JointTo(&jk, j, k, s)
		v.Speed = jk.V.Norm() // without rows the whole velocity counts as violation
	}
	return v
}

// WorstJoint returns the joint with the largest violation of a row at s, and its residuals at position (m, rad) and
// velocity level (m/s, rad/s). j is −1 if no joint is violated.
//
// Cost: O(joints), no allocation; k was computed at s.
func (m *Mechanism) WorstJoint(k *Kinematics, s *State) (j int, position, velocity float64) {
	worst := algebra.NewPeak(0)
	for i := range m.Joints {
		p, v := m.Residuals(i, k, s)
		if worst.Take(max(p, v), i); worst.At == i {
			position, velocity = p, v
		}
	}
	return worst.At, position, velocity
}
