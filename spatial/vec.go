package spatial

import "math"

// Vec3 is a 3-vector.
type Vec3 [3]float64

// Add returns a + b.
func (a Vec3) Add(b Vec3) Vec3 { return Vec3{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

// Sub returns a − b.
func (a Vec3) Sub(b Vec3) Vec3 { return Vec3{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// Neg returns −a.
func (a Vec3) Neg() Vec3 { return Vec3{-a[0], -a[1], -a[2]} }

// Scale returns s·a.
func (a Vec3) Scale(s float64) Vec3 { return Vec3{s * a[0], s * a[1], s * a[2]} }

// Dot returns aᵀb.
func (a Vec3) Dot(b Vec3) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// Cross returns a×b.
func (a Vec3) Cross(b Vec3) Vec3 {
	return Vec3{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// Norm returns the Euclidean length, without overflow or underflow.
func (a Vec3) Norm() float64 {
	if s := a[0]*a[0] + a[1]*a[1] + a[2]*a[2]; s > 1e-280 && s < 1e300 {
		return math.Sqrt(s)
	}
	// Scale by the largest component.
	m := math.Max(math.Abs(a[0]), math.Max(math.Abs(a[1]), math.Abs(a[2])))
	if m == 0 || !(m <= math.MaxFloat64) {
		return m
	}
	x, y, z := a[0]/m, a[1]/m, a[2]/m
	return m * math.Sqrt(x*x+y*y+z*z)
}

// IsFinite reports whether no component is NaN or infinite.
func (a Vec3) IsFinite() bool { return a.Scale(0) == Vec3{} } // 0·x is NaN where x is not finite

// Skew returns the matrix a× with (a×)b = a×b.
func (a Vec3) Skew() Mat3 {
	return Mat3{
		0, -a[2], a[1],
		a[2], 0, -a[0],
		-a[1], a[0], 0,
	}
}

// Dot returns aᵀb.
//
// Cost: no copy; the pointer form of Vec3.Dot.
func Dot(a, b *Vec3) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// CrossTo stores a×b in dst.
func CrossTo(dst, a, b *Vec3) {
	dst[0], dst[1], dst[2] = a[1]*b[2]-a[2]*b[1], a[2]*b[0]-a[0]*b[2], a[0]*b[1]-a[1]*b[0]
}

// AddScaledTo stores a + s·b in dst.
func AddScaledTo(dst, a *Vec3, s float64, b *Vec3) {
	dst[0], dst[1], dst[2] = a[0]+s*b[0], a[1]+s*b[1], a[2]+s*b[2]
}
