package linear

import (
	"math"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// bristle is a point at which bristles hold a body (contact.Hold). In statics they are springs: their deflection is the
// displacement of the body's point along the ground, which is docs/ground.md (G26) for a slow displacement. From their
// travel on the body slides.
type bristle struct {
	contact, body int
	at            int          // of its two states in mechanism.State.Internal
	arm           spatial.Vec3 // from the centre of mass, m
	x, y          spatial.Vec3 // unit vectors along the ground
	travel        float64      // deflection from which on the body slides, m
	touches       bool
}

// slidingPart is the part of their travel from which on bristles count as bent to the end.
const slidingPart = 1 - 1e-9

// bristlesAt lists the bristles at s.st, for which the system has been loaded.
func (s *search) bristlesAt() error {
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
		if c.Law.Friction.Type != contact.Coulomb { // slips of tyres are 0 at rest
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

// bend stores in try the deflections of bristles after its displacement from s.st, and clears the bristles that do not touch.
func (s *search) bend(try *mechanism.State) {
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

// blame stores in e what friction has to do with it: the first contact whose friction holds nothing at rest, and the
// first whose bristles are bent to the end.
func (s *search) blame(e *UnbalancedError) {
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

// hasBentBristles reports whether bristles are bent at the loaded state: their force follows the normal force then, and has no potential.
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
