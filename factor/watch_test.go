package factor_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/team"
)

// wide is a matrix whose last front has more pivots than are eliminated at a time.
func wide(t *testing.T) (*sparse.Matrix, *factor.Symbolic, []float64) {
	rnd, joints := check.Rand(3), make([][]int32, 950)
	for i := range joints {
		a := rnd.Int32N(599)
		joints[i] = []int32{a, a + 1 + rnd.Int32N(599-a)}
	}
	m := randomMatrix(sparsetest.Uniform(600, 3, joints), rnd)
	s, _, _ := factor.Choose(m.Pattern, order.MinDegree, 1)
	require.Greater(t, s.Counts.MaxFront, 700)
	return m, s, ones(m)
}

// TestWideFront: a front that is eliminated in parts gives a solution as good as any.
func TestWideFront(t *testing.T) {
	m, s, scale := wide(t)
	b := sparsetest.Vec(check.Rand(5), m.Pattern.Dim())
	x, f := make([]float64, len(b)), s.NewFactor()
	require.NoError(t, f.Factorize(m, scale, 1, factor.Everywhere))
	f.SolveTo(x, b)
	requireResidual(t, m, prox(m, scale, 1), x, b, growthOf(f))
}

// TestWatch: a factorization ends early with its context, before and in the middle, and the next one has the bits of a
// fresh factor. Without a context that ends, watched work has the same bits too.
//
//rung:race
func TestWatch(t *testing.T) {
	m, s, scale := wide(t)
	b := sparsetest.Vec(check.Rand(5), m.Pattern.Dim())
	solve := func(f *factor.Factor) []float64 {
		x, r := make([]float64, len(b)), make([]float64, len(b))
		require.NoError(t, f.FactorizeFor(b, m, scale, 1, factor.Everywhere))
		f.SolveRefinedTo(x, r, b, m, 0)
		return x
	}
	want := solve(s.NewFactor())
	f := s.NewFactor()
	for _, after := range []time.Duration{0, time.Millisecond} {
		ctx, cancel := context.WithCancel(context.Background())
		var w team.Watch
		f.Heed(&w)
		end := w.Begin(ctx)
		if after == 0 {
			cancel()
		} else {
			time.AfterFunc(after, cancel)
		}
		var err error
		for begun := time.Now(); err == nil && time.Since(begun) < 10*time.Second; { // the watch hears of the end on a goroutine of its own
			err = f.Factorize(m, scale, 1, factor.Everywhere)
		}
		require.ErrorIs(t, err, context.Canceled)
		end()
		require.Equal(t, want, solve(f))
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var w team.Watch
	f.Heed(&w)
	end := w.Begin(ctx)
	require.Equal(t, want, solve(f))
	end()
}

// TestAnalysisEnds: orders and analyses end with their context, and refuse what is beyond the limits with the price.
//
//rung:race
func TestAnalysisEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(assert.AnError)
	p := sparsetest.Grid(40)
	for _, o := range append(order.All(), order.Auto) {
		_, _, _, err := factor.ChooseContext(ctx, p, o, 2, factor.Limits{})
		require.ErrorIs(t, err, assert.AnError, "%v", o)
		if o != order.Auto {
			_, err = order.OfContext(ctx, p, o, 2)
			require.ErrorIs(t, err, assert.AnError, "%v", o)
		}
	}
	_, err := factor.AnalyzeContext(ctx, p, order.Of(p, order.MinDegree))
	require.ErrorIs(t, err, assert.AnError)
	_, err = factor.AnalyzeSpanContext(ctx, p, order.Auto, 1)
	require.ErrorIs(t, err, assert.AnError)

	s, _, _ := factor.Choose(p, order.Auto, 1)
	for _, l := range []factor.Limits{{Flops: s.Counts.Flops - 1}, {NonZeros: s.Counts.NonZeros - 1}} {
		_, _, _, err := factor.ChooseContext(context.Background(), p, order.Auto, 1, l)
		cost := new(factor.CostError)
		require.ErrorAs(t, err, &cost)
		require.Equal(t, s.Counts, cost.Counts)
		require.Contains(t, err.Error(), "more than")
	}
	_, _, _, err = factor.ChooseContext(context.Background(), p, order.Auto, 1, factor.Limits{Flops: s.Counts.Flops, NonZeros: s.Counts.NonZeros})
	require.NoError(t, err)
}
