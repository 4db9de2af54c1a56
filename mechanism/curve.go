package mechanism

import (
	"errors"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// ErrCurve is wrapped, with the name of the joint, the parameter and the ends, where a point is past the end of its curve.
var ErrCurve = errors.New("mechanism: the point is past the end of its curve")

// checkCurves is the part of RowsTo for curves.
func (m *Mechanism) checkCurves(k *Kinematics, s *State) error {
	var jk JointKinematics
	var q [6]float64
	for _, j := range m.special.curves {
		jt := &m.Joints[j]
		m.JointTo(&jk, int(j), k, s)
		jt.NearTo(&q, &jk.Frames)
		if jt.Curve.Outside(q[0]) {
			from, to := jt.Curve.Span()
			return m.AtJoint(int(j), -1, fault.Errorf("%w: u = %v is not from %v to %v", ErrCurve, q[0], from, to))
		}
	}
	return nil
}

// CurvePlace returns where the point of joint j, a point_on_curve joint, is on its curve at s: the parameter, and the point of the curve,
// m, in the
// axes of P from its origin.
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
