package tree

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/eigen"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// This file holds the general forms of RBDA §3.1 and §3.2: quasi-velocities and
// the state-space form (eqs 3.5–3.9), implicit and explicit constraints
// (eqs 3.11–3.23). The functions on matrices are for systems of any size but
// cold code: they allocate.

// ErrInconsistent is returned for an implicit constraint K·q̈ = k without a
// solution.
var ErrInconsistent = errors.New("tree: constraints contradict each other")

// RatesTo stores in dq the derivative of q: q̇ where a coordinate is scalar, and
// what the angular velocity makes of a quaternion where the entries of q̇ are
// quasi-velocities.
//
// Shapes: dq and q have NumQ entries, qd NumDof.
// Cost: O(links), no allocation. It panics on a length mismatch.
func (p *Plan) RatesTo(dq, q, qd []float64) {
	if len(dq) != p.nq || len(q) != p.nq || len(qd) != p.nv {
		panic("tree: length mismatch")
	}
	for i := range p.Links {
		l := &p.Links[i]
		out, in := dq[l.Q:l.Q+l.NumQ], qd[l.Dof:l.Dof+l.NumDof]
		if hasBall(l.Kind) {
			// The angular velocity is in the outer axes, those of P.
			rate := spatial.Quat(q[l.Q : l.Q+4]).Derivative(spatial.Vec3(in))
			copy(out, rate[:])
			out, in = out[4:], in[3:]
		}
		copy(out, in)
	}
}

// QuasiVelocitiesTo is the inverse of RatesTo: it stores in qd the rates that
// belong to the derivative dq. The part of dq along a quaternion is dropped.
//
// Shapes: qd has NumDof entries, q and dq NumQ.
// Cost: O(links), no allocation. It panics on a length mismatch.
func (p *Plan) QuasiVelocitiesTo(qd, q, dq []float64) {
	if len(dq) != p.nq || len(q) != p.nq || len(qd) != p.nv {
		panic("tree: length mismatch")
	}
	for i := range p.Links {
		l := &p.Links[i]
		out, in := qd[l.Dof:l.Dof+l.NumDof], dq[l.Q:l.Q+l.NumQ]
		if hasBall(l.Kind) {
			// ω = 2·(dq ⊗ q*) over |q|².
			r := spatial.Quat(q[l.Q : l.Q+4])
			n := r.Norm()
			t := spatial.Quat(in[:4]).Mul(r.Conj())
			for k := range 3 {
				out[k] = 2 * t[1+k] / (n * n)
			}
			out, in = out[3:], in[4:]
		}
		copy(out, in)
	}
}

// DerivativeTo stores in dx the derivative of the state x = (q, q̇) of the open
// tree at the time t under the generalized forces tau: the state-space form of
// the equation of motion. It makes x the state in use.
//
// Shapes: dx and x have NumQ + NumDof entries and do not overlap.
// Cost: O(links + joints + forces), no allocation.
// It returns the errors of Set and ForwardTo. It panics on a length mismatch.
func (w *Workspace) DerivativeTo(dx, x []float64, t float64, tau []float64) error {
	nq, nv := w.plan.nq, w.plan.nv
	if len(dx) != nq+nv || len(x) != nq+nv {
		panic("tree: length mismatch")
	}
	if err := w.Set(x[:nq], x[nq:], t); err != nil {
		return err
	}
	w.plan.RatesTo(dx[:nq], x[:nq], x[nq:])
	return w.ForwardTo(dx[nq:], tau)
}

// Explicit is the constraint q̈ = G·ÿ + g with independent ÿ.
type Explicit struct {
	G           *mat.Dense // n × Independent; nil where nothing is left
	Bias        []float64  // g
	Independent []int      // entries of q that are y
	Rank        int        // of the implicit constraint
}

// ToExplicit returns the explicit form of K·q̈ = k (KG = 0 and Kg = k), by elimination with complete pivoting: the
// dependent variables are those of the pivots. A pivot below tol times the largest entry of K ends the elimination.
//
// Cost: O(rows²·n).
// It returns ErrInconsistent if a row left over has a right side above tol times
// the largest entry of k. It panics on a length mismatch.
func ToExplicit(K mat.Matrix, k []float64, tol float64) (*Explicit, error) {
	rows, n := K.Dims()
	if len(k) != rows {
		panic("tree: length mismatch")
	}
	A := mat.NewDense(rows, n+1, nil)
	A.Slice(0, rows, 0, n).(*mat.Dense).Copy(K)
	A.SetCol(n, k)
	perm := make([]int, n)
	for j := range perm {
		perm[j] = j
	}
	scaleK, scaleB := mat.Max(absolute(K)), 0.0
	for _, x := range k {
		scaleB = math.Max(scaleB, math.Abs(x))
	}
	rank := 0
	for ; rank < min(rows, n); rank++ {
		r, c := largest(A, rank, n)
		if !(math.Abs(A.At(r, c)) > tol*scaleK) {
			break
		}
		swapRows(A, rank, r)
		swapCols(A, rank, c)
		perm[rank], perm[c] = perm[c], perm[rank]
		eliminateColumn(A, rank)
	}
	for r := rank; r < rows; r++ {
		if x := math.Abs(A.At(r, n)); !(x <= tol*math.Max(scaleB, scaleK)) {
			return nil, fault.Errorf("%w: %.3g is left of a right side of %.3g", ErrInconsistent, x, scaleB)
		}
	}
	return explicitFrom(A, perm, rank), nil
}

// explicitFrom reads G and g from the reduced matrix (1 B | k') of the permuted
// variables: the dependent ones are k' − B·ÿ.
func explicitFrom(A *mat.Dense, perm []int, rank int) *Explicit {
	n := len(perm)
	x := &Explicit{Bias: make([]float64, n), Rank: rank, Independent: append([]int(nil), perm[rank:]...)}
	if rank < n {
		x.G = mat.NewDense(n, n-rank, nil)
	}
	for r := range rank {
		x.Bias[perm[r]] = A.At(r, n)
		for j := rank; j < n; j++ {
			x.G.Set(perm[r], j-rank, -A.At(r, j))
		}
	}
	for j := rank; j < n; j++ {
		x.G.Set(perm[j], j-rank, 1)
	}
	return x
}

// ToImplicit returns K and k of the implicit form of q̈ = G·ÿ + g: the rows of K
// are orthonormal and orthogonal to the columns of G, which are independent, and
// k = K·g. K is nil if G has as many columns as rows.
//
// Cost: O(n²·columns). It panics on a length mismatch, or if G is not finite.
func ToImplicit(G mat.Matrix, g []float64) (*mat.Dense, []float64) {
	n, free := G.Dims()
	if len(g) != n || free > n {
		panic("tree: length mismatch")
	}
	if free == n {
		return nil, nil
	}
	var qr mat.QR
	var Q mat.Dense
	if eigen.Orthogonal(&qr, G) != nil {
		panic("tree: not finite")
	}
	qr.QTo(&Q)
	K := mat.DenseCopyOf(Q.Slice(0, n, free, n).T())
	k := mat.NewVecDense(n-free, nil)
	k.MulVec(K, mat.NewVecDense(n, g))
	return K, k.RawVector().Data
}

// Project returns GᵀHG and Gᵀ(f − H·g), matrix and right side of the equation of
// motion under the explicit constraint x: GᵀHG·ÿ = Gᵀ(τ − C − Hg) with
// f = τ − C. It panics on a length mismatch or if nothing is
// left free.
func (x *Explicit) Project(H mat.Symmetric, f []float64) (*mat.SymDense, []float64) {
	n := len(x.Bias)
	if H.SymmetricDim() != n || len(f) != n {
		panic("tree: length mismatch")
	}
	if x.G == nil {
		panic("tree: no independent variable")
	}
	_, free := x.G.Dims()
	var HG mat.Dense
	HG.Mul(H, x.G)
	A := mat.NewSymDense(free, nil)
	for i := range free {
		for j := i; j < free; j++ {
			A.SetSym(i, j, mat.Dot(x.G.ColView(i), HG.ColView(j)))
		}
	}
	var r, b mat.VecDense
	r.MulVec(H, mat.NewVecDense(n, x.Bias))
	r.SubVec(mat.NewVecDense(n, f), &r)
	b.MulVec(x.G.T(), &r)
	return A, b.RawVector().Data
}
