package sim

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// chosen are columns that a Catalogue has selected, block by block.
type chosen struct {
	catalogue *Catalogue
	columns   []Column
	blocks    []chosenBlock
	source    Reactions
	kin       *mechanism.Kinematics

	joints      []int // joints whose wrenches are wanted
	wrenches    []spatial.Force
	couplings   []int
	multipliers []float64
	accelerate  bool
	accel       []float64

	part [mostParts]float64
}

// chosenBlock is a block with its selected parts.
type chosenBlock struct {
	block
	parts []wanted
	react int // index of the joint or coupling in chosen.joints or chosen.couplings; −1: its reactions are not wanted
}

// wanted is a part of a block, and the column in which it is stored.
type wanted struct{ part, column int }

// newChosen returns the columns of the list, after the time. It panics if they need a source and there is none.
func newChosen(c *Catalogue, list []chosenColumn, source Reactions) *Columns {
	ch := &chosen{catalogue: c, source: source, kin: c.mech.NewKinematics(), columns: []Column{{"time", "s"}}}
	at := map[block]int{}
	for _, p := range list {
		i, ok := at[p.block]
		if !ok {
			i = len(ch.blocks)
			at[p.block] = i
			ch.blocks = append(ch.blocks, chosenBlock{block: p.block, react: -1})
		}
		b := &ch.blocks[i]
		b.parts = append(b.parts, wanted{p.part, len(ch.columns)})
		ch.columns = append(ch.columns, p.col)
		ch.react(b, p.part)
	}
	if source == nil && len(ch.joints)+len(ch.couplings) > 0 || source == nil && ch.accelerate {
		panic("sim: no source of reactions")
	}
	ch.wrenches, ch.multipliers = make([]spatial.Force, len(ch.joints)), make([]float64, len(ch.couplings))
	if ch.accelerate {
		ch.accel = make([]float64, 6*c.mech.NumBodies())
	}
	return &Columns{mech: c.mech, chosen: ch, Values: make([]float64, len(ch.columns))}
}

// react records whether a part of a block needs accelerations or reactions of the source.
func (c *chosen) react(b *chosenBlock, part int) {
	note := func(list *[]int, i int) {
		if b.react = slices.Index(*list, i); b.react < 0 {
			b.react = len(*list)
			*list = append(*list, i)
		}
	}
	switch {
	case b.kind == accelerationKind:
		c.accelerate = true
	case b.kind == couplingKind:
		note(&c.couplings, b.i)
	case b.kind == wrenchKind, b.kind == freedomKind && part >= drivePart && part < wrappedPart:
		if b.react < 0 {
			note(&c.joints, b.i)
		}
	case b.kind == freedomKind && part >= secondPart && part < wrappedPart:
		c.accelerate = true
	}
}

// fill stores the values of a row.
func (c *chosen) fill(values []float64, r *Row) error {
	m, st := c.catalogue.mech, r.State
	values[0] = st.Time
	if err := m.KinematicsTo(c.kin, st); err != nil {
		return err
	}
	if c.accelerate {
		if err := c.source.Accelerations(c.accel, st); err != nil {
			return err
		}
	}
	if len(c.joints) > 0 {
		if err := c.source.ConstraintWrenches(c.wrenches, st, c.joints); err != nil {
			return err
		}
	}
	if len(c.couplings) > 0 {
		if err := c.source.CouplingMultipliers(c.multipliers, st, c.couplings); err != nil {
			return err
		}
	}
	for i := range c.blocks {
		b := &c.blocks[i]
		if err := c.compute(b, r); err != nil {
			return err
		}
		for _, w := range b.parts {
			values[w.column] = c.part[w.part]
		}
	}
	return nil
}

// compute stores the parts of a block in c.part.
func (c *chosen) compute(b *chosenBlock, r *Row) error {
	m, st, part := c.catalogue.mech, r.State, c.part[:]
	switch b.kind {
	case runKind:
		runTo(part, r)
	case bodyKind:
		bodyTo(part, &st.Bodies[b.i])
	case accelerationKind:
		c.accelerationTo(part, b.i, st)
	case freedomKind:
		return c.freedomsTo(part, b, st)
	case markerKind:
		c.markerTo(part, &c.catalogue.markers[b.i], st)
	case contactKind:
		return contactTo(part, m, b.i, c.kin, st)
	case wrenchKind:
		wrenchTo(part, &c.wrenches[b.react])
	case couplingKind:
		part[0] = c.multipliers[b.react]
	case elementKind:
		return elementTo(part, m, int(c.catalogue.elements[b.i]), c.kin, st)
	case torqueKind:
		part[0] = m.ActuatorForce(b.i, c.kin, st)
	case resistorKind:
		part[0] = resistanceOf(m, b.i, c.kin, st)
	}
	return nil
}

// accelerationTo stores in part the acceleration of the origin of the frame of body i, and then ω̇. With r from the centre of mass to the
// origin, and a the acceleration of the centre of mass, the former is a + ω̇ × r + ω × (ω × r).
func (c *chosen) accelerationTo(part []float64, i int, st *mechanism.State) {
	a := c.accel[6*i : 6*i+6]
	alpha, omega := spatial.Vec3(a[:3]), st.Bodies[i].Omega
	arm := c.kin.Bodies[i].Com.Scale(-1)
	at := spatial.Vec3(a[3:]).Add(alpha.Cross(arm)).Add(omega.Cross(omega.Cross(arm)))
	copy(part, at[:])
	copy(part[3:], alpha[:])
}

// freedomsTo stores in part the coordinates, rates, second rates, forces of motions and wrapped angles of a joint.
func (c *chosen) freedomsTo(part []float64, b *chosenBlock, st *mechanism.State) error {
	m := c.catalogue.mech
	jt := &m.Joints[b.i]
	var jk mechanism.JointKinematics
	var q, qd, qdd [6]float64
	m.JointTo(&jk, b.i, c.kin, st)
	m.CoordinatesTo(&q, &qd, b.i, &jk, st)
	if c.accelerate {
		if err := m.SecondRatesTo(&qdd, b.i, c.accel, c.kin, st); err != nil {
			return m.AtJoint(b.i, -1, err)
		}
	}
	copy(part, q[:])
	for i, x := range q {
		part[wrappedPart+i] = wrapped(x)
	}
	copy(part[ratePart:], qd[:])
	copy(part[secondPart:], qdd[:])
	if b.react < 0 {
		return nil
	}
	// The force of a motion is the product of T·λ with the motion of its freedom, as the rows of the type do no work there.
	var S [6]spatial.Motion
	jt.MotionSubspaceTo(&S, &jk.Frames)
	for i := range jt.Kind.Freedoms() {
		part[drivePart+i] = S[i].Dot(&c.wrenches[b.react])
	}
	return nil
}

// wrapped returns the angle less whole turns, in (−π, π].
func wrapped(angle float64) float64 {
	if x := math.Remainder(angle, 2*math.Pi); x != -math.Pi {
		return x
	}
	return math.Pi
}

// markerTo stores in part the position and the velocity of a marker.
func (c *chosen) markerTo(part []float64, at *Marker, st *mechanism.State) {
	p, v := at.Point, spatial.Vec3{}
	if at.Body != mechanism.World {
		b := &st.Bodies[at.Body]
		arm := c.kin.Bodies[at.Body].E.MulVec(at.Point)
		p, v = b.Position.Add(arm), b.Velocity.Add(b.Omega.Cross(arm))
	}
	copy(part, p[:])
	copy(part[3:], v[:])
}

// chosenColumn is a selected column with its block and its part of the block.
type chosenColumn struct {
	block
	part int
	col  Column
}
