package mechanism

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
)

// ErrFreedom is wrapped by the error of Prescribe for a freedom that cannot be
// prescribed.
var ErrFreedom = errors.New("mechanism: freedom cannot be prescribed")

// ErrReleased is wrapped by the error of Release for a freedom that is not prescribed.
var ErrReleased = errors.New("mechanism: only prescribed freedoms can be released")

// Limit returns the bounds that the model has for f, or model.NoLimit if it has none.
//
// Cost: O(1), no allocation.
func (m *Mechanism) Limit(f Freedom) model.Limit {
	if l, ok := m.limits[f]; ok {
		return l
	}
	return model.NoLimit()
}

// Prescribe returns a copy of m in which the given freedoms are also prescribed,
// with the constant coordinate 0: each adds a constraint row (joints.Spec.PrescribedRow).
//
// Cost: O(bodies + joints). It returns an error that names the joint and wraps
// ErrFreedom for a freedom that has no scalar coordinate, is prescribed already
// or is given twice. It panics if a joint is out of range.
func (m *Mechanism) Prescribe(freedoms []Freedom) (*Mechanism, error) {
	out := *m
	out.Joints = append([]Joint(nil), m.Joints...)
	for _, f := range freedoms {
		m.mustJoint(f.Joint)
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

// Release returns a copy of m in which the given prescribed freedoms are free:
// the inverse of Prescribe. Inverse dynamics of
// the copy with these freedoms as actuators finds the forces of the motions.
//
// Cost: O(bodies + joints). It returns an error that names the joint and wraps ErrReleased for a freedom that is not
// prescribed or is given twice. It panics if a joint is out of range.
func (m *Mechanism) Release(freedoms []Freedom) (*Mechanism, error) {
	out := *m
	out.Joints = append([]Joint(nil), m.Joints...)
	for _, f := range freedoms {
		m.mustJoint(f.Joint)
		j := &out.Joints[f.Joint]
		if f.Freedom < 0 || f.Freedom >= 6 || !j.Prescribed(f.Freedom) {
			return nil, m.AtJoint(f.Joint, -1, fault.Errorf("%w: freedom %d is not", ErrReleased, f.Freedom))
		}
		motion := *j.Motion
		motion[f.Freedom] = nil
		spec := j.Spec
		if spec.Motion = &motion; motion == ([6]*joints.Motion{}) {
			spec.Motion = nil
		}
		j.JointSpec = newJointSpec(spec)
	}
	out.setDriven()
	return &out, nil
}

// Prescribed returns the freedoms with motions, in the order of the joints.
//
// Cost: O(joints); allocates.
func (m *Mechanism) Prescribed() []Freedom {
	var list []Freedom
	for _, j := range m.driven {
		for i := range m.Joints[j].Kind.Freedoms() {
			if m.Joints[j].Prescribed(i) {
				list = append(list, Freedom{int(j), i})
			}
		}
	}
	return list
}

// Moving returns the scalar freedoms whose rate at s has a magnitude above
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
