package formatstest

import "github.com/rung-mbd/rung/model"

// rigid removes the armature, the springs and the dampers of a joint.
func rigid(j *model.Joint) { j.Armature, j.Springs, j.Dampers = nil, nil, nil }

// slip removes dry friction from a model, since no Truth includes it.
func slip(m *model.Model) {
	for k := range m.Joints {
		m.Joints[k].Friction = nil
	}
}
