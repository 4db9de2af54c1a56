package bodies

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// errSingular says that an inertia is not positive definite, or that it is so nearly singular that moments may count as zero.
var errSingular = errors.New("bodies: inertia is singular")

// surelyRegular reports whether no principal moment of I can count as zero (spatial.Sym3.Null); inv is its inverse. The product of their
// traces is at least the largest moment over the smallest one, which is 1e14 or more where one counts as zero.
func surelyRegular(I, inv *spatial.Sym3) bool { return I.Trace()*inv.Trace() <= 1e13 }

// heldPart is what New holds in the directions without inertia, relative to the other moments or, of a point mass, to the
// mass at a distance of 1 m.
const heldPart = 1e-4

// makeSingular makes the body one with moments of zero.
func (b *Body) makeSingular() error {
	_, n, clean := b.Inertia.Null()
	hold := clean.Trace()
	switch {
	case n < 1:
		return ErrInertia
	case n == 1 && !triangular(&clean):
		return ErrTriangle
	case n == 3 && !(b.Mass > 0):
		return nil // New refuses the mass
	case n == 3:
		hold = b.Mass
	}
	if hold *= heldPart; !(hold > 0) || math.IsInf(1/hold, 0) {
		return ErrInertia
	}
	b.Inertia = clean
	b.Hold(hold)
	return nil
}

// Null returns the directions without inertia, unit vectors in body axes: none, the axis of a slender rod, or three of a
// point mass.
//
// Cost: O(1), no allocation; with eigenvalues where the inertia is nearly singular.
func (b *Body) Null() (axes [3]spatial.Vec3, n int) {
	var L spatial.Chol3
	if b.Inertia.CholeskyTo(&L) == nil {
		var M spatial.Lower3
		var inv spatial.Sym3
		L.InverseTo(&M)
		if M.GramTo(&inv); surelyRegular(&b.Inertia, &inv) {
			return axes, 0
		}
	}
	axes, n, _ = b.Inertia.Null()
	return axes, n
}

// Hold makes the Weight of b that of Inertia + hold·N, with N the projection on the directions without inertia. Without
// such directions it does nothing. A solver of the dynamics with such weights has to undo this: it adds the torques
// hold·α, with α the angular accelerations along these directions, docs/theory.md (H1).
//
// Units: kg m². It panics if hold is not positive.
func (b *Body) Hold(hold float64) {
	if !(hold > 0) {
		panic("bodies: hold is not positive")
	}
	axes, n := b.Null()
	if n < 1 {
		return
	}
	var L spatial.Chol3
	I := b.HeldInertia(axes[:n], hold)
	if I.CholeskyTo(&L) == nil {
		L.InverseTo(&b.weight.Inertia)
	}
}

// HeldInertia returns Inertia + hold·N for directions n.
func (b *Body) HeldInertia(n []spatial.Vec3, hold float64) spatial.Sym3 {
	I := b.Inertia
	for i := range n {
		a := &n[i]
		I = I.Add(spatial.Sym3{a[0] * a[0], a[1] * a[1], a[2] * a[2], a[0] * a[1], a[0] * a[2], a[1] * a[2]}.Scale(hold))
	}
	return I
}
