package algebra_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/algebra"
)

const rounding = 1e-12 // of well-conditioned systems of a few numbers

// definite returns A = B·Bᵀ + 1 with random B, by rows.
func definite(rng *rand.Rand, n int) []float64 {
	B, A := make([]float64, n*n), make([]float64, n*n)
	for i := range B {
		B[i] = rng.NormFloat64()
	}
	for i := range n {
		for j := range n {
			A[i*n+j] = algebra.Dot(B[i*n:i*n+n], B[j*n:])
		}
		A[i*n+i]++
	}
	return A
}

func random(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

func times(A, x []float64) []float64 {
	b := make([]float64, len(x))
	for i := range b {
		b[i] = algebra.Dot(A[i*len(x):(i+1)*len(x)], x)
	}
	return b
}

func TestMaxAbs(t *testing.T) {
	require.Zero(t, algebra.MaxAbs(nil))
	require.Equal(t, 3.0, algebra.MaxAbs([]float64{1, -3, 2}))
	require.True(t, math.IsInf(algebra.MaxAbs([]float64{1, math.Inf(-1)}), 1))
	for i := range 3 {
		v := []float64{1, math.Inf(1), -7}
		v[i] = math.NaN()
		require.True(t, math.IsNaN(algebra.MaxAbs(v)), "a NaN at %d is lost", i)
	}
}

func TestCholesky(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 9 {
		A := definite(rng, n)
		c := append([]float64(nil), A...)
		row, _ := algebra.Cholesky(c, c, n)
		require.Equal(t, -1, row)
		x := random(rng, n)
		v := times(A, x)
		algebra.SolveLower(c, v)
		algebra.SolveUpper(c, v)
		require.InDeltaSlice(t, x, v, rounding)
		algebra.MulLower(c, v)
		algebra.SolveLower(c, v)
		require.InDeltaSlice(t, x, v, rounding)
	}
}

// TestCholeskyPivot names the first pivot that is not positive and finite.
func TestCholeskyPivot(t *testing.T) {
	for _, bad := range []float64{0, -2, math.Inf(1), math.NaN()} {
		a := []float64{4, 0, 0, 0, 1, 0, 0, 0, bad}
		row, pivot := algebra.Cholesky(make([]float64, 9), a, 3)
		require.Equal(t, 2, row)
		require.Equal(t, math.Float64bits(bad), math.Float64bits(pivot))
	}
}

// TestConjugate: in exact arithmetic as many steps as there are numbers solve a system.
func TestConjugate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 6
	A, want := definite(rng, n), random(rng, n)
	r, x, z := times(A, want), make([]float64, n), make([]float64, n)
	c := algebra.Conjugate{P: make([]float64, n)}
	for step := range n {
		for i := range z {
			z[i] = r[i] / A[(n+1)*i]
		}
		require.Equal(t, step == 0, c.Turn(z, algebra.Dot(r, z)) == 0)
		Ap := times(A, c.P)
		alpha := c.Rho / algebra.Dot(c.P, Ap)
		for i := range x {
			x[i] += alpha * c.P[i]
			r[i] -= alpha * Ap[i]
		}
	}
	require.InDeltaSlice(t, want, x, 1e-9)
}

func TestNoAllocation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	const n = 6
	A, c, v := definite(rng, n), make([]float64, n*n), random(rng, n)
	cg := algebra.Conjugate{P: make([]float64, n)}
	require.Zero(t, testing.AllocsPerRun(10, func() {
		algebra.Cholesky(c, A, n)
		algebra.SolveLower(c, v)
		algebra.SolveUpper(c, v)
		cg.Turn(v, algebra.MaxAbs(v))
	}))
}
