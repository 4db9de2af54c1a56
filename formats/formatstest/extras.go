package formatstest

import "github.com/rung-mbd/rung/model"

// rigid takes out what else acts on the coordinates of j.
func rigid(j *model.Joint) { j.Armature = nil }
