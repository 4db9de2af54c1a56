package eigen_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen"
	"github.com/rung-mbd/rung/internal/eigen/full"
)

// tol is the rounding of eigenvalues of order one.
const tol = 1e-14

func second[T any](_ T, err error) error        { return err }
func third[S, T any](_ S, _ T, err error) error { return err }

// TestNotFinite: no routine sees a matrix that is not finite, wherever the number is.
func TestNotFinite(t *testing.T) {
	const n = 4
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for at := range n * n {
			data := make([]float64, n*n)
			for i := range n {
				data[(n+1)*i] = 1
			}
			data[at] = bad
			A := mat.NewDense(n, n, data)
			S := mat.NewSymDense(n, nil)
			S.SetSym(at/n, at%n, bad)
			raw := blas64.General{Rows: n, Cols: n, Stride: n, Data: data}
			other := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
			w, work := make([]float64, n), make([]float64, 100)
			for _, err := range []error{
				full.Symmetric(new(mat.EigenSym), S), full.General(new(mat.Eigen), A), full.Singular(new(mat.SVD), A, mat.SVDFull),
				full.Orthogonal(new(mat.QR), A), full.Inverse(new(mat.Dense), A),
				eigen.Small(blas64.Symmetric{N: n, Stride: n, Uplo: blas.Lower, Data: data}, w, work),
				eigen.SingularTo(raw, other, other, w, work), eigen.Values(raw, w, w), eigen.SingularValues(raw, w),
				second(eigen.Solve(raw, other)), second(eigen.Solve(other, raw)), third(eigen.StableSubspace(other, raw)),
			} {
				require.ErrorIs(t, err, eigen.ErrNotFinite, "%v at %d", bad, at)
			}
			require.False(t, algebra.AllFinite(data...))
		}
	}
	require.True(t, algebra.AllFinite(math.MaxFloat64, -math.MaxFloat64, 5e-324))
}

// TestExtremeButFinite: eigenvalues of any size come out.
func TestExtremeButFinite(t *testing.T) {
	for _, size := range []float64{1e-300, 1, 1e300} {
		S := mat.NewSymDense(2, []float64{2 * size, size, size, 2 * size})
		var e mat.EigenSym
		require.NoError(t, full.Symmetric(&e, S))
		require.InDeltaSlice(t, []float64{1, 3}, []float64{e.Values(nil)[0] / size, e.Values(nil)[1] / size}, tol)
		var inv mat.Dense
		require.NoError(t, full.Inverse(&inv, S))
		require.InDelta(t, 2.0/3, inv.At(0, 0)*size, tol)
	}
	var inv mat.Dense
	require.ErrorIs(t, full.Inverse(&inv, mat.NewDense(2, 2, nil)), eigen.ErrNotFinite)
}
