package factor_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

const (
	noFactor = "factor: no valid factor"
	mismatch = "factor: length mismatch"
	foreign  = "factor: foreign pattern"
)

// pivotCase is a matrix that cannot be factored.
type pivotCase struct {
	name      string
	m         *sparse.Matrix
	scale     []float64
	policy    factor.Policy
	node, row int     // −1 where the order decides which pivot meets it first
	value     float64 // NaN where it is not finite
}

// pivotCases are made from a chain of three bodies on the world: nodes 0 to 2
// are the bodies, 3 to 5 the joints. Spoil changes a copy of the matrix and its
// scales.
func pivotCases() []pivotCase {
	base := randomMatrix(sparsetest.Chain(3, false), rand.New(rand.NewPCG(1, 31)))
	spoil := func(name string, node, row int, value float64, f func(m *sparse.Matrix, scale []float64)) pivotCase {
		m := sparse.NewMatrix(base.Pattern)
		copy(m.Dia, base.Dia)
		copy(m.Val, base.Val)
		scale := ones(m)
		f(m, scale)
		return pivotCase{name, m, scale, factor.Everywhere, node, row, value}
	}
	nan, inf := math.NaN(), math.Inf(1)
	body := func(m *sparse.Matrix, i int) []float64 { return m.Dia[36*i : 36*i+36] }
	diagonal := func(d []float64, v ...float64) {
		clear(d)
		for i, x := range v {
			d[7*i] = x
		}
	}
	last := spoil("zero row without term", 5, 0, 0, func(m *sparse.Matrix, scale []float64) {
		for k := range 2 {
			clear(block(m, 5, k)[:6])
		}
		scale[m.Pattern.Off[5]] = 0
	})
	weak := last
	weak.name, weak.policy = "zero row without term, where weak", factor.WhereWeak
	return []pivotCase{
		last, weak,
		spoil("negative", 0, 2, -3, func(m *sparse.Matrix, _ []float64) { diagonal(body(m, 0), 1, 2, -3, 4, 5, 6) }),
		spoil("zero", 0, 5, 0, func(m *sparse.Matrix, _ []float64) { diagonal(body(m, 0), 1, 2, 3, 4, 5, 0) }),
		spoil("zero block", 0, 0, 0, func(m *sparse.Matrix, _ []float64) { clear(body(m, 0)) }),
		spoil("indefinite", 0, 1, -8, func(m *sparse.Matrix, _ []float64) {
			d := body(m, 0)
			diagonal(d, 2, 10, 1, 1, 1, 1)
			d[1], d[6] = 6, 6 // 10 − 6·6/2
		}),
		spoil("semidefinite", 0, 1, 0, func(m *sparse.Matrix, _ []float64) {
			d := body(m, 0)
			diagonal(d, 4, 9, 1, 1, 1, 1)
			d[1], d[6] = 6, 6
		}),
		spoil("NaN on a diagonal", 1, 3, nan, func(m *sparse.Matrix, _ []float64) { body(m, 1)[21] = nan }),
		spoil("NaN below a diagonal", 1, 3, nan, func(m *sparse.Matrix, _ []float64) { body(m, 1)[19] = nan }),
		spoil("infinite diagonal", 0, 0, inf, func(m *sparse.Matrix, _ []float64) { body(m, 0)[0] = inf }),
		spoil("NaN in a joint", -1, -1, nan, func(m *sparse.Matrix, _ []float64) { block(m, 4, 1)[7] = nan }),
		spoil("infinity in a joint", -1, -1, nan, func(m *sparse.Matrix, _ []float64) { block(m, 4, 0)[0] = inf }),
		spoil("overflow", -1, -1, nan, func(m *sparse.Matrix, _ []float64) { block(m, 4, 0)[0] = 1e300 }),
		spoil("NaN scale", 4, 2, nan, func(m *sparse.Matrix, s []float64) { s[m.Pattern.Off[4]+2] = nan }),
		spoil("infinite scale", 4, 2, -inf, func(m *sparse.Matrix, s []float64) { s[m.Pattern.Off[4]+2] = inf }),
	}
}

func TestPivotError(t *testing.T) {
	for _, c := range pivotCases() {
		t.Run(c.name, func(t *testing.T) {
			// Bodies first and in their order, so that no joint changes them.
			f := factor.Analyze(c.m.Pattern, []int32{0, 1, 2, 3, 4, 5}).NewFactor()
			err := f.Factorize(c.m, c.scale, 1, c.policy)
			var p *factor.PivotError
			require.ErrorAs(t, err, &p)
			if c.node >= 0 {
				assert.Equal(t, c.node, p.Node)
				assert.Equal(t, c.row, p.Row)
			}
			switch {
			case math.IsNaN(c.value):
				assert.False(t, algebra.Finite(p.Value), "value %v", p.Value)
			case math.IsInf(c.value, 0):
				assert.Equal(t, c.value, p.Value)
			default: // a difference of numbers up to 10
				assert.InDelta(t, c.value, p.Value, 10*0x1p-51)
			}
			requireInvalid(t, f, c.m)
		})
	}
}

// Whatever the order, the error names a pivot that is bad for its sign. Joints
// eliminated before a body may add enough to an indefinite block to make its
// pivots positive; then the factorization exists.
func TestPivotErrorInEveryOrder(t *testing.T) {
	for _, c := range pivotCases() {
		for _, o := range orders(c.m.Pattern, rand.New(rand.NewPCG(2, 2))) {
			f := factor.Analyze(c.m.Pattern, o.perm).NewFactor()
			err := f.Factorize(c.m, c.scale, 1, c.policy)
			if err == nil && c.node == 0 && algebra.Finite(c.value) {
				requireInertia(t, c.m.Pattern, pivotsOf(f))
				continue
			}
			var p *factor.PivotError
			require.ErrorAs(t, err, &p, "%s, %s", c.name, o.name)
			require.Less(t, p.Row, int(c.m.Pattern.Size[p.Node]), "%s, %s", c.name, o.name)
			bad := p.Value*float64(c.m.Pattern.Sign[p.Node]) <= 0 || !algebra.Finite(p.Value)
			require.True(t, bad, "%s, %s: %v", c.name, o.name, p)
			requireInvalid(t, f, c.m)
		}
	}
}

func TestPivotErrorText(t *testing.T) {
	require.EqualError(t, &factor.PivotError{Node: 7, Row: 2, Value: -1.5}, "factor: pivot 2 of node 7 is -1.5")
}

// requireInvalid requires that nothing can be read from f.
func requireInvalid(t *testing.T, f *factor.Factor, m *sparse.Matrix) {
	t.Helper()
	n := m.Pattern.Dim()
	x, r, b := make([]float64, n), make([]float64, n), make([]float64, n)
	require.PanicsWithValue(t, noFactor, func() { f.SolveTo(x, b) })
	require.PanicsWithValue(t, noFactor, func() { f.SolveRefinedTo(x, r, b, m, 0) })
	require.PanicsWithValue(t, noFactor, func() { f.PivotsTo(x) })
	require.PanicsWithValue(t, noFactor, func() { f.GrowthTo(x) })
	require.PanicsWithValue(t, noFactor, func() { f.Weakest() })
}

// A factor is invalid until Factorize, valid after it, gone after a failure and
// valid again.
func TestFactorStates(t *testing.T) {
	p := sparsetest.Ladder(4)
	good := randomMatrix(p, rand.New(rand.NewPCG(3, 3)))
	bad := sparse.NewMatrix(p)
	f := factor.Analyze(p, order.Of(p, order.Banded)).NewFactor()
	requireInvalid(t, f, good)
	b := randomVector(p.Dim(), rand.New(rand.NewPCG(4, 4)))
	x, y := make([]float64, len(b)), make([]float64, len(b))
	require.NoError(t, f.Factorize(good, ones(good), 1, factor.Everywhere))
	f.SolveTo(x, b)
	var pivot *factor.PivotError
	require.True(t, errors.As(f.Factorize(bad, ones(good), 1, factor.Everywhere), &pivot))
	requireInvalid(t, f, good)
	require.NoError(t, f.Factorize(good, ones(good), 1, factor.Everywhere))
	f.SolveTo(y, b)
	require.Equal(t, x, y)
}

func TestFactorPanics(t *testing.T) {
	p := sparsetest.Ladder(2)
	m := randomMatrix(p, rand.New(rand.NewPCG(5, 5)))
	other := randomMatrix(sparsetest.Ladder(2), rand.New(rand.NewPCG(5, 5)))
	n := p.Dim()
	v, short := make([]float64, n), make([]float64, n-1)
	f := factored(t, m, order.Of(p, order.Natural), ones(m), 1, factor.Everywhere)
	for _, c := range []struct {
		text string
		call func()
	}{
		{foreign, func() { _ = f.Factorize(other, v, 1, factor.Everywhere) }},
		{mismatch, func() { _ = f.Factorize(m, short, 1, factor.Everywhere) }},
		{mismatch, func() { f.SolveTo(short, v) }},
		{mismatch, func() { f.SolveTo(v, short) }},
		{foreign, func() { f.SolveRefinedTo(v, v, v, other, 0) }},
		{mismatch, func() { f.SolveRefinedTo(short, v, v, m, 0) }},
		{mismatch, func() { f.SolveRefinedTo(v, v, short, m, 0) }},
		{mismatch, func() { f.PivotsTo(short) }},
		{mismatch, func() { f.GrowthTo(short) }},
	} {
		require.PanicsWithValue(t, c.text, c.call)
	}
	b := randomVector(n, rand.New(rand.NewPCG(6, 6)))
	require.PanicsWithValue(t, "factor: length mismatch", func() { f.SolveRefinedTo(v, short, b, m, 0) })
}
