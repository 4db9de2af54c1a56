package sim

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
	"math"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Fingerprint returns a hash of all values of a mechanism that determine its motion, without the state. Checkpoints and ranks compare
// models by it. Surfaces of contacts and of wheels are included with all their heights. The hash depends on the
// present values alone, not on earlier ones. For user-defined forces and rows it includes names and
// bodies only.
//
// Cost: O(bodies + joints + forces), and as ground.Surface.Digest.
func Fingerprint(m *mechanism.Mechanism) uint64 {
	p := &printer{Hash64: fnv.New64a()}
	p.add(m.Gravity[:]...)
	for i := range m.Bodies {
		b := &m.Bodies[i]
		p.add(b.Mass)
		p.add(b.Com[:]...)
		p.add(b.Inertia[:]...)
	}
	for i := range m.Joints {
		p.joint(m, i)
	}
	for i := range m.Couplings {
		c := m.Couplings[i]
		if l := c.Law; l != nil {
			c.Law = nil // the hash may not depend on an address
			fmt.Fprintf(p, "%+v", l.Settings())
		}
		if c.Own() { // the function of a user-defined row cannot be hashed
			fmt.Fprintf(p, "%s%v%v%v", m.CouplingName(i), c.Bodies, c.Angle, c.Rates())
			continue
		}
		fmt.Fprintf(p, "%+v", c)
	}
	p.forces(m)
	return p.Sum64()
}

// printer is a hash to which numbers can be added.
type printer struct {
	hash.Hash64
	buf [8]byte
}

func (p *printer) add(v ...float64) {
	for _, x := range v {
		binary.LittleEndian.PutUint64(p.buf[:], math.Float64bits(x+0)) // −0 is 0
		p.Write(p.buf[:])
	}
}

// joint adds joint i: its type, frames, curves, drive and motions.
func (p *printer) joint(m *mechanism.Mechanism, i int) {
	j := &m.Joints[i]
	p.add(float64(j.Kind), j.Pitch, j.Length, float64(j.Pred), float64(j.Succ), float64(j.Rows))
	if j.Kind.Type() == model.Rolling {
		p.add(j.Radius, j.Tyre)
		if j.Bowl != 0 {
			p.add(j.Bowl)
		}
		if j.Ground != nil {
			fmt.Fprintf(p, "surface %d", j.Ground.Digest())
		}
	}
	if j.Curve != nil {
		fmt.Fprintf(p, "%+v", j.Curve.Settings())
		if j.SuccessorCurve != nil {
			fmt.Fprintf(p, "%+v", j.SuccessorCurve.Settings())
		}
	}
	for _, f := range []*mechanism.Frame{&j.P, &j.S} {
		p.add(f.E[:]...)
		p.add(f.Origin[:]...)
	}
	if j.Axes != nil {
		fmt.Fprintf(p, "%+v", j.Axes.All())
	}
	if j.Armature != nil {
		p.add(j.Armature[:]...)
	}
	if d := m.Drive(i); d.Acts() {
		for _, v := range []*[6]float64{&d.Force, &d.Stiffness, &d.Damping, &d.Rest} {
			p.add(v[:]...)
		}
	}
	if j.Motion != nil {
		for _, f := range j.Motion {
			fmt.Fprintf(p, "%+v", f)
		}
	}
	if j.Turns != nil {
		fmt.Fprint(p, j.Turns)
	}
}

// forces adds force elements, actuators, stops, friction and contacts with their ground.
func (p *printer) forces(m *mechanism.Mechanism) {
	for i := range m.Forces {
		f := &m.Forces[i]
		fmt.Fprintf(p, "%q %d %d %d", f.Name, f.Kind, f.A.Body, f.B.Body)
		p.add(f.Stiffness, f.Damping, f.RestLength)
		for _, v := range []*spatial.Vec3{&f.A.Point, &f.B.Point, &f.Force, &f.Torque} {
			p.add(v[:]...)
		}
	}
	m.SpringSettings(p.add)
	for i := range m.NumActuators() {
		fmt.Fprintf(p, "%+v", m.ActuatorSettings(i))
	}
	for i := range m.NumResistors() {
		fmt.Fprintf(p, "%+v", m.ResistorSettings(i))
	}
	for i := range m.NumContacts() {
		c, body, _ := m.Contact(i)
		fmt.Fprintf(p, "%d%+v%+v", body, c.Shape, c.Law)
		for _, g := range []*ground.Surface{unrutted(m, c.Ground), c.Friction} {
			if g != nil {
				fmt.Fprintf(p, "surface %d", g.Digest())
			}
		}
	}
	for i := range m.NumOwn() {
		name, bodies := m.OwnSettings(i)
		fmt.Fprintf(p, "%q%v", name, bodies)
	}
}
