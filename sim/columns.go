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

// Columns are the columns of a trajectory (docs/cli.md): the time, pose and
// velocity of the frames of chosen bodies as in rung-model/1, kinetic and potential
// energy, drift, and, where they are wanted, constraint wrenches of chosen joints.
// They belong to one Recorder.
type Columns struct {
	Values []float64 // of the row last filled in

	mech   *mechanism.Mechanism
	bodies []int

	joints []int
	source Wrenches
	wrench []spatial.Force
}

var (
	bodyColumns   = [...]string{"px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"}
	runColumns    = [...]string{"energy.kinetic", "energy.potential", "drift.position", "drift.velocity"}
	wrenchColumns = [...]string{"force.x", "force.y", "force.z", "moment.x", "moment.y", "moment.z"}
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
	c := &Columns{mech: m, bodies: bodies}
	c.Values = make([]float64, c.Len())
	return c
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
	return 1 + len(bodyColumns)*len(c.bodies) + len(runColumns) + len(wrenchColumns)*len(c.joints)
}

// Names returns the names of the columns. They differ from each other.
func (c *Columns) Names() []string {
	names := append(make([]string, 0, c.Len()), "time")
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
	return names
}

// Fill stores the values of a row in c.Values.
//
// Cost: O(Len), no allocation, and what Wrenches takes, whose errors it returns.
func (c *Columns) Fill(r *Row) error {
	c.Values[0] = r.State.Time
	at := c.Values[1:]
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
	if len(c.joints) == 0 {
		return nil
	}
	if err := c.source.ConstraintWrenches(c.wrench, r.State, c.joints); err != nil {
		return err
	}
	for i := range c.wrench {
		force, moment := c.wrench[i].Linear(), c.wrench[i].Moment()
		copy(at[0:3], force[:])
		copy(at[3:6], moment[:])
		at = at[len(wrenchColumns):]
	}
	return nil
}
