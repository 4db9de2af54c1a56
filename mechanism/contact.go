package mechanism

import (
	"context"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// touching is a contact of a body with the ground. It never changes.
type touching struct {
	contact.Contact
	index, body int32 // of the force element, and of the body
}

// setContacts compiles the contacts of m.
func (m *Mechanism) setContacts(from *model.Model, links *model.Links) error {
	surfaces, err := from.Surfaces(context.Background())
	if err != nil {
		return err
	}
	for i := range from.Forces {
		c := from.Forces[i].Contact
		if c == nil {
			continue
		}
		m.contacts = append(m.contacts, touching{
			Contact: contact.Contact{Shape: c.Shape, Law: c.Law, Ground: surfaces[links.Forces[i][1]]},
			index:   int32(i), body: links.Forces[i][0],
		})
	}
	return nil
}

// NumContacts returns the number of contacts.
func (l *Loads) NumContacts() int { return len(l.contacts) }

// Contact returns contact i, the number of its body and that of its force element.
func (l *Loads) Contact(i int) (c *contact.Contact, body, element int) {
	t := &l.contacts[i]
	return &t.Contact, int(t.body), int(t.index)
}

// ContactBody stores where the body of contact i is and how it moves.
func (m *Mechanism) ContactBody(b *contact.Body, i int, k *Kinematics, s *State) {
	n := m.contacts[i].body
	st, kb := &s.Bodies[n], &k.Bodies[n]
	*b = contact.Body{E: kb.E, Position: st.Position, Com: kb.Com, Omega: st.Omega, Velocity: st.Velocity.Add(st.Omega.Cross(kb.Com))}
}

// ContactAt returns the points and forces of contact i at s. They are k's own, and hold until k is asked for this contact again.
//
// Cost: O(points), no allocation but for the first time; k was computed at s.
// It returns the errors of contact.Contact.EvalTo, with the names of contact and body, the time and the place.
func (m *Mechanism) ContactAt(i int, k *Kinematics, s *State) (*contact.Result, error) {
	if len(k.touch) != len(m.contacts) {
		k.touch = make([]*contact.Result, len(m.contacts))
	}
	t, r := &m.contacts[i], k.touch[i]
	if r == nil {
		r = contact.NewResult(&t.Contact)
		k.touch[i] = r
	}
	var b contact.Body
	m.ContactBody(&b, i, k, s)
	if err := t.EvalTo(r, &b, nil); err != nil {
		p := &s.Bodies[t.body].Position
		return nil, m.AtForce(int(t.index), fault.Errorf("mechanism: body %s at (%.4g, %.4g, %.4g), t = %v s: %w",
			fault.Name(m.BodyName(int(t.body))), p[0], p[1], p[2], s.Time, fault.Plain(err)))
	}
	return r, nil
}

// addContacts adds the wrenches of the contacts to f.
func (m *Mechanism) addContacts(f []spatial.Force, k *Kinematics, s *State) error {
	for i := range m.contacts {
		r, err := m.ContactAt(i, k, s)
		if err != nil {
			return err
		}
		w := &f[m.contacts[i].body]
		for j, x := range r.Wrench {
			w[j] += x
		}
	}
	return nil
}

// Lossless reports whether the contact takes no energy from the motion.
func (t *touching) Lossless() bool {
	l := &t.Law
	return l.Friction.Type == contact.None && l.Rolling.Coefficient == 0 && l.Drilling.Coefficient == 0 && l.Normal.Dissipation == 0 && l.Normal.Damping == 0
}
