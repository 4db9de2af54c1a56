package derive

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/model"
)

// contactFields adds the numbers of contacts of which forces are linear functions.
func contactFields(list map[string]field) {
	for name, kind := range map[string]uint8{
		"normal.stiffness": slotContactStiffness, "normal.dissipation": slotContactDissipation, "normal.damping": slotContactDamping,
		"rolling.coefficient": slotContactRolling, "drilling.coefficient": slotContactDrilling,
	} {
		list["forces[]."+name] = ofContact(func(d *Derivatives, i []int) ([]part, error) {
			return d.scalarPart(d.elementNumber(i[0]), slot{kind: kind}), nil
		})
	}
	list["forces[].friction.coefficient"] = ofContact(func(d *Derivatives, i []int) ([]part, error) {
		if d.doc.Forces[i[0]].Contact.Law.Friction.Type != contact.Coulomb {
			return nil, errors.New("derive: the coefficient of a tyre has no derivative yet")
		}
		return d.scalarPart(d.elementNumber(i[0]), slot{kind: slotContactFriction}), nil
	})
}

// ofContact returns the field of a number of a contact that is not of soil.
func ofContact(parts func(d *Derivatives, i []int) ([]part, error)) field {
	return field{parts: func(d *Derivatives, i []int) ([]part, error) {
		f := &d.doc.Forces[i[0]]
		switch {
		case f.Type != model.ContactForce:
			return nil, errNone
		case f.Contact.Law.Friction.Type == contact.Soil:
			return nil, errors.New("derive: the numbers of soil have no derivative yet")
		}
		return parts(d, i)
	}}
}

// contactPart is the part of a number by which it is changed. Forces are linear in the numbers that are changed so, and differences are
// derivatives: another value costs digits, or goes past the corner where a force would pull.
const contactPart = 1. / 128

// contactScalars adds the derivatives of the wrench of a contact by the numbers that parameters change.
func (b *builder) contactScalars(p *ownPart, c *contact.Contact, r *contact.Result, at *contact.Body, internal []float64) error {
	for _, s := range b.d.scalarsOf(b.number) {
		other := *c
		list := contactNumbers(&other.Law, s.slot)
		was := *list[0]
		h := contactPart * math.Abs(was)
		if h == 0 {
			h = contactPart
		}
		for _, x := range list {
			*x += h
		}
		h = *list[0] - was
		changed := contact.NewResult(&other)
		if err := other.EvalTo(changed, at, internal); err != nil {
			return err
		}
		f := changed.Wrench.Linear().Sub(r.Wrench.Linear()).Scale(1 / h)
		m := changed.Wrench.Moment().Sub(r.Wrench.Moment()).Scale(1 / h)
		m = m.Add(b.d.bodies[p.bodies[0]].k.Cross(f))
		p.scalars = append(p.scalars, ownScalar{at: s.at, by: append(m[:], f[:]...)})
	}
	return nil
}

// contactNumbers returns the numbers of a law that a slot means, which are equal.
func contactNumbers(l *contact.Law, s slot) []*float64 {
	switch s.kind {
	case slotContactStiffness:
		return []*float64{&l.Normal.Stiffness}
	case slotContactDissipation:
		return []*float64{&l.Normal.Dissipation}
	case slotContactDamping:
		return []*float64{&l.Normal.Damping}
	case slotContactRolling:
		return []*float64{&l.Rolling.Coefficient}
	case slotContactDrilling:
		return []*float64{&l.Drilling.Coefficient}
	case slotContactFriction:
		return []*float64{&l.Friction.Coefficient[0], &l.Friction.Coefficient[1]}
	}
	panic("derive: no number of a contact")
}
