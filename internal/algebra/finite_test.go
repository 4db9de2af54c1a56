package algebra_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rung-mbd/rung/internal/algebra"
)

// TestFinite: the largest and the smallest numbers are finite, and one number that is not is enough.
func TestFinite(t *testing.T) {
	good := []float64{0, math.Copysign(0, -1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64}
	for _, x := range good {
		assert.True(t, algebra.Finite(x), x)
	}
	assert.True(t, algebra.AllFinite(good...))
	assert.True(t, algebra.AllFinite())
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		assert.False(t, algebra.Finite(x), x)
		for i := range good {
			v := append([]float64(nil), good...)
			v[i] = x
			assert.False(t, algebra.AllFinite(v...), v)
		}
	}
	assert.False(t, algebra.AllFinite(math.Inf(1), math.Inf(-1)))
}

// TestWorse: the largest number is kept, and the first undefined one before all.
func TestWorse(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		list []float64
		want int
	}{{nil, -1}, {[]float64{0, -1}, -1}, {[]float64{1, 3, 2, 3}, 1}, {[]float64{1, nan, 2, nan}, 1}, {[]float64{nan, math.Inf(1)}, 0}} {
		worst, at := 0.0, -1
		for i, x := range c.list {
			if algebra.Worse(x, worst) {
				worst, at = x, i
			}
		}
		assert.Equal(t, c.want, at, "%v", c.list)
	}
}
