package lanes

import "unsafe"

// Pin holds the arguments of PinRows for a joint that holds a point of body P and a point of
// body S together. Matrices are stored by rows and have the axes as columns. Vectors are in
// the axes of their body unless noted.
type Pin struct {
	EP, ES           *[9]float64 // axes of the bodies in the world
	OmegaP, OmegaS   *[3]float64 // angular velocities, world axes
	Axes             *[9]float64 // axes of the joint in P
	OriginP, OriginS *[3]float64 // origin of the joint
	ComP, ComS       *[3]float64 // centres of mass
	Weight           *[6]float64 // L⁻¹ of S, the lower triangle as 00, 11, 22, 10, 20, 21
	Root             float64     // 1/√m of S
	Base             []float64   // squared norms of the parts of the rows that belong to P
}

// Pins is a kind of joint. Its rows belong to three unit forces f along the axes of the joint, and to
// unit moments n about the first of these axes, before or after the forces.
type Pins struct {
	Force, Moment int // first row of the forces, and of the moments
	Moments       int // number of moments
}

// Kinds with kernels of their own.
var (
	Ball  = Pins{}
	Hinge = Pins{Moment: 3, Moments: 2}
)

// Rows returns the number of rows.
func (k Pins) Rows() int { return 3 + k.Moments }

// PinRows computes the parts of the rows of a joint that belong to S. Axes and vectors are in S.
//
//	v      force:   L⁻¹·(arm×f), f/√m
//	       moment:  L⁻¹·n, 0
//	scale  Base + the squared norm of the row of v
//	b      force:   −f·(ω_S×(ω_S×r_S) − ω_P×(ω_P×r_P))
//	       moment:  −n·(ω_S×ω_P)
//
// Here r is the vector from the centre of mass of a body to the joint, and arm = r_S.
//
// Shapes: v has six numbers a row; scale, b and p.Base have one. The number of rows is
// kind.Rows().
// Cost: about 250 operations, no allocation.
func PinRows(v, scale, b []float64, p *Pin, kind Pins) {
	if checking {
		assertPin(v, scale, b, p, kind)
	}
	switch {
	case fast && kind == Hinge:
		pinHingeAVX2(&v[0], &scale[0], &b[0], (*byte)(unsafe.Pointer(p)))
	case fast && kind == Ball:
		pinBallAVX2(&v[0], &scale[0], &b[0], (*byte)(unsafe.Pointer(p)))
	default:
		pinRowsPlain(v, scale, b, p, kind)
	}
}

// pinRowsPlain is PinRows in Go. The index k counts components along the axes of the joint.
func pinRowsPlain(v, scale, b []float64, p *Pin, kind Pins) {
	var W, A [9]float64           // axes of the joint in the world and in S
	var wp, ws, rp, rs [3]float64 // ω and r, axes of the joint
	arm := [3]float64{p.OriginS[0] - p.ComS[0], p.OriginS[1] - p.ComS[1], p.OriginS[2] - p.ComS[2]}
	for i := range 3 {
		e, q := p.EP[3*i:][:3], p.OriginP[i]-p.ComP[i]
		for k := range 3 {
			W[3*i+k] = e[0]*p.Axes[k] + e[1]*p.Axes[3+k] + e[2]*p.Axes[6+k]
			wp[k] += p.OmegaP[i] * W[3*i+k]
			ws[k] += p.OmegaS[i] * W[3*i+k]
			rp[k] += q * p.Axes[3*i+k]
		}
	}
	for i := range 3 {
		for k := range 3 {
			A[3*i+k] = p.ES[i]*W[k] + p.ES[3+i]*W[3+k] + p.ES[6+i]*W[6+k]
			rs[k] += arm[i] * A[3*i+k]
		}
	}
	biasP, biasS, turn := cross(wp, cross(wp, rp)), cross(ws, cross(ws, rs)), cross(wp, ws)
	L := p.Weight
	row := func(at, k int, x, y, z, mass float64) {
		q := v[6*at:][:6]
		q[0], q[1], q[2] = L[0]*x, L[3]*x+L[1]*y, L[4]*x+L[5]*y+L[2]*z
		q[3], q[4], q[5] = mass*A[k], mass*A[3+k], mass*A[6+k]
		scale[at] = p.Base[at] + (q[0]*q[0] + q[1]*q[1] + q[2]*q[2]) + (q[3]*q[3] + q[4]*q[4] + q[5]*q[5])
	}
	for k := range 3 {
		f := cross(arm, [3]float64{A[k], A[3+k], A[6+k]})
		row(kind.Force+k, k, f[0], f[1], f[2], p.Root)
		b[kind.Force+k] = biasP[k] - biasS[k]
	}
	for k := range kind.Moments {
		row(kind.Moment+k, k, A[k], A[3+k], A[6+k], 0)
		b[kind.Moment+k] = turn[k]
	}
}

// cross returns a×b.
func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}
