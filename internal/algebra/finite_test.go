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
