package bodies

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// errSingular says that an inertia is not positive definite, or that it is so nearly singular that moments may count as zero.
var errSingular = errors.New("bodies: inertia is singular")

// surelyRegular reports whether no principal moment of I can count as zero (spatial.Sym3.Null); inv is the inverse of I. The
// product of the two traces is at least the ratio of the largest moment to the smallest. This ratio is 1e14 or more where a
// moment counts as zero; the bound 1e13 leaves room for rounding.
func surelyRegular(I, inv *spatial.Sym3) bool { return I.Trace()*inv.Trace() <= 1e13 }

// heldPart times the trace of the inertia is the h that New adds in the directions without inertia (see Body). For a point
// mass, h is heldPart times the moment of the mass at a distance of 1 m.
const heldPart = 1e-4

// makeSingular sets the inertia of b with its null directions cleaned of rounding, and the weight that goes with it.
// It returns ErrInertia if the inertia has no null directions or its moments underflow, and ErrTriangle if the two moments of a
// rod differ.
func (b *Body) makeSingular() error {
	_, n, clean := b.Inertia.Null()
	hold := clean.Trace()
	switch {
	case n < 1:
		return ErrInertia
	case n == 1 && !triangular(&clean):
		return ErrTriangle
	case n == 3 && !(b.Mass > 0):
		return nil // New reports the mass
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

// Null returns the directions without inertia, axes[:n], unit vectors in body axes: none, the axis of a slender rod, or three
// axes of a point mass. n is −1 if no body has the Inertia of b.
//
// Cost: O(1), no allocation; computes eigenvalues where the inertia is nearly singular.
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

// Hold recomputes the Weight of b from Inertia + hold·N, with N the projection on the directions without inertia. It changes
// nothing if there are no such directions. A solver that uses such a Weight has to correct for the added inertia: it adds the
// torques hold·α, with α the angular accelerations along these directions, docs/theory.md (H1).
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

// HeldInertia returns Inertia + hold·N, with N = Σ directions·nᵀ over the given unit vectors, body axes.
//
// Units: hold in kg m².
func (b *Body) HeldInertia(directions []spatial.Vec3, hold float64) spatial.Sym3 {
	I := b.Inertia
	for i := range directions {
		a := &directions[i]
		I = I.Add(spatial.Sym3{a[0] * a[0], a[1] * a[1], a[2] * a[2], a[0] * a[1], a[0] * a[2], a[1] * a[2]}.Scale(hold))
	}
	return I
}
