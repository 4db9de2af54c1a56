package search

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/internal/machine"
)

// example is the fit of examples/slidercrank for its first n parameters.
func example(t testing.TB, n int) *objective.Problem {
	t.Helper()
	dir := filepath.Join("..", "..", "examples", "slidercrank")
	f, err := os.Open(filepath.Join(dir, "slider-crank.objective.json"))
	require.NoError(t, err)
	defer f.Close()
	o, err := objective.Read(f, "o.json")
	require.NoError(t, err)
	o.Parameters = o.Parameters[:n]
	text, err := os.ReadFile(filepath.Join(dir, "slider-crank.json"))
	require.NoError(t, err)
	p, err := objective.NewProblem(o, "o.json", objective.Source{Text: text, Name: "m.json", Data: os.DirFS(dir)})
	require.NoError(t, err)
	return p
}

// byDifferences returns residuals with slopes by central differences of whole runs, for comparison.
func byDifferences(ctx context.Context, p *objective.Problem) ([]objective.Residual, error) {
	const part = 1e-4
	list, err := p.Residuals(ctx)
	if err != nil {
		return nil, err
	}
	for k, x := range p.Values() {
		h := part * max(1, x)
		var sides [2][]objective.Residual
		for i, by := range [2]float64{h, -h} {
			values := p.Values()
			values[k] += by
			q, err := p.With(values)
			if err == nil {
				sides[i], err = q.Residuals(ctx)
			}
			if err != nil {
				return nil, err
			}
		}
		for j := range list {
			list[j].Slopes = append(list[j].Slopes, (sides[0][j].Misfit-sides[1][j].Misfit)/(2*h))
		}
	}
	return list, nil
}

// TestFitByDifferences: a fit with exact slopes ends where a fit with differences does, with at most as many iterations.
func TestFitByDifferences(t *testing.T) {
	const apart = 1e-4 // in deviations: error of the flat minimum and of differences
	p := example(t, 8)
	exact, err := Fit(context.Background(), p, Options{})
	require.NoError(t, err)
	f, past, err := newFit(p, &Options{})
	require.NoError(t, err)
	f.slopes = byDifferences
	r, err := f.begin(context.Background(), past, &Options{})
	require.NoError(t, err)
	assert.LessOrEqual(t, len(exact.Iterations), len(r.Iterations))
	for k := range exact.Parameters {
		x, y := &exact.Parameters[k], &r.Parameters[k]
		require.NotNil(t, x.Deviation)
		assert.InDelta(t, y.Value, x.Value, apart**x.Deviation, x.Name)
	}
}

// BenchmarkFits reports the processor time of whole fits with exact slopes, relative to fits with differences: the ratio of least times,
// taken by turns.
func BenchmarkFits(b *testing.B) {
	for _, n := range []int{4, 8} {
		b.Run(fmt.Sprintf("parameters=%d", n), func(b *testing.B) {
			p := example(b, n)
			least := [2]time.Duration{math.MaxInt64, math.MaxInt64}
			for b.Loop() {
				for i, slopes := range []slopesFunc{slopesOf, byDifferences} {
					begun := machine.ProcessorTime()
					f, past, err := newFit(p, &Options{})
					require.NoError(b, err)
					f.slopes = slopes
					_, err = f.begin(context.Background(), past, &Options{})
					require.NoError(b, err)
					least[i] = min(least[i], machine.ProcessorTime()-begun)
				}
			}
			b.ReportMetric(float64(least[0])/float64(least[1]), "of-differences")
		})
	}
}

type slopesFunc = func(ctx context.Context, p *objective.Problem) ([]objective.Residual, error)
