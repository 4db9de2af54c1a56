package tree

import "github.com/rung-mbd/rung/spatial"

// mulTo stores in f the product of the inertia with m: J·ω + H·v, Hᵀω + M·v.
func (a *articulated) mulTo(f *spatial.Force, m *spatial.Motion) {
	J, H, M := &a.J, &a.H, &a.M
	w0, w1, w2, v0, v1, v2 := m[0], m[1], m[2], m[3], m[4], m[5]
	f[0] = J[0]*w0 + J[3]*w1 + J[4]*w2 + (H[0]*v0 + H[1]*v1 + H[2]*v2)
	f[1] = J[3]*w0 + J[1]*w1 + J[5]*w2 + (H[3]*v0 + H[4]*v1 + H[5]*v2)
	f[2] = J[4]*w0 + J[5]*w1 + J[2]*w2 + (H[6]*v0 + H[7]*v1 + H[8]*v2)
	f[3] = H[0]*w0 + H[3]*w1 + H[6]*w2 + (M[0]*v0 + M[3]*v1 + M[4]*v2)
	f[4] = H[1]*w0 + H[4]*w1 + H[7]*w2 + (M[3]*v0 + M[1]*v1 + M[5]*v2)
	f[5] = H[2]*w0 + H[5]*w1 + H[8]*w2 + (M[4]*v0 + M[5]*v1 + M[2]*v2)
}

// subtractOuter subtracts U·Wᵀ from the inertia. U·Wᵀ is symmetric, or is one of several products whose sum is symmetric.
func (a *articulated) subtractOuter(U, W *spatial.Force) {
	J, H, M := &a.J, &a.H, &a.M
	u0, u1, u2, u3, u4, u5 := U[0], U[1], U[2], U[3], U[4], U[5]
	w0, w1, w2, w3, w4, w5 := W[0], W[1], W[2], W[3], W[4], W[5]
	J[0] -= u0 * w0
	J[1] -= u1 * w1
	J[2] -= u2 * w2
	J[3] -= u0 * w1
	J[4] -= u0 * w2
	J[5] -= u1 * w2
	H[0] -= u0 * w3
	H[1] -= u0 * w4
	H[2] -= u0 * w5
	H[3] -= u1 * w3
	H[4] -= u1 * w4
	H[5] -= u1 * w5
	H[6] -= u2 * w3
	H[7] -= u2 * w4
	H[8] -= u2 * w5
	M[0] -= u3 * w3
	M[1] -= u4 * w4
	M[2] -= u5 * w5
	M[3] -= u3 * w4
	M[4] -= u3 * w5
	M[5] -= u4 * w5
}

// addShifted adds to a the inertia and bias force b, whose reference point is at r from the reference point of a. With X the shift of
// motions, Xᵀ·I·X is
//
//	M' = M, H' = H + r×M, J' = J − H·r× + r×H'ᵀ.
func (a *articulated) addShifted(b *articulated, r *spatial.Vec3) {
	J, H, M := &b.J, &b.H, &b.M
	x, y, z := r[0], r[1], r[2]
	// N = H' by columns of M.
	n0, n3, n6 := H[0]+(y*M[4]-z*M[3]), H[3]+(z*M[0]-x*M[4]), H[6]+(x*M[3]-y*M[0])
	n1, n4, n7 := H[1]+(y*M[5]-z*M[1]), H[4]+(z*M[3]-x*M[5]), H[7]+(x*M[1]-y*M[3])
	n2, n5, n8 := H[2]+(y*M[2]-z*M[5]), H[5]+(z*M[4]-x*M[2]), H[8]+(x*M[5]-y*M[4])
	// Row i of −H·r× is r×(row i of H), column j of r×H'ᵀ is r×(row j of H').
	a.J[0] += J[0] + (y*H[2] - z*H[1]) + (y*n2 - z*n1)
	a.J[1] += J[1] + (z*H[3] - x*H[5]) + (z*n3 - x*n5)
	a.J[2] += J[2] + (x*H[7] - y*H[6]) + (x*n7 - y*n6)
	a.J[3] += J[3] + (z*H[0] - x*H[2]) + (y*n5 - z*n4)
	a.J[4] += J[4] + (x*H[1] - y*H[0]) + (y*n8 - z*n7)
	a.J[5] += J[5] + (x*H[4] - y*H[3]) + (z*n6 - x*n8)
	a.H[0] += n0
	a.H[1] += n1
	a.H[2] += n2
	a.H[3] += n3
	a.H[4] += n4
	a.H[5] += n5
	a.H[6] += n6
	a.H[7] += n7
	a.H[8] += n8
	for k := range a.M {
		a.M[k] += M[k]
	}
	addShifted(&a.p, &b.p, r)
}
