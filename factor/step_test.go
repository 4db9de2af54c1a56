package factor_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
)

func TestStepsAllocateNothing(t *testing.T) {
	p := sparsetest.Grid(6)
	rng := rand.New(rand.NewPCG(1, 51))
	m := incidenceMatrix(p, rng)
	scale := bodyScales(t, m)
	b := consistentSide(m, rng)
	n := p.Dim()
	x, r := make([]float64, n), make([]float64, n)
	f := factor.Analyze(p, order.Of(p, order.NestedDissection)).NewFactor()
	for name, step := range map[string]func(){
		"Factorize where weak": func() { require.NoError(t, f.Factorize(m, scale, epsilon, factor.WhereWeak)) },
		"Factorize everywhere": func() { require.NoError(t, f.Factorize(m, scale, epsilon, factor.Everywhere)) },
	} {
		require.Zero(t, testing.AllocsPerRun(10, step), name)
	}
	for name, step := range map[string]func(){
		"SolveTo":        func() { f.SolveTo(x, b) },
		"SolveRefinedTo": func() { f.SolveRefinedTo(x, r, b, m, 0) },
		"PivotsTo":       func() { f.PivotsTo(x) },
		"GrowthTo":       func() { f.GrowthTo(x) },
		"Weakest":        func() { f.Weakest() },
	} {
		require.Zero(t, testing.AllocsPerRun(10, step), name)
	}
}

// The solution may take the place of the right side.
func TestSolveInPlace(t *testing.T) {
	for name, p := range smallGraphs() {
		rng := rand.New(rand.NewPCG(2, 51))
		m := randomMatrix(p, rng)
		f := factored(t, m, order.Of(p, order.MinDegree), ones(m), 1, factor.Everywhere)
		b := randomVector(p.Dim(), rng)
		x, kept := make([]float64, len(b)), append([]float64{}, b...)
		f.SolveTo(x, b)
		require.Equal(t, kept, b, name)
		f.SolveTo(b, b)
		require.Equal(t, x, b, name)
	}
}

// The same input gives the same bits, in goroutines that share a Symbolic too,
// and reading the factor does not change it.
//
//rung:race
func TestSameBits(t *testing.T) {
	p := sparsetest.Grid(8)
	rng := rand.New(rand.NewPCG(3, 51))
	m := incidenceMatrix(p, rng)
	scale := bodyScales(t, m)
	b := consistentSide(m, rng)
	s := factor.Analyze(p, order.Of(p, order.NestedDissection))
	const runs = 4
	var out [runs][]float64
	var wait sync.WaitGroup
	for k := range runs {
		wait.Go(func() {
			f := s.NewFactor()
			for range 2 {
				if f.Factorize(m, scale, epsilon, factor.WhereWeak) != nil {
					return
				}
				x, r := make([]float64, len(b)), make([]float64, len(b))
				pivots, growth := pivotsOf(f), growthOf(f)
				f.SolveRefinedTo(x, r, b, m, 0)
				out[k] = append(append(append(append(out[k], x...), r...), pivots...), growth...)
			}
		})
	}
	wait.Wait()
	require.Len(t, out[0], 8*p.Dim())
	require.Equal(t, out[0][:4*p.Dim()], out[0][4*p.Dim():])
	for k := range runs {
		require.Equal(t, out[0], out[k])
	}
}
