package spatial

import (
	"errors"
	"math"
)

// ErrNotPositiveDefinite reports a symmetric matrix that has no Cholesky
// factor.
var ErrNotPositiveDefinite = errors.New("spatial: matrix is not positive definite")

// Sym3 is a symmetric 3×3 matrix: xx, yy, zz, xy, xz, yz.
type Sym3 [6]float64

// Diag3 returns diag(x, y, z).
func Diag3(x, y, z float64) Sym3 { return Sym3{x, y, z, 0, 0, 0} }

// Mat returns S as a full matrix.
func (S Sym3) Mat() Mat3 {
	return Mat3{S[0], S[3], S[4], S[3], S[1], S[5], S[4], S[5], S[2]}
}

// Trace returns xx + yy + zz.
func (S Sym3) Trace() float64 { return S[0] + S[1] + S[2] }

// Add returns S + B.
func (S Sym3) Add(B Sym3) Sym3 {
	for i := range S {
		S[i] += B[i]
	}
	return S
}

// Scale returns s·S.
func (S Sym3) Scale(s float64) Sym3 {
	for i := range S {
		S[i] *= s
	}
	return S
}

// IsFinite reports whether no entry is NaN or infinite.
func (S Sym3) IsFinite() bool {
	for _, x := range S {
		if !(math.Abs(x) <= math.MaxFloat64) {
			return false
		}
	}
	return true
}

// MulVec returns S·v.
func (S Sym3) MulVec(v Vec3) (w Vec3) {
	S.MulVecTo(&w, &v)
	return w
}

// Rotate returns E·S·Eᵀ.
func (S Sym3) Rotate(E Mat3) (R Sym3) {
	S.RotateTo(&R, &E)
	return R
}

// Inverse returns S⁻¹, for a positive definite S.
//
// It returns ErrNotPositiveDefinite if S has no Cholesky factor.
func (S Sym3) Inverse() (B Sym3, err error) {
	err = S.inverseTo(&B)
	return B, err
}

// MulVecTo stores S·v in dst.
func (S *Sym3) MulVecTo(dst, v *Vec3) {
	x, y, z := v[0], v[1], v[2]
	dst[0] = S[0]*x + S[3]*y + S[4]*z
	dst[1] = S[3]*x + S[1]*y + S[5]*z
	dst[2] = S[4]*x + S[5]*y + S[2]*z
}

// RotateTo stores E·S·Eᵀ in dst: S moved from local to outer axes.
//
// Cost: 45 multiplications, no allocation.
func (S *Sym3) RotateTo(dst *Sym3, E *Mat3) {
	// M = E·S by rows, then the upper triangle of M·Eᵀ.
	e0, e1, e2 := E[0], E[1], E[2]
	e3, e4, e5 := E[3], E[4], E[5]
	e6, e7, e8 := E[6], E[7], E[8]
	xx, yy, zz, xy, xz, yz := S[0], S[1], S[2], S[3], S[4], S[5]
	m0, m1, m2 := e0*xx+e1*xy+e2*xz, e0*xy+e1*yy+e2*yz, e0*xz+e1*yz+e2*zz
	m3, m4, m5 := e3*xx+e4*xy+e5*xz, e3*xy+e4*yy+e5*yz, e3*xz+e4*yz+e5*zz
	m6, m7, m8 := e6*xx+e7*xy+e8*xz, e6*xy+e7*yy+e8*yz, e6*xz+e7*yz+e8*zz
	dst[0] = m0*e0 + m1*e1 + m2*e2
	dst[1] = m3*e3 + m4*e4 + m5*e5
	dst[2] = m6*e6 + m7*e7 + m8*e8
	dst[3] = m0*e3 + m1*e4 + m2*e5
	dst[4] = m0*e6 + m1*e7 + m2*e8
	dst[5] = m3*e6 + m4*e7 + m5*e8
}

// Chol3 is a lower Cholesky factor: the diagonal, then L10, L20, L21.
type Chol3 [6]float64

// CholeskyTo stores in L the factor with L·Lᵀ = S.
//
// It returns ErrNotPositiveDefinite if S is not positive definite or not
// finite; L is then undefined.
func (S *Sym3) CholeskyTo(L *Chol3) error {
	d0 := S[0]
	if !(d0 > 0) || math.IsInf(d0, 1) {
		return ErrNotPositiveDefinite
	}
	l00 := math.Sqrt(d0)
	l10, l20 := S[3]/l00, S[4]/l00
	d1 := S[1] - l10*l10
	if !(d1 > 0) || math.IsInf(d1, 1) {
		return ErrNotPositiveDefinite
	}
	l11 := math.Sqrt(d1)
	l21 := (S[5] - l20*l10) / l11
	d2 := S[2] - l20*l20 - l21*l21
	if !(d2 > 0) || math.IsInf(d2, 1) {
		return ErrNotPositiveDefinite
	}
	*L = Chol3{l00, l11, math.Sqrt(d2), l10, l20, l21}
	return nil
}

// Lower3 is a lower triangular 3×3 matrix: the diagonal, then 10, 20, 21.
type Lower3 [6]float64

// InverseTo stores L⁻¹ in M.
func (L *Chol3) InverseTo(M *Lower3) {
	m00, m11, m22 := 1/L[0], 1/L[1], 1/L[2]
	m10 := -L[3] * m00 * m11
	m21 := -L[5] * m11 * m22
	m20 := -(L[4]*m00 + L[5]*m10) * m22
	*M = Lower3{m00, m11, m22, m10, m20, m21}
}

// MulVecTo stores M·v in dst, which may be v.
func (M *Lower3) MulVecTo(dst, v *Vec3) {
	x, y, z := v[0], v[1], v[2]
	dst[0], dst[1], dst[2] = M[0]*x, M[3]*x+M[1]*y, M[4]*x+M[5]*y+M[2]*z
}

// TMulVecTo stores Mᵀ·v in dst, which may be v.
func (M *Lower3) TMulVecTo(dst, v *Vec3) {
	x, y, z := v[0], v[1], v[2]
	dst[0], dst[1], dst[2] = M[0]*x+M[3]*y+M[4]*z, M[1]*y+M[5]*z, M[2]*z
}

// SolveTo stores M⁻¹·v in dst, which may be v.
func (M *Lower3) SolveTo(dst, v *Vec3) {
	x := v[0] / M[0]
	y := (v[1] - M[3]*x) / M[1]
	dst[0], dst[1], dst[2] = x, y, (v[2]-M[4]*x-M[5]*y)/M[2]
}

// TSolveTo stores M⁻ᵀ·v in dst, which may be v.
func (M *Lower3) TSolveTo(dst, v *Vec3) {
	z := v[2] / M[2]
	y := (v[1] - M[5]*z) / M[1]
	dst[0], dst[1], dst[2] = (v[0]-M[3]*y-M[4]*z)/M[0], y, z
}

// MulTTo stores M·Eᵀ in G.
//
// Cost: 18 multiplications, no allocation.
func (M *Lower3) MulTTo(G, E *Mat3) {
	m00, m11, m22, m10, m20, m21 := M[0], M[1], M[2], M[3], M[4], M[5]
	for c := range 3 {
		x, y, z := E[3*c], E[3*c+1], E[3*c+2]
		G[c], G[3+c], G[6+c] = m00*x, m10*x+m11*y, m20*x+m21*y+m22*z
	}
}

// GramTo stores MᵀM in S.
func (M *Lower3) GramTo(S *Sym3) {
	*S = Sym3{
		M[0]*M[0] + M[3]*M[3] + M[4]*M[4],
		M[1]*M[1] + M[5]*M[5],
		M[2] * M[2],
		M[3]*M[1] + M[4]*M[5],
		M[4] * M[2],
		M[5] * M[2],
	}
}

// GramTo stores AᵀA in S.
func (A *Mat3) GramTo(S *Sym3) {
	S[0] = A[0]*A[0] + A[3]*A[3] + A[6]*A[6]
	S[1] = A[1]*A[1] + A[4]*A[4] + A[7]*A[7]
	S[2] = A[2]*A[2] + A[5]*A[5] + A[8]*A[8]
	S[3] = A[0]*A[1] + A[3]*A[4] + A[6]*A[7]
	S[4] = A[0]*A[2] + A[3]*A[5] + A[6]*A[8]
	S[5] = A[1]*A[2] + A[4]*A[5] + A[7]*A[8]
}

// inverseTo stores S⁻¹ in dst, for a positive definite S.
//
// It returns ErrNotPositiveDefinite if S has no Cholesky factor; dst is then
// unchanged.
func (S *Sym3) inverseTo(dst *Sym3) error {
	var L Chol3
	if err := S.CholeskyTo(&L); err != nil {
		return err
	}
	// M = L⁻¹, then S⁻¹ = MᵀM.
	var M Lower3
	L.InverseTo(&M)
	M.GramTo(dst)
	return nil
}

// Eigenvalues returns the eigenvalues of S in ascending order, by Jacobi
// rotations (Golub and Van Loan, Matrix Computations, §8.5).
//
// Cost: a few hundred flops, no allocation. The result has NaN where S has.
func (S Sym3) Eigenvalues() Vec3 {
	S.diagonalize(nil)
	a, b, c := S[0], S[1], S[2]
	if a > b {
		a, b = b, a
	}
	if b > c {
		b, c = c, b
	}
	if a > b {
		a, b = b, a
	}
	return Vec3{a, b, c}
}

// Principal returns the eigenvalues of S in ascending order, and a rotation E whose columns are their eigenvectors:
// S = E·diag(values)·Eᵀ. For an inertia these are the principal moments and axes.
//
// Cost: some thousand flops, no allocation. The results have NaN where S has.
func (S Sym3) Principal() (values Vec3, E Mat3) {
	V := Identity3()
	S.diagonalize(&V)
	order := [3]int{0, 1, 2}
	for _, k := range [3]int{0, 1, 0} {
		if S[order[k]] > S[order[k+1]] {
			order[k], order[k+1] = order[k+1], order[k]
		}
	}
	for k, from := range order {
		values[k] = S[from]
		for i := range 3 {
			E[3*i+k] = V[3*i+from]
		}
	}
	if E.Det() < 0 {
		for i := range 3 {
			E[3*i] = -E[3*i]
		}
	}
	return values, E
}

// jacobiPairs are the pairs (p, q) of indices, with the places in a Sym3 of the entries pq, pr and qr, where r is the third index.
var jacobiPairs = [3]struct{ p, q, pq, pr, qr int }{{0, 1, 3, 4, 5}, {0, 2, 4, 3, 5}, {1, 2, 5, 3, 4}}

// diagonalize makes S diagonal by sweeps of plane rotations (Golub and Van Loan, Matrix Computations, §8.5). It multiplies V by them from
// the right, unless V is nil.
func (S *Sym3) diagonalize(V *Mat3) {
	const sweeps = 30 // far more than the 6 or so after which quadratic convergence ends
	for range sweeps {
		if S[3] == 0 && S[4] == 0 && S[5] == 0 {
			break
		}
		for _, k := range jacobiPairs {
			app, aqq, apq := S[k.p], S[k.q], S[k.pq]
			if math.Abs(apq) <= 1e-300 || app+100*apq == app && aqq+100*apq == aqq {
				S[k.pq] = 0 // below rounding of both diagonal entries, or next to underflow
				continue
			}
			// t is the tangent of the angle that makes entry pq zero: the root of t² + 2h·t − 1 of smaller magnitude.
			h := (aqq - app) / (2 * apq)
			t := 1 / (math.Abs(h) + math.Hypot(1, h))
			if h < 0 {
				t = -t
			}
			c := 1 / math.Sqrt(1+t*t)
			s := t * c
			pr, qr := S[k.pr], S[k.qr]
			S[k.p], S[k.q], S[k.pq] = app-t*apq, aqq+t*apq, 0
			S[k.pr], S[k.qr] = c*pr-s*qr, s*pr+c*qr
			for i := 0; V != nil && i < 9; i += 3 {
				vp, vq := V[i+k.p], V[i+k.q]
				V[i+k.p], V[i+k.q] = c*vp-s*vq, s*vp+c*vq
			}
		}
	}
}
