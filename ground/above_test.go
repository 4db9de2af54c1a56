package ground_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/check"
)

// TestAbove: no height of a rectangle is above what Above says, and on level ground that is the height. Where nothing is known it is +Inf.
func TestAbove(t *testing.T) {
	f := referenceField(t)
	spline := newGrid(t, f, ground.Options{Outside: ground.Tangent})
	level := newGrid(t, f, ground.Options{Outside: ground.Level})
	sum, err := ground.Sum(spline, newGrid(t, f, ground.Options{}))
	require.NoError(t, err)
	rng, e := check.Rand(4), spline.Extent()
	cell := f.Spacing
	known := 0
	for range 2000 {
		var r ground.Extent
		for c := range 2 {
			r.Min[c] = e.Min[c] + (e.Max[c]-e.Min[c])*rng.Float64()
			r.Max[c] = r.Min[c] + 2*cell[c]*rng.Float64()
		}
		top := spline.Above(r)
		inside := r.Max[0] <= e.Max[0] && r.Max[1] <= e.Max[1]
		require.Equal(t, inside, !math.IsInf(top, 1))
		if !inside {
			continue
		}
		known++
		require.InDelta(t, 2*top, sum.Above(r), 1e-12)
		for range 20 {
			z, err := spline.Height(r.Min[0]+rng.Float64()*(r.Max[0]-r.Min[0]), r.Min[1]+rng.Float64()*(r.Max[1]-r.Min[1]))
			require.NoError(t, err)
			require.LessOrEqual(t, z, top)
		}
	}
	require.Greater(t, known, 500)

	// Where the border continues level, its coefficients count.
	for range 500 {
		var r ground.Extent
		for c := range 2 {
			r.Min[c] = e.Min[c] - 2*cell[c] + (e.Max[c]-e.Min[c]+4*cell[c])*rng.Float64()
			r.Max[c] = r.Min[c] + 2*cell[c]*rng.Float64()
		}
		top := level.Above(r)
		z, err := level.Height(r.Min[0]+rng.Float64()*(r.Max[0]-r.Min[0]), r.Min[1]+rng.Float64()*(r.Max[1]-r.Min[1]))
		require.NoError(t, err)
		require.LessOrEqual(t, z, top)
	}

	// A level grid: only rounding is between.
	plain := &ground.Field{Origin: [2]float64{0, 0}, Spacing: [2]float64{1, 1}, Size: [2]int{12, 12}, Heights: make([]float64, 144)}
	for i := range plain.Heights {
		plain.Heights[i] = 1e5
	}
	small := ground.Extent{Min: [2]float64{2.5, 2.5}, Max: [2]float64{6.4, 6.4}} // 8 × 8 coefficients
	flat := newGrid(t, plain, ground.Options{})
	require.InDelta(t, 1e5, flat.Above(small), 1e-8)
	require.GreaterOrEqual(t, flat.Above(small), 1e5)
	small.Max[0] = 7.1 // 9 × 8
	require.True(t, math.IsInf(flat.Above(small), 1))
	slope, err := ground.Function("0.1*x")
	require.NoError(t, err)
	hermite := newGrid(t, f, ground.Options{Interpolation: ground.Hermite})
	for _, s := range []*ground.Surface{slope, hermite} {
		require.True(t, math.IsInf(s.Above(ground.Extent{Min: e.Min, Max: e.Min}), 1))
	}
}
