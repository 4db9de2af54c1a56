package sim

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Wrenches computes what joints transmit.
type Wrenches interface {
	// ConstraintWrenches stores in dst, for each of the joints, the wrench T·λ on the
	// successor about the origin of its frame S, world axes, at st.
	//
	// Shapes: dst has one entry a joint of the list.
	ConstraintWrenches(dst []spatial.Force, st *mechanism.State, joints []int) error
}

// Multipliers computes what couplings transmit.
type Multipliers interface {
	// CouplingMultipliers stores in dst, for each of the couplings, its multiplier λ at st, in the unit of its terms.
	//
	// Shapes: dst has one entry a coupling of the list.
	CouplingMultipliers(dst []float64, st *mechanism.State, couplings []int) error
}

// Columns are the columns of a trajectory (docs/cli.md): the time, pose and
// velocity of the frames of chosen bodies as in rung-model/1, kinetic and potential
// energy, drift, where they are wanted, constraint wrenches of chosen joints, multipliers of chosen couplings, and the forces of actuators.
// Or they are those of contacts (NewContactColumns). They belong to one Recorder.
type Columns struct {
	Values []float64 // of the row last filled in

	mech   *mechanism.Mechanism
	bodies []int

	joints []int
	source Wrenches
	wrench []spatial.Force

	couplings   []int
	multipliers Multipliers

	contacts bool // the columns of contacts instead of those of bodies
	kin      *mechanism.Kinematics
}

var (
	bodyColumns    = [...]string{"px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"}
	runColumns     = [...]string{"energy.kinetic", "energy.potential", "drift.position", "drift.velocity"}
	contactColumns = [...]string{"depth", "px", "py", "pz", "nx", "ny", "nz", "normal", "fx", "fy", "slip", "slip_angle"}
	wrenchColumns  = [...]string{"force.x", "force.y", "force.z", "moment.x", "moment.y", "moment.z"}
)

// NewColumns returns the columns for the bodies, for all if bodies is nil.
//
// It panics if a body is out of range or given twice.
func NewColumns(m *mechanism.Mechanism, bodies []int) *Columns {
	if bodies == nil {
		for i := range m.NumBodies() {
			bodies = append(bodies, i)
		}
	}
	mustBeDistinct(bodies, m.NumBodies(), "sim: body out of range", "sim: body given twice")
	c := &Columns{mech: m, bodies: bodies, kin: newColumnKinematics(m)}
	c.Values = make([]float64, c.Len())
	return c
}

// NewContactColumns returns the time and, of each contact, the depth, m, where it touches and the normal there (of the deepest point), the normal force and the
// forces along its axes x and y, N, the slip and the slip angle, rad; then the forces of actuators. Depths are negative in the air.
func NewContactColumns(m *mechanism.Mechanism) *Columns {
	c := &Columns{mech: m, contacts: true, kin: newColumnKinematics(m)}
	c.Values = make([]float64, c.Len())
	return c
}

func newColumnKinematics(m *mechanism.Mechanism) *mechanism.Kinematics {
	if m.NumActuators()+m.NumContacts() == 0 {
		return nil
	}
	return &mechanism.Kinematics{Bodies: make([]mechanism.BodyKinematics, m.NumBodies())}
}

// AddWrenches appends the columns of the constraint wrenches of the joints, force
// then moment (Wrenches). Each row then asks the source.
//
// It panics if a joint is out of range or given twice.
func (c *Columns) AddWrenches(source Wrenches, joints []int) {
	mustBeDistinct(joints, c.mech.NumJoints(), "sim: joint out of range", "sim: joint given twice")
	c.source, c.joints, c.wrench = source, joints, make([]spatial.Force, len(joints))
	c.Values = make([]float64, c.Len())
}

// AddMultipliers appends, after the wrenches, the columns of the multipliers of the couplings (Multipliers). Each row then asks the source.
//
// It panics if a coupling is out of range or given twice.
func (c *Columns) AddMultipliers(source Multipliers, couplings []int) {
	mustBeDistinct(couplings, c.mech.NumCouplings(), "sim: coupling out of range", "sim: coupling given twice")
	c.multipliers, c.couplings = source, couplings
	c.Values = make([]float64, c.Len())
}

func mustBeDistinct(list []int, n int, outside, twice string) {
	seen := make([]bool, n)
	for _, i := range list {
		if i < 0 || i >= n {
			panic(outside)
		}
		if seen[i] {
			panic(twice)
		}
		seen[i] = true
	}
}

// Model returns the name of the mechanism.
func (c *Columns) Model() string { return c.mech.Name }

// Len returns the number of columns.
func (c *Columns) Len() int {
	if c.contacts {
		return 1 + len(contactColumns)*c.mech.NumContacts() + c.mech.NumActuators()
	}
	return 1 + len(bodyColumns)*len(c.bodies) + len(runColumns) + len(wrenchColumns)*len(c.joints) + len(c.couplings) + c.mech.NumActuators()
}

// Names returns the names of the columns. They differ from each other.
func (c *Columns) Names() []string {
	names := append(make([]string, 0, c.Len()), "time")
	if c.contacts {
		for i := range c.mech.NumContacts() {
			_, _, element := c.mech.Contact(i)
			for _, s := range contactColumns {
				names = append(names, c.mech.ForceName(element)+"."+s)
			}
		}
		return c.addTorques(names)
	}
	for _, b := range c.bodies {
		for _, s := range bodyColumns {
			names = append(names, c.mech.BodyName(b)+"."+s)
		}
	}
	names = append(names, runColumns[:]...)
	for _, j := range c.joints {
		for _, s := range wrenchColumns {
			names = append(names, c.mech.JointName(j)+"."+s)
		}
	}
	for _, i := range c.couplings {
		names = append(names, c.mech.CouplingName(i)+".multiplier")
	}
	return c.addTorques(names)
}

// addTorques adds the names of the columns of actuators.
func (c *Columns) addTorques(names []string) []string {
	for i := range c.mech.NumActuators() {
		_, element := c.mech.Actuator(i)
		names = append(names, c.mech.ForceName(element)+".torque")
	}
	return names
}

// Fill stores the values of a row in c.Values.
//
// Cost: O(Len), no allocation, and what Wrenches takes, whose errors it returns.
func (c *Columns) Fill(r *Row) error {
	c.Values[0] = r.State.Time
	at := c.Values[1:]
	if c.contacts {
		if err := c.fillContacts(at, r.State); err != nil {
			return err
		}
		c.fillTorques(r.State)
		return nil
	}
	c.fillTorques(r.State)
	for _, i := range c.bodies {
		b := &r.State.Bodies[i]
		copy(at[0:3], b.Position[:])
		copy(at[3:7], b.Rotation[:])
		copy(at[7:10], b.Velocity[:])
		copy(at[10:13], b.Omega[:])
		at = at[len(bodyColumns):]
	}
	at[0], at[1], at[2], at[3] = r.Energy.Kinetic, r.Energy.Potential(), r.Drift.Position, r.Drift.Velocity
	at = at[len(runColumns):]
	if len(c.joints) > 0 {
		if err := c.source.ConstraintWrenches(c.wrench, r.State, c.joints); err != nil {
			return err
		}
	}
	for i := range c.wrench {
		force, moment := c.wrench[i].Linear(), c.wrench[i].Moment()
		copy(at[0:3], force[:])
		copy(at[3:6], moment[:])
		at = at[len(wrenchColumns):]
	}
	if len(c.couplings) > 0 {
		return c.multipliers.CouplingMultipliers(at[:len(c.couplings)], r.State, c.couplings)
	}
	return nil
}

// fillTorques stores the forces of the actuators in the last columns.
func (c *Columns) fillTorques(st *mechanism.State) {
	n := c.mech.NumActuators()
	at := c.Values[len(c.Values)-n:]
	for i := range n {
		at[i] = c.mech.ActuatorForce(i, c.kin, st)
	}
}

// fillContacts stores the columns of the contacts.
func (c *Columns) fillContacts(at []float64, st *mechanism.State) error {
	for i := range c.mech.NumContacts() {
		_, body, _ := c.mech.Contact(i)
		if !c.mech.BodyTo(&c.kin.Bodies[body], st, body) {
			return c.mech.NotFinite(body)
		}
		r, err := c.mech.ContactAt(i, c.kin, st)
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
		at = at[len(contactColumns):]
	}
	return nil
}
