package bodies

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// triangleTol is the excess of a principal moment over the sum of the two others, relative to the moment, that still
// counts as rounding of the user's data (model-format.md).
const triangleTol = 1e-9

// Reasons for which New and the other constructors refuse a body, for errors.Is.
var (
	ErrMass       = errors.New("bodies: mass is not positive and finite")
	ErrCom        = errors.New("bodies: centre of mass is not finite")
	ErrInertia    = errors.New("bodies: inertia is not positive semidefinite and finite")
	ErrTriangle   = errors.New("bodies: inertia breaks the triangle inequality")
	ErrDimensions = errors.New("bodies: dimension is not positive and finite")
	ErrPlace      = errors.New("bodies: place is not finite, or its orientation not of length one")
	ErrPolygon    = errors.New("bodies: not a simple polygon")
)

// Body is the mass distribution of one rigid body. Make one with New or the
// constructor of a solid; a literal has no Weight.
//
// One principal moment, or all three, may be zero: a slender rod, or a point mass. The Weight of such a body is computed
// from Inertia + h·N, with N the projection on the directions without inertia. New chooses h > 0, and Hold changes it.
type Body struct {
	Mass    float64      // kg
	Com     spatial.Vec3 // centre of mass, body frame, m
	Inertia spatial.Sym3 // about Com, body axes, kg m²

	weight Weight
}

// Weight is C⁻¹ of a body, theory.md (10). M = C·Cᵀ is the 6×6 inertia at the centre of mass in
// body axes: M is diag(Inertia, Mass·1) and C is diag(L, √Mass·1) with L·Lᵀ = Inertia. For a
// rod or a point mass, HeldInertia replaces Inertia.
type Weight struct {
	Inertia spatial.Lower3 // L⁻¹, 1/√(kg m²)
	Mass    float64        // 1/√Mass, 1/√kg
}

// New returns the body with the given mass, centre of mass (body frame) and
// rotational inertia (about the centre of mass, body axes).
//
// Units: kg, m, kg m².
// It returns an error that wraps ErrMass, ErrCom, ErrInertia or ErrTriangle, several of them joined.
func New(mass float64, com spatial.Vec3, inertia spatial.Sym3) (Body, error) {
	var errs []error
	if !(mass > 0) || !(spatial.Vec3{mass}).IsFinite() {
		errs = append(errs, fault.Errorf("bodies: mass %v: %w", mass, ErrMass))
	}
	if !com.IsFinite() {
		errs = append(errs, fault.Errorf("bodies: centre of mass %v: %w", com, ErrCom))
	}
	b := Body{Mass: mass, Com: com, Inertia: inertia}
	if err := checkInertia(inertia, &b.weight.Inertia); err == errSingular {
		if err := b.makeSingular(); err != nil {
			errs = append(errs, fault.Errorf("bodies: inertia %v: %w", inertia, err))
		}
	} else if err != nil {
		errs = append(errs, fault.Errorf("bodies: inertia %v: %w", inertia, err))
	}
	if errs != nil {
		return Body{}, errors.Join(errs...)
	}
	b.weight.Mass = 1 / math.Sqrt(mass)
	return b, nil
}

// checkInertia stores in M the inverse of the Cholesky factor of I.
//
// It returns ErrInertia or ErrTriangle if no body has the inertia I, and errSingular if I is, or
// nearly is, singular; M is then undefined.
func checkInertia(I spatial.Sym3, M *spatial.Lower3) error {
	if !I.IsFinite() {
		return ErrInertia
	}
	var L spatial.Chol3
	if I.CholeskyTo(&L) != nil {
		return errSingular
	}
	var inv spatial.Sym3
	L.InverseTo(M)
	if M.GramTo(&inv); !inv.IsFinite() {
		return ErrInertia
	}
	if !surelyRegular(&I, &inv) {
		if _, n, _ := I.Null(); n != 0 {
			return errSingular
		}
	}
	if !triangular(&I) {
		return ErrTriangle
	}
	return nil
}

// triangular reports whether each principal moment of I is at most the sum of the two others, but for triangleTol. That is so
// where ½·tr(I)·1 − I has no negative eigenvalue. With half the tolerance added to the trace, this matrix is positive definite.
func triangular(I *spatial.Sym3) bool {
	var L spatial.Chol3
	half := (I[0]/2 + I[1]/2 + I[2]/2) * (1 + triangleTol/2)
	rest := spatial.Sym3{half - I[0], half - I[1], half - I[2], -I[3], -I[4], -I[5]}
	return rest.CholeskyTo(&L) == nil
}

// WithCom returns b with its centre of mass moved to com in the body frame.
func (b Body) WithCom(com spatial.Vec3) Body {
	b.Com = com
	return b
}

// Spatial returns the spatial inertia about the body frame's origin, body axes
// (RBDA eq. 2.63).
func (b *Body) Spatial() spatial.Inertia {
	return spatial.Inertia{Mass: b.Mass, Com: b.Com, Central: b.Inertia}
}

// WorldInertiaTo stores in I the rotational inertia about the centre of mass in
// world axes, E·Ic·Eᵀ, docs/theory.md (3).
//
// Cost: 45 multiplications, no allocation.
func (b *Body) WorldInertiaTo(I *spatial.Sym3, E *spatial.Mat3) {
	b.Inertia.RotateTo(I, E)
}

// InvWorldInertiaTo stores in I the inverse rotational inertia about the centre
// of mass in world axes, E·Ic⁻¹·Eᵀ.
//
// Cost: 36 multiplications, no allocation.
// It panics if b was not made by New or a constructor.
func (b *Body) InvWorldInertiaTo(I *spatial.Sym3, E *spatial.Mat3) {
	// GᵀG with G = L⁻¹·Eᵀ.
	var G spatial.Mat3
	b.Weight().Inertia.MulTTo(&G, E)
	G.GramTo(I)
}

// Weight returns C⁻¹ of b, body axes, docs/theory.md (10).
//
// It panics if b was not made by New or a constructor.
func (b *Body) Weight() *Weight {
	if b.weight.Mass == 0 {
		panic("bodies: body not made by New")
	}
	return &b.weight
}

// KineticEnergy returns ½·m·|v|² + ½·ωᵀ·I·ω in J, with v the velocity of the
// centre of mass, omega the angular velocity and I the inertia about the centre
// of mass.
//
// Frame: any, the same for all three.
func (b *Body) KineticEnergy(I *spatial.Sym3, omega, v *spatial.Vec3) float64 {
	var h spatial.Vec3
	I.MulVecTo(&h, omega)
	return 0.5 * (b.Mass*spatial.Dot(v, v) + spatial.Dot(omega, &h))
}

// AddMomentumTo adds s·(I·ω, m·v) to p: the angular momentum of b about its centre of mass, and its linear momentum. u holds
// the angular velocity ω and the velocity v of the centre of mass. Where u holds accelerations, the sum is a moment and a
// force, theory.md (3).
//
// Frame: world axes; the columns of E are the axes of b. Cost: O(1), no allocation. p may not be u.
func (b *Body) AddMomentumTo(p *[6]float64, E *spatial.Mat3, u *[6]float64, s float64) {
	var h spatial.Vec3
	E.TMulVecTo(&h, (*spatial.Vec3)(u[:3]))
	b.Inertia.MulVecTo(&h, &h)
	E.MulVecTo(&h, &h)
	m := s * b.Mass
	p[0], p[1], p[2] = p[0]+s*h[0], p[1]+s*h[1], p[2]+s*h[2]
	p[3], p[4], p[5] = p[3]+m*u[3], p[4]+m*u[4], p[5]+m*u[5]
}

// GyroscopicMomentTo stores ω×(I·ω) in dst, the angular part of v×*Iv at the
// centre of mass, N m, docs/theory.md (3).
//
// Frame: any, the same for I and omega. dst may equal omega.
func GyroscopicMomentTo(dst *spatial.Vec3, I *spatial.Sym3, omega *spatial.Vec3) {
	var h spatial.Vec3
	I.MulVecTo(&h, omega)
	spatial.CrossTo(dst, omega, &h)
}
