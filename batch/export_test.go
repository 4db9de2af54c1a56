package batch

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// Everything names all that may vary of a mechanism.
func Everything(m *mechanism.Mechanism) (v Vary) {
	for i := range m.Bodies {
		if _, n := m.Bodies[i].Null(); n == 0 {
			v.Bodies = append(v.Bodies, i)
		}
	}
	for j := range m.Joints {
		v.Joints = append(v.Joints, j)
		for i := range m.Joints[j].Kind.Freedoms() {
			f := mechanism.Freedom{Joint: j, Freedom: i}
			if m.Joints[j].Geared(i) {
				v.Armature = append(v.Armature, f)
			}
			if m.Sprung(j, i) {
				v.Drives = append(v.Drives, f)
			}
		}
	}
	for i := range m.Forces {
		if m.Forces[i].Kind == model.SpringDamper {
			v.Springs = append(v.Springs, i)
		}
	}
	return v
}

// Held reports whether Rollout knows that state i holds its joints.
func (s *States) Held(i int) bool { return s.held[i] }
