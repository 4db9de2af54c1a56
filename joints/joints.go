package joints

import (
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/spatial"
)

// Spec is a joint's type with its parameters: everything about the joint
// that is neither a body nor a state.
type Spec struct {
	Kind           Kind
	Pitch          float64       // helical, m/rad, not 0
	Length         float64       // distance, m, > 0
	Radius         float64       // rolling: outer radius of the wheel, m, > 0
	Tyre           float64       // rolling: radius of the round tyre, m; 0 for a disc, Radius for a sphere
	Bowl           float64       // rolling: radius, m, of a sphere about P's origin; a ball rolls inside it, outside if negative; 0: none
	Ground         Surface       // rolling: the surface z = f(x, y), axes of P, on which the wheel rolls; nil: the plane z = 0
	Curve          *curves.Curve // point_on_curve, curve_on_curve: curve of the predecessor, Prepared
	SuccessorCurve *curves.Curve // curve_on_curve: curve of the successor, Prepared
	Axes           *Axes         // composite; Kind equals Axes.Kind()
	Motion         *[6]*Motion   // by freedom, nil for a free one; nil if no freedom is prescribed
	Turns          *[6]int64     // whole turns added to angles, by freedom; nil is zero; unused by helical

	Armature *[6]float64 // by freedom, kg m² or kg, ≥ 0, zero without a scalar coordinate; nil is zero
}

// Surface is a ground on which a wheel may roll: z = f(x, y) with two continuous derivatives. A *ground.Surface is one.
type Surface interface {
	// Height returns f, m.
	Height(x, y float64) (float64, error)
	// Form returns f, m, its slopes along x and y, and its second derivatives by xx, xy and yy, 1/m. It returns an error where
	// there is no surface.
	Form(x, y float64) ([6]float64, error)
	// Digest returns a number that is equal for surfaces of equal form.
	Digest() uint64
}

// Frames is the motion of the successor frame S relative to the predecessor
// frame P at one instant. Frame: world axes. Units: SI.
type Frames struct {
	EP, ES         spatial.Mat3 // columns are the axes of P and S in the world
	R              spatial.Vec3 // from the origin of P to the origin of S, m
	OmegaP, OmegaS spatial.Vec3 // angular velocities of the two bodies, rad/s
	V              spatial.Vec3 // velocity of S's origin as seen from P: d(R)/dt − OmegaP×R, world axes, m/s
	Near           []float64    // values that choose among the solutions for a pose (Spec.NumNear), or nil
	Found          *Found       // results of Spec.FindTo for a joint with curves, or nil; only read
}

// Rows are the constraint rows of one joint at one instant, in the form Tᵀ(ω̇_S − ω̇_P, …) of
// RBDA eq. 3.38 and 8.10. Row k constrains the relative velocity V̂ = (OmegaS − OmegaP, V) by
// T[k]·V̂ = Sigma[k], theory.md (5), and the apparent derivative of V̂ by T[k]·V̂˚ + TDot[k] =
// SigmaDot[k], theory.md (6).
type Rows struct {
	N        int              // rows in use; the others are zero
	T        [6]spatial.Force // constraint wrench on the successor about S's origin (moment, force), world axes
	Arm      spatial.Vec3     // R, from P's origin to S's origin, without its violation of the rows, m
	Slip     spatial.Vec3     // V without its violation of the rows, m/s
	TDot     [6]float64       // (apparent derivative of T[k] as seen from P)·V̂
	Sigma    [6]float64       // prescribed rates, else 0
	SigmaDot [6]float64       // prescribed second derivatives, else 0
}

// RelativeVelocityTo stores V̂ = (ω_S − ω_P, V) in v, theory.md (4): the velocity of S relative
// to P about S's origin, world axes.
func (f *Frames) RelativeVelocityTo(v *spatial.Motion) {
	v[0] = f.OmegaS[0] - f.OmegaP[0]
	v[1] = f.OmegaS[1] - f.OmegaP[1]
	v[2] = f.OmegaS[2] - f.OmegaP[2]
	v[3], v[4], v[5] = f.V[0], f.V[1], f.V[2]
}
