package bodies

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// Part is one of the bodies that form a composite body, with its pose.
type Part struct {
	Body        Body
	Position    spatial.Vec3 // origin of the part's frame in the composite's frame, m
	Orientation spatial.Quat // unit, part → composite; all zeros stand for the identity
}

// Composite returns the one rigid body that the parts make when they are welded together: its
// mass, centre of mass and inertia (parallel axes, RBDA §2.13). Parts may overlap; each counts
// whole.
//
// Frame: the composite's. Units: SI.
// It returns an error that names the part by its number and wraps ErrPlace or an error of New. Without
// parts it returns an error that wraps ErrMass.
func Composite(parts ...Part) (Body, error) {
	var sum spatial.Inertia
	for i := range parts {
		I, err := parts[i].placed()
		if err != nil {
			return Body{}, fault.Errorf("bodies: part %d: %w", i, err)
		}
		sum = sum.Add(I)
	}
	if len(parts) == 0 {
		return Body{}, fault.Errorf("bodies: no parts: %w", ErrMass)
	}
	return New(sum.Mass, sum.Com, sum.Central)
}

// placed returns the inertia of p in the frame of the composite.
func (p *Part) placed() (spatial.Inertia, error) {
	q := p.Orientation
	if q == (spatial.Quat{}) {
		q = spatial.IdentityQuat()
	}
	if !(math.Abs(q.Norm()-1) <= quaternionTol) || !p.Position.IsFinite() {
		return spatial.Inertia{}, fault.Errorf("bodies: position %v, orientation %v: %w", p.Position, q, ErrPlace)
	}
	b, err := New(p.Body.Mass, p.Body.Com, p.Body.Inertia)
	if err != nil {
		return spatial.Inertia{}, err
	}
	E := q.Normalize().Mat()
	return spatial.Inertia{Mass: b.Mass, Com: p.Position.Add(E.MulVec(b.Com)), Central: b.Inertia.Rotate(E)}, nil
}

// quaternionTol is how far the length of an orientation may be from one (model-format.md).
const quaternionTol = 1e-6
