package linear

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/eigen"
)

// TestNullSpaceOfAnySize: rows of any size count, except zero rows; NaN is an error, and does not count as a zero row.
func TestNullSpaceOfAnySize(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		_, err := nullSpace(mat.NewDense(2, 3, []float64{1, 0, 0, 0, x, 0}))
		require.ErrorIs(t, err, eigen.ErrNotFinite, x)
	}
	for _, size := range []float64{1, 1e-200, 1e200} {
		N, err := nullSpace(mat.NewDense(2, 3, []float64{size, 2 * size, 0, 0, 0, 0}))
		require.NoError(t, err, size)
		_, n := N.Dims()
		require.Equal(t, 2, n, size)
	}
}
