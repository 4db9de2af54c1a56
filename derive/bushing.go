package derive

import (
	"slices"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// bushing is a bushing at the state, docs/springs.md (E4) to (E8).
type bushing struct {
	mechanism.BushingState
	b    *builder
	part *ownPart
	body [2]int32         // bodies of its ends; −1 for the world
	on   [2]spatial.Force // wrenches on them, about the origins of the bushing's frames
}

// bushing adds force element i, a bushing, by its exact derivatives.
func (b *builder) bushing(i int) error {
	m := b.d.mech
	n := slices.Index(b.d.bushings, int32(i))
	var u bushing
	if err := m.BushingAt(&u.BushingState, n, b.d.kin, b.d.st); err != nil {
		return err
	}
	u.WrenchesTo(&u.on[0], &u.on[1])
	b.own = append(b.own, b.aboutOrigins(u.Derivatives()))
	u.b, u.part = b, &b.own[len(b.own)-1]
	u.body, _, _, _ = m.Bushing(n)
	for e := range u.body {
		u.setFrame(e)
	}
	for _, s := range b.d.scalarsOf(b.number) {
		u.setScalar(s)
	}
	return nil
}

// wrenchChanges moves the changes of both wrenches from the origins of the bushing's frames to the origins of the bodies' frames, and lists
// those on bodies.
func (u *bushing) wrenchChanges(change *[2]spatial.Force) (out []float64) {
	for e, b := range u.body {
		if b >= 0 {
			w := change[e].Shift(u.b.d.bodies[b].k.Add(u.Arm[e]).Neg())
			out = append(out, w[:]...)
		}
	}
	return out
}

// setFrame adds the derivatives of the wrenches by the position of the attachment point of end e in its body, along the axes of the body.
func (u *bushing) setFrame(e int) {
	E, omega := spatial.Identity3(), spatial.Vec3{}
	if b := u.body[e]; b >= 0 {
		E, omega = u.b.d.bodies[b].E, u.b.d.bodies[b].omega
	}
	f := ownFrame{frame: u.b.d.pointFrame(u.b.number, e)}
	for k := range f.by {
		moved := E.Col(k)
		var change [2]spatial.Force
		u.BendTo(&change, &mechanism.BushingMove{End: e, Travel: moved, Rate: omega.Cross(moved)})
		change[e] = change[e].Add(spatial.NewForce(moved.Cross(u.on[e].Linear()), spatial.Vec3{}))
		f.by[k] = u.wrenchChanges(&change)
	}
	u.part.frames = append(u.part.frames, f)
}

// setScalar adds the derivative of the wrenches by a number of the bushing: a diagonal entry of its stiffness or damping, or an entry of
// its wrench at rest.
func (u *bushing) setScalar(s activeScalar) {
	var ds [6]float64
	k := s.slot.index
	switch s.slot.kind {
	case slotStiffness:
		ds[k] = -u.X[k]
	case slotDamping:
		ds[k] = -u.Rate[k]
	case slotTorqueVector:
		ds[k] = 1
	case slotForceVector:
		ds[3+k] = 1
	}
	var change [2]spatial.Force
	u.WrenchTo(&change[0], &change[1], &ds)
	u.part.scalars = append(u.part.scalars, ownScalar{at: s.at, by: u.wrenchChanges(&change)})
}
