package mechanism

import (
	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// touching is a contact of a body with the ground. It never changes.
type touching struct {
	contact.Contact
	index, body int32 // numbers of the force element and of the body
	first       int32 // index of its first internal state in State.Internal
	terrain     int32 // number of the terrain in the document
}

// groundsOf returns the surfaces by the names of their terrains; nil without terrains.
func groundsOf(from *model.Model, surfaces []*ground.Surface) map[string]*ground.Surface {
	if len(surfaces) == 0 {
		return nil
	}
	of := make(map[string]*ground.Surface, len(surfaces))
	for k, s := range surfaces {
		of[from.Terrains[k].Name] = s
	}
	return of
}

// setContacts compiles the contacts of the model from; surfaces are by the number and grounds by the name of the terrain.
func (m *Mechanism) setContacts(from *model.Model, links *model.Links, surfaces []*ground.Surface, grounds map[string]*ground.Surface) {
	for i := range from.Forces {
		c := from.Forces[i].Contact
		if c == nil {
			continue
		}
		var scale *ground.Surface
		if c.Map != "" {
			scale = grounds[c.Map]
		}
		m.contacts = append(m.contacts, touching{
			Contact: contact.Contact{Shape: c.Shape, Law: c.Law, Ground: surfaces[links.Forces[i][1]], Friction: scale},
			index:   int32(i), body: links.Forces[i][0], first: int32(m.internal), terrain: links.Forces[i][1],
		})
		m.internal += m.contacts[len(m.contacts)-1].NumStates()
	}
	m.zeros = make([]float64, m.internal)
}

// NumContacts returns the number of contacts.
func (l *Loads) NumContacts() int { return len(l.contacts) }

// Contact returns contact i, the number of its body and the number of its force element.
func (l *Loads) Contact(i int) (c *contact.Contact, body, element int) {
	t := &l.contacts[i]
	return &t.Contact, int(t.body), int(t.index)
}

// ContactBody stores in b the pose and velocity of the body of contact i at s; k was computed at s.
func (m *Mechanism) ContactBody(b *contact.Body, i int, k *Kinematics, s *State) {
	n := m.contacts[i].body
	st, kb := &s.Bodies[n], &k.Bodies[n]
	*b = contact.Body{E: kb.E, Position: st.Position, Com: kb.Com, Omega: st.Omega, Velocity: st.Velocity.Add(st.Omega.Cross(kb.Com))}
}

// ContactAt returns the points and forces of contact i at s. The result belongs to
// k, and is valid until the next call for this contact with k.
//
// Cost: O(points), allocates only at the first call; k was computed at s.
// It returns the errors of contact.Contact.EvalTo in a GroundError, in an Error that names the contact.
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
	if err := t.EvalTo(r, &b, m.internalOf(t, s)); err != nil {
		return nil, m.ContactError(i, s, err)
	}
	return r, nil
}

// Contact returns the result of the last ContactAt for contact i with k; it belongs to k. It panics if there is none.
func (k *Kinematics) Contact(i int) *contact.Result { return k.touch[i] }

// NumInternal returns the number of internal states of contacts, stops and friction: the length of State.Internal.
func (m *Mechanism) NumInternal() int { return m.internal }

// internalOf returns the internal states of a contact at s.
func (l *Loads) internalOf(t *touching, s *State) []float64 {
	from := s.Internal
	if len(from) == 0 {
		from = l.zeros
	}
	return from[t.first : int(t.first)+t.NumStates()]
}

// ContactInternal returns all internal states of contact i at s. The list must not be changed.
func (l *Loads) ContactInternal(i int, s *State) []float64 { return l.internalOf(&l.contacts[i], s) }

// ContactStates returns the internal states at s of a disc of contact i (contact.Point.Disc). The list must not be changed.
func (l *Loads) ContactStates(i, disc int, s *State) []float64 {
	t := &l.contacts[i]
	n := t.Law.NumStates()
	return l.internalOf(t, s)[n*disc : n*disc+n]
}

// InternalTo stores the coefficients a and b of the rates of the internal states at s, rate = a + b·state for each. Unless scale is
// nil, it stores in scale the typical sizes of the states: the largest deflection of bristles, and 1 for slips.
//
// Cost: as ContactAt for contacts with internal states, allocates only at the first call; k was computed at s.
// It returns the errors of ContactAt. It panics on a length mismatch.
func (m *Mechanism) InternalTo(a, b, scale []float64, k *Kinematics, s *State) error {
	if len(a) != m.internal || len(b) != m.internal || scale != nil && len(scale) != m.internal {
		panic("mechanism: length mismatch")
	}
	if m.internal == 0 {
		return nil
	}
	for i := range m.contacts {
		t := &m.contacts[i]
		n := t.Law.NumStates()
		if n == 0 {
			continue
		}
		size := t.Law.Friction.Hold.Travel
		if size == 0 {
			size = 1
		}
		r, err := m.ContactAt(i, k, s)
		if err != nil {
			return err
		}
		var air contact.PointMotion // motion of a disc off the ground; discs that touch are overwritten below
		for disc := range t.NumStates() / n {
			t.rate(a, b, disc, &air)
		}
		for j := range r.Touches {
			t.rate(a, b, r.Touches[j].Disc, &r.Touches[j].Motion)
		}
		if scale != nil {
			for j := range t.NumStates() {
				scale[int(t.first)+j] = size
			}
		}
	}
	m.resistorRates(a, b, scale, k, s)
	return nil
}

// HoldDampingTo stores in c, for each internal state, the damping of bristles (contact.Hold.Damping), s/m or s/rad. It is 0 for
// states that are no deflections of bristles.
//
// Cost: O(states), no allocation. It panics on a length mismatch.
func (m *Mechanism) HoldDampingTo(c []float64) {
	if len(c) != m.internal {
		panic("mechanism: length mismatch")
	}
	clear(c)
	for i := range m.resistors {
		if r := &m.resistors[i]; r.first >= 0 && !r.isStop() {
			c[r.first] = r.friction.Hold.Damping
		}
	}
	for i := range m.contacts {
		t := &m.contacts[i]
		if hold := t.Law.Friction.Hold; hold.Travel > 0 {
			for j := range t.NumStates() {
				c[int(t.first)+j] = hold.Damping
			}
		}
	}
}

// rate stores the coefficients a and b of InternalTo for the states of a disc of the contact. The rates are linear in the states: a are
// the rates at zero states, and b their derivatives.
func (t *touching) rate(a, b []float64, disc int, motion *contact.PointMotion) {
	var d contact.RateDerivatives
	var none [2]float64
	n := t.Law.NumStates()
	at := int(t.first) + n*disc
	t.Law.RateTo(a[at:at+n], &d, motion, none[:n])
	for i := range n {
		b[at+i] = d[i][contact.ByState0+i]
	}
}

// addContacts adds to f the wrenches of the contacts on the bodies, about their centres of mass, world axes.
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
