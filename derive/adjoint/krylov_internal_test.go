package adjoint

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dense returns the product with a matrix of order n, row by row.
func dense(A []float64, n int) func(w, v []float64) error {
	return func(w, v []float64) error {
		for i := range n {
			w[i] = 0
			for j := range n {
				w[i] += A[i*n+j] * v[j]
			}
		}
		return nil
	}
}

// TestKrylov solves random systems near the unit matrix in any metric, one of them with more vectors than there are between restarts.
func TestKrylov(t *testing.T) {
	const tol = 1e-11
	for _, n := range []int{1, 6, 40, 2 * krylovSteps} {
		rng := rand.New(rand.NewPCG(3, uint64(n)))
		A, x, b, got := make([]float64, n*n), make([]float64, n), make([]float64, n), make([]float64, n)
		k := newKrylov(n)
		for i := range n {
			x[i], k.scale[i] = rng.NormFloat64(), math.Exp(rng.NormFloat64())
			for j := range n {
				A[i*n+j] = 0.5 * rng.NormFloat64() / math.Sqrt(float64(n))
			}
			A[i*n+i]++
		}
		times := dense(A, n)
		require.NoError(t, times(b, x))
		require.NoError(t, k.solve(got, b, times))
		assert.InDeltaSlice(t, x, got, tol)
		require.NoError(t, k.solve(got, make([]float64, n), times))
		assert.Equal(t, make([]float64, n), got)
	}
}

// TestKrylovRefuses: systems without a solution, or with NaN, are errors.
func TestKrylovRefuses(t *testing.T) {
	x, b := make([]float64, 2), []float64{1, 1}
	k := newKrylov(2)
	k.scale[0], k.scale[1] = 1, 1
	require.ErrorIs(t, k.solve(x, b, dense([]float64{1, 0, 0, 0}, 2)), ErrNoTranspose)
	require.ErrorIs(t, k.solve(x, b, dense([]float64{1, 0, 0, math.NaN()}, 2)), ErrNoTranspose)
	broken := errors.New("broken")
	require.ErrorIs(t, k.solve(x, b, func(w, v []float64) error { return broken }), broken)
}
