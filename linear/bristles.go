package linear

import (
	"math"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// bristle is a point at which bristles hold a body (contact.Hold). In statics they are springs: their deflection is the
// displacement of the body's point along the ground, which is docs/ground.md (G26) for a slow displacement. Bristles that are bent by
// their travel or more slide.
type bristle struct {
	contact, body int
	at            int          // index of its first of two states in mechanism.State.Internal
	arm           spatial.Vec3 // from the centre of mass, m
	x, y          spatial.Vec3 // unit vectors along the ground
	travel        float64      // deflection at which the body begins to slide, m
	touches       bool         // the point is in contact; arm, x and y are zero else
}

// slidingPart is the deflection of bristles, relative to their travel, at and above which they count as fully bent.
const slidingPart = 1 - 1e-9

// listBristles stores in s.bristles the bristles at s.st, for which the system has been loaded, and clears the internal states of
// contacts with other friction. It returns the errors of mechanism.Mechanism.ContactAt.
func (s *search) listBristles() error {
	m := s.sys.mech
	s.bristles = s.bristles[:0]
	if m.NumInternal() == 0 {
		return nil
	}
	at := 0
	for i := range m.NumContacts() {
		c, body, _ := m.Contact(i)
		n := c.Law.NumStates()
		if n == 0 {
			continue
		}
		discs := c.NumStates() / n
		if c.Law.Friction.Type != contact.Coulomb { // the states are slips of tyres, 0 at rest
			clear(s.st.Internal[at : at+n*discs])
			at += n * discs
			continue
		}
		r, err := m.ContactAt(i, s.sys.y.Kin, s.st)
		if err != nil {
			return err
		}
		com := s.st.Bodies[body].Position.Add(s.sys.y.Kin.Bodies[body].Com)
		for disc := range discs {
			b := bristle{contact: i, body: body, at: at + n*disc, travel: c.Law.Friction.Hold.Travel}
			for k := range r.Touches {
				if t := &r.Touches[k]; t.Disc == disc {
					b.arm, b.x, b.y, b.touches = t.P.Sub(com), t.X, t.Y, true
				}
			}
			s.bristles = append(s.bristles, b)
		}
		at += n * discs
	}
	return nil
}

// bendBristles stores in try.Internal the deflections of bristles after the displacement of the bodies from s.st to try, m, at most their
// travel. Bristles that do not touch have none.
func (s *search) bendBristles(try *mechanism.State) {
	copy(try.Internal, s.st.Internal)
	for i := range s.bristles {
		b := &s.bristles[i]
		xi := try.Internal[b.at : b.at+2]
		if !b.touches {
			clear(xi)
			continue
		}
		travel, phi := s.sys.mech.Displacement(b.body, s.st, try)
		d := travel.Add(phi.Cross(b.arm))
		xi[0] += d.Dot(b.x)
		xi[1] += d.Dot(b.y)
		if n := math.Hypot(xi[0], xi[1]); n > b.travel {
			xi[0] *= b.travel / n
			xi[1] *= b.travel / n
		}
	}
}

// setFriction stores in e.Loose the first touching contact whose friction has no force at rest, and in e.Sliding the first one
// whose bristles are fully bent. It leaves both empty where there is none.
func (s *search) setFriction(e *UnbalancedError) {
	m := s.sys.mech
	k := m.NewKinematics()
	k.I = nil
	if m.NumContacts() == 0 || m.KinematicsTo(k, s.st) != nil {
		return
	}
	for i := range m.NumContacts() {
		c, _, element := m.Contact(i)
		f := &c.Law.Friction
		if f.Type == contact.None || f.Hold.Travel > 0 || e.Loose != "" {
			continue
		}
		if r, err := m.ContactAt(i, k, s.st); err != nil || len(r.Touches) > 0 {
			e.Loose = m.ForceName(element)
		}
	}
	for i := range s.bristles {
		b := &s.bristles[i]
		if xi := s.st.Internal[b.at : b.at+2]; b.touches && e.Sliding == "" && math.Hypot(xi[0], xi[1]) >= slidingPart*b.travel {
			_, _, element := m.Contact(b.contact)
			e.Sliding = m.ForceName(element)
		}
	}
}

// hasBentBristles reports whether some bristles are bent at the loaded state. Their force is then in proportion to the normal force, and
// has no potential.
func (s *System) hasBentBristles() bool {
	if s.st == nil {
		return false
	}
	for _, x := range s.st.Internal {
		if x != 0 {
			return true
		}
	}
	return false
}
