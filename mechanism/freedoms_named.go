package mechanism

import (
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
)

// FreedomsNamed returns the freedoms that a text names: JOINT for all scalar freedoms of the joint, or JOINT.I for freedom I. A text
// that is the whole name of a joint means that joint, so that names may have points.
//
// It returns an error that says which joint or freedom does not exist, with similar names. Cost: O(1) on average.
func (m *Mechanism) FreedomsNamed(text string) ([]Freedom, error) {
	if j, err := m.JointIndex(text); err == nil {
		return m.scalarFreedoms(j)
	}
	i := strings.LastIndexByte(text, '.')
	if i < 0 {
		_, err := m.JointIndex(text)
		return nil, err
	}
	name := text[:i]
	j, err := m.JointIndex(name)
	if err != nil {
		return nil, fault.Errorf("mechanism: no joint %s and no joint %s%s", fault.Name(text), fault.Name(name),
			fault.MeantOf(name, m.NumJoints(), m.JointName))
	}
	k, err := strconv.Atoi(text[i+1:])
	if err != nil || k < 0 || k >= m.Joints[j].Kind.Freedoms() {
		return nil, fault.Errorf("mechanism: joint %s (%v) has no freedom %s", fault.Name(name), m.Joints[j].Kind, fault.Name(text[i+1:]))
	}
	return []Freedom{{Joint: j, Freedom: k}}, nil
}

// scalarFreedoms returns the freedoms of joint j that have a scalar coordinate, and an error if there is none.
func (m *Mechanism) scalarFreedoms(j int) (list []Freedom, err error) {
	kind := m.Joints[j].Kind
	for i := range kind.Freedoms() {
		if kind.Scalar(i) {
			list = append(list, Freedom{Joint: j, Freedom: i})
		}
	}
	if list == nil {
		return nil, fault.Errorf("mechanism: joint %s has no scalar freedom", fault.Name(m.JointName(j)))
	}
	return list, nil
}
