package spatial

// Transform is the Plücker coordinate transform from frame A to frame B
// (RBDA §2.8); spatial accelerations transform as motions. E takes A coordinates to B coordinates of 3-vectors, R is the
// position of B's origin in A coordinates, m.
type Transform struct {
	E Mat3
	R Vec3
}

// IdentityTransform returns the transform of a frame to itself.
func IdentityTransform() Transform { return Transform{E: Identity3()} }

// Rotation returns the transform to a frame with the same origin and the axes of
// E (the columns of E are the axes of B in A), rot of RBDA §2.8.
func Rotation(E Mat3) Transform { return Transform{E: E.T()} }

// Translation returns the transform to a parallel frame at r, xlt of RBDA §2.8.
func Translation(r Vec3) Transform { return Transform{E: Identity3(), R: r} }

// PlaceFrame returns the transform from the outer frame to a local one with its
// origin at r and its axes the columns of E.
func PlaceFrame(E Mat3, r Vec3) Transform { return Transform{E: E.T(), R: r} }

// Motion returns X·m: (E·ω, E·(v − r×ω)).
func (X Transform) Motion(m Motion) (dst Motion) {
	E, r := &X.E, &X.R
	w0, w1, w2 := m[0], m[1], m[2]
	v0 := m[3] - (r[1]*w2 - r[2]*w1)
	v1 := m[4] - (r[2]*w0 - r[0]*w2)
	v2 := m[5] - (r[0]*w1 - r[1]*w0)
	dst[0] = E[0]*w0 + E[1]*w1 + E[2]*w2
	dst[1] = E[3]*w0 + E[4]*w1 + E[5]*w2
	dst[2] = E[6]*w0 + E[7]*w1 + E[8]*w2
	dst[3] = E[0]*v0 + E[1]*v1 + E[2]*v2
	dst[4] = E[3]*v0 + E[4]*v1 + E[5]*v2
	dst[5] = E[6]*v0 + E[7]*v1 + E[8]*v2
	return dst
}

// Force returns X*·f, with X* = X⁻ᵀ the dual transform:
// (E·(n − r×f), E·f).
func (X Transform) Force(f Force) (dst Force) {
	E, r := &X.E, &X.R
	f0, f1, f2 := f[3], f[4], f[5]
	n0 := f[0] - (r[1]*f2 - r[2]*f1)
	n1 := f[1] - (r[2]*f0 - r[0]*f2)
	n2 := f[2] - (r[0]*f1 - r[1]*f0)
	dst[0] = E[0]*n0 + E[1]*n1 + E[2]*n2
	dst[1] = E[3]*n0 + E[4]*n1 + E[5]*n2
	dst[2] = E[6]*n0 + E[7]*n1 + E[8]*n2
	dst[3] = E[0]*f0 + E[1]*f1 + E[2]*f2
	dst[4] = E[3]*f0 + E[4]*f1 + E[5]*f2
	dst[5] = E[6]*f0 + E[7]*f1 + E[8]*f2
	return dst
}

// Inverse returns X⁻¹, from B to A.
func (X Transform) Inverse() Transform {
	return Transform{E: X.E.T(), R: X.E.MulVec(X.R).Neg()}
}

// Mul returns X·Y: first Y, then X; XCA = XCB.Mul(XBA).
func (X Transform) Mul(Y Transform) (Z Transform) {
	var r Vec3
	Y.E.TMulVecTo(&r, &X.R)
	X.E.MulTo(&Z.E, &Y.E)
	Z.R = Vec3{Y.R[0] + r[0], Y.R[1] + r[1], Y.R[2] + r[2]}
	return Z
}

// Point returns the position in B of the point at p in A: E·(p − r).
func (X Transform) Point(p Vec3) Vec3 { return X.E.MulVec(p.Sub(X.R)) }

// Matrix returns the 6×6 matrix of X for motions; M[i] is its row i.
func (X Transform) Matrix() (M [6][6]float64) {
	B := X.E.Mul(X.R.Skew()).Scale(-1)
	for i := range 3 {
		for j := range 3 {
			M[i][j], M[i+3][j+3] = X.E[3*i+j], X.E[3*i+j]
			M[i+3][j] = B[3*i+j]
		}
	}
	return M
}
