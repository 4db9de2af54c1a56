package fik

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/halt"
)

const (
	firstS         = 100   // s with which the search begins
	mostHalvings   = 60    // largest number of values of s; the equation has no solution long before the last
	leastGap       = 1e-9  // least distance of an eigenvalue from the imaginary axis, relative to the largest eigenvalue
	symmetryTol    = 1e-10 // largest difference of mirrored numbers of a symmetric matrix, relative to the largest number
	residualTol    = 1e-9  // largest residual of the equation, relative to its terms
	rankTol        = 1e-10 // least singular value of a Jacobian of full rank, relative to the largest
	mostRiccati    = 200   // largest number of rows of a design
	defaultDecay   = 5     // m_i, 1/s
	defaultAngular = 4     // w, rad/s
)

// RiccatiOptions are the weights of a design. The zero value has the defaults.
type RiccatiOptions struct {
	W float64   // w, 1/s; 0: 4
	M []float64 // m_i > 0, one for each row or one for all, 1/s; nil: 5
	V []float64 // v_j > 0, squares of the largest rates of the freedoms, one each or one for all; nil: 1
}

// RiccatiInfo describes the search for a design.
type RiccatiInfo struct {
	Pa       []float64 // m×m by rows, the solution of the equation for S
	S        float64   // the least s for which a solution was found
	Tried    []RiccatiTrial
	Residual float64 // of the equation, relative to the sum of the sizes of its terms
	SigmaMin float64 // least singular value of the Jacobian
	SigmaMax float64 // largest singular value of the Jacobian
}

// RiccatiTrial is one s of the search.
type RiccatiTrial struct {
	S      float64
	Exists bool    // a positive definite solution was found
	Gap    float64 // least distance of an eigenvalue of the Hamiltonian from the imaginary axis, relative to the largest eigenvalue
}

// riccati is the equation MᵀX + X M − X R X + w²1 = 0 with M = −diag(m), docs/inverse-kinematics.md (F6).
type riccati struct {
	m  int       // number of rows
	M  []float64 // m_i
	g  *Dense    // J V⁻¹ Jᵀ
	r  *Dense    // R = g − s⁻²·1
	w2 float64   // w²
}

// Riccati designs the matrix P of feedback inverse kinematics at a pose with the Jacobian
// j0, by the stabilizing solution Pa of docs/inverse-kinematics.md (F6): P = v₁·Pa, m×m
// by rows. It halves s from 100 as long as Pa exists and is positive definite, and uses the last one.
//
// Cost: O(m³) for each s, and O(m²n): 2 ms for 12 rows, 4 s for 200; allocates. It returns an OptionError for each rule
// that o breaks, joined, or an error that wraps ErrRank, with the singular values, or ErrNoDesign if there is no solution for s = 100.
func Riccati(j0 *Dense, o RiccatiOptions) (P []float64, info *RiccatiInfo, err error) {
	return RiccatiContext(context.Background(), j0, o)
}

// RiccatiContext is Riccati that ends early when ctx does. It then returns an error that wraps the cause. It tests ctx before each s: with
// 100 rows every 40 ms, with 200 every 0.4 s.
func RiccatiContext(ctx context.Context, j0 *Dense, o RiccatiOptions) (P []float64, info *RiccatiInfo, err error) {
	halt.Must(ctx)
	m, n := j0.Dims()
	if o, err = o.filled(m, n); err != nil {
		return nil, nil, err
	}
	info = new(RiccatiInfo)
	if info.SigmaMin, info.SigmaMax, err = singularRange(j0); err != nil {
		return nil, nil, err
	}
	if !(info.SigmaMin > rankTol*info.SigmaMax) {
		return nil, nil, fault.Errorf("%w: its singular values go from %.3g down to %.3g", ErrRank, info.SigmaMax, info.SigmaMin)
	}
	e := &riccati{m: m, M: o.M, g: NewDense(m, m, nil), r: NewDense(m, m, nil), w2: o.W * o.W}
	for i := range m {
		for k := range m {
			for j, v := range o.V {
				e.g.Data[i*m+k] += j0.Data[i*n+j] * j0.Data[k*n+j] / v
			}
		}
	}
	if err := e.search(ctx, info); err != nil {
		return nil, nil, fault.Errorf("ik/fik: design: %w", err)
	}
	if info.Pa == nil {
		return nil, nil, fault.Errorf("%w with s = %v, w = %v", ErrNoDesign, float64(firstS), o.W)
	}
	P = make([]float64, m*m)
	for i, x := range info.Pa {
		P[i] = o.V[0] * x
	}
	return P, info, nil
}

// filled returns the options with the defaults filled in, M as m numbers and V as n. It returns an OptionError for each rule that o breaks,
// joined.
func (o RiccatiOptions) filled(m, n int) (RiccatiOptions, error) {
	if o.W == 0 {
		o.W = defaultAngular
	}
	if o.M == nil {
		o.M = []float64{defaultDecay}
	}
	if o.V == nil {
		o.V = []float64{1}
	}
	var bad badOptions
	bad.when(m > mostRiccati, "J0", m, fmt.Sprintf("rows, more than the %d of a design", mostRiccati))
	bad.positive("W", []float64{o.W}, 1)
	bad.positive("M", o.M, m)
	bad.positive("V", o.V, n)
	if err := bad.err(); err != nil {
		return o, err
	}
	o.M, o.V = spread(o.M, m), spread(o.V, n)
	return o, nil
}

// singularRange returns the least and the largest singular value of j; the least is 0 if j has more rows than columns.
func singularRange(j *Dense) (least, most float64, err error) {
	k := min(j.Rows, j.Cols)
	a := blas64.General{Rows: j.Rows, Cols: j.Cols, Stride: j.Cols, Data: append([]float64(nil), j.Data...)}
	s := make([]float64, k)
	if err := eigen.SingularValues(a, s); err != nil {
		return 0, 0, fault.Errorf("ik/fik: Jacobian of the design: %w", err)
	}
	if j.Rows > j.Cols {
		return 0, s[0], nil
	}
	return s[k-1], s[0], nil
}

// search halves s while a solution exists, and stores the last solution and all trials in info. It returns the cause if ctx ends.
func (e *riccati) search(ctx context.Context, info *RiccatiInfo) error {
	s := float64(firstS)
	for range mostHalvings {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		Pa, residual, gap := e.solve(s)
		info.Tried = append(info.Tried, RiccatiTrial{s, Pa != nil, gap})
		if Pa == nil {
			return nil
		}
		info.Pa, info.S, info.Residual = Pa.Data, s, residual
		s /= 2
	}
	return nil
}

// solve returns the stabilizing solution X for s with its relative residual, or nil if there is no positive definite one. gap is as in
// RiccatiTrial.
func (e *riccati) solve(s float64) (X *Dense, residual, gap float64) {
	copy(e.r.Data, e.g.Data)
	for i := range e.m {
		e.r.Data[i*e.m+i] -= 1 / (s * s)
	}
	basis, gap := e.subspace()
	if basis == nil {
		return nil, 0, gap
	}
	if X = e.quotient(basis); X == nil {
		return nil, 0, gap
	}
	if X, residual = e.corrected(X); !(residual <= residualTol) {
		return nil, 0, gap
	}
	if row, _ := algebra.Cholesky(make([]float64, len(X.Data)), X.Data, e.m); row >= 0 {
		return nil, 0, gap
	}
	return X, residual, gap
}

// subspace returns, as columns, a basis of the stable subspace of the Hamiltonian (M, −R; −w²1, −Mᵀ) by its ordered
// Schur form (Laub 1979): the first m columns. It returns nil if that subspace does not have m dimensions or an eigenvalue is within
// leastGap of the imaginary axis. gap is as in RiccatiTrial.
func (e *riccati) subspace() (basis *Dense, gap float64) {
	m := e.m
	H, Q := NewDense(2*m, 2*m, nil), NewDense(2*m, 2*m, nil)
	for i := range m {
		H.Row(i)[i], H.Row(m + i)[m+i] = -e.M[i], e.M[i]
		H.Row(m + i)[i] = -e.w2
		for k, r := range e.r.Row(i) {
			H.Row(i)[m+k] = -r
		}
	}
	stable, gap, err := eigen.StableSubspace(Q.general(), H.general())
	if err != nil || stable != m || gap < leastGap {
		return nil, gap
	}
	return Q, gap
}

// quotient returns the symmetric part of X₂ X₁⁻¹, where (X₁; X₂) are the first m columns of the basis; nil if X₁ is singular, or
// X₂ X₁⁻¹ not symmetric up to symmetryTol.
func (e *riccati) quotient(basis *Dense) *Dense {
	m := e.m
	X1, X2 := NewDense(m, m, nil), NewDense(m, m, nil)
	for i := range m { // transposed: X₁ᵀ Xᵀ = X₂ᵀ
		for k := range m {
			X1.Row(k)[i], X2.Row(k)[i] = basis.Row(i)[k], basis.Row(m + i)[k]
		}
	}
	X, err := eigen.Solve(X1.general(), X2.general())
	if err != nil {
		return nil
	}
	size := algebra.MaxAbs(X.Data)
	for i := range m {
		for k := range i {
			a, b := &X.Data[i*m+k], &X.Data[k*m+i]
			if math.Abs(*a-*b) > symmetryTol*size {
				return nil
			}
			*a = (*a + *b) / 2
			*b = *a
		}
	}
	return &Dense{m, m, X.Data}
}

// corrected returns X after a step of Newton's method (Kleinman 1968), or X itself if the step does not reduce the residual, and the
// relative residual.
func (e *riccati) corrected(X *Dense) (*Dense, float64) {
	left, scale := e.residual(X)
	before := algebra.MaxAbs(left.Data)
	// A = M − R X; Aᵀ D + D A = −left.
	A := e.product(e.r, X, blas.NoTrans)
	for i := range A.Data {
		A.Data[i] = -A.Data[i]
	}
	for i, x := range e.M {
		A.Row(i)[i] -= x
	}
	D := e.lyapunov(A, left)
	if D == nil {
		return X, before / scale
	}
	Y := NewDense(e.m, e.m, nil)
	for i := range e.m {
		for k := range e.m {
			Y.Row(i)[k] = X.Row(i)[k] + (D.Row(i)[k]+D.Row(k)[i])/2
		}
	}
	left, _ = e.residual(Y)
	if after := algebra.MaxAbs(left.Data); after < before {
		return Y, after / scale
	}
	return X, before / scale
}

// residual returns the left side of the equation for X, and the sum of the largest magnitudes of its terms.
func (e *riccati) residual(X *Dense) (left *Dense, scale float64) {
	left = e.product(X, e.product(e.r, X, blas.NoTrans), blas.NoTrans)
	scale = algebra.MaxAbs(left.Data) + e.w2
	most := 0.0
	for i := range e.m {
		row := left.Row(i)
		for k, x := range X.Row(i) {
			t := (e.M[i] + e.M[k]) * x
			most = max(most, math.Abs(t))
			row[k] = -t - row[k]
		}
		row[i] += e.w2
	}
	return left, scale + most
}

// product returns a·b, or aᵀ·b if t says so.
func (e *riccati) product(a, b *Dense, t blas.Transpose) *Dense {
	c := NewDense(e.m, e.m, nil)
	blas64.Gemm(t, blas.NoTrans, 1, a.general(), b.general(), 0, c.general())
	return c
}

const (
	mostDoublings = 60    // largest number of doublings of Smith's method; each squares the error
	doublingTol   = 1e-17 // size of a term, relative to the sum, at which the sum has converged
)

// lyapunov returns D with Aᵀ D + D A + C = 0 for a stable A and a symmetric C, or nil if the sum does not converge. With
// p > 0, U = (A − p·1)⁻¹ and B = U (A + p·1), D is the sum Σ (Bᵏ)ᵀ 2p UᵀC U Bᵏ, computed by doubling (Smith 1968).
func (e *riccati) lyapunov(A, C *Dense) *Dense {
	m := e.m
	p := 0.0
	for i := range m {
		p += math.Abs(A.Row(i)[i]) / float64(m)
	}
	minus, unit, plus := NewDense(m, m, nil), NewDense(m, m, nil), NewDense(m, m, nil)
	copy(minus.Data, A.Data)
	copy(plus.Data, A.Data)
	for i := range m {
		minus.Row(i)[i] -= p
		plus.Row(i)[i] += p
		unit.Row(i)[i] = 1
	}
	inverse, err := eigen.Solve(minus.general(), unit.general())
	if err != nil {
		return nil
	}
	U := &Dense{m, m, inverse.Data}
	B := e.product(U, plus, blas.NoTrans)
	D := e.product(U, e.product(C, U, blas.NoTrans), blas.Trans)
	for i := range D.Data {
		D.Data[i] *= 2 * p
	}
	for range mostDoublings {
		term := e.product(B, e.product(D, B, blas.NoTrans), blas.Trans)
		size := algebra.MaxAbs(D.Data)
		for i, x := range term.Data {
			D.Data[i] += x
		}
		if change := algebra.MaxAbs(term.Data); change <= doublingTol*size {
			return D
		} else if !algebra.Finite(change) {
			return nil
		}
		B = e.product(B, B, blas.NoTrans)
	}
	return nil
}
