package factor

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/sparse"
)

// looseChain returns a chain of n bodies, each joined to the next by three rows, with
// random blocks; the last of the three is the first but for the given difference.
func looseChain(n int, difference float64) (m *sparse.Matrix, scale []float64) {
	size, sign := make([]int8, 2*n-1), make([]int8, 2*n-1)
	ptr, ind := make([]int32, 2*n), []int32{}
	for i := range size {
		size[i], sign[i] = 6, 1
		if i >= n {
			size[i], sign[i] = 3, -1
			ind = append(ind, int32(i-n), int32(i-n+1))
		}
		ptr[i+1] = int32(len(ind))
	}
	m = sparse.NewUnitMatrix(sparse.NewPattern(size, sign, ptr, ind))
	p := m.P
	scale = make([]float64, p.Dim())
	rng := rand.New(rand.NewPCG(uint64(n), 71))
	for i := p.Positive(); i < p.Len(); i++ {
		for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
			w := m.Val[p.Pos[k]:][:18]
			for c := range 12 {
				w[c] = rng.NormFloat64()
			}
			for c := range 6 {
				w[12+c] = w[c] + difference*rng.NormFloat64()
			}
			for a := range 3 {
				scale[int(p.Off[i])+a] += square(w[6*a : 6*a+6])
			}
		}
	}
	return m, scale
}

// TestEnergyOfAnError: with unit blocks the energy norm that beginCorrection returns is the
// norm of the correction that follows.
func TestEnergyOfAnError(t *testing.T) {
	for _, difference := range []float64{1, 1e-2} {
		m, scale := looseChain(30, difference)
		p := m.P
		for _, o := range []Ordering{LeafFirst, NestedDissection} {
			f := Analyze(p, Order(p, o)).NewFactor()
			require.NoError(t, f.Factorize(m, scale, 1e-12, WhereWeak))
			require.Zero(t, f.Weak)
			rng := rand.New(rand.NewPCG(1, 71))
			x, r, b := make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim())
			for i := p.Off[p.Positive()]; int(i) < len(r); i++ {
				r[i] = rng.NormFloat64()
			}
			e := f.beginCorrection(r)
			f.backward(solution{x: x, b: b, add: true})
			require.InEpsilon(t, e, f.energy(x), 1e-9)
		}
	}
}

// TestSmallPivotsAreNotTrusted: where rows are nearly dependent, the error that a solution
// without refinement reports is computed from the factor.
func TestSmallPivotsAreNotTrusted(t *testing.T) {
	for _, difference := range []float64{1, 1e-3, 1e-4} {
		m, scale := looseChain(200, difference)
		p := m.P
		f := Analyze(p, Order(p, LeafFirst)).NewFactor()
		require.NoError(t, f.Factorize(m, scale, 1e-15, WhereWeak))
		require.Zero(t, f.Weak)
		rng := rand.New(rand.NewPCG(2, 71))
		b, x, r := make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim())
		for i := range b {
			b[i] = rng.NormFloat64()
		}
		ref := f.SolveRefinedTo(x, r, b, m, 0)
		out := Refinement{Size: ref.Size}
		q, least := f.residual(r, b, x, &out)
		require.Equal(t, difference == 1, least >= smallPivot, "least pivot %g", least)
		if ref.Steps > 0 {
			require.Less(t, difference, 1.0)
			continue
		}
		require.LessOrEqual(t, ref.Error, energyError)
		if difference < 1 {
			require.NotEqual(t, math.Sqrt(q)/out.Size, ref.Error)
		}
	}
}
