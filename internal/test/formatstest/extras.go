package formatstest

import "github.com/rung-mbd/rung/model"

// rigid takes out what else acts on the coordinates of j.
func rigid(j *model.Joint) { j.Armature, j.Springs, j.Dampers = nil, nil, nil }

// slip takes dry friction out of a model, which no truth has.
func slip(m *model.Model) {
	for k := range m.Joints {
		m.Joints[k].Friction = nil
	}
}
