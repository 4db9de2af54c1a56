package sim

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Columns are the columns of a trajectory (docs/cli.md). There are three kinds. The usual columns (NewColumns) are the time; pose and
// velocity of the frames of chosen bodies, as in rung-model/1; energies and drift; constraint wrenches of
// chosen joints and multipliers of chosen couplings; and the forces of bushings, cables, springs with laws, actuators,
// stops and friction. There are also columns of contacts (NewContactColumns), and columns selected from a Catalogue
// (Catalogue.Select). Columns belong to one Recorder.
type Columns struct {
	Values []float64 // values of the row that Fill has stored last

	mech   *mechanism.Mechanism
	bodies []int

	joints []int
	source Reactions
	wrench []spatial.Force

	couplings   []int
	multipliers Reactions

	contacts bool // the columns are of contacts instead of bodies
	kin      *mechanism.Kinematics
	elements []int32 // bushings, cables and spring-dampers with laws; none for columns of contacts

	chosen *chosen // the columns that a Catalogue has selected, in place of all above; else nil
}

// NewColumns returns the usual columns with the given bodies, with all bodies if bodies is nil.
//
// It panics if m is nil, or if a body is out of range or given twice.
func NewColumns(m *mechanism.Mechanism, bodies []int) *Columns {
	mustHaveMechanism(m)
	if bodies == nil {
		for i := range m.NumBodies() {
			bodies = append(bodies, i)
		}
	}
	mustBeDistinct(bodies, m.NumBodies(), "sim: body out of range", "sim: body given twice")
	c := &Columns{mech: m, bodies: bodies, kin: newColumnKinematics(m), elements: m.Elements()}
	c.Values = make([]float64, c.Len())
	return c
}

// NewContactColumns returns columns for contacts. The first column is the time. For each contact there are the depth of its
// deepest point, m, negative off the ground; this point and the normal there; the normal force and the forces along the axes x
// and y of the contact, N; slip and slip angle, rad. The forces of actuators come last.
func NewContactColumns(m *mechanism.Mechanism) *Columns {
	mustHaveMechanism(m)
	c := &Columns{mech: m, contacts: true, kin: newColumnKinematics(m)}
	c.Values = make([]float64, c.Len())
	return c
}

func newColumnKinematics(m *mechanism.Mechanism) *mechanism.Kinematics {
	if m.NumActuators()+m.NumContacts()+m.NumResistors()+m.NumBushings()+m.NumCables()+m.NumLaws() == 0 {
		return nil
	}
	return &mechanism.Kinematics{Bodies: make([]mechanism.BodyKinematics, m.NumBodies())}
}

// AddWrenches adds the columns of the constraint wrenches of the joints, force
// then moment. The source computes them for each row.
//
// It panics if a joint is out of range or given twice, if source is nil, or if the columns are of a Catalogue.
func (c *Columns) AddWrenches(source Reactions, joints []int) {
	c.mustNotBeChosen()
	mustBeDistinct(joints, c.mech.NumJoints(), "sim: joint out of range", "sim: joint given twice")
	if source == nil {
		panic("sim: no source")
	}
	c.source, c.joints, c.wrench = source, joints, make([]spatial.Force, len(joints))
	c.Values = make([]float64, c.Len())
}

// AddMultipliers adds, after the wrenches, the columns of the multipliers
// of the couplings. The source computes them for each row.
//
// It panics if a coupling is out of range or given twice, if source is nil, or if the columns are of a Catalogue.
func (c *Columns) AddMultipliers(source Reactions, couplings []int) {
	c.mustNotBeChosen()
	mustBeDistinct(couplings, c.mech.NumCouplings(), "sim: coupling out of range", "sim: coupling given twice")
	if source == nil {
		panic("sim: no source")
	}
	c.multipliers, c.couplings = source, couplings
	c.Values = make([]float64, c.Len())
}

func (c *Columns) mustNotBeChosen() {
	if c.chosen != nil {
		panic("sim: columns have been chosen")
	}
}

// mustBeDistinct panics with the text outside if a number of list is not from 0 to n − 1, and with the text twice if a number is there
// twice.
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
	if c.chosen != nil {
		return len(c.chosen.columns)
	}
	if c.contacts {
		return 1 + len(contactColumns)*c.mech.NumContacts() + c.mech.NumActuators()
	}
	return 1 + len(bodyColumns)*len(c.bodies) + len(runColumns) + len(wrenchColumns)*len(c.joints) + len(c.couplings) +
		c.elementWidth() + c.mech.NumActuators() + c.mech.NumResistors()
}

// Names returns the names of the columns. They differ from each other.
//
// Cost: O(Len); allocates.
func (c *Columns) Names() []string {
	names := append(make([]string, 0, c.Len()), "time")
	c.each(func(col Column) { names = append(names, col.Name) })
	return names
}

// Units returns the units of the columns, in their order; empty for pure numbers.
//
// Cost: O(Len); allocates.
func (c *Columns) Units() []string {
	units := append(make([]string, 0, c.Len()), "s")
	c.each(func(col Column) { units = append(units, col.Unit) })
	return units
}

// each calls f for the columns but time, in their order.
func (c *Columns) each(f func(Column)) {
	if c.chosen != nil {
		for _, col := range c.chosen.columns[1:] {
			f(col)
		}
		return
	}
	all := &Catalogue{mech: c.mech, elements: c.elements}
	add := func(k kind, i int) { all.columns(block{k, i}, func(_ int, col Column) bool { f(col); return true }) }
	if c.contacts {
		for i := range c.mech.NumContacts() {
			_, _, element := c.mech.Contact(i)
			for k, name := range contactColumns { // without the "contact." of a Catalogue
				f(Column{c.mech.ForceName(element) + "." + name, contactUnits[k]})
			}
		}
	} else {
		for _, b := range c.bodies {
			add(bodyKind, b)
		}
		add(runKind, 0)
		for _, j := range c.joints {
			for k, name := range wrenchColumns { // joints without rows have columns here, unlike in a Catalogue
				f(Column{c.mech.JointName(j) + "." + name, wrenchUnits[k]})
			}
		}
		for _, i := range c.couplings {
			add(couplingKind, i)
		}
		for i := range c.elements {
			add(elementKind, i)
		}
	}
	for i := range c.mech.NumActuators() {
		add(torqueKind, i)
	}
	if !c.contacts {
		for i := range c.mech.NumResistors() {
			add(resistorKind, i)
		}
	}
}

// Fill stores the values of a row in c.Values.
//
// Cost: O(Len), no allocation, plus the cost of Reactions. It returns the errors of Reactions, contacts and force elements.
func (c *Columns) Fill(r *Row) error {
	if c.chosen != nil {
		return c.chosen.fill(c.Values, r)
	}
	c.Values[0] = r.State.Time
	at := c.Values[1:]
	if c.contacts {
		if err := c.fillContacts(at, r.State); err != nil {
			return err
		}
		c.fillTorques(c.Values, r.State)
		return nil
	}
	n := len(c.Values) - c.mech.NumResistors()
	c.fillTorques(c.Values[:n], r.State)
	c.fillResistors(c.Values[n:], r.State)
	for _, i := range c.bodies {
		bodyTo(at, &r.State.Bodies[i])
		at = at[len(bodyColumns):]
	}
	runTo(at, r)
	at = at[len(runColumns):]
	if err := c.fillElements(at[len(wrenchColumns)*len(c.joints)+len(c.couplings):], r.State); err != nil {
		return err
	}
	if len(c.joints) > 0 {
		if err := c.source.ConstraintWrenches(c.wrench, r.State, c.joints); err != nil {
			return err
		}
	}
	for i := range c.wrench {
		wrenchTo(at, &c.wrench[i])
		at = at[len(wrenchColumns):]
	}
	if len(c.couplings) > 0 {
		return c.multipliers.CouplingMultipliers(at[:len(c.couplings)], r.State, c.couplings)
	}
	return nil
}

// fillResistors stores in at the forces of stops and friction.
func (c *Columns) fillResistors(at []float64, st *mechanism.State) {
	for i := range at {
		jt := &c.mech.Joints[jointOf(c.mech, i)]
		for _, b := range [2]int32{jt.Pred, jt.Succ} {
			if b >= 0 {
				c.mech.BodyTo(&c.kin.Bodies[b], st, int(b))
			}
		}
		at[i] = resistanceOf(c.mech, i, c.kin, st)
	}
}

// fillTorques stores the forces of the actuators in the last entries of values.
func (c *Columns) fillTorques(values []float64, st *mechanism.State) {
	n := c.mech.NumActuators()
	at := values[len(values)-n:]
	for i := range n {
		at[i] = c.mech.ActuatorForce(i, c.kin, st)
	}
}

// fillContacts stores in at the columns of the contacts.
func (c *Columns) fillContacts(at []float64, st *mechanism.State) error {
	for i := range c.mech.NumContacts() {
		_, body, _ := c.mech.Contact(i)
		if !c.mech.BodyTo(&c.kin.Bodies[body], st, body) {
			return c.mech.NotFinite(body)
		}
		if err := contactTo(at, c.mech, i, c.kin, st); err != nil {
			return err
		}
		at = at[len(contactColumns):]
	}
	return nil
}

// columnsOf returns the names of the columns of force element i.
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

// fillElements stores in at the columns of force elements. The wrench of a bushing acts
// on B, about the origin of its frame, world axes.
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

// Select returns the time and the columns whose names match one of the patterns, in the order of the patterns, and for each
// pattern in the order of the catalogue. In a pattern * stands for any text and ? for any character; a name also matches itself.
// A column that matches several patterns is there once.
//
// source computes accelerations, second rates, wrenches, multipliers and forces of motions. It may be nil
// if none of these is selected (NeedsReactions).
//
// Cost: O(columns × patterns); allocates. It returns an error for a pattern that matches no column, with similar names, and for two
// columns of the same name. It panics if a source is missing.
func (c *Catalogue) Select(patterns []string, source Reactions) (*Columns, error) {
	found := make([][]chosenColumn, len(patterns))
	c.each(func(b block, part int, col Column) bool {
		for k, p := range patterns {
			if fits(col.Name, p) {
				found[k] = append(found[k], chosenColumn{b, part, col})
				break
			}
		}
		return true
	})
	var chosen []chosenColumn
	named := map[string]bool{"time": true}
	for k, p := range patterns {
		if len(found[k]) == 0 && p != "time" && !c.covered(p, patterns[:k]) {
			return nil, &unknownColumn{p, c.near(p)}
		}
		for _, at := range found[k] {
			if named[at.col.Name] {
				return nil, &repeatedColumn{at.col.Name}
			}
			named[at.col.Name] = true
			chosen = append(chosen, at)
		}
	}
	return newChosen(c, chosen, source), nil
}
