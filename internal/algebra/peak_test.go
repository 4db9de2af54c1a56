package algebra_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/algebra"
)

// The place is the first of those that are alike, whatever the order and the last bits, and the largest number is exact.
func TestPeak(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 41))
	for range 1000 {
		floor := []float64{-1, 0, 1e-14}[rng.IntN(3)]
		v := make([]float64, 1+rng.IntN(12))
		for i := range v {
			v[i] = float64(rng.IntN(4)) * (1 + 1e-12*rng.NormFloat64())
		}
		want, most := -1, floor
		for i, x := range v {
			most = max(most, x)
			if x > floor && (want < 0 || x > v[want]*1.2) {
				want = i
			}
		}
		p, halves := algebra.NewPeak(floor), [2]algebra.Peak{algebra.NewPeak(floor), algebra.NewPeak(floor)}
		for _, i := range rng.Perm(len(v)) {
			p.Take(v[i], i)
			halves[i%2].Take(v[i], i)
		}
		require.Equal(t, want, p.At, "%v above %v", v, floor)
		require.Equal(t, most, p.Most)
		halves[0].Join(halves[1])
		require.Equal(t, p, halves[0], "%v above %v", v, floor)
	}
}

// A larger number that is not alike takes the place, however small the steps from the first one are.
func TestPeakDoesNotDrift(t *testing.T) {
	p := algebra.NewPeak(0)
	x := 1.0
	for i := range 100 {
		x *= 1 + 0.9*algebra.Alike
		p.Take(x, i)
	}
	require.Equal(t, x, p.Most)
	require.GreaterOrEqual(t, p.Value, x*(1-algebra.Alike))
}

// Next to the floor, differences as large as the floor are rounding.
func TestPeakNextToItsFloor(t *testing.T) {
	p := algebra.NewPeak(1e-14)
	p.Take(1e-12, 5)
	p.Take(1.009e-12, 6)
	require.Equal(t, 5, p.At)
	p.Take(1.02e-12, 7)
	require.Equal(t, 7, p.At)
	p.Take(0.9e-14, 0)
	require.Equal(t, 7, p.At)
	p.Take(1.015e-12, 2)
	require.Equal(t, 2, p.At)
}

// What is no number, or infinite, is the largest and stays.
func TestPeakOfNoNumber(t *testing.T) {
	p := algebra.NewPeak(0)
	for i, x := range []float64{1, math.Inf(1), 2, math.Inf(1)} {
		p.Take(x, i)
	}
	require.Equal(t, 1, p.At)
	for i, x := range []float64{math.NaN(), 3, math.NaN()} {
		p.Take(x, 4+i)
	}
	require.Equal(t, 4, p.At)
	require.True(t, math.IsNaN(p.Most))
	require.Equal(t, -1, algebra.Largest(nil))
	require.Equal(t, 1, algebra.Largest([]float64{1, -2, 2 + 1e-12}))
	require.Equal(t, 0, algebra.Largest([]float64{0, 0}))
}
