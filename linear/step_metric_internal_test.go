package linear

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// TestScaleNegative removes the negative part of random symmetric blocks.
func TestScaleNegative(t *testing.T) {
	rng := check.Rand(2)
	for range 20 {
		var A [36]float64
		for r := range 6 {
			for c := range r + 1 {
				A[6*r+c] = rng.NormFloat64()
				A[6*c+r] = A[6*r+c]
			}
		}
		root := [6]float64{1, 2, 3, 1, 0.5, 1}
		clamped := A
		require.NoError(t, scaleNegative(&clamped, &root, 0))
		for range 5 {
			q, before := 0.0, 0.0
			var x [6]float64
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			for r := range 6 {
				for c := range 6 {
					q += x[r] * clamped[6*r+c] * x[c]
					before += x[r] * A[6*r+c] * x[c]
				}
			}
			assert.GreaterOrEqual(t, q, max(before, 0)-1e-12)
		}
	}
}
