package mechanism

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
)

// ErrFreedom is wrapped by the error of Prescribe for a freedom that cannot be
// prescribed.
var ErrFreedom = errors.New("mechanism: freedom cannot be prescribed")

// Freedom names one freedom of one joint, both by number.
type Freedom struct {
	Joint   int
	Freedom int
}

// Prescribe returns a copy of m in which the given freedoms are prescribed too,
// as constant: each adds a constraint row (joints.Spec.PrescribedRow).
//
// Cost: O(bodies + joints). It returns an error that wraps ErrFreedom, with the
// joint, for a freedom that has no scalar coordinate, that is prescribed already
// or that is given twice. It panics on a joint out of range.
func (m *Mechanism) Prescribe(freedoms []Freedom) (*Mechanism, error) {
	out := *m
	out.Joints = append([]Joint(nil), m.Joints...)
	for _, f := range freedoms {
		j := &out.Joints[f.Joint]
		if !j.Kind.Scalar(f.Freedom) {
			return nil, m.AtJoint(f.Joint, -1, fault.Errorf("%w: freedom %d of type %v has no scalar coordinate", ErrFreedom, f.Freedom, j.Kind))
		}
		var motion [6]*joints.Motion
		if j.Motion != nil {
			motion = *j.Motion
		}
		if motion[f.Freedom] != nil {
			why := "given twice"
			if m.Joints[f.Joint].Prescribed(f.Freedom) {
				why = "prescribed already"
			}
			return nil, m.AtJoint(f.Joint, -1, fault.Errorf("%w: freedom %d is %s", ErrFreedom, f.Freedom, why))
		}
		motion[f.Freedom] = &joints.Motion{Kind: joints.Polynomial}
		spec := j.Spec
		spec.Motion = &motion
		j.JointSpec = newJointSpec(spec)
	}
	out.setDriven()
	return &out, nil
}

// Moving returns the scalar freedoms whose rate at s is larger in magnitude than
// tol, rad/s or m/s.
//
// Cost: O(joints). k was computed at s.
func (m *Mechanism) Moving(k *Kinematics, s *State, tol float64) []Freedom {
	var list []Freedom
	var jk JointKinematics
	var q, qd [6]float64
	for j := range m.Joints {
		jt := &m.Joints[j]
		m.JointTo(&jk, j, k, s)
		jt.CoordinatesTo(&q, &qd, &jk)
		for i := range jt.Kind.Freedoms() {
			if jt.Kind.Scalar(i) && math.Abs(qd[i]) > tol {
				list = append(list, Freedom{j, i})
			}
		}
	}
	return list
}
