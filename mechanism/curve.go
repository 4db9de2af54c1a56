package mechanism

import (
	"errors"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// ErrCurve is wrapped by the error that names a joint whose point is beyond an end of its curve, with the parameter and the ends.
var ErrCurve = errors.New("mechanism: the point is past the end of its curve")

// checkCurves finds the feet and contacts of joints with curves or terrain at s, and stores them in k. It returns the error of the
// first joint that is beyond an end of its curve, or whose curves or wheel do not touch.
func (m *Mechanism) checkCurves(k *Kinematics, s *State) error {
	var jk JointKinematics
	var at joints.Touch
	var q [6]float64
	if len(k.found) != int(m.special.found) {
		k.found = make([]joints.Found, m.special.found)
	}
	if len(k.gaps) != len(k.found) {
		k.gaps = make([]float64, len(k.found))
	}
	for _, j := range m.special.curves {
		jt := &m.Joints[j]
		m.placesTo(&jk, jt, k, s)
		if jk.Found != nil {
			jt.FindTo(jk.Found, &at, &jk.Frames, k.Rough)
		}
		switch {
		case jt.Ground != nil:
			if err := m.checkStand(int(j), &jk); err != nil {
				return err
			}
			continue
		case jt.SuccessorCurve != nil:
			k.gaps[jt.found-1] = at.Gap
			if err := m.checkTouch(int(j), &at); err != nil {
				return err
			}
			continue
		}
		jt.NearTo(&q, &jk.Frames)
		if jt.Curve.Outside(q[0]) {
			from, to := jt.Curve.Span()
			return m.AtJoint(int(j), -1, fault.Errorf("%w: u = %v is not from %v to %v", ErrCurve, q[0], from, to))
		}
	}
	return nil
}

// ShareSearches makes all kinematics of the list, which belong to one goroutine at a time, share the results of searches on curves and
// terrain: a pose that one of them has searched is not searched again by another. Bits do not depend on it.
//
// Cost: O(joints with curves), which it allocates.
func (m *Mechanism) ShareSearches(list ...*Kinematics) {
	found := make([]joints.Found, m.special.found)
	for _, k := range list {
		k.found = found
	}
}

// ErrTouch is wrapped by the error that names a joint whose curves do not touch, with the parameters: beyond an end of a curve, or where
// a radius of curvature is too small for the other curve.
var ErrTouch = errors.New("mechanism: the curves do not touch")

// checkTouch returns an error that wraps ErrTouch if the contact at, of the two curves of joint j, is beyond an end of a curve or
// does not hold. Beyond an end is allowed where the curves are apart.
func (m *Mechanism) checkTouch(j int, at *joints.Touch) error {
	jt := &m.Joints[j]
	apart := jt.Kind.Freedoms() > 0 && m.apart(j, at.Gap)
	for i, c := range [2]*curves.Curve{jt.Curve, jt.SuccessorCurve} {
		if apart {
			break // no force acts on the gap, so the ends of the curves do not matter
		}
		if u := [2]float64{at.U, at.W}[i]; c.Outside(u) {
			from, to := c.Span()
			return m.AtJoint(j, -1, fault.Errorf("%w: on the curve of the %s u = %v is not from %v to %v", ErrTouch, sides[i], u, from, to))
		}
	}
	if !at.Holds {
		return m.AtJoint(j, -1, fault.Errorf("%w: at u = %v with the radius of curvature %.4g m and at %v with %.4g m: "+
			"a radius is too small for the other curve, or there is no common tangent",
			ErrTouch, at.U, math.Abs(1/at.Curvatures[0]), at.W, math.Abs(1/at.Curvatures[1])))
	}
	return nil
}

// apart reports whether no force acts on the gap of joint j, whose curves may separate: no stop touches at the gap (m), and no drive,
// motion, coupling, actuator or friction depends on it.
func (m *Mechanism) apart(j int, gap float64) bool {
	if _, used := slices.BinarySearch(m.special.gaps, int32(j)); used || m.Joints[j].Prescribed(0) || m.Drive(j).Acts() {
		return false
	}
	l, ok := m.limits[Freedom{j, 0}]
	return !ok || l.Stop == (model.Stop{}) || gap >= l.Lower && gap <= l.Upper
}

// sides names the bodies of the two curves of a joint, in their order.
var sides = [2]string{"predecessor", "successor"}

// Touch returns where the curves of joint j, a curve_on_curve joint, touch at s.
//
// Cost: a search, no allocation; k was computed at s. It panics if j is another joint.
func (m *Mechanism) Touch(j int, k *Kinematics, s *State) (at joints.Touch) {
	jt := &m.Joints[j]
	if jt.SuccessorCurve == nil {
		panic("mechanism: not a joint of two curves")
	}
	var jk JointKinematics
	m.JointTo(&jk, j, k, s)
	jt.TouchTo(&at, &jk.Frames)
	return at
}

// CurvePlace returns the foot on the curve of joint j, a point_on_curve joint, at s: its parameter, and its position in the frame P, m.
//
// Cost: a search, no allocation; k was computed at s. It panics if j is another joint.
func (m *Mechanism) CurvePlace(j int, k *Kinematics, s *State) (u float64, at spatial.Vec3) {
	jt := &m.Joints[j]
	if jt.Kind.Type() != joints.PointOnCurve {
		panic("mechanism: not a point on a curve")
	}
	var jk JointKinematics
	var q [6]float64
	m.JointTo(&jk, j, k, s)
	jt.NearTo(&q, &jk.Frames)
	return q[0], jt.Curve.At(q[0]).C
}
