package mechanism

import "github.com/rung-mbd/rung/spatial"

// Advance stores in dst the poses of st after the velocities v for a time h: centres of mass move
// along lines, and bodies turn about fixed axes. A body at rest keeps its bits.
//
// Shapes: dst and st are of m; v has six numbers a body, the angular velocity and the velocity of
// the centre of mass, in world axes (rad/s, m/s).
// Cost: O(bodies), no allocation.
func (m *Mechanism) Advance(dst, st *State, v []float64, h float64) {
	for i := range st.Bodies {
		from, to := &st.Bodies[i], &dst.Bodies[i]
		*to = *from
		u := (*[6]float64)(v[6*i:])
		if *u == ([6]float64{}) {
			continue
		}
		com := from.Rotation.Rotate(m.Bodies[i].Com)
		turn := spatial.Vec3(u[:3]).Scale(h)
		spatial.TurnTo(&to.Rotation, &turn, &from.Rotation)
		step := spatial.Vec3(u[3:]).Scale(h)
		to.Position = from.Position.Add(step.Add(com).Sub(to.Rotation.Rotate(m.Bodies[i].Com)))
	}
}
