package eigen_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/eigen"
)

// subspaceTol is the rounding of Schur vectors of some dozen numbers.
const subspaceTol = 1e-12

func square(n int, data []float64) blas64.General {
	return blas64.General{Rows: n, Cols: n, Stride: n, Data: data}
}

// TestStableSubspace: A times the first columns stays in their span,
// the eigenvalues there have negative real parts, and no others do.
func TestStableSubspace(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	pairs := 0
	for n := 1; n <= 24; n++ {
		for range 5 {
			data := make([]float64, n*n)
			for i := range data {
				data[i] = rng.NormFloat64()
			}
			A := mat.NewDense(n, n, append([]float64(nil), data...))
			Q := square(n, make([]float64, n*n))
			stable, gap, err := eigen.StableSubspace(Q, square(n, data))
			require.NoError(t, err)
			q := mat.NewDense(n, n, Q.Data)
			var one, T mat.Dense
			one.Mul(q.T(), q)
			T.Product(q.T(), A, q)
			re, im := make([]float64, n), make([]float64, n)
			require.NoError(t, eigen.Values(square(n, A.RawMatrix().Data), re, im))
			count, most, least := 0, 0.0, math.Inf(1)
			for i := range n {
				if re[i] < 0 {
					count++
				}
				if im[i] != 0 {
					pairs++
				}
				most, least = max(most, math.Hypot(re[i], im[i])), min(least, math.Abs(re[i]))
				for k := range n {
					want := 0.0
					if i == k {
						want = 1
					}
					require.InDelta(t, want, one.At(i, k), subspaceTol)
					if i >= stable && k < stable {
						require.InDelta(t, 0, T.At(i, k), subspaceTol)
					}
				}
			}
			require.Equal(t, count, stable)
			require.InDelta(t, least/most, gap, subspaceTol)
			if stable > 0 {
				var e mat.Eigen
				require.True(t, e.Factorize(T.Slice(0, stable, 0, stable), mat.EigenNone))
				for _, x := range e.Values(nil) {
					require.Negative(t, real(x))
				}
			}
		}
	}
	require.Positive(t, pairs)
}

// TestEmpty: a matrix without rows or columns has no eigenvalues and no singular values.
func TestEmpty(t *testing.T) {
	none := blas64.General{Stride: 1}
	stable, gap, err := eigen.StableSubspace(none, none)
	require.NoError(t, err)
	require.Zero(t, stable)
	require.Zero(t, gap)
	X, err := eigen.Solve(none, none)
	require.NoError(t, err)
	require.Empty(t, X.Data)
	require.NoError(t, eigen.Values(none, nil, nil))
	require.NoError(t, eigen.Small(blas64.Symmetric{Stride: 1, Uplo: blas.Lower}, nil, nil))
	for _, size := range [][2]int{{0, 0}, {0, 3}, {3, 0}} {
		require.NoError(t, eigen.SingularValues(blas64.General{Rows: size[0], Cols: size[1], Stride: max(1, size[1])}, nil))
		require.NoError(t, eigen.SingularTo(blas64.General{Rows: size[0], Cols: size[1], Stride: max(1, size[1])},
			blas64.General{Rows: size[0], Stride: 1}, blas64.General{Cols: size[1], Stride: max(1, size[1])}, nil, make([]float64, 1)))
		require.NoError(t, eigen.SingularValuesOf(nil, size[1], nil))
		require.False(t, eigen.NewSpectrum(size[0], size[1]).Factor(nil, size[0]))
	}
}

func TestSolve(t *testing.T) {
	X, err := eigen.Solve(square(2, []float64{2, 1, 1, 3}), square(2, []float64{5, 2, 5, 1}))
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{2, 1, 1, 0}, X.Data, tol)
	_, err = eigen.Solve(square(2, []float64{1, 1, 1, 1}), square(2, []float64{5, 2, 5, 1}))
	require.ErrorIs(t, err, eigen.ErrNotFinite)
}

func TestSingularValues(t *testing.T) {
	s := make([]float64, 2)
	require.NoError(t, eigen.SingularValues(blas64.General{Rows: 2, Cols: 3, Stride: 3, Data: []float64{3, 0, 0, 0, 0, 4}}, s))
	require.InDeltaSlice(t, []float64{4, 3}, s, tol)
}
