package rung

import (
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// SetState writes time, poses and velocities of st to m, of which st's mechanism
// was made, so that model.Write writes it with that state. Orientations that are
// those of m but for the normalization stay as they are written. Turns of angles with
// springs are those of mechanism.Mechanism.TurnsTo.
//
// It panics if the numbers of bodies differ.
func SetState(m *model.Model, st *mechanism.State) {
	if m == nil {
		panic("rung: no model")
	}
	if st == nil {
		panic("rung: no state")
	}
	if len(m.Bodies) != len(st.Bodies) {
		panic("rung" + fault.ForeignState)
	}
	m.Time = st.Time
	for i := range st.Bodies {
		from, to := &st.Bodies[i], &m.Bodies[i]
		to.Pose.Position = from.Position
		was := spatial.Quat(to.Pose.Orientation)
		if was == (spatial.Quat{}) {
			was = spatial.IdentityQuat()
		}
		if was.Normalize() != from.Rotation {
			to.Pose.Orientation = from.Rotation
		}
		to.Velocity = model.Velocity{Linear: from.Velocity, Angular: from.Omega}
	}
}
