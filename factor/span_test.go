package factor_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
)

const (
	// spanTol separates parts of columns: true ones of the models here are above 1e-5, rounding leaves 1e-12.
	spanTol = 1e-9
	// spanError is the error of a projection relative to the vector: rounding over the smallest part.
	spanError = 1e-10
	// leastError is that of a dense singular value decomposition, the same.
	leastError = 1e-10
)

// spanCase is the W of a mechanism, weighted by a diagonal D.
type spanCase struct {
	p     *factor.SpanPlan
	y     *assemble.Weighted
	scale []float64
	V     *mat.Dense // D^(−½)·W
	first int
}

func spanPlan(t *testing.T, p *sparse.Pattern, o order.Ordering) *factor.SpanPlan {
	plan, err := factor.AnalyzeSpanContext(t.Context(), p, o, 1)
	require.NoError(t, err)
	return plan
}

func rowSpanPlan(t *testing.T, p *sparse.Pattern) *factor.RowSpanPlan {
	plan, err := factor.AnalyzeRowSpanContext(t.Context(), p, order.Auto, 1)
	require.NoError(t, err)
	return plan
}

// newSpanCase has D drawn at random from 1/spread to spread.
func newSpanCase(t *testing.T, family string, n int, spread float64, o order.Ordering) *spanCase {
	t.Helper()
	doc, err := bench.Generate(family, n, 1)
	require.NoError(t, err)
	m, err := mechanism.New(doc)
	require.NoError(t, err)
	y := assemble.NewLayout(m).NewWeighted()
	require.NoError(t, y.FillTo(m.Initial()))
	p := y.Layout.Pattern
	c := &spanCase{p: spanPlan(t, p, o), y: y, scale: make([]float64, p.Dim()), first: int(p.Off[p.Positive()])}
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	c.V = mat.NewDense(p.Dim()-c.first, c.first, nil)
	for i := c.first; i < p.Dim(); i++ {
		c.scale[i] = y.Scale[i] * math.Pow(spread, 2*rng.Float64()-1)
		for k := range c.first {
			c.V.Set(i-c.first, k, y.Matrix.At(i, k)/math.Sqrt(c.scale[i]))
		}
	}
	return c
}

// spanCases are redundant and other mechanisms, in several orders, with weights even and far apart.
func spanCases(t *testing.T, run func(t *testing.T, c *spanCase)) {
	for family, n := range map[string]int{
		"scissor": 4, "nfourbar": 5, "revolute-net": 3, "random": 20, "ladder": 9, "chain": 4, "grid": 3, "stewart": 1,
	} {
		for _, o := range []order.Ordering{order.Auto, order.Natural, order.LeafFirst, order.Banded, order.MinDegree, order.NestedDissection} {
			for _, spread := range []float64{1, 1e3} {
				t.Run(fmt.Sprintf("%s/%v/%g", family, o, spread), func(t *testing.T) {
					run(t, newSpanCase(t, family, n, spread, o))
				})
			}
		}
	}
}

// dense returns U of the column space of V, an orthonormal column each.
func (c *spanCase) dense(t *testing.T) (U *mat.Dense, rank int) {
	t.Helper()
	var svd mat.SVD
	require.True(t, svd.Factorize(c.V, mat.SVDThin))
	s := svd.Values(nil)
	for rank < len(s) && s[rank] > 1e-9*s[0] {
		rank++
	}
	U = new(mat.Dense)
	svd.UTo(U)
	return mat.DenseCopyOf(U.Slice(0, c.V.RawMatrix().Rows, 0, rank)), rank
}

// TestSpan compares rank and projection with a singular value
// decomposition, and vectors of least norm with the projection of D^½·x.
func TestSpan(t *testing.T) {
	spanCases(t, func(t *testing.T, c *spanCase) {
		U, rank := c.dense(t)
		q := c.p.NewSpan()
		q.Factorize(c.y.Matrix, c.scale, spanTol)
		require.Equal(t, rank, q.Rank())
		require.Greater(t, q.Gap().Smallest, spanTol)
		require.Less(t, q.Gap().Dropped, spanTol)

		rng := rand.New(rand.NewPCG(7, 7))
		x, y := make([]float64, len(c.scale)), make([]float64, len(c.scale))
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		q.ProjectTo(y, x)
		var part, want mat.VecDense
		part.MulVec(U.T(), mat.NewVecDense(len(x)-c.first, x[c.first:]))
		want.MulVec(U, &part)
		require.Equal(t, make([]float64, c.first), y[:c.first])
		check.CloseVec(t, y[c.first:], want.RawVector().Data, spanError, check.MaxAbs(x), "projection")
		z := append([]float64(nil), x...)
		q.ProjectTo(z, z)
		require.Equal(t, y, z, "in place")

		how := q.LeastNormTo(z) // of a vector that is not least in D
		require.Less(t, how.Optimality, 1e-14)
		require.Less(t, how.Change, 1e-12)
		copy(z, x)
		how = q.LeastNormTo(z)
		require.Less(t, how.Optimality, 1e-14)
		require.Less(t, how.Change, 1e-12)
		require.Equal(t, x[:c.first], z[:c.first])
		for i := c.first; i < len(x); i++ {
			x[i], z[i] = x[i]*math.Sqrt(c.scale[i]), z[i]*math.Sqrt(c.scale[i])
		}
		part.MulVec(U.T(), mat.NewVecDense(len(x)-c.first, x[c.first:]))
		want.MulVec(U, &part)
		check.CloseVec(t, z[c.first:], want.RawVector().Data, leastError, check.MaxAbs(x[c.first:]), "least norm")
	})
}

// TestRowSpan solves the system of mechanisms, redundant rows among them, and compares with the nearest x₁ with W·x₁ =
// b₂ by the dense pseudoinverse.
func TestRowSpan(t *testing.T) {
	for family, n := range map[string]int{"scissor": 4, "nfourbar": 5, "revolute-net": 2, "random": 20, "ladder": 9, "chain": 4, "stewart": 1} {
		t.Run(family, func(t *testing.T) {
			c := newSpanCase(t, family, n, 1, order.Auto)
			W := c.V
			for i := c.first; i < len(c.scale); i++ {
				for k := range c.first {
					W.Set(i-c.first, k, c.y.Matrix.At(i, k))
				}
			}
			_, rank := c.dense(t)
			q := rowSpanPlan(t, c.y.Layout.Pattern).NewRowSpan()
			q.Factorize(c.y.Matrix, spanTol)
			require.Equal(t, rank, q.Rank())
			require.Greater(t, q.Gap().Smallest, q.Gap().Dropped)

			// A right side that the rows can meet: W of something.
			rng := rand.New(rand.NewPCG(9, 9))
			b, some := make([]float64, len(c.scale)), make([]float64, c.first)
			for i := range some {
				b[i], some[i] = rng.NormFloat64(), rng.NormFloat64()
			}
			rhs := mat.NewVecDense(len(b)-c.first, b[c.first:])
			rhs.MulVec(W, mat.NewVecDense(c.first, some))
			x := make([]float64, len(b))
			how := q.SolveTo(x, b)
			require.Less(t, how.Error, 1e-12)
			require.Less(t, how.Residual, 1e-13)

			// x₁ = b₁ + W⁺·(b₂ − W·b₁).
			var svd mat.SVD
			require.True(t, svd.Factorize(W, mat.SVDThin))
			var miss, want mat.VecDense
			miss.MulVec(W, mat.NewVecDense(c.first, b[:c.first]))
			miss.SubVec(rhs, &miss)
			svd.SolveVecTo(&want, &miss, rank)
			want.AddVec(&want, mat.NewVecDense(c.first, b[:c.first]))
			check.CloseVec(t, x[:c.first], want.RawVector().Data, 1e-9, check.MaxAbs(x[:c.first]), "x₁")
			r := make([]float64, len(b))
			c.y.Matrix.ResidualTo(r, b, x)
			require.Less(t, check.MaxAbs(r), 1e-9*(1+check.MaxAbs(x)))
		})
	}
	c, other := newSpanCase(t, "nfourbar", 2, 1, order.Auto), newSpanCase(t, "nfourbar", 3, 1, order.Auto)
	q := rowSpanPlan(t, c.y.Layout.Pattern).NewRowSpan()
	require.PanicsWithValue(t, "factor: foreign pattern", func() { q.Factorize(other.y.Matrix, spanTol) })
	q.Factorize(c.y.Matrix, spanTol)
	x := make([]float64, len(c.scale))
	require.PanicsWithValue(t, "factor: length mismatch", func() { q.SolveTo(x, x[1:]) })
	require.PanicsWithValue(t, "factor: length mismatch", func() { q.SolveTo(x[1:], x) })
}

// TestSpanAgain factors other values before: nothing of them is left, and results have the same bits.
func TestSpanAgain(t *testing.T) {
	a := newSpanCase(t, "random", 25, 1, order.Auto)
	q, fresh := a.p.NewSpan(), a.p.NewSpan()
	other := newSpanCase(t, "random", 25, 1e3, order.Auto)
	q.Factorize(a.y.Matrix, other.scale, 0.5)
	q.LeastNormTo(make([]float64, len(a.scale)))
	x, y := make([]float64, len(a.scale)), make([]float64, len(a.scale))
	for i := range x {
		x[i], y[i] = float64(i%5), float64(i%5)
	}
	q.Factorize(a.y.Matrix, a.scale, spanTol)
	fresh.Factorize(a.y.Matrix, a.scale, spanTol)
	require.Equal(t, fresh.Gap(), q.Gap())
	require.Equal(t, fresh.LeastNormTo(x), q.LeastNormTo(y))
	require.Equal(t, x, y)
}

// TestSpanTolerance counts columns as dependent up to the tolerance.
func TestSpanTolerance(t *testing.T) {
	c := newSpanCase(t, "nfourbar", 3, 1, order.Auto)
	q := c.p.NewSpan()
	q.Factorize(c.y.Matrix, c.scale, spanTol)
	rank, least := q.Rank(), q.Gap().Smallest
	q.Factorize(c.y.Matrix, c.scale, 1.01*least)
	require.Less(t, q.Rank(), rank)
	require.Equal(t, least, q.Gap().Dropped)
	q.Factorize(c.y.Matrix, c.scale, 2)
	require.Zero(t, q.Rank())
	require.Equal(t, math.Inf(1), q.Gap().Smallest)
}

// TestSpanOfSmallParts: columns of a body of which those before leave little, though the body's columns together are far from
// dependent. In their order the rounding of the last, over these parts, would pass for a direction of its own.
func TestSpanOfSmallParts(t *testing.T) {
	p := sparse.NewPattern([]int8{4, 6}, []int8{1, -1}, []int32{0, 0, 1}, []int32{0})
	q, m, scale := spanPlan(t, p, order.Natural).NewSpan(), sparse.NewUnitMatrix(p), []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	rng := rand.New(rand.NewPCG(11, 1))
	for range 20 {
		for row := range 6 {
			a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
			copy(m.Val[p.Pos[0]+int64(4*row):], []float64{a, a + 2e-4*b, 0.7*a + 0.2*b + 3e-7*c, 0.3*a + 0.5*b - 0.9*c})
		}
		q.Factorize(m, scale, spanTol)
		require.Equal(t, 3, q.Rank())
		require.Greater(t, q.Gap().Smallest, 1e-5)
		require.Less(t, q.Gap().Dropped, 1e-11)
	}
}

func TestSpanPanics(t *testing.T) {
	c, other := newSpanCase(t, "nfourbar", 2, 1, order.Auto), newSpanCase(t, "nfourbar", 3, 1, order.Auto)
	q := c.p.NewSpan()
	require.PanicsWithValue(t, "factor: foreign pattern", func() { q.Factorize(other.y.Matrix, c.scale, spanTol) })
	require.PanicsWithValue(t, "factor: length mismatch", func() { q.Factorize(c.y.Matrix, c.scale[1:], spanTol) })
	q.Factorize(c.y.Matrix, c.scale, spanTol)
	x := make([]float64, len(c.scale))
	require.PanicsWithValue(t, "factor: length mismatch", func() { q.ProjectTo(x, x[1:]) })
	require.PanicsWithValue(t, "factor: length mismatch", func() { q.ProjectTo(x[1:], x) })
	require.PanicsWithValue(t, "factor: length mismatch", func() { q.LeastNormTo(x[1:]) })
}
