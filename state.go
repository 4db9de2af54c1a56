package rung

import (
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// SetState makes st the state of m: time, poses and velocities, and the turns of the angles that st carries
// (mechanism.Mechanism.TurnsTo). mech was made from m. An orientation of m stays as it is written if it equals the state's once it
// is normalized. m.Bodies and m.Joints are changed in place.
//
// Cost: O(bodies + angles), allocates. It panics if an argument is nil, st is of another mechanism, or m and mech differ in the
// number of bodies or joints.
func SetState(m *model.Model, mech *mechanism.Mechanism, st *mechanism.State) {
	if m == nil {
		panic("rung: no model")
	}
	if mech == nil {
		panic("rung: no mechanism")
	}
	if st == nil {
		panic("rung: no state")
	}
	if !mech.Owns(st) || len(m.Bodies) != mech.NumBodies() || len(m.Joints) != mech.NumJoints() {
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
	mech.TurnsTo(m, mech.NewKinematics(), st)
}
