package linear_test

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// TestModesWithRotors compares the modes by both methods, in random mechanisms at rest with armature, rods, point
// masses and springs on all freedoms, with the eigenvalues of the dense matrices M, K and J on the null space of J.
func TestModesWithRotors(t *testing.T) {
	check.Long(t)
	seeds := uint64(200)
	compared, undetermined, refused := 0, 0, 0
	for seed := range seeds {
		rng := check.Rand(seed)
		m, err := bench.Generate("random", 3+int(seed%8), seed)
		require.NoError(t, err)
		m = modeltest.Gear(m, rng)
		if seed%2 == 0 {
			m = modeltest.Thin(m, rng, 3)
		}
		m.Forces = nil
		for i := range m.Bodies {
			m.Bodies[i].Velocity = model.Velocity{}
		}
		for j := range m.Joints {
			jt := &m.Joints[j]
			n := jt.Type.Freedoms()
			jt.Force, jt.Stiffness, jt.Damping, jt.Rest, jt.Motion = nil, make([]float64, n), nil, make([]float64, n), nil
			for i := range n {
				if jt.Type.Scalar(i) {
					jt.Stiffness[i] = 10 * rng.Float64()
				}
			}
		}
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			p, err := rung.NewPlan(m, kkt.Options{})
			require.NoError(t, err)
			s := linear.NewSystem(p)
			if err := s.Linearize(p.Initial()); errors.Is(err, mechanism.ErrUndetermined) {
				undetermined++
				return
			} else {
				require.NoError(t, err)
			}
			want, ok := denseModes(t, s)
			require.True(t, ok)
			for _, method := range []linear.Method{linear.Dense, linear.Sparse} {
				got, err := s.Modes(linear.ModeOptions{Count: 4, Method: method, Undamped: true})
				if method == linear.Sparse && errors.Is(err, linear.ErrUnstable) {
					refused++
					continue
				}
				require.NoError(t, err, "%v", method)
				for i := range got.List {
					k := real(got.List[i].Lambda * got.List[i].Lambda)
					near := math.Inf(1)
					for _, w := range want {
						near = min(near, math.Abs(k+w))
					}
					require.Less(t, near, 1e-6*(1+cmplx.Abs(got.List[i].Lambda*got.List[i].Lambda)), "%v: λ² = %g of %v", method, k, want)
				}
				compared++
			}
		})
	}
	require.Greater(t, compared, int(seeds))
	require.Positive(t, undetermined)
	require.LessOrEqual(t, refused, int(seeds)/50)
}

// denseModes returns the eigenvalues of K and M on the null space of J, and whether M is positive definite there.
func denseModes(t *testing.T, s *linear.System) ([]float64, bool) {
	t.Helper()
	M, _, K, J := s.Matrices()
	n, _ := M.Dims()
	N := mat.NewDense(n, n, nil)
	for i := range n {
		N.Set(i, i, 1)
	}
	if J != nil {
		var svd mat.SVD
		require.True(t, svd.Factorize(J, mat.SVDFullV))
		var V mat.Dense
		svd.VTo(&V)
		rank := 0
		for _, v := range svd.Values(nil) {
			if v > 1e-9 {
				rank++
			}
		}
		if rank == n {
			return nil, true
		}
		N = mat.DenseCopyOf(V.Slice(0, n, rank, n))
	}
	_, f := N.Dims()
	project := func(A *mat.Dense) *mat.SymDense {
		var B mat.Dense
		B.Product(N.T(), A, N)
		S := mat.NewSymDense(f, nil)
		for i := range f {
			for j := range i + 1 {
				S.SetSym(i, j, (B.At(i, j)+B.At(j, i))/2)
			}
		}
		return S
	}
	var eig mat.EigenSym
	mass := project(M)
	require.True(t, eig.Factorize(mass, false))
	if v := eig.Values(nil); !(v[0] > 1e-12*v[f-1]) {
		return nil, false
	}
	var chol mat.Cholesky
	require.True(t, chol.Factorize(mass))
	var L mat.TriDense
	chol.LTo(&L)
	var X, A mat.Dense
	require.NoError(t, X.Solve(&L, project(K)))
	require.NoError(t, A.Solve(&L, X.T()))
	S := mat.NewSymDense(f, nil)
	for i := range f {
		for j := range i + 1 {
			S.SetSym(i, j, (A.At(i, j)+A.At(j, i))/2)
		}
	}
	require.True(t, eig.Factorize(S, false))
	return eig.Values(nil), true
}
