package linear

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/internal/fault"
)

// dense is the system in an M-orthonormal basis N of the displacements that the
// joints allow: NᵀMN = 1.
type dense struct {
	N    *mat.Dense // 6·bodies × freedoms
	K, C *mat.Dense // NᵀKN, NᵀCN
}

// reduce computes the dense form on a basis N of the motions that the joints allow, docs/statics-and-modes.md (S4). K has the symmetric
// part of the imbalance taken off (subtractImbalance).
//
// Cost: O(bodies³); allocates. It returns nil and no error if the joints allow no motion, and ErrNotFinite
// with the name of a body or joint.
func (s *System) reduce() (*dense, error) {
	N, err := s.allowed()
	if N == nil || err != nil {
		return nil, err
	}
	if N, err = s.orthonormal(N); err != nil {
		return nil, err
	}
	n, f := N.Dims()
	d := &dense{N: mat.DenseCopyOf(N)}
	KN, CN := mat.NewDense(n, f, nil), mat.NewDense(n, f, nil)
	x, y := make([]float64, n), make([]float64, n)
	for c := range f {
		if s.over() {
			return nil, s.orCause(nil)
		}
		mat.Col(x, c, N)
		s.StiffnessTo(y, x)
		subtractSkew(y, s.imbalance, x)
		KN.SetCol(c, y)
		s.DampingTo(y, x)
		CN.SetCol(c, y)
	}
	d.K, d.C = new(mat.Dense), new(mat.Dense)
	err = apart(s.space.Watched(), func() error {
		d.K.Mul(N.T(), KN)
		d.C.Mul(N.T(), CN)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, A := range [4]*mat.Dense{d.K, d.C, KN, CN} {
		if i := firstInfinite(A.RawMatrix().Data); i >= 0 {
			return nil, s.bodyError(algebra.Largest(mat.Col(nil, i%f, d.N))/6, ErrNotFinite)
		}
	}
	return d, nil
}

// allowed returns a basis R·Z, in columns, of the displacements x with J·x = 0: RᵀMR = 1 (massRoot), and Z is an orthonormal basis of the
// null space of J·R. It returns nil and no error if the joints allow no motion.
func (s *System) allowed() (*mat.Dense, error) { return s.allowedBy(func(int) bool { return true }) }

// allowedBy is allowed with only the rows of J for which keep returns true.
func (s *System) allowedBy(keep func(row int) bool) (*mat.Dense, error) {
	R := s.massRoot()
	JR, err := s.jacobianTimes(R, keep)
	if err != nil {
		return nil, err
	}
	if JR == nil {
		return R, nil
	}
	var RZ *mat.Dense
	err = apart(s.space.Watched(), func() error {
		Z, err := nullSpace(JR)
		if Z != nil && err == nil {
			RZ = new(mat.Dense)
			RZ.Mul(R, Z)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return RZ, nil
}

// jacobianTimes returns J·R, with zeros in the rows for which keep returns false. It returns nil and no error if there are no rows, and
// ErrNotFinite with the name of a joint.
func (s *System) jacobianTimes(R *mat.Dense, keep func(row int) bool) (*mat.Dense, error) {
	n, rows := s.dim(), s.Rows()
	if rows == 0 {
		return nil, nil
	}
	JR := mat.NewDense(rows, n, nil)
	col, x := make([]float64, rows), make([]float64, n)
	for c := range n {
		if s.over() {
			return nil, s.orCause(nil)
		}
		mat.Col(x, c, R)
		s.JacobianTo(col, x)
		for i := range col {
			if !keep(i) {
				col[i] = 0
			}
		}
		JR.SetCol(c, col)
	}
	if i := firstInfinite(JR.RawMatrix().Data); i >= 0 {
		return nil, s.rowError(i / n)
	}
	return JR, nil
}

// rowError returns ErrNotFinite with the name of the joint of a constraint row.
func (s *System) rowError(row int) error {
	layout := s.plan.Layout()
	return fault.Errorf("linear: %w", layout.At(s.kkt.nodeAt(s.dim()+row), -1, ErrNotFinite))
}

// massRoot returns R with RᵀMR = 1, block-diagonal with a 6×6 block for each body. M is without armature, and with held inertia.
func (s *System) massRoot() *mat.Dense {
	n := s.dim()
	out := mat.NewDense(n, n, nil)
	for i := range s.mech.Bodies {
		p := pair{body: [2]int32{int32(i), -1}}
		C := s.pairRoot(&p)
		for r := range 6 {
			for c := range 6 {
				out.Set(6*i+r, 6*i+c, C.At(r, c))
			}
		}
	}
	return out
}

// Matrices returns M, C, K and J as dense matrices, for small systems: a column and,
// but for J, a row for each of the six displacements of each body. C or K on
// displacements that the joints do not allow means nothing.
//
// Cost: O(bodies²); allocates. It panics without a linearized state.
func (s *System) Matrices() (M, C, K, J *mat.Dense) {
	s.mustHave()
	n := s.dim()
	M, C, K = mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	rows := s.Rows()
	if rows > 0 {
		J = mat.NewDense(rows, n, nil)
	}
	x, y, z := make([]float64, n), make([]float64, n), make([]float64, rows)
	for c := range n {
		x[c] = 1
		s.MassTo(y, x)
		M.SetCol(c, y)
		s.DampingTo(y, x)
		C.SetCol(c, y)
		s.StiffnessTo(y, x)
		K.SetCol(c, y)
		if rows > 0 {
			s.JacobianTo(z, x)
			J.SetCol(c, z)
		}
		x[c] = 0
	}
	return M, C, K, J
}

// symmetric returns the symmetric part of A, and whether A equals it up to symmetricTol·size, in each entry.
func symmetric(A *mat.Dense, size float64) (*mat.SymDense, bool) {
	n, _ := A.Dims()
	S := mat.NewSymDense(n, nil)
	difference := 0.0
	for i := range n {
		for j := i; j < n; j++ {
			a, b := A.At(i, j), A.At(j, i)
			S.SetSym(i, j, (a+b)/2)
			difference = max(difference, math.Abs(a-b))
		}
	}
	return S, difference <= symmetricTol*size
}

// symmetricTol is the largest difference of two entries that counts as rounding, relative to the largest entry.
const symmetricTol = 1e-8

// largest returns the largest magnitude of A.
func largest(A *mat.Dense) (m float64) { return algebra.MaxAbs(A.RawMatrix().Data) }

// rowSpace is the singular value decomposition of J·R, RᵀMR = 1, with rows scaled to unit length.
type rowSpace struct {
	free  *mat.Dense // R times an orthonormal basis of the null space; nil if the null space is zero
	U, V  mat.Dense  // left singular vectors, and R times the right ones, in columns
	value []float64  // singular values above freeTol
	norms []float64  // of the rows of J·R, before scaling
}

// rowSpace computes the singular value decomposition of the Jacobian of the loaded state. Without rows, it has free alone.
//
// Cost: O(bodies³); allocates. It returns ErrNotFinite with the name of a joint.
func (s *System) rowSpace() (*rowSpace, error) {
	out := new(rowSpace)
	R := s.massRoot()
	JR, err := s.jacobianTimes(R, func(int) bool { return true })
	if err != nil {
		return nil, err
	}
	if JR == nil {
		out.free = R
		return out, nil
	}
	rows, n := JR.Dims()
	out.norms = make([]float64, rows)
	for i := range rows {
		v := JR.RawRowView(i)
		out.norms[i] = floats.Norm(v, 2)
		if out.norms[i] != 0 {
			floats.Scale(1/out.norms[i], v)
		}
	}
	err = apart(s.space.Watched(), func() error {
		var svd mat.SVD
		if err := full.Singular(&svd, JR, mat.SVDFull); err != nil {
			return err
		}
		for _, x := range svd.Values(nil) {
			if x > freeTol {
				out.value = append(out.value, x)
			}
		}
		var V mat.Dense
		svd.UTo(&out.U)
		svd.VTo(&V)
		out.V.Mul(R, &V)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if rank := len(out.value); rank < n {
		out.free = mat.DenseCopyOf(out.V.Slice(0, n, rank, n))
	}
	return out, nil
}

// solveTo stores in z the solution of J·z = b that is least in the metric M, by least squares of the scaled rows, and in residual b − J·z.
func (J *rowSpace) solveTo(z, residual, b []float64) {
	clear(z)
	for i := range b {
		residual[i] = 0
		if J.norms[i] != 0 {
			residual[i] = b[i] / J.norms[i]
		}
	}
	for k, value := range J.value {
		t := 0.0
		for i, x := range residual {
			t += J.U.At(i, k) * x
		}
		for i := range residual {
			residual[i] -= t * J.U.At(i, k)
		}
		for i := range z {
			z[i] += t / value * J.V.At(i, k)
		}
	}
	for i := range residual {
		residual[i] *= J.norms[i]
	}
}
