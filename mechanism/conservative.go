package mechanism

import (
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/springs"
)

// Conservative reports whether the energy of the mechanism is constant during its motion. It returns false if something does
// work that Energy does not include: contacts and friction with losses, prescribed motions, joint forces, dampers, wrenches or
// user-defined forces.
func (m *Mechanism) Conservative() bool {
	for i := range m.contacts {
		if !m.contacts[i].Lossless() {
			return false
		}
	}
	for i := range m.resistors {
		if !m.Lossless(i) || m.resistors[i].impact > 0 {
			return false
		}
	}
	return m.ConservativeButContacts()
}

// ConservativeButContacts reports whether only contacts, stops and friction change the
// energy of the mechanism during its motion. The sum of the energy and of their losses
// (sim.Simulation.Dissipated) is then constant.
func (m *Mechanism) ConservativeButContacts() bool {
	for j := range m.Joints {
		d := m.Drive(j)
		if m.Joints[j].Motion != nil || d != nil && (d.Force != [6]float64{} || d.Damping != [6]float64{}) {
			return false
		}
		for i := range m.Joints[j].Kind.Freedoms() {
			if d != nil && d.Law(i) != nil && d.Law(i).Dissipates() {
				return false
			}
		}
	}
	for i := range m.Forces {
		if f := &m.Forces[i]; f.Kind == model.Wrench || f.Kind == model.ActuatorForce || f.Damping != 0 || m.SpringLaw(i) != nil && m.SpringLaw(i).Dissipates() {
			return false
		}
	}
	for i := range m.bushings {
		if m.bushings[i].D != (springs.Matrix{}) {
			return false
		}
	}
	return m.NumOwn() == 0
}
