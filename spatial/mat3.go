package spatial

// Mat3 is a 3×3 matrix, row-major.
type Mat3 [9]float64

// Identity3 returns the 3×3 identity.
func Identity3() Mat3 { return Mat3{1, 0, 0, 0, 1, 0, 0, 0, 1} }

// Col returns column j of A; of a rotation matrix it is local axis j.
func (A Mat3) Col(j int) Vec3 { return Vec3{A[j], A[3+j], A[6+j]} }

// T returns Aᵀ.
func (A Mat3) T() Mat3 {
	return Mat3{A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]}
}

// Add returns A + B.
func (A Mat3) Add(B Mat3) Mat3 {
	for i := range A {
		A[i] += B[i]
	}
	return A
}

// Scale returns s·A.
func (A Mat3) Scale(s float64) Mat3 {
	for i := range A {
		A[i] *= s
	}
	return A
}

// MulVec returns A·v.
func (A Mat3) MulVec(v Vec3) (w Vec3) {
	A.MulVecTo(&w, &v)
	return w
}

// TMulVec returns Aᵀ·v.
func (A Mat3) TMulVec(v Vec3) (w Vec3) {
	A.TMulVecTo(&w, &v)
	return w
}

// Mul returns A·B.
func (A Mat3) Mul(B Mat3) (C Mat3) {
	A.MulTo(&C, &B)
	return C
}

// MulT returns A·Bᵀ.
func (A Mat3) MulT(B Mat3) Mat3 { return A.Mul(B.T()) }

// TMul returns Aᵀ·B.
func (A Mat3) TMul(B Mat3) Mat3 { return A.T().Mul(B) }

// Det returns the determinant of A.
func (A Mat3) Det() float64 {
	return A[0]*(A[4]*A[8]-A[5]*A[7]) - A[1]*(A[3]*A[8]-A[5]*A[6]) + A[2]*(A[3]*A[7]-A[4]*A[6])
}

// MulVecTo stores A·v in dst.
func (A *Mat3) MulVecTo(dst, v *Vec3) {
	x, y, z := v[0], v[1], v[2]
	dst[0] = A[0]*x + A[1]*y + A[2]*z
	dst[1] = A[3]*x + A[4]*y + A[5]*z
	dst[2] = A[6]*x + A[7]*y + A[8]*z
}

// TMulVecTo stores Aᵀ·v in dst.
func (A *Mat3) TMulVecTo(dst, v *Vec3) {
	x, y, z := v[0], v[1], v[2]
	dst[0] = A[0]*x + A[3]*y + A[6]*z
	dst[1] = A[1]*x + A[4]*y + A[7]*z
	dst[2] = A[2]*x + A[5]*y + A[8]*z
}

// MulTo stores A·B in dst. dst may equal A but not B.
func (A *Mat3) MulTo(dst, B *Mat3) {
	for r := 0; r < 9; r += 3 {
		x, y, z := A[r], A[r+1], A[r+2]
		dst[r] = x*B[0] + y*B[3] + z*B[6]
		dst[r+1] = x*B[1] + y*B[4] + z*B[7]
		dst[r+2] = x*B[2] + y*B[5] + z*B[8]
	}
}

// TMulTo stores Aᵀ·B in dst, which may equal neither.
func (A *Mat3) TMulTo(dst, B *Mat3) {
	for r := range 3 {
		x, y, z := A[r], A[3+r], A[6+r]
		dst[3*r] = x*B[0] + y*B[3] + z*B[6]
		dst[3*r+1] = x*B[1] + y*B[4] + z*B[7]
		dst[3*r+2] = x*B[2] + y*B[5] + z*B[8]
	}
}
