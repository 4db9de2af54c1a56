package linear

import (
	"fmt"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// errInternalStates is the reason why the linearized equations cannot have a contact with internal states.
var errInternalStates = fmt.Errorf("%w: its internal states follow their own equations", mechanism.ErrNoDerivatives)

// fillContact adds contact i to K and C by the exact derivatives of its force. Friction at rest is a
// damper. At rest, bristles are springs too: their deflection changes by the displacement of the point.
//
// It returns an error that wraps mechanism.ErrNoDerivatives, with the name of the contact, in two cases: for a tyre with internal states,
// except in a search for equilibrium, where its slips are 0 and it has no force along the ground; and for bristles while
// something moves, as their rates follow an equation of their own.
func (s *System) fillContact(i int) error {
	m, k := s.mech, s.y.Kin
	r, err := m.ContactAt(i, k, s.st)
	if err != nil {
		return fault.Errorf("linear: %w", err)
	}
	c, body, element := m.Contact(i)
	states := c.Law.NumStates()
	if states > 0 && !(s.statics || s.rest && c.Law.Friction.Type == contact.Coulomb) {
		return fault.Errorf("linear: %w", m.AtForce(element, errInternalStates))
	}
	var b contact.Body
	var pose, velocity contact.Jacobian
	m.ContactBody(&b, i, k, s.st)
	if err := c.DerivativesTo(&pose, &velocity, r, &b, m.ContactInternal(i, s.st)); err != nil {
		return fault.Errorf("linear: %w", m.AtForce(element, err))
	}
	if states > 0 && c.Law.Friction.Type == contact.Coulomb {
		s.addBristles(&pose, c, r, &b, i)
	}
	s.addWrenches([]int32{int32(body)}, []spatial.Force{r.Wrench}, pose[:], velocity[:])
	return nil
}

// addBristles adds the springs of the bristles of contact i to pose, the 6×6 derivative of the wrench about the centre of mass by the
// displacement of the body. Along both axes of each touch, the deflection ξ changes by the displacement of the point, and
// the force by k = ∂F/∂ξ, N/m, times that.
func (s *System) addBristles(pose *contact.Jacobian, c *contact.Contact, r *contact.Result, b *contact.Body, i int) {
	com := b.Position.Add(b.Com)
	for j := range r.Touches {
		t := &r.Touches[j]
		var f contact.Force
		var d contact.Derivatives
		c.Law.ForceTo(&f, &d, &t.Motion, c.Shape.Radius, t.Share, s.mech.ContactStates(i, t.Disc, s.st))
		arm := t.P.Sub(com)
		for axis, e := range [2][3]float64{t.X, t.Y} {
			k := d[contact.OfX+axis][contact.ByState0+axis]
			m := arm.Cross(e)
			w := [6]float64{m[0], m[1], m[2], e[0], e[1], e[2]}
			for row, x := range w {
				for column, y := range w {
					pose[6*row+column] += k * x * y
				}
			}
		}
	}
}
