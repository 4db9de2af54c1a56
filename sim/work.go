package sim

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// gauss is the Gauss–Legendre rule with three nodes on [0, 1].
var gauss = [...]struct{ at, weight float64 }{
	{0.5 - 0.3872983346207417, 5.0 / 18}, {0.5, 8.0 / 18}, {0.5 + 0.3872983346207417, 5.0 / 18},
}

// dissipation sums up the energy that contacts, stops and friction take from the motion, docs/ground.md (G47).
type dissipation struct {
	lossy  []int // numbers of contacts that take energy
	rubs   []int // numbers of resistors, stops and friction, that take energy
	kin    *mechanism.Kinematics
	at     mechanism.State
	work   float64 // energy taken by contacts, J
	joints float64 // energy taken by stops and friction, J
}

// newDissipation lists the contacts, stops and friction that take energy from the motion of m. It returns nil if there are none. A joint
// between two ranks counts on one of them.
func newDissipation(m *mechanism.Mechanism, st *mechanism.State, all *ranks) *dissipation {
	d := new(dissipation)
	for i := range m.NumContacts() {
		if c, _, _ := m.Contact(i); !c.Lossless() {
			d.lossy = append(d.lossy, i)
		}
	}
	for i := range m.NumResistors() {
		if f, _ := m.Resistor(i); !m.Lossless(i) && all.counts(f.Joint) {
			d.rubs = append(d.rubs, i)
		}
	}
	if len(d.lossy)+len(d.rubs) == 0 {
		return nil
	}
	d.at, d.kin = *st.Clone(), m.NewKinematics()
	d.kin.I = nil
	return d
}

// addWork adds the work of contacts, stops and friction up to the fraction theta of the step that has been tried to t1.
//
// Cost: as the contacts and Stepper.AtTo, three times; allocates at the first call only.
// It returns the errors of contacts and of bearAt, and
// mechanism.ErrNotFinite; nothing is added then.
func (d *dissipation) addWork(s *step, t1, theta float64) error {
	if d == nil {
		return nil
	}
	span, work, joints := theta*(t1-s.st.Time), 0.0, 0.0
	for _, g := range gauss {
		s.stepper.AtTo(&d.at, theta*g.at)
		power := 0.0
		for _, i := range d.lossy {
			_, body, _ := s.mech.Contact(i)
			if !s.mech.BodyTo(&d.kin.Bodies[body], &d.at, body) {
				return s.mech.NotFinite(body)
			}
			r, err := s.mech.ContactAt(i, d.kin, &d.at)
			if err != nil {
				return fault.Errorf("sim: work of contacts: %w", err)
			}
			power += r.Power
		}
		work += span * g.weight * power
		power, err := d.jointPower(s)
		if err != nil {
			return err
		}
		joints += span * g.weight * power
	}
	if sum := work + joints; !algebra.Finite(sum) {
		return fault.Errorf("sim: work of contacts at t = %v: %w", s.st.Time, mechanism.ErrNotFinite)
	}
	d.work += work
	d.joints += joints
	return nil
}

// jointPower returns the power that stops and friction take at the state d.at, W.
func (d *dissipation) jointPower(s *step) (power float64, err error) {
	if len(d.rubs) == 0 {
		return 0, nil
	}
	if err := bearAt(s.mech, s.stepper, &d.at); err != nil {
		return 0, err
	}
	if err := s.mech.KinematicsTo(d.kin, &d.at); err != nil {
		return 0, fault.Errorf("sim: work of joints: %w", err)
	}
	var jk mechanism.JointKinematics
	for _, i := range d.rubs {
		f, _ := s.mech.Resistor(i)
		s.mech.JointTo(&jk, f.Joint, d.kin, &d.at)
		power += s.mech.ResistanceAt(i, &jk, &d.at).Power
	}
	return power, nil
}
