package model

import (
	"fmt"

	"github.com/rung-mbd/rung/joints"
)

// JointType is the type of a joint, as in package joints, whose table lists the freedoms of each type.
type JointType = joints.Kind

// The joint types of rung-model/1.
const (
	Fixed            = joints.Fixed
	Revolute         = joints.Revolute
	Prismatic        = joints.Prismatic
	Helical          = joints.Helical
	Cylindrical      = joints.Cylindrical
	Universal        = joints.Universal
	Planar           = joints.Planar
	Spherical        = joints.Spherical
	SphereInCylinder = joints.SphereInCylinder
	PointOnPlane     = joints.PointOnPlane
	Distance         = joints.Distance
	Free             = joints.Free
	Rolling          = joints.Rolling
	NoSlip           = joints.NoSlip
	PointOnCurve     = joints.PointOnCurve
	CurveOnCurve     = joints.CurveOnCurve
	Composite        = joints.Composite
)

// Axis is one elementary motion of a composite joint, as in package joints.
type Axis = joints.Axis

// Kind returns the type of j with its freedoms, which depend on further fields: for composite on Axes, for rolling on Slip, for
// point_on_curve on Curve.Planar and for curve_on_curve on LiftsOff. If Slip is not valid, it returns Type.
func (j *Joint) Kind() joints.Kind {
	switch {
	case j.Type == Composite:
		return joints.CompositeKind(j.Axes)
	case j.Type == Rolling && j.Slip.Valid():
		return joints.RollingKind(j.Slip)
	case j.Type == PointOnCurve && j.Curve != nil:
		return joints.PointOnCurveKind(j.Curve.Planar)
	case j.Type == CurveOnCurve:
		return joints.CurveOnCurveKind(j.LiftsOff)
	}
	return j.Type
}

// Slip has the directions in which the wheel of a rolling joint may slip, as in package joints.
type Slip = joints.Slip

// Motion prescribes one freedom as a function of time, as in package joints.
type Motion = joints.Motion

// MotionKind is the kind of function of a Motion.
type MotionKind = joints.MotionKind

// The kinds of motion of rung-model/1.
const (
	Harmonic   = joints.Harmonic
	Polynomial = joints.Polynomial
	Spline     = joints.Spline
	Table      = joints.Table
)

var forceNames = [...]string{SpringDamper: "spring_damper", Wrench: "wrench", ContactForce: "contact", ActuatorForce: "actuator", BushingForce: "bushing", CableForce: "cable"}

// valid reports whether t is a force element of the format.
func (t ForceType) valid() bool { return int(t) < len(forceNames) }

// String returns the format's name of t.
func (t ForceType) String() string {
	if !t.valid() {
		return fmt.Sprintf("ForceType(%d)", uint8(t))
	}
	return forceNames[t]
}
