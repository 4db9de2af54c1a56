package sim

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

var (
	bodyColumns    = [...]string{"px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"}
	runColumns     = [...]string{"energy.kinetic", "energy.potential", "drift.position", "drift.velocity"}
	contactColumns = [...]string{"depth", "px", "py", "pz", "nx", "ny", "nz", "normal", "fx", "fy", "slip", "slip_angle"}
	wrenchColumns  = [...]string{"force.x", "force.y", "force.z", "moment.x", "moment.y", "moment.z"}
)

// bodyTo stores in at the bodyColumns of b.
func bodyTo(at []float64, b *mechanism.BodyState) {
	copy(at[0:3], b.Position[:])
	copy(at[3:7], b.Rotation[:])
	copy(at[7:10], b.Velocity[:])
	copy(at[10:13], b.Omega[:])
}

// runTo stores in at the runColumns of r.
func runTo(at []float64, r *Row) {
	at[0], at[1], at[2], at[3] = r.Energy.Kinetic, r.Energy.Potential(), r.Drift.Position, r.Drift.Velocity
}

// wrenchTo stores in at the wrenchColumns of w, force before moment.
func wrenchTo(at []float64, w *spatial.Force) {
	force, moment := w.Linear(), w.Moment()
	copy(at[0:3], force[:])
	copy(at[3:6], moment[:])
}

// contactTo stores in at the contactColumns of contact i at st; k has the kinematics of its body.
func contactTo(at []float64, m *mechanism.Mechanism, i int, k *mechanism.Kinematics, st *mechanism.State) error {
	r, err := m.ContactAt(i, k, st)
	if err != nil {
		return err
	}
	clear(at[:len(contactColumns)])
	at[0] = r.Depth
	copy(at[1:], r.Nearest.P[:])
	copy(at[4:], r.Nearest.N[:])
	for k := range r.Touches {
		f := &r.Touches[k].Force
		at[7] += f.N
		at[8] += f.X
		at[9] += f.Y
		if r.Touches[k].Depth == r.Depth {
			at[10], at[11] = f.Slip, f.SlipAngle
		}
	}
	return nil
}

// resistanceOf returns the generalized force of resistor i, stops or friction, at st; k has the kinematics of the bodies of its joint.
func resistanceOf(m *mechanism.Mechanism, i int, k *mechanism.Kinematics, st *mechanism.State) float64 {
	var jk mechanism.JointKinematics
	m.JointTo(&jk, jointOf(m, i), k, st)
	return m.ResistanceAt(i, &jk, st).Force
}

func jointOf(m *mechanism.Mechanism, resistor int) int {
	f, _ := m.Resistor(resistor)
	return f.Joint
}

var (
	springColumns  = [...]string{"length", "tension", "energy"}
	bushingColumns = [...]string{"force.x", "force.y", "force.z", "moment.x", "moment.y", "moment.z", "energy"}
)

// elementTo stores in at the bushingColumns or springColumns of force element i; k was computed at st.
func elementTo(at []float64, m *mechanism.Mechanism, i int, k *mechanism.Kinematics, st *mechanism.State) error {
	e, _, err := m.ElementAt(i, k, st)
	if err != nil {
		return err
	}
	if m.Forces[i].IsBushing() {
		copy(at[0:3], e.Force[:])
		copy(at[3:6], e.Torque[:])
		at[6] = e.Energy
	} else {
		at[0], at[1], at[2] = e.Length, e.Tension, e.Energy
	}
	return nil
}

var (
	bodyUnits         = [...]string{"m", "m", "m", "", "", "", "", "m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s"}
	runUnits          = [...]string{"J", "J", "m or rad", "m/s or rad/s"}
	contactUnits      = [...]string{"m", "m", "m", "m", "", "", "", "N", "N", "N", "", "rad"}
	wrenchUnits       = [...]string{"N", "N", "N", "N m", "N m", "N m"}
	springUnits       = [...]string{"m", "N", "J"}
	bushingUnits      = [...]string{"N", "N", "N", "N m", "N m", "N m", "J"}
	accelerationNames = [...]string{"accx", "accy", "accz", "alphax", "alphay", "alphaz"}
	accelerationUnits = [...]string{"m/s²", "m/s²", "m/s²", "rad/s²", "rad/s²", "rad/s²"}
	markerColumns     = [...]string{"px", "py", "pz", "vx", "vy", "vz"}
	markerUnits       = [...]string{"m", "m", "m", "m/s", "m/s", "m/s"}
)
