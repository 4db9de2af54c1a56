package search

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// TestDampedIsLeastWithinBounds: damped returns the minimum of the damped linear problem within the bounds. It is compared with the minima
// for all choices of parameters at their bounds.
func TestDampedIsLeastWithinBounds(t *testing.T) {
	const (
		rows, n = 6, 4
		tol     = 1e-9 // relative to the value: rounding of solutions
	)
	rng := rand.New(rand.NewPCG(1, 7))
	pressed := 0
	for range 200 {
		f := &fit{
			box: &box{make([]float64, n), make([]float64, n)}, x: make([]float64, n), r: make([]float64, rows), J: mat.NewDense(rows, n, nil),
			g: make([]float64, n), scale: make([]float64, n), idle: make([]bool, n),
		}
		for i := range f.r {
			f.r[i] = rng.NormFloat64()
			for k := range n {
				// The columns are similar, so that steps without bounds are large.
				f.J.Set(i, k, f.r[i]+rng.NormFloat64()+float64(k)*0.1*rng.NormFloat64())
			}
		}
		for k := range n {
			f.box.lo[k], f.box.hi[k] = -0.5*rng.Float64(), 0.5*rng.Float64()
			f.x[k] = [3]float64{f.box.lo[k], 0, f.box.hi[k]}[rng.IntN(3)]
			for i, r := range f.r {
				f.g[k] += f.J.At(i, k) * r
				f.scale[k] = math.Hypot(f.scale[k], f.J.At(i, k))
			}
		}
		for _, mu := range []float64{0, 0.1} {
			at, err := f.damped(mu)
			require.NoError(t, err)
			for k, x := range at {
				require.True(t, x >= f.box.lo[k] && x <= f.box.hi[k])
				if f.box.at(k, x) != 0 {
					pressed++
				}
			}
			least := leastOfAll(t, f, mu)
			require.LessOrEqual(t, f.dampedValue(at, mu), least*(1+tol), "%v", at)
		}
	}
	assert.Greater(t, pressed, 400)
}

// dampedValue returns the damped linear problem at x.
func (f *fit) dampedValue(x []float64, mu float64) float64 {
	value, _ := f.letGo(x, nil, mu)
	return value
}

// leastOfAll returns the least value of the damped linear problem over all choices of parameters at bounds, with the others free.
func leastOfAll(t *testing.T, f *fit, mu float64) float64 {
	t.Helper()
	n, least := len(f.x), math.Inf(1)
	for choice := range int(math.Pow(3, float64(n))) {
		at, list := slices.Clone(f.x), []int(nil)
		for k := range n {
			switch choice % 3 {
			case 0:
				list = append(list, k)
			case 1:
				at[k] = f.box.lo[k]
			default:
				at[k] = f.box.hi[k]
			}
			choice /= 3
		}
		to, err := f.freely(at, list, mu)
		require.NoError(t, err)
		inside := true
		for k, x := range to {
			inside = inside && x >= f.box.lo[k] && x <= f.box.hi[k]
		}
		if inside {
			least = min(least, f.dampedValue(to, mu))
		}
	}
	return least
}

// TestFitPastBounds: a step that leads out of the bounds of some parameters does not end the fit.
func TestFitPastBounds(t *testing.T) {
	r, err := Fit(context.Background(), example(t, 4), Options{})
	require.NoError(t, err)
	assert.Equal(t, AtBounds, r.Status)
	first, last := r.Iterations[0], r.Iterations[len(r.Iterations)-1]
	assert.Greater(t, first.Gradient, 0.4)
	assert.Less(t, last.Gradient, 1e-3)
	assert.Less(t, last.Value, 0.9*first.Value)
}
