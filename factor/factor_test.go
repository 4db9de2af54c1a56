package factor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/sparse"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// randomSystem returns a random quasi-definite block system: nb bodies, nj
// joints of 1 to 6 rows between one or two bodies.
func randomSystem(rng *rand.Rand, nb, nj int) *sparse.Matrix {
	size := make([]int8, nb+nj)
	sign := make([]int8, nb+nj)
	ptr := make([]int32, nb+nj+1)
	var ind []int32
	for i := range nb {
		size[i], sign[i] = 6, 1
	}
	for j := nb; j < nb+nj; j++ {
		size[j], sign[j] = int8(1+rng.IntN(6)), -1
		a, b := int32(rng.IntN(nb)), int32(rng.IntN(nb))
		switch {
		case a == b:
			ind = append(ind, a)
		default:
			ind = append(ind, min(a, b), max(a, b))
		}
		ptr[j+1] = int32(len(ind))
	}
	m := sparse.NewMatrix(sparse.NewPattern(size, sign, ptr, ind))
	for i := range nb {
		d := m.Dia[36*i : 36*i+36]
		var a [36]float64
		for k := range a {
			a[k] = rng.NormFloat64()
		}
		for r := range 6 {
			for c := range 6 {
				for k := range 6 {
					d[6*r+c] += a[6*r+k] * a[6*c+k]
				}
			}
			d[7*r]++
		}
	}
	for i := range m.Val {
		m.Val[i] = rng.NormFloat64()
	}
	return m
}

func dense(m *sparse.Matrix, prox []float64) *mat.Dense {
	n := m.P.Dim()
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, m.At(i, j))
		}
		a.Set(i, i, a.At(i, i)-prox[i])
	}
	return a
}

func prox(m *sparse.Matrix, e float64) []float64 {
	d := make([]float64, m.P.Dim())
	for i := range d {
		if i >= 6*m.P.Positive() {
			d[i] = e
		}
	}
	return d
}

// TestSolve compares solutions under random orders with a dense LU.
func TestSolve(t *testing.T) {
	const tol = 1e-9 // relative; the systems are quasi-definite with E = 1, condition ≤ 1e5
	for n := range 60 {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		m := randomSystem(rng, 1+n, n*3/2)
		e := prox(m, 1)
		perm := make([]int32, m.P.Len())
		for i, v := range rng.Perm(len(perm)) {
			perm[i] = int32(v)
		}
		s := factor.Analyze(m.P, perm)
		require.Equal(t, factor.CountOrder(m.P, perm).NonZeros, s.Counts.NonZeros)
		f := s.NewFactor()
		require.NoError(t, f.Factorize(m, e, 1, factor.Everywhere))
		b := make([]float64, m.P.Dim())
		for i := range b {
			b[i] = rng.NormFloat64()
		}
		x := make([]float64, len(b))
		f.SolveTo(x, b)
		var want mat.VecDense
		require.NoError(t, want.SolveVec(dense(m, e), mat.NewVecDense(len(b), b)))
		for i := range x {
			if math.Abs(x[i]-want.AtVec(i)) > tol*(1+mat.Norm(&want, math.Inf(1))) {
				t.Fatalf("n=%d: x[%d] = %g, want %g", n, i, x[i], want.AtVec(i))
			}
		}
	}
}
