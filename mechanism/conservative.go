package mechanism

import (
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/springs"
)

// Conservative reports whether the energy of the mechanism stays the same in its motion. It does not if something does
// work that Energy leaves out: contacts and friction with losses, prescribed motions, joint forces, dampers, wrenches or
// forces of one's own.
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

// ConservativeButContacts reports whether nothing but contacts, stops and friction changes the
// energy of the mechanism in its motion. The sum of the energy and of their losses
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
