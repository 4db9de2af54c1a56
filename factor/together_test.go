package factor_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/team"
)

// unitOf returns a matrix of p with unit +1 blocks, and the scales of its rows.
func unitOf(p *sparse.Pattern, rng *rand.Rand) (*sparse.Matrix, []float64) {
	m, scale := sparse.NewUnitMatrix(p), make([]float64, p.Dim())
	for i := range m.Val {
		m.Val[i] = rng.NormFloat64()
	}
	for i := p.Positive(); i < p.Len(); i++ {
		for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
			columns := int(p.Size[p.Ind[k]])
			for n, v := range m.Val[p.Pos[k]:p.Pos[k+1]] {
				scale[int(p.Off[i])+n/columns] += v * v
			}
		}
		for k := p.Off[i]; k < p.Off[i+1]; k++ {
			scale[k] = max(scale[k], 1) // of a row of zeros
		}
	}
	return m, scale
}

// put stores v as right side number k.
func put(b []float64, k int, v []float64) {
	for i, x := range v {
		b[kernel.Eight*i+k] = x
	}
}

// taken returns vector number k of x.
func taken(x []float64, k int) []float64 {
	v := make([]float64, len(x)/kernel.Eight)
	for i := range v {
		v[i] = x[kernel.Eight*i+k]
	}
	return v
}

// TestTogether: solutions of eight right sides at a time agree with SolveExactTo, their bits do not depend on the other right sides, and
// come about for most of them: rows at random are nearly dependent where there are many.
func TestTogether(t *testing.T) {
	const tol = 1e-10 // of systems at random, some of which are near singular ones
	graphs, solved, all := smallGraphs(), 0, 0
	names := make([]string, 0, len(graphs))
	for name := range graphs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		p := graphs[name]
		rng := rand.New(rand.NewPCG(3, uint64(len(name))))
		m, scale := unitOf(p, rng)
		for _, o := range orders(p, rng) {
			f := factored(t, m, o.perm, scale, epsilon, factor.WhereWeak)
			s, again := f.NewTogether(), f.NewTogether()
			var sides [kernel.Eight][]float64
			for k := range sides {
				sides[k] = consistentSide(m, rng)
				put(s.B, k, sides[k])
			}
			var floor [kernel.Eight]float64
			const n = kernel.Eight - 1
			errors := s.Solve(n, &floor)
			require.True(t, math.IsNaN(errors[n]))
			for i := range again.B {
				again.B[i] = rng.NormFloat64() // rows that contradict each other
			}
			put(again.B, 2, sides[2])
			other := again.Solve(kernel.Eight, &floor)
			require.Equal(t, math.Float64bits(errors[2]), math.Float64bits(other[2]), "%s, %s", name, o.name)
			require.Equal(t, taken(s.X, 2), taken(again.X, 2), "%s, %s", name, o.name)
			x, r := make([]float64, p.Dim()), make([]float64, p.Dim())
			np := positiveRows(p)
			for k, b := range sides[:n] {
				ref := f.SolveExactTo(x, r, b, m, 0)
				if all++; math.IsNaN(errors[k]) {
					continue
				}
				solved++
				require.LessOrEqual(t, errors[k], max(1e-13, 10*ref.Error), "%s, %s", name, o.name)
				check.CloseVec(t, taken(s.X, k)[:np], x[:np], tol, check.MaxAbs(x[:np]), "%s, %s, %d", name, o.name, k)
			}
		}
	}
	require.Greater(t, solved, all/2, "of %d", all)
}

// TestTogetherNearSingular: where rounding of residuals matters, or one correction does not do, there is no solution, and others are as
// exact as those of SolveExactTo.
func TestTogetherNearSingular(t *testing.T) {
	const slack = 10 // of what SolveExactTo is off by
	found := map[bool]int{}
	for d := 1.0; d > 1e-8; d /= 3 {
		m, b, want := nearSingular(d)
		m.Dia = nil
		copy(b, []float64{3, -1, 2, 5})
		scale := []float64{0, 0, 0, 0, 1, 1, 1, 1}
		f := factored(t, m, order.Of(m.Pattern, order.Natural), scale, epsilon, factor.WhereWeak)
		x, r := make([]float64, len(b)), make([]float64, len(b))
		f.SolveExactTo(x, r, b, m, 0)
		s := f.NewTogether()
		put(s.B, 0, b)
		errors := s.Solve(1, new([kernel.Eight]float64))
		found[math.IsNaN(errors[0])]++
		if !math.IsNaN(errors[0]) {
			require.LessOrEqual(t, distance(taken(s.X, 0), want), slack*(distance(x, want)+errors[0])+1e-15, "%g", d)
		}
	}
	require.Greater(t, found[false], 3)
	require.Greater(t, found[true], 3)
}

// TestTogetherLeavesAlone: there is no solution where rows contradict each other, numbers overflow, spare rows do not hold, or the context
// has ended, for other policies, and for matrices of other forms.
func TestTogetherLeavesAlone(t *testing.T) {
	p := sparsetest.Chain(12, true)
	rng := rand.New(rand.NewPCG(4, 1))
	m, scale := unitOf(p, rng)
	s := factor.Analyze(p, order.Of(p, order.NestedDissection))
	f := s.NewFactor()
	good := consistentSide(m, rng)
	solve := func(b []float64) float64 {
		y := f.NewTogether()
		put(y.B, 0, b)
		return y.Solve(1, new([kernel.Eight]float64))[0]
	}
	require.PanicsWithValue(t, "factor: no valid factor", func() { solve(good) })
	require.NoError(t, f.Factorize(m, scale, epsilon, factor.WhereWeak))
	require.LessOrEqual(t, solve(good), 1e-13)
	require.Zero(t, solve(make([]float64, len(good))))
	zero, floor := f.NewTogether(), new([kernel.Eight]float64)
	require.Zero(t, testing.AllocsPerRun(10, func() { zero.Solve(kernel.Eight, floor) }))

	huge := slices.Clone(good)
	huge[0] = math.MaxFloat64
	require.True(t, math.IsNaN(solve(huge)))
	huge[0] = math.NaN()
	require.True(t, math.IsNaN(solve(huge)))

	y := f.NewTogether()
	put(y.B, 0, good)
	put(y.B, 1, good)
	y.Spare = func(rest *[kernel.Eight]float64) (ratio [kernel.Eight]float64) {
		require.Positive(t, rest[0])
		return [kernel.Eight]float64{1e-13, 1e-11}
	}
	errors := y.Solve(2, new([kernel.Eight]float64))
	require.LessOrEqual(t, errors[0], 1e-13)
	require.True(t, math.IsNaN(errors[1]))

	ctx, cancel := context.WithCancel(context.Background())
	watch := new(team.Watch)
	end := watch.Begin(ctx)
	f.Heed(watch)
	cancel()
	require.Eventually(t, watch.Up, time.Minute, time.Millisecond)
	require.True(t, math.IsNaN(solve(good)))
	f.Heed(nil)
	end()

	f.SetParts(make([]float64, p.Len()))
	require.True(t, math.IsNaN(solve(good)))
	f.SetParts(nil)
	require.NoError(t, f.Factorize(m, scale, 1e-13, factor.Everywhere)) // of which a correction leaves rounding
	require.True(t, math.IsNaN(solve(good)))
	whole := randomMatrix(p, rng)
	require.NoError(t, f.Factorize(whole, scales(t, whole), epsilon, factor.WhereWeak))
	require.True(t, math.IsNaN(solve(consistentSide(whole, rng))))

	// A row twice demands two things.
	q := sparsetest.New(1, []sparsetest.Joint{sparsetest.Link(1, 0, sparsetest.World), sparsetest.Link(1, 0, sparsetest.World)})
	twice := sparse.NewUnitMatrix(q)
	copy(twice.Val, []float64{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6})
	f = factored(t, twice, order.Of(q, order.Natural), []float64{0, 0, 0, 0, 0, 0, 91, 91}, epsilon, factor.WhereWeak)
	require.LessOrEqual(t, solve([]float64{1, 0, 0, 0, 0, 0, 2, 2}), 1e-13)
	for _, by := range []float64{1e-4, 1e-6, 1e-8, 1e-9, 1e-10, 1e-11} {
		require.True(t, math.IsNaN(solve([]float64{1, 0, 0, 0, 0, 0, 2, 2 + by})), "%g", by)
	}
}
