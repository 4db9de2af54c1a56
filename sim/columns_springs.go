package sim

import "github.com/rung-mbd/rung/mechanism"

var (
	springColumns  = [...]string{"length", "tension", "energy"}
	bushingColumns = [...]string{"force.x", "force.y", "force.z", "moment.x", "moment.y", "moment.z", "energy"}
)

// columnsOf returns the columns of a force element.
func (c *Columns) columnsOf(i int32) []string {
	if c.mech.Forces[i].IsBushing() {
		return bushingColumns[:]
	}
	return springColumns[:]
}

// elementWidth returns the number of columns of force elements.
func (c *Columns) elementWidth() (n int) {
	for _, i := range c.elements {
		n += len(c.columnsOf(i))
	}
	return n
}

// addElements adds the names of the columns of force elements.
func (c *Columns) addElements(names []string) []string {
	for _, i := range c.elements {
		for _, s := range c.columnsOf(i) {
			names = append(names, c.mech.ForceName(int(i))+"."+s)
		}
	}
	return names
}

// fillElements stores the columns of force elements: of a bushing the
// wrench on B about the origin of its frame, world axes.
func (c *Columns) fillElements(at []float64, st *mechanism.State) error {
	if len(c.elements) == 0 {
		return nil
	}
	if err := c.mech.KinematicsTo(c.kin, st); err != nil {
		return err
	}
	for _, i := range c.elements {
		if err := elementTo(at, c.mech, int(i), c.kin, st); err != nil {
			return err
		}
		at = at[len(c.columnsOf(i)):]
	}
	return nil
}

// elementTo stores the columns of a force element; k was computed at st.
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
