package factor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

const (
	// residualTol bounds the scaled residual of one solve, for growth 1: some
	// units of rounding for each of the terms of an inner product that matter.
	residualTol = 10e-16
	// denseTol bounds the difference to dense solutions and pivots, relative to
	// the largest entry; the systems with E = 1 have condition numbers below 1e6.
	denseTol = 1e-9
)

// factored returns a factor of m − scale·eps in the order perm.
func factored(t testing.TB, m *sparse.Matrix, perm []int32, scale []float64, eps float64, policy factor.Policy) *factor.Factor {
	t.Helper()
	f := factor.Analyze(m.Pattern, perm).NewFactor()
	require.NoError(t, f.Factorize(m, scale, eps, policy))
	return f
}

func pivotsOf(f *factor.Factor) []float64 {
	d := make([]float64, f.Symbolic.Pattern.Dim())
	f.PivotsTo(d)
	return d
}

func growthOf(f *factor.Factor) []float64 {
	g := make([]float64, f.Symbolic.Pattern.Dim())
	f.GrowthTo(g)
	return g
}

// Quasi-definite systems of every kind of graph: pivot signs, residual, solution
// and growth against dense methods, for every order.
func TestFactorQuasiDefinite(t *testing.T) {
	for name, p := range smallGraphs() {
		rng := rand.New(rand.NewPCG(2, uint64(p.Dim())))
		m := randomMatrix(p, rng)
		scale := ones(m)
		e := prox(m, scale, 1)
		b := randomVector(p.Dim(), rng)
		for _, o := range check.Some(orders(p, rng), 4) {
			t.Run(name+"/"+o.name, func(t *testing.T) {
				f := factored(t, m, o.perm, scale, 1, factor.Everywhere)
				assert.Zero(t, f.Corrected)
				assert.Equal(t, p.Dim()-positiveRows(p), f.Weak)
				requireInertia(t, p, pivotsOf(f))
				x := make([]float64, p.Dim())
				f.SolveTo(x, b)
				if p.Dim() == 0 {
					return
				}
				requireResidual(t, m, e, x, b, growthOf(f))
				requireDense(t, f, dense(m, e), x, b)
			})
		}
	}
}

// The same residual on graphs that are too large for dense methods.
func TestFactorLarge(t *testing.T) {
	check.Long(t)
	rng := rand.New(rand.NewPCG(3, 3))
	for name, p := range map[string]*sparse.Pattern{
		"closed chain": sparsetest.Chain(1500, true),
		"ladder":       sparsetest.Ladder(500),
		"grid":         sparsetest.Grid(18),
		"tree":         sparsetest.Tree(1000, rng),
		"hub":          sparsetest.Star(120, 0, 0),
		"petals":       sparsetest.Star(60, 1, 0),
		"wheel":        sparsetest.Star(120, 3, 60),
		"islands":      sparsetest.Islands(200),
		"local":        sparsetest.Random(500, 650, 2, 4, rng),
		"gears":        sparsetest.Random(400, 330, 5, 6, rng),
	} {
		m := randomMatrix(p, rand.New(rand.NewPCG(4, 4)))
		scale := ones(m)
		b := randomVector(p.Dim(), rand.New(rand.NewPCG(5, 5)))
		for _, o := range order.All() {
			t.Run(name+"/"+o.String(), func(t *testing.T) {
				f := factored(t, m, order.Of(p, o), scale, 1, factor.Everywhere)
				requireInertia(t, p, pivotsOf(f))
				x := make([]float64, p.Dim())
				f.SolveTo(x, b)
				requireResidual(t, m, prox(m, scale, 1), x, b, growthOf(f))
			})
		}
	}
}

// requireInertia requires the sign of every pivot to be that of its node.
func requireInertia(t *testing.T, p *sparse.Pattern, pivots []float64) {
	t.Helper()
	for i := range p.Len() {
		for k := p.Off[i]; k < p.Off[i+1]; k++ {
			require.Greater(t, pivots[k]*float64(p.Sign[i]), 0.0, "pivot %d of node %d", k-p.Off[i], i)
		}
	}
}

// requireResidual bounds the scaled residual by the growth of the factor.
func requireResidual(t *testing.T, m *sparse.Matrix, e, x, b, growth []float64) {
	t.Helper()
	residual, norm := scaledResidual(m, e, x, b)
	require.LessOrEqual(t, residual, residualTol*max(1, check.MaxAbs(growth)/norm))
}

// requireDense compares x with a dense LU, pivots with a dense LDLᵀ of the matrix
// a that f factored, and growth with one of a with unit +1 blocks.
func requireDense(t *testing.T, f *factor.Factor, a *mat.SymDense, x, b []float64) {
	t.Helper()
	var want mat.VecDense
	require.NoError(t, want.SolveVec(a, mat.NewVecDense(len(b), b)))
	check.CloseVec(t, x, want.RawVector().Data, denseTol, mat.Norm(&want, math.Inf(1)), "x")
	pivots, _ := denseLDL(f.Symbolic, a)
	check.CloseVec(t, pivotsOf(f), pivots, denseTol, check.MaxAbs(pivots), "pivots")
	_, growth := denseLDL(f.Symbolic, unitBlocks(t, f.Symbolic.Pattern, a))
	check.CloseVec(t, growthOf(f), growth, denseTol, check.MaxAbs(growth), "growth")
}

// One Factor takes one matrix after the other, and another right side.
func TestFactorAgain(t *testing.T) {
	p := sparsetest.Grid(5)
	s := factor.Analyze(p, order.Of(p, order.NestedDissection))
	f := s.NewFactor()
	for n := range uint64(3) {
		rng := rand.New(rand.NewPCG(6, n))
		m := randomMatrix(p, rng)
		require.NoError(t, f.Factorize(m, ones(m), 1, factor.Everywhere))
		fresh := s.NewFactor()
		require.NoError(t, fresh.Factorize(m, ones(m), 1, factor.Everywhere))
		for range 2 {
			b := randomVector(p.Dim(), rng)
			x, y := make([]float64, len(b)), make([]float64, len(b))
			f.SolveTo(x, b)
			fresh.SolveTo(y, b)
			require.Equal(t, y, x)
		}
	}
}

// The +1 blocks are read in their lower triangles only, and m is not changed.
func TestFactorReadsLowerTriangles(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	p := sparsetest.Ladder(3)
	m := randomMatrix(p, rng)
	b := randomVector(p.Dim(), rng)
	perm := order.Of(p, order.Banded)
	x, y := make([]float64, len(b)), make([]float64, len(b))
	factored(t, m, perm, ones(m), 1, factor.Everywhere).SolveTo(x, b)
	for i := range p.Positive() {
		d := m.Dia[p.Dia[i]:p.Dia[i+1]]
		for r := range 6 {
			for c := r + 1; c < 6; c++ {
				d[6*r+c] = math.NaN()
			}
		}
	}
	factored(t, m, perm, ones(m), 1, factor.Everywhere).SolveTo(y, b)
	require.Equal(t, x, y)
}
